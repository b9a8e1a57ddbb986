package tools

import "encoding/json"

// replySize is how many bytes an answer takes on the wire: its structured
// content and its text, both as JSON.
func replySize(result any, text string) int {
	return encodedSize(result) + encodedSize(text)
}

// encodedSize measures a value as JSON. One that cannot be encoded counts
// nothing; sending it will report that.
func encodedSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(b)
}
