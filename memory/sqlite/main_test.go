package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// childEnv makes the test binary a process that works on a memory file and
// nothing else: "work path arguments…", separated by line ends.
const childEnv = "MEMORY_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	task := os.Getenv(childEnv)
	if task == "" {
		os.Exit(m.Run())
	}
	fields := strings.Split(task, "\n")
	if err := work(context.Background(), fields[0], fields[1], fields[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work is what a child process does, once its input has ended.
func work(ctx context.Context, task, path string, args []string) error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	db, err := sqlite.Open(ctx, sqlite.Options{Path: path, Analyse: analyse})
	if err != nil {
		return err
	}
	defer db.Close()
	switch task {
	case "append": // name, count: appends, and prints the number of each message that is acknowledged
		count, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return appendMany(ctx, db, args[0], count, os.Stdout)
	case "spend": // count: books so many calls
		count, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		return spendMany(ctx, db, count)
	case "limit":
		return hitLimit(ctx, db)
	case "read": // reads the file until it is killed, and says when it has begun
		return readOn(ctx, db, os.Stdout)
	case "reset": // session: deletes everything
		_, err := db.Reset(ctx, args[0], memory.Reset{Mode: memory.ResetAll})
		return err
	}
	return fmt.Errorf("unknown task %q", task)
}

// readOn keeps a reading transaction open.
func readOn(ctx context.Context, db *sqlite.DB, out io.Writer) error {
	tx, err := db.Readers().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM messages`).Scan(&n); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "reading"); err != nil {
		return err
	}
	select {}
}

func appendMany(ctx context.Context, db *sqlite.DB, name string, count int, out io.Writer) error {
	for i := range count {
		m := memory.Message{Role: memory.RoleUser, ClientID: fmt.Sprintf("%s-%d", name, i), SentAt: time.Unix(int64(i), 0), Source: "test",
			Content: fmt.Sprintf("process %s wrote number %d", name, i)}
		if _, err := db.Append(ctx, "s", []memory.Entry{analyse(m)}); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, m.ClientID); err != nil {
			return err
		}
	}
	return nil
}

func spendMany(ctx context.Context, db *sqlite.DB, count int) error {
	for range count {
		if err := db.Spend(ctx, "2026-11-01", "summary", "m", memory.Usage{Requests: 1, Input: 10, Output: 2}); err != nil {
			return err
		}
	}
	return nil
}

// child prepares a process that does a task.
func child(t *testing.T, task, path string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatalf("Executable(): %v", err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(append([]string{task, path}, args...), "\n"))
	cmd.Stderr = os.Stderr
	return cmd
}

// readLines reads what a process prints, calling each after every line.
func readLines(r io.Reader, each func(n int)) []string {
	var list []string
	for s := bufio.NewScanner(r); s.Scan(); {
		list = append(list, s.Text())
		each(len(list))
	}
	return list
}
