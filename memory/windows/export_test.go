package windows

import "fmt"

// ReadPublished is readPublished, as lines of a name and its window.
func ReadPublished(body []byte) (map[string]int, error) {
	entries, err := readPublished(body)
	lines := map[string]int{}
	for _, e := range entries {
		lines[e.name.key()] = e.tokens
	}
	return lines, err
}

// ReadBuiltIn is readBuiltIn; the result is the number of lines.
func ReadBuiltIn(text string) (int, error) {
	entries, err := readBuiltIn(text)
	return len(entries), err
}

// BuiltInText is the table in the program.
func BuiltInText() string { return builtIn }

// Look reads a name and returns its key and the forms of its model.
func Look(s string) (key, forms string) {
	n := readName(s)
	return n.key(), fmt.Sprint(n.forms())
}
