package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/history"
	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/transfer"
)

// store is a memory to import into.
type store struct {
	t  *testing.T
	db *sqlite.DB
	h  *history.History
}

func newStore(t *testing.T) *store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "memory.db"), Sync: "normal"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	h, err := history.New(history.Config{Store: db, Location: time.UTC, MaxHotBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return &store{t, db, h}
}

func (s *store) append(ctx context.Context, session, source string, drafts []memory.Draft) (transfer.Outcome, error) {
	added, err := s.h.Append(ctx, session, source, drafts)
	return transfer.Outcome{Appended: added.Appended, Replaced: added.Replaced}, err
}

func (s *store) importText(text string) transfer.Report {
	s.t.Helper()
	report, err := transfer.Import{Append: s.append, Session: "default", Zone: time.UTC}.Run(s.t.Context(), strings.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

func (s *store) messages() []memory.Message {
	s.t.Helper()
	var list []memory.Message
	err := s.db.Export(s.t.Context(), "", func(m memory.Message) error {
		list = append(list, m)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

func (s *store) export() string {
	s.t.Helper()
	var b bytes.Buffer
	if _, err := transfer.Export(s.t.Context(), s.db.Export, "", &b); err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}

// said writes the messages in short: session, id, role and content.
func said(list []memory.Message) []string {
	out := []string{}
	for _, m := range list {
		out = append(out, fmt.Sprintf("%s/%s/%s/%s", m.Session, m.ClientID, m.Role, m.Content))
	}
	return out
}

const conversation = "\xef\xbb\xbf" + `{"mcp_memory_export":1}
{"session_id":"a","id":"1","role":"user","sender":"Ada","content":"hello","sent_at":"2026-03-01T10:00:00Z"}

{"session_id":"b","role":"user","content":"no id","sent_at":1772359200}
{"session_id":"a","id":"2","role":"assistant","content":"","sent_at":"2026-03-01 10:00:01","tool_calls":[{"id":"c"}],"unknown":"ignored"}
{"session_id":"a","id":"3","role":"tool","content":"result","sent_at":"2026-03-01T10:00:02Z","tool_name":"look","tool_call_id":"c"}
{"role":"user","content":"neither id nor time"}` + "\r\n" + `{"role":"user","content":"neither id nor time"}`

func TestImportTwiceAddsNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if got := s.importText(conversation); got.Read != 6 || got.Added != 6 || got.Duplicates != 0 || got.Skipped != 0 {
		t.Errorf("first import = %+v, want 6 added", got)
	}
	want := said(s.messages())
	if got := s.importText(conversation); got.Read != 6 || got.Added != 0 || got.Duplicates != 6 {
		t.Errorf("second import = %+v, want 6 duplicates", got)
	}
	got := said(s.messages())
	if !slices.Equal(got, want) {
		t.Errorf("messages = %q, want %q", got, want)
	}
	if !slices.Contains(got, "a/1/user/hello") || !slices.Contains(got, "b//user/no id") || !slices.Contains(got, "a/2/assistant/") {
		t.Errorf("messages = %q", got)
	}
	for _, m := range s.messages() {
		if m.Source != "import" {
			t.Errorf("source = %q, want import", m.Source)
		}
	}
}

func TestBrokenRecordsAreSkipped(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	huge := strings.Repeat("x", memory.MaxContentBytes+1)
	got := s.importText(strings.Join([]string{
		`{"session_id":"a","id":"1","role":"user","content":"one"}`,
		`{"session_id":"a","id":"2","role":"robot","content":"two"}`,
		`{"session_id":"a","id":"3",`,
		`[1,2]`,
		`{"session_id":"a/b","id":"5","role":"user","content":"five"}`,
		`{"session_id":"a","id":"6","role":"user","content":"` + huge + `"}`,
		`{"session_id":"a","id":"7","role":"user","content":"seven","sent_at":"noon"}`,
		`{"session_id":"a","id":"8","role":"user","content":"eight","sent_at":true}`,
		`{"session_id":"a","id":"9","role":"user","content":"nine","tool_calls":{}}`,
		`{"session_id":"a","id":"10","role":"user","content":"ten"}`,
	}, "\n"))
	if got.Read != 10 || got.Added != 2 || got.Skipped != 8 {
		t.Errorf("report = %+v, want 2 of 10 added", got)
	}
	places := []string{}
	for _, r := range got.Reasons {
		places = append(places, r.Place)
		if r.Why == "" || strings.Contains(r.Why, "messages[") {
			t.Errorf("%s: reason %q, want one about this record", r.Place, r.Why)
		}
	}
	slices.Sort(places)
	if want := []string{"line 2", "line 3", "line 4", "line 5", "line 6", "line 7", "line 8", "line 9"}; !slices.Equal(places, want) {
		t.Errorf("places = %v, want %v", places, want)
	}
	if got := said(s.messages()); !slices.Equal(got, []string{"a/1/user/one", "a/10/user/ten"}) {
		t.Errorf("messages = %q", got)
	}
}

// Bytes that are no text are replaced and counted (case C03).
func TestInvalidBytesAreReplaced(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	text := "{\"session_id\":\"a\",\"id\":\"1\",\"role\":\"user\",\"content\":\"bad\xfe\xfftext and \\u0000\"}"
	if got := s.importText(text); got.Added != 1 || got.Replaced != 3 {
		t.Errorf("report = %+v, want 1 added and 3 bytes replaced", got)
	}
	if got := s.messages()[0].Content; got != "bad\ufffd\ufffdtext and \ufffd" {
		t.Errorf("content = %q", got)
	}
}

func TestExportComesBackTheSame(t *testing.T) {
	t.Parallel()
	from, to := newStore(t), newStore(t)
	from.importText(conversation)
	// The same word twice in one instant, without ids.
	if _, err := from.h.Append(t.Context(), "c", "mcp", []memory.Draft{{Role: memory.RoleUser, Content: "ok"}, {Role: memory.RoleUser, Content: "ok"}}); err != nil {
		t.Fatal(err)
	}
	exported := from.export()
	if got := to.importText(exported); got.Skipped != 0 || got.Duplicates != 0 {
		t.Errorf("import of an export = %+v, want all added", got)
	}
	want, got := from.messages(), to.messages()
	if len(got) != len(want) {
		t.Fatalf("%d messages came back, want %d", len(got), len(want))
	}
	for i := range want {
		a, b := want[i], got[i]
		if a.Session != b.Session || a.Role != b.Role || a.Sender != b.Sender || a.Content != b.Content || !a.SentAt.Equal(b.SentAt) ||
			a.ToolName != b.ToolName || a.ToolCallID != b.ToolCallID || string(a.ToolCalls) != string(b.ToolCalls) ||
			a.ClientID != b.ClientID && a.ClientID != "" {
			t.Errorf("message %d = %+v, want %+v", i, b, a)
		}
	}
	if again := to.importText(exported); again.Added != 0 {
		t.Errorf("second import of an export = %+v, want nothing new", again)
	}
}

// A file is written in batches, each session's messages in their order.
func TestLongFilesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 1300 {
		fmt.Fprintf(&lines, `{"session_id":"s%d","id":"%d","role":"user","content":"%d","sent_at":"2026-03-01T10:00:00Z"}`+"\n", i%3, i, i)
	}
	var batches, last = []int{}, map[string]int{}
	read := 0
	report, err := transfer.Import{
		Progress: func(n int) { read += n },
		Append: func(_ context.Context, session, _ string, drafts []memory.Draft) (transfer.Outcome, error) {
			batches = append(batches, len(drafts))
			for _, d := range drafts {
				var n int
				if _, err := fmt.Sscan(d.Content, &n); err != nil || n < last[session] {
					t.Errorf("%s: %q came after %d", session, d.Content, last[session])
				}
				last[session] = n
			}
			return transfer.Outcome{Appended: memory.Appended{Added: len(drafts)}}, nil
		},
	}.Run(t.Context(), strings.NewReader(lines.String()))
	if err != nil || report.Added != 1300 {
		t.Errorf("report = %+v, %v, want 1300 added", report, err)
	}
	if slices.Max(batches) > 500 {
		t.Errorf("batches of %v, want at most 500", batches)
	}
	if read != lines.Len() {
		t.Errorf("progress told of %d bytes, want %d", read, lines.Len())
	}
}

func TestAFailingStoreEndsTheImport(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk is gone")
	_, err := transfer.Import{Append: func(context.Context, string, string, []memory.Draft) (transfer.Outcome, error) {
		return transfer.Outcome{}, broken
	}}.Run(t.Context(), strings.NewReader(conversation))
	if !errors.Is(err, broken) {
		t.Errorf("Run = %v, want the error of the store", err)
	}
}

func TestANewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	_, err := transfer.Import{}.Run(t.Context(), strings.NewReader(`{"mcp_memory_export":99}`))
	if !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("Run = %v, want it refused", err)
	}
}

func TestWithoutAppendNothingIsWritten(t *testing.T) {
	t.Parallel()
	report, err := transfer.Import{Session: "default"}.Run(t.Context(), strings.NewReader(conversation+"\nbroken"))
	if err != nil || report.Read != 7 || report.Added != 0 || report.Skipped != 1 {
		t.Errorf("report = %+v, %v, want 7 read and 1 skipped", report, err)
	}
}

func FuzzImport(f *testing.F) {
	f.Add(conversation)
	f.Add(`{"sent_at":1e999,"role":"user"}`)
	f.Add("{\"tool_calls\":[\xff]}\n\n[")
	f.Fuzz(func(t *testing.T, text string) {
		added := 0
		report, err := transfer.Import{Session: "default", Append: func(_ context.Context, session, _ string, drafts []memory.Draft) (transfer.Outcome, error) {
			if err := memory.CheckSessionID(session); err != nil {
				t.Errorf("a record went into session %q", session)
			}
			added += len(drafts)
			return transfer.Outcome{Appended: memory.Appended{Added: len(drafts)}}, nil
		}}.Run(t.Context(), strings.NewReader(text))
		if err == nil && report.Read != added+report.Skipped {
			t.Errorf("read %d records, but %d added and %d skipped", report.Read, added, report.Skipped)
		}
	})
}
