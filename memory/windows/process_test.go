package windows_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/memory/sqlite"
	"mcp-memory/memory/windows"
)

// childEnv makes the test binary a process that learns from a text and prints
// the window that it then knows: "path model text", separated by line ends.
const childEnv = "MEMORY_WINDOWS_TEST_CHILD"

func TestMain(m *testing.M) {
	task := os.Getenv(childEnv)
	if task == "" {
		os.Exit(m.Run())
	}
	fields := strings.SplitN(task, "\n", 3)
	if err := learnAndTell(context.Background(), fields[0], fields[1], fields[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func learnAndTell(ctx context.Context, path, model, text string) error {
	db, err := sqlite.Open(ctx, sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	defer db.Close()
	table, err := windows.New(windows.Config{Store: db})
	if err != nil {
		return err
	}
	if _, _, err := table.LearnFrom(ctx, model, text); err != nil {
		return err
	}
	w := table.Window(ctx, model)
	_, err = fmt.Println(w.Tokens, w.Source)
	return err
}

// child has another process learn and returns what it prints.
func child(t *testing.T, path, model, text string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatalf("Executable(): %v", err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{path, model, text}, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the other process: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// TestProcesses lets two processes share what they learn, without a restart.
func TestProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	table := newTable(t, windows.Config{Store: openStore(t, path)})
	wantWindow(t, table, "openai/gpt-4o", 128000, windows.BuiltIn)
	if got, want := child(t, path, "openai/gpt-4o", "prompt is too long: 70000 tokens > 64000 maximum"), "64000 learnt"; got != want {
		t.Errorf("the other process prints %q, want %q", got, want)
	}
	wantWindow(t, table, "openai@gpt-4o", 64000, windows.Learnt)
	if err := table.Learn(t.Context(), "openai/gpt-4o", 32000); err != nil {
		t.Fatalf("Learn(): %v", err)
	}
	if got, want := child(t, path, "OpenAI/GPT-4o", "Rate limit reached: limit 30000"), "32000 learnt"; got != want {
		t.Errorf("the other process prints %q, want %q", got, want)
	}
}

// BenchmarkWindow measures one question to a file.
func BenchmarkWindow(b *testing.B) {
	db, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "memory.db")})
	if err != nil {
		b.Fatalf("Open(): %v", err)
	}
	defer db.Close()
	table, err := windows.New(windows.Config{Store: db})
	if err != nil {
		b.Fatalf("New(): %v", err)
	}
	for b.Loop() {
		table.Window(b.Context(), "openrouter/anthropic/claude-sonnet-4-20250514:free")
	}
}
