package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// table is lines of cells, the first one the heading.
type table struct {
	left  int // so many columns, from the first, are set left; the others right
	lines [][]string
}

// add appends a line.
func (t *table) add(cells ...string) { t.lines = append(t.lines, cells) }

// String lays the cells out in columns, two spaces apart, with a rule below
// the heading.
func (t *table) String() string {
	widths := t.widths()
	var out strings.Builder
	for i, line := range t.lines {
		out.WriteString(t.layOut(line, widths))
		if i == 0 {
			total := 2 * (len(widths) - 1)
			for _, w := range widths {
				total += w
			}
			out.WriteString(strings.Repeat("-", total) + "\n")
		}
	}
	return out.String()
}

// widths returns the width of each column, in characters.
func (t *table) widths() []int {
	var widths []int
	for _, line := range t.lines {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// layOut pads the cells of one line.
func (t *table) layOut(line []string, widths []int) string {
	var out strings.Builder
	for i, cell := range line {
		if i > 0 {
			out.WriteString("  ")
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i < t.left {
			out.WriteString(cell + pad)
		} else {
			out.WriteString(pad + cell)
		}
	}
	return strings.TrimRight(out.String(), " ") + "\n"
}

// number writes x with about three figures that matter.
func number(x float64) string {
	digits := 3
	switch {
	case x >= 100:
		digits = 0
	case x >= 10:
		digits = 1
	case x >= 1:
		digits = 2
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// share writes a score between 0 and 1.
func share(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
