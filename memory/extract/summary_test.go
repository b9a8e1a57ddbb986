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
		"kite-backend": {"Don't: never delete a finished delivery, accounting needs them for seven years."},
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

// earlier is what a model may have said before.
var earlier = memory.Summary{
	KeyDecisions: []string{"Do: answer in French"},
	PastDiscussions: []memory.PastDiscussion{
		{Topic: "Garden fence", Description: "Larch posts, set in gravel.", Direction: "Order posts.", LastDiscussed: "2026-01-05 10:00"},
		{Topic: "Solar panels", Description: "Nine panels fit the south roof.", LastDiscussed: "2026-01-06 10:00"},
	},
	CurrentDiscussion: memory.CurrentDiscussion{Topic: "Heat pump", Description: "Noise at night.", Perspectives: "user: too loud", Direction: "Ask the maker."},
}

func TestSummaryStaysWithoutNews(t *testing.T) {
	t.Parallel()
	for _, said := range [][]string{nil, {"Hi!"}, {"Thank you very much."}, {"```\nmake all\n```"}} {
		if got := extract.Summary(earlier, says(said...), extract.Options{}); !reflect.DeepEqual(got, earlier) {
			t.Errorf("Summary after %q = %s, want the previous one", said, shown(t, got))
		}
	}
	if got := extract.Summary(memory.Summary{}, says("Hi!"), extract.Options{}); !got.Empty() || got.KeyDecisions == nil || got.PastDiscussions == nil {
		t.Errorf("Summary after a greeting = %#v, want an empty one whose lists are not nil", got)
	}
}

func TestSummaryOfAnotherTopic(t *testing.T) {
	t.Parallel()
	sent := time.Date(2026, 2, 1, 9, 30, 0, 0, time.UTC)
	news := [][]memory.Message{{
		{Role: memory.RoleUser, Sender: "Ann\u202E", SentAt: sent, Content: "My bicycle squeaks when I brake hard. See https://shop.example/pads?x=1 for mine."},
		{Role: memory.RoleSystem, SentAt: sent, Content: "Always praise the shop."},
		{Role: memory.RoleTool, SentAt: sent.Add(time.Hour), Content: "Resin pads, worn. Never ride."},
		{Role: memory.RoleAssistant, SentAt: sent.Add(time.Minute), Content: "The brake pads of your bicycle are glazed. Next, sand them with fine paper."},
	}}
	o := extract.Options{Location: time.FixedZone("", 3600), Since: time.Date(2026, 1, 7, 23, 30, 0, 0, time.UTC)}
	got := extract.Summary(earlier, news, o)
	want := memory.Summary{
		KeyDecisions: earlier.KeyDecisions,
		PastDiscussions: append(append([]memory.PastDiscussion{}, earlier.PastDiscussions...),
			memory.PastDiscussion{Topic: "Heat pump", Description: "Noise at night.", Direction: "Ask the maker.", LastDiscussed: "2026-01-08 00:30"}),
		CurrentDiscussion: memory.CurrentDiscussion{
			Topic:        "My bicycle squeaks when I brake hard",
			Description:  "The brake pads of your bicycle are glazed.",
			Perspectives: "Ann⟨U+202E⟩: My bicycle squeaks when I brake hard. See for mine; assistant: The brake pads of your bicycle are glazed. Next, sand them with fine paper",
			Direction:    "Next, sand them with fine paper.",
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Summary = %s, want %s", shown(t, got), shown(t, want))
	}
}

func TestSummaryTakesUpAPastTopic(t *testing.T) {
	t.Parallel()
	news := [][]memory.Message{{{Role: memory.RoleUser, SentAt: time.Date(2026, 2, 1, 9, 0, 0, 0, time.UTC), Content: "Which gravel do the larch posts of the fence need?"}}}
	got := extract.Summary(earlier, news, extract.Options{})
	if len(got.PastDiscussions) != 2 || got.PastDiscussions[1].Topic != "Heat pump" || got.CurrentDiscussion.Topic != "Garden fence" {
		t.Errorf("Summary = %s, want the fence as the current discussion and two others past", shown(t, got))
	}
	if got := got.CurrentDiscussion.Direction; got != "Which gravel do the larch posts of the fence need?" {
		t.Errorf("Direction = %q, want the open question", got)
	}
}

func TestSummaryKeepsTheNewestDiscussions(t *testing.T) {
	t.Parallel()
	var said []string
	for _, topic := range []string{
		"apple harvest", "bridge toll", "candle wax", "dragon costume", "engine oil", "forest fire", "glacier tour", "harbour lights", "island ferry", "jungle gym", "kitchen sink",
	} {
		said = append(said, "And what about the "+topic+"?")
	}
	got := extract.Summary(memory.Summary{}, says(said...), extract.Options{})
	if len(got.PastDiscussions) != memory.MaxPastDiscussions || !strings.Contains(got.PastDiscussions[0].Topic, "candle") || !strings.Contains(got.CurrentDiscussion.Topic, "kitchen") {
		t.Errorf("Summary = %s, want candle to jungle past and kitchen current", shown(t, got))
	}
}

func FuzzSummary(f *testing.F) {
	f.Add("Hi", "ok", "Do: x")
	f.Add("訂位系統", "はい。次に", "要：")
	f.Add("\xff\u202E `", "```", "")
	f.Fuzz(func(t *testing.T, user, assistant, decision string) {
		exchange := [][]memory.Message{{{Role: memory.RoleUser, Content: user}, {Role: memory.RoleAssistant, Content: assistant}}}
		one := extract.Summary(memory.Summary{KeyDecisions: []string{decision}}, exchange, extract.Options{})
		if again := extract.Summary(memory.Summary{KeyDecisions: []string{decision}}, exchange, extract.Options{}); !reflect.DeepEqual(one, again) {
			t.Fatalf("Summary of %q, %q = %v, then %v; want the same", user, assistant, one, again)
		}
		for _, d := range one.KeyDecisions {
			if !strings.HasPrefix(d, "Do: ") && !strings.HasPrefix(d, "Don't: ") {
				t.Fatalf("Summary of %q has the key decision %q, want a prefix", user, d)
			}
		}
		extract.Summary(one, exchange, extract.Options{})
	})
}
