package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// colours is a corpus whose scores can be worked out by hand: the fake ranks
// by shared words.
const colours = `{"dataset":"colours","conv":"1","docs":[` +
	`{"id":"D1:1","session":1,"speaker":"Ann","date":"1:56 pm on 8 May, 2023","text":"the red house"},` +
	`{"id":"D1:2","session":1,"speaker":"Bob","date":"1:56 pm on 8 May, 2023","text":"a red boat"},` +
	`{"id":"D2:1","session":2,"speaker":"Ann","date":"2:00 pm on 9 May, 2023","text":"green grass"}],` +
	`"queries":[` +
	`{"q":"red house","cat":"easy","gold":["D1:1"]},` +
	`{"q":"red car","cat":"hard","gold":["D1:2"]},` +
	`{"q":"nobody knows","cat":"hard","gold":[]},` +
	`{"q":"green boat","cat":"hard","gold":["D1:2","D2:1"]}]}`

// runOK runs membench with the fake server and returns what it printed.
func runOK(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append(args, "--binary", fakeBinary(t))
	if code := run(t.Context(), args, &stdout, &stderr); code != exitOK {
		t.Fatalf("run(%q) = %d, want 0; stderr:\n%s", args, code, stderr.String())
	}
	return stdout.String()
}

// corpusFile writes a corpus for run.
func corpusFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunSpeed(t *testing.T) {
	t.Parallel()
	out := runOK(t, "speed", "12", "510")
	printed, encoded, cut := strings.Cut(out, strings.Repeat("-", 72)+"\n{")
	if !cut {
		t.Fatalf("run(speed) printed no JSON below a line:\n%s", out)
	}
	for _, want := range []string{"12 full", "510 normal", "add one message p99 (ms)", "search semantic, 20 words p50 (ms)"} {
		if !strings.Contains(printed, want) {
			t.Errorf("run(speed) printed no %q:\n%s", want, printed)
		}
	}
	var report speedReport
	if err := json.Unmarshal([]byte("{"+encoded), &report); err != nil {
		t.Fatalf("decode the report of run(speed): %v", err)
	}
	if len(report.Columns) != 4 {
		t.Fatalf("run(speed 12 510) has %d columns, want 4", len(report.Columns))
	}
	for _, c := range report.Columns {
		checkColumn(t, c)
	}
}

// checkColumn makes sure that everything was measured.
func checkColumn(t *testing.T, c speedColumn) {
	t.Helper()
	if c.StartMillis <= 0 || c.Add.P50 <= 0 || c.Add.P99 < c.Add.P50 || c.AddPerFsync <= 0 {
		t.Errorf("column %d %s = %+v, want times above 0", c.Messages, c.Sync, c)
	}
	if (c.FillSeconds > 0) != (c.Messages > measuredAdds) {
		t.Errorf("column %d %s took %v s to fill, want time only above %d messages", c.Messages, c.Sync, c.FillSeconds, measuredAdds)
	}
	if len(c.Searches) != 15 {
		t.Errorf("column %d %s has %d kinds of searches, want 15", c.Messages, c.Sync, len(c.Searches))
	}
	for _, s := range c.Searches {
		if s.P50 <= 0 || s.Bytes <= 0 {
			t.Errorf("search %+v, want a time and a size", s)
		}
	}
	if c.Training == nil || c.Training.Seconds <= 0 || c.Training.Adds < 1 || c.Training.P50 <= 0 {
		t.Errorf("column %d %s has training %+v, want times above 0", c.Messages, c.Sync, c.Training)
	}
	if c.Files.Database <= c.Files.Text || c.Files.PerText <= 1 || c.Files.PerMessage < 10 {
		t.Errorf("column %d %s has files %+v, want more than the text", c.Messages, c.Sync, c.Files)
	}
}

