// Package text reads and cleans the words of a conversation. It is the one
// place that decides what a word is, so that the index, the query, the ranking
// and the snippet agree:
//
//   - Tokens takes a text apart into the units that the full-text index keeps;
//     ParseQuery does the same for a search text, in which nothing is an
//     operator but balanced double quotes.
//   - Passages cuts a long text into stretches that are ranked on their own;
//     Snippet shows the part of a text that matters to a query.
//   - Clean makes a text fit for storing, Visible makes a stored text fit for
//     showing, and a Redactor hides secrets before anything is stored.
//
// All functions accept any string, also invalid UTF-8, and never panic. They
// know nothing of messages, stores or models, and are safe for concurrent use.
package text

// Span is a stretch of a text, in bytes: s[Start:End].
type Span struct {
	Start, End int
}
