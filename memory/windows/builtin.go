package windows

import (
	_ "embed" // the table
	"fmt"
	"strconv"
	"strings"
)

// builtIn is the table in the program: a vendor, a model and its window a line.
//
//go:embed builtin.txt
var builtIn string

// readBuiltIn reads lines of a vendor, a model and a number of tokens, which may
// have underscores. Blank lines and those that begin with # play no part.
func readBuiltIn(text string) ([]entry, error) {
	var list []entry
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("read the built-in table: %q has %d fields, not 3", line, len(fields))
		}
		tokens, err := strconv.Atoi(strings.ReplaceAll(fields[2], "_", ""))
		if err != nil || !possible(tokens) {
			return nil, fmt.Errorf("read the built-in table: %q is no context window", fields[2])
		}
		list = append(list, entry{readName(fields[0] + "/" + fields[1]), tokens})
	}
	return list, nil
}
