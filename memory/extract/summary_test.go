package extract_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/extract"
)

var update = flag.Bool("update", false, "write the golden files")

// conversation reads a file of lines "time, role, sender, text", parted by tabs.
func conversation(t *testing.T, file string) []memory.Message {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var messages []memory.Message
	for line := range strings.Lines(string(data)) {
		part := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 4)
		at, err := time.Parse("2006-01-02 15:04", part[0])
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, memory.Message{
			Role: memory.Role(part[1]), Sender: part[2], SentAt: at, Content: strings.ReplaceAll(part[3], `\n`, "\n"),
		})
	}
	return messages
}

// exchanges cuts messages before each of a user.
func exchanges(messages []memory.Message) [][]memory.Message {
	var list [][]memory.Message
	for _, m := range messages {
		if m.Role == memory.RoleUser || len(list) == 0 {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], m)
	}
	return list
}

// shown is a summary as JSON for people.
func shown(t *testing.T, s memory.Summary) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var languages = []string{"english", "chinese", "japanese"}

func TestSummaryOfExamples(t *testing.T) {
	t.Parallel()
	for _, name := range languages {
		got := shown(t, extract.Summary(memory.Summary{}, exchanges(conversation(t, name+".tsv")), extract.Options{}))
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("Summary of %s =\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestSummaryInTwoSteps(t *testing.T) {
	t.Parallel()
	for _, name := range languages {
		all := exchanges(conversation(t, name+".tsv"))
		once := extract.Summary(memory.Summary{}, all, extract.Options{})
		for cut := range all {
			half := extract.Summary(memory.Summary{}, all[:cut], extract.Options{})
			got := extract.Summary(half, all[cut:], extract.Options{})
			if !reflect.DeepEqual(got.KeyDecisions, once.KeyDecisions) {
				t.Errorf("%s, cut before exchange %d: KeyDecisions = %q, want those of one step, %q", name, cut, got.KeyDecisions, once.KeyDecisions)
			}
			if got.CurrentDiscussion.Topic != once.CurrentDiscussion.Topic {
				t.Errorf("%s, cut before exchange %d: current topic = %q, want %q", name, cut, got.CurrentDiscussion.Topic, once.CurrentDiscussion.Topic)
			}
		}
	}
}

// TestSummaryOfTheDemo prints what is said of the bundled conversation.
func TestSummaryOfTheDemo(t *testing.T) {
	t.Parallel()
	sessions := map[string][]memory.Message{}
	data, err := os.ReadFile("../../cmd/mcp-memory/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var m struct {
			Session string      `json:"session_id"`
			Role    memory.Role `json:"role"`
			Sender  string      `json:"sender"`
			Content string      `json:"content"`
			SentAt  time.Time   `json:"sent_at"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.Session != "" {
			sessions[m.Session] = append(sessions[m.Session], memory.Message{Role: m.Role, Sender: m.Sender, Content: m.Content, SentAt: m.SentAt})
		}
	}
	want := map[string][]string{
		"kite-backend": {"Don't: One rule: never delete a finished delivery, accounting needs them for seven years."},
		"司機端":          {},
		"倉庫ラベル":        {},
	}
	for session, decisions := range want {
		got := extract.Summary(memory.Summary{}, exchanges(sessions[session]), extract.Options{})
		t.Logf("%s: %s", session, shown(t, got))
		if !reflect.DeepEqual(got.KeyDecisions, decisions) {
			t.Errorf("KeyDecisions of %s = %q, want %q", session, got.KeyDecisions, decisions)
		}
	}
}