func TestRunRetrieval(t *testing.T) {
	t.Parallel()
	figures := filepath.Join(t.TempDir(), "figures.json")
	out := runOK(t, "retrieval", corpusFile(t, colours), "--json", figures)
	if !strings.Contains(out, "recall@10") || !strings.Contains(out, "1 without gold left out") || strings.Contains(out, "{") {
		t.Errorf("run(retrieval) printed\n%swant a table, a note, no JSON", out)
	}
	encoded, err := os.ReadFile(figures)
	if err != nil {
		t.Fatal(err)
	}
	var report retrievalReport
	if err := json.Unmarshal(encoded, &report); err != nil {
		t.Fatalf("decode the report of run(retrieval): %v", err)
	}
	// By shared words: "red house" finds D1:1 first, "red car" D1:2 second,
	// "green boat" D1:2 and D2:1. With all words required: D1:1 alone.
	want := []scoreRow{
		{Dataset: "colours", Category: "all", Match: "semantic", scores: scores{N: 3, Recall10: 1, MRR: 2.5 / 3}},
		{Dataset: "colours", Category: "no overlap", Match: "semantic"},
		{Dataset: "colours", Category: "easy", Match: "semantic", scores: scores{N: 1, Recall10: 1, MRR: 1}},
		{Dataset: "colours", Category: "hard", Match: "semantic", scores: scores{N: 2, Recall10: 1, MRR: .75}},
		{Dataset: "colours", Category: "all", Match: "keyword", scores: scores{N: 3, Recall10: 1. / 3, MRR: 1. / 3}},
		{Dataset: "colours", Category: "no overlap", Match: "keyword"},
		{Dataset: "colours", Category: "easy", Match: "keyword", scores: scores{N: 1, Recall10: 1, MRR: 1}},
		{Dataset: "colours", Category: "hard", Match: "keyword", scores: scores{N: 2}},
		{Dataset: "overall", Category: "all", Match: "semantic", scores: scores{N: 3, Recall10: 1, MRR: 2.5 / 3}},
		{Dataset: "overall", Category: "no overlap", Match: "semantic"},
		{Dataset: "overall", Category: "all", Match: "keyword", scores: scores{N: 3, Recall10: 1. / 3, MRR: 1. / 3}},
		{Dataset: "overall", Category: "no overlap", Match: "keyword"},
	}
	if len(report.Rows) != len(want) || report.Skipped != 1 {
		t.Fatalf("run(retrieval) has %d rows, %d skipped, want %d, 1", len(report.Rows), report.Skipped, len(want))
	}
	for i, got := range report.Rows {
		w := want[i]
		if got.Dataset != w.Dataset || got.Category != w.Category || got.Match != w.Match ||
			got.N != w.N || share(got.Recall10) != share(w.Recall10) || share(got.MRR) != share(w.MRR) {
			t.Errorf("row %d = %+v, want %+v", i, got, w)
		}
		if got.N > 0 && (got.MeanMillis <= 0 || got.P95Millis <= 0 || got.MeanBytes <= 0) {
			t.Errorf("row %d = %+v, want times and sizes", i, got)
		}
	}
}

func TestRunRetrievalTwoFiles(t *testing.T) {
	t.Parallel()
	other := strings.Replace(colours, `"dataset":"colours"`, `"dataset":"more"`, 1)
	out := runOK(t, "retrieval", corpusFile(t, colours), corpusFile(t, other), "--match", "keyword", "--k", "1")
	for _, want := range []string{"colours  all         keyword  3", "more     hard        keyword  2", "overall  all         keyword  6"} {
		if !strings.Contains(out, want) {
			t.Errorf("run(retrieval, two files) printed no %q:\n%s", want, out)
		}
	}
}

func TestRunRetrievalNoOverlap(t *testing.T) {
	t.Parallel()
	// The fake counts every word; "a" is a stop word.
	input := strings.Replace(colours, `"nobody knows","cat":"hard","gold":[]`, `"a vessel","cat":"hard","gold":["D1:2"]`, 1)
	out := runOK(t, "retrieval", corpusFile(t, input), "--match", "semantic")
	for _, want := range []string{
		"colours  no overlap  semantic  1     1.000      1.000    1.000  1.000",
		"overall  no overlap  semantic  1     1.000",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("run(retrieval) printed no %q:\n%s", want, out)
		}
	}
}

