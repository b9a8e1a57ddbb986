package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

// settings are the flags of every command. Each can also come from an
// environment variable or the configuration file, in this order of strength.
type settings struct {
	DB        string `name:"db" placeholder:"FILE" help:"The database file; default: memory.db in the data folder."`
	Session   string `placeholder:"ID" help:"The session of calls that name none; default: default."`
	Workspace string `placeholder:"DIR" help:"The folder of notes; default: <database>-workspace."`
	Config    string `placeholder:"FILE" help:"The configuration file, JSON; default: config.json in the configuration folder, if there is one."`
	LogLevel  word   `enum:"debug,info,warn,error" default:"warn" help:"How much is logged to standard error: ${enum}."`

	Sync               word     `group:"Storage" enum:"full,normal" default:"full" help:"full survives a power cut, normal is faster and survives a crash."`
	JournalMode        word     `group:"Storage" enum:"wal,delete,truncate" default:"wal" help:"How SQLite keeps its journal: ${enum}. Network file systems need delete or truncate."`
	Redact             onOff    `group:"Storage" default:"on" help:"Mask secrets before messages are stored: on or off."`
	MaxHistoryMessages int      `group:"Storage" default:"16" help:"Messages that get_context gives whole."`
	MaxHistoryBytes    byteSize `group:"Storage" default:"4MiB" help:"Text that a session may have before its oldest part moves to the archive; 0 = no limit."`
	KeepVectors        word     `group:"Storage" enum:"hot,all" default:"hot" help:"Whether the archive keeps its vectors: hot = no, all = yes."`
	ErrorTTL           lifetime `name:"error-ttl" group:"Storage" default:"90d" help:"How long a lesson is kept since it was written or found last, such as 90d or 12h."`
	TimeZone           string   `placeholder:"ZONE" help:"Time zone of times written without one, such as Asia/Taipei; default: the system's."`

	Embedder        word   `group:"Semantic search" enum:"local,hashed,openai,static" default:"local" help:"What makes the vectors. local: learnt from the recorded messages. hashed: from the words alone, for a little less memory. openai: an endpoint that speaks /v1/embeddings. static: a model2vec folder. Use one for all servers of a file."`
	EmbedBaseURL    string `name:"embed-base-url" group:"Semantic search" placeholder:"URL" help:"Of the embeddings endpoint, with its version, such as http://localhost:11434/v1; default: OPENAI_BASE_URL or OpenAI's. Its key comes from MCP_MEMORY_EMBED_API_KEY; without this setting, OPENAI_API_KEY serves too."`
	EmbedModel      string `group:"Semantic search" placeholder:"NAME" help:"The endpoint's model; default: text-embedding-3-small."`
	EmbedDimensions int    `group:"Semantic search" placeholder:"N" help:"Length of the endpoint's vectors; default: the model's own."`
	EmbedBatch      int    `group:"Semantic search" placeholder:"N" help:"Texts a request; default: 64, fewer where the endpoint says so."`
	StaticDir       string `group:"Semantic search" placeholder:"DIR" help:"The model2vec folder: model.safetensors and tokenizer.json."`

	LLMBaseURL      string `name:"llm-base-url" group:"Summary" placeholder:"URL" help:"Of the endpoint of the model that writes summaries, with its version, such as http://localhost:11434/v1; default: OPENAI_BASE_URL or OpenAI's. Its key comes from MCP_MEMORY_LLM_API_KEY; without this setting, OPENAI_API_KEY serves too."`
	LLMModel        string `name:"llm-model" group:"Summary" placeholder:"NAME" help:"The model that writes summaries; without one they are quoted from the messages, and no request leaves."`
	DecisionModel   string `group:"Summary" placeholder:"NAME" help:"A small, cheap model that judges what a summary needs; without one everything is kept."`
	DecisionBaseURL string `name:"decision-base-url" group:"Summary" placeholder:"URL" help:"Of its endpoint; default: that of --llm-base-url with its key, else its key comes from MCP_MEMORY_DECISION_API_KEY."`
	ReplyLang       string `group:"Summary" placeholder:"LANGUAGE" default:"auto" help:"Language of summaries, such as English or Japanese; auto = that of the conversation."`
	SummaryRunes    int    `group:"Summary" placeholder:"N" default:"32000" help:"Characters of conversation that a request gives the model at most."`
	SummarySchedule string `group:"Summary" placeholder:"CRON" default:"*/15 * * * *" help:"When summaries are brought up to date."`
	DailyTokens     int    `group:"Summary" placeholder:"N" default:"0" help:"Tokens that all chat models together may use a day; 0 = no limit."`

	WindowsURL string `name:"windows-url" group:"Fitting" placeholder:"URL" help:"Where a table of models and their context windows is published (the JSON of models.dev or LiteLLM); read hourly. Without it the built-in table serves."`

	Toolsets []string `group:"Tools" placeholder:"NAME" help:"Offer only these sets of tools, with commas: conversation, upkeep, fit, lessons, notes; default: all."`
	ReadOnly bool     `group:"Tools" help:"Offer only what changes nothing."`

	zone *time.Location
	keys keys // from the environment alone
}

