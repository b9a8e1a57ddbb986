package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runProgram runs the program in this process.
func runProgram(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs, env)
	return code, out.String(), errs.String()
}

func TestDemoFindsEveryAnswer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	code, stdout, stderr := runProgram(t, nil, "demo")
	if code != exitOK || stderr != "" {
		t.Fatalf("demo = %d, stderr %q", code, stderr)
	}
	answers := map[string]string{
		"en-07": "certificate has expired", "en-06": "so the map works without a network",
		"zh-06": "急件改由彰化出貨", "zh-02": "晚上七點以後會自動切換",
		"ja-02": "UTF-8 に変えて直しました", "ja-04": "冷蔵品のラベルは青、常温品は白で印刷します",
	}
	for _, q := range demoQuestions {
		_, after, asked := strings.Cut(stdout, "? "+q.query+"   [")
		shown, _, _ := strings.Cut(after, "\n\n")
		if !asked || !hasHit(shown, answers[q.answer]) {
			t.Errorf("the demo does not answer %q with %q:\n%s", q.query, answers[q.answer], shown)
		}
	}
	for _, want := range []string{"24 messages", "key_decisions", "mcpServers", `"args": ["stdio"]`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the demo does not show %q", want)
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("the demo left %v behind, %v", left, err)
	}
}

// hasHit says whether a printed search marks a line with the text as a hit.
func hasHit(printed, text string) bool {
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "> ") && strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// Whatever is wrong with the database, the program says so in a line on standard
// error, touches nothing, and leaves standard output to the protocol.
func TestDatabasesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	if code, _, stderr := runProgram(t, nil, "stdio", "--db", good); code != exitOK {
		t.Fatalf("stdio = %d, %s", code, stderr)
	}
	newer := filepath.Join(dir, "newer.db")
	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint32(b[60:], 9999) // user_version in the header
	notSQLite := filepath.Join(dir, "letter.txt")
	readOnly := filepath.Join(dir, "readonly.db")
	for path, content := range map[string][]byte{newer: b, notSQLite: []byte("Dear reader,"), readOnly: b} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(readOnly, 0o400); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{dir: "directory", newer: "newer version", notSQLite: "not a SQLite database", readOnly: "permission denied"} {
		if path == readOnly && os.Geteuid() == 0 {
			continue // root may write everything
		}
		before, _ := os.ReadFile(path)
		code, stdout, stderr := runProgram(t, nil, "stdio", "--db", path)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, path) || !strings.Contains(stderr, reason) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("stdio --db %s = %d, %q, %q, want one line with %q", path, code, stdout, stderr, reason)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", path)
		}
	}
}

func TestSettingsHaveAnOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	inFile, inEnv, inFlag := filepath.Join(dir, "file.db"), filepath.Join(dir, "env.db"), filepath.Join(dir, "flag.db")
	if err := os.WriteFile(config, []byte(`{"db":"`+inFile+`","redact":false,"max_history_messages":3,"log_level":null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  []string
		args []string
		want string
	}{
		{nil, []string{"stdio", "--config", config}, inFile},
		{[]string{"MCP_MEMORY_CONFIG=" + config}, []string{"stdio"}, inFile},
		{[]string{"MCP_MEMORY_DB=" + inEnv}, []string{"--config", config, "stdio"}, inEnv},
		{[]string{"MCP_MEMORY_DB=" + inEnv}, []string{"stdio", "--config", config, "--db", inFlag}, inFlag},
	} {
		code, _, stderr := runProgram(t, c.env, c.args...)
		if _, err := os.Stat(c.want); code != exitOK || err != nil {
			t.Errorf("%v %v = %d %s, want the file %s", c.env, c.args, code, stderr, c.want)
		}
		if err := os.Remove(c.want); err != nil {
			t.Error(err)
		}
	}
}
