package notes

import "fmt"

// Cut shows the chunks of a text, each as its lines, its heading and its text.
func Cut(s string) []string {
	var list []string
	for _, c := range cut(s) {
		list = append(list, fmt.Sprintf("%d-%d %q: %q", c.start, c.end, c.heading, c.text))
	}
	return list
}

// CutTexts is the texts of the chunks.
func CutTexts(s string) []string {
	var list []string
	for _, c := range cut(s) {
		list = append(list, c.text)
	}
	return list
}

// CutLines is the first and the last line of each chunk.
func CutLines(s string) [][2]int {
	var list [][2]int
	for _, c := range cut(s) {
		list = append(list, [2]int{c.start, c.end})
	}
	return list
}
