package windows_test

import (
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/windows"
)

// TestBuiltIn asks for every line of the table in the program, under the names
// with and without the vendor.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	table := newTable(t, windows.Config{})
	seen := map[string]string{}
	for line := range strings.Lines(windows.BuiltInText()) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		key, _ := windows.Look(fields[0] + "/" + fields[1])
		if before, ok := seen[key]; ok {
			t.Errorf("%q and %q are one model, want a line a model", before, line)
		}
		seen[key] = line
		for _, model := range []string{fields[1], fields[0] + "/" + fields[1], fields[0] + "@" + fields[1], fields[1] + ":free"} {
			got := table.Window(t.Context(), model)
			if got.Source != windows.BuiltIn || !strings.HasSuffix(strings.TrimSpace(line), " "+grouped(got.Tokens)) {
				t.Errorf("Window(%q) = %+v, want that of the line %q", model, got, line)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("the table has %d models, want the well-known ones, 100 at least", len(seen))
	}
}

// grouped writes a number as the table does.
func grouped(n int) string {
	if n < 1000 {
		return itoa(n)
	}
	return grouped(n/1000) + "_" + pad(n%1000)
}

// TestReadBuiltIn refuses lines that are not of the form.
func TestReadBuiltIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                                    0,
		"# a b 4096\n\n  \n":                  0,
		"a b 4096\nc\td 1_000_000":            2,
		"a b":                                 -1,
		"a b 4096 more":                       -1,
		"a b many":                            -1,
		"a b " + itoa(memory.MinWindow-1):     -1,
		"a b 4096\na c " + "100_000_001\nx y": -1,
	} {
		got, err := windows.ReadBuiltIn(text)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("readBuiltIn(%q) = %d lines, %v, want %d (-1: an error)", text, got, err, want)
		}
	}
}
