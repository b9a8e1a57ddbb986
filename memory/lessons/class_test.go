package lessons_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/memory/lessons"
)

// Each line holds symptoms of one class; no two lines are of the same one.
var classes = [][]string{
	{"listen tcp :8080: bind: address already in use", "listen tcp 127.0.0.1:3000: bind: address already in use", "LISTEN  TCP :1: bind: Address already in use!"},
	{"Cannot find module 'express'", "Cannot find module 'lodash'", `cannot find module "a b"`, "Cannot find module `x`"},
	{"job 3f2504e0-4f89-11d3-9a0c-0305e82c3301 died", "job 21EC2020-3AEA-4069-A2DD-08002B30309D died", "job died"},
	{"2026-03-01T10:00:00Z worker stopped", "2026-11-30 23:59:59.123 worker stopped", "12:00:01 worker stopped", "worker stopped"},
	{"segfault at 0x7f3a", "segfault at 0xDEADBEEF"},
	{"bad object 9f86d081884c7d659a2feaa0c55ad015", "bad object 1a2b3c4", "bad object"},
	{"open /etc/app/conf.yaml: no such file", "open ~/x/y.toml: no such file", `open C:\Users\x\app.ini: no such file`, "open ../up.json: no such file"},
	{"compile error in main.go:12:5", "compile error in internal/api/routes.go:8"},
	{"GET https://a.example/x?y=1 refused", "GET http://10.0.0.1:8080/ refused"},
	{"端口 8080 已被占用", "端口 3000 已被占用"},
	{"找不到「設定檔」", "找不到『清單』", "找不到"},
	{"the faced deadline passed", "The FACED deadline passed."}, // letters alone are no digest
	{"HTTP"}, {"404"}, {"'x'"}, {"!?"}, {"…"}, {"can't stop, won't stop"}, {"read and/or write"}, {"read"},
}

func TestClass(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, line := range classes {
		want := lessons.Class(line[0])
		if other, ok := seen[want]; ok {
			t.Errorf("Class(%q) = %q, as of %q", line[0], want, other)
		}
		seen[want] = line[0]
		for _, symptom := range line[1:] {
			if got := lessons.Class(symptom); got != want {
				t.Errorf("Class(%q) = %q, want %q as of %q", symptom, got, want, line[0])
			}
		}
	}
}

// A class is never empty, unless the symptom is, and the same for what is only
// spelled differently.
func FuzzClass(f *testing.F) {
	for _, line := range classes {
		for _, symptom := range line {
			f.Add(symptom)
		}
	}
	f.Add("\"'`“‘「『«")
	f.Add("0x" + strings.Repeat("/a", 300) + "\x00")
	f.Fuzz(func(t *testing.T, symptom string) {
		if !utf8.ValidString(symptom) || len(symptom) > 5000 {
			return
		}
		c := lessons.Class(symptom)
		if (c == "") != (strings.TrimSpace(symptom) == "") {
			t.Errorf("Class(%q) = %q", symptom, c)
		}
		if again := lessons.Class(symptom); again != c {
			t.Errorf("Class(%q) = %q, then %q", symptom, c, again)
		}
		if got := lessons.Class(" " + symptom + "\n"); got != c {
			t.Errorf("Class(%q with blanks around) = %q, want %q", symptom, got, c)
		}
	})
}

func TestGist(t *testing.T) {
	t.Parallel()
	stack := strings.Repeat("  at step (module/inner.js) through scheduler queue dispatcher\n", 30)
	noise := strings.Repeat("lines that say which files were compiled and how long each of them took to be written to disk\n"+
		"then the list of what was linked, with sizes, offsets, sections, symbols, archives and libraries\n"+
		"then the modules that were taken from a cache, by name, by version, by origin and by checksum\n"+
		"and last the plugins, hooks, presets, loaders, targets and profiles that were active meanwhile\n", 2)
	for s, want := range map[string]string{
		"short":                   "short",
		"  push rejected\n":       "push rejected",
		noise + "Error: it broke": "Error: it broke",
		noise + "done at last":    "done at last",
		"fatal: bad\n" + noise:    "fatal: bad\nand last the plugins, hooks, presets, loaders, targets and profiles that were active meanwhile",
		noise + "構文エラー\n最後":       "構文エラー\n最後",
	} {
		if got := lessons.Gist(s); got != want {
			t.Errorf("Gist(%.60q…) = %q, want %q", s, got, want)
		}
	}
	long := "Error: first\n" + strings.Repeat(stack, 300) + "Error: last"
	if got := lessons.Gist(long); !strings.HasPrefix(got, "Error: first") || !strings.HasSuffix(got, "Error: last") || len(got) > 64<<10 {
		t.Errorf("Gist(%d bytes) = %d bytes %.40q, want its beginning and end", len(long), len(got), got)
	}
}