func TestRunRetrievalTogether(t *testing.T) {
	t.Parallel()
	second := strings.NewReplacer(`"conv":"1"`, `"conv":"2"`, "the red house", "the red house and garden").Replace(colours)
	for _, tc := range []struct {
		args []string
		note bool
		want string // MRR; together, what the other conversation holds of the words gets in between
	}{
		{nil, false, "0.833"},
		{[]string{"--together", "--trickle", "--nameless"}, true, "0.597"},
	} {
		args := append([]string{"retrieval", corpusFile(t, colours+"\n"+second), "--match", "semantic"}, tc.args...)
		out := runOK(t, args...)
		if !strings.Contains(out, tc.want) {
			t.Errorf("run(%q) printed no %s:\n%s", args, tc.want, out)
		}
		for _, note := range []string{"together:", "trickle:", "nameless:"} {
			if strings.Contains(out, note) != tc.note {
				t.Errorf("run(%q) says %q: %t, want %t:\n%s", args, note, !tc.note, tc.note, out)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	var all []labels
	for i := range 6 {
		all = append(all, labels{Question: strconv.Itoa(i), Gold: []string{"a"}})
	}
	all[2].Gold = nil
	for _, tc := range []struct {
		half    string
		limit   int
		want    string
		without int
	}{
		{"all", 0, "01345", 1},
		{"even", 0, "04", 1},
		{"odd", 0, "135", 0},
		{"odd", 2, "13", 0},
		{"all", 2, "01", 1},
	} {
		command := retrievalCommand{Half: tc.half, Limit: tc.limit}
		asked, without := command.choose(all)
		got := ""
		for _, q := range asked {
			got += q.Question
		}
		if got != tc.want || without != tc.without {
			t.Errorf("choose(half %s, limit %d) = %q, %d, want %q, %d", tc.half, tc.limit, got, without, tc.want, tc.without)
		}
	}
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	refused := strings.Replace(colours, "green grass", textRefused, 1)
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no command", nil, exitUsage, "speed"},
		{"no size", []string{"speed"}, exitUsage, "N"},
		{"size too small", []string{"speed", "9"}, exitUsage, "at least 10"},
		{"size no number", []string{"speed", "many"}, exitUsage, "many"},
		{"no file", []string{"retrieval", filepath.Join(t.TempDir(), "absent")}, exitUsage, "absent"},
		{"bad half", []string{"retrieval", "--half", "third", corpusFile(t, colours)}, exitUsage, "--half"},
		{"bad match", []string{"retrieval", "--match", "exact", corpusFile(t, colours)}, exitUsage, "--match"},
		{"bad k", []string{"retrieval", "--k", "51", corpusFile(t, colours)}, exitUsage, "--k"},
		{"bad limit", []string{"retrieval", "--limit-queries=-1", corpusFile(t, colours)}, exitUsage, "--limit-queries"},
		{"bad corpus", []string{"retrieval", corpusFile(t, "{")}, exitFailure, "corpus 1"},
		{"isError", []string{"retrieval", corpusFile(t, refused)}, exitFailure, "this message is refused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			args := append(tc.args, "--binary", fakeBinary(t))
			if code := run(t.Context(), args, io.Discard, &stderr); code != tc.code || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("run(%q) = %d, stderr %q, want %d and %q", tc.args, code, stderr.String(), tc.code, tc.want)
			}
		})
	}
}

func TestRunHelp(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	if code := run(t.Context(), []string{"speed", "--help"}, &stdout, io.Discard); code != exitOK || !strings.Contains(stdout.String(), "--binary") {
		t.Errorf("run(speed --help) = %d, printed %q, want 0 and the flags", code, stdout.String())
	}
}

// trigger calls a function when text is written to it.
type trigger struct {
	text string
	call func()
	seen bytes.Buffer
}

func (w *trigger) Write(p []byte) (int, error) {
	w.seen.Write(p)
	if strings.Contains(string(p), w.text) {
		w.call()
	}
	return len(p), nil
}

func TestRunInterrupted(t *testing.T) {
	temporary, pidFile := t.TempDir(), filepath.Join(t.TempDir(), "pid")
	t.Setenv("TMPDIR", temporary)
	t.Setenv(pidFileVariable, pidFile)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &trigger{text: "asking", call: cancel}
	args := []string{"retrieval", corpusFile(t, colours), "--binary", fakeBinary(t)}
	if code := run(ctx, args, io.Discard, stderr); code != exitFailure || !strings.Contains(stderr.seen.String(), "interrupted") {
		t.Errorf("run() interrupted = %d, stderr %q, want 1 and the reason", code, stderr.seen.String())
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("run() interrupted left %v, %v, want nothing", left, err)
	}
	content, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(content))
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(pid)
	if err == nil && process.Signal(syscall.Signal(0)) == nil {
		t.Errorf("the server with process id %d still runs, want it killed", pid)
	}
}

func TestRunBuildsTheBinary(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stderr bytes.Buffer
	// This package's directory is not the repository root, so the build fails.
	code := run(t.Context(), []string{"retrieval", corpusFile(t, colours)}, io.Discard, &stderr)
	if code != exitFailure || !strings.Contains(stderr.String(), "repository root") {
		t.Errorf("run() without a binary = %d, stderr %q, want 1 and a hint", code, stderr.String())
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
		t.Errorf("run() left %v, %v, want nothing", left, err)
	}
}
