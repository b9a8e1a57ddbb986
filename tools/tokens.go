package tools

import "unicode"

// estimateTokens guesses how many tokens a model makes of s, on the high side:
// a Chinese, Japanese or Korean character is about one token, four ASCII
// characters are one, and two of any other script.
func estimateTokens(s string) int {
	var wide, ascii, other int
	for _, r := range s {
		switch {
		case r < unicode.MaxASCII:
			ascii++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			wide++
		default:
			other++
		}
	}
	return wide + (ascii+3)/4 + (other+1)/2
}

// messageTokens adds the few tokens that frame a message.
func messageTokens(m Message) int {
	return estimateTokens(m.Content) + estimateTokens(string(m.ToolCalls)) + 4
}