// defaultSession is the session of calls when none is configured.
const defaultSession = "default"

// check makes the settings ready for use: paths are expanded, defaults that
// depend on the system filled in, and what cannot work is refused.
func (s *settings) check(env environment) error {
	if s.DB == "" {
		s.DB = env.dataFile("memory.db")
	}
	var err error
	if s.DB, err = env.expand(s.DB); err != nil {
		return fmt.Errorf("--db: %w", err)
	}
	if s.Workspace == "" {
		s.Workspace = strings.TrimSuffix(s.DB, filepath.Ext(s.DB)) + "-workspace"
	}
	if s.Workspace, err = env.expand(s.Workspace); err != nil {
		return fmt.Errorf("--workspace: %w", err)
	}
	if s.Session != "" {
		if err := memory.CheckSessionID(s.Session); err != nil {
			return fmt.Errorf("--session: %w", err)
		}
	}
	if s.MaxHistoryMessages < 1 {
		return fmt.Errorf("--max-history-messages must be 1 or more, got %d", s.MaxHistoryMessages)
	}
	if _, err := s.selection().Of(nil); err != nil {
		return fmt.Errorf("--toolsets: %w", err)
	}
	if err := s.checkEmbedder(env); err != nil {
		return err
	}
	if err := s.checkModels(env); err != nil {
		return err
	}
	return s.loadZone()
}

func (s *settings) loadZone() error {
	s.zone = time.Local
	if s.TimeZone == "" {
		return nil
	}
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return fmt.Errorf("--time-zone: %q is not a time zone such as Asia/Taipei", s.TimeZone)
	}
	s.zone = zone
	return nil
}

// session is the configured session or the default one.
func (s *settings) session() string {
	if s.Session == "" {
		return defaultSession
	}
	return s.Session
}

// selection is which tools are offered.
func (s *settings) selection() tools.Selection {
	return tools.Selection{Toolsets: s.Toolsets, ReadOnly: s.ReadOnly}
}

// of returns the settings of a namespace: the same, with its own database file
// and folder of notes, beside those of the main one.
func (s *settings) of(namespace string) *settings {
	own := *s
	if namespace != "" {
		ext := filepath.Ext(s.DB)
		own.DB = strings.TrimSuffix(s.DB, ext) + "." + namespace + ext
		own.Workspace = s.Workspace + "-" + namespace
	}
	return &own
}

// level is the lowest level that is logged.
func (s *settings) level() slog.Level {
	switch s.LogLevel {
	case "debug":
		return slog.LevelDebug
	case "info":
		return slog.LevelInfo
	case "error":
		return slog.LevelError
	}
	return slog.LevelWarn
}

// exists refuses to go on without a database file, for commands that only look
// at it: they should not leave an empty one behind.
func (s *settings) exists() error {
	if _, err := os.Stat(s.DB); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database at %s yet", s.DB)
	}
	return nil // what else is wrong, opening it will tell
}
