package text

import "mcp-memory/memory"

// Wanted returns the chunks that count: stop words only do when there is nothing
// else.
func (q Query) Wanted() []Chunk {
	var list []Chunk
	for _, c := range q.Chunks {
		if (!c.Stop || c.Quoted) && len(c.Tokens) > 0 {
			list = append(list, c)
		}
	}
	if len(list) > 0 {
		return list
	}
	return q.Chunks
}

// Sequence returns the tokens of the chunk that a text holds in this order. The
// last character of an unspaced run has a token of its own only at the end of
// the run in the text, so here it counts only when it is all there is.
func (c Chunk) Sequence() []Token {
	n := len(c.Tokens)
	if n > 1 && c.Tokens[n-1].Kind == Single && c.Tokens[n-2].Kind == Pair && c.Tokens[n-2].End == c.Tokens[n-1].End {
		return c.Tokens[:n-1]
	}
	return c.Tokens
}

// Exact asks for all the words of q: a chunk of several tokens is a phrase, a
// single character of an unspaced script the beginning of a pair.
func (q Query) Exact() memory.TextQuery {
	var t memory.TextQuery
	for _, c := range q.Wanted() {
		tokens := c.Sequence()
		n := len(tokens)
		if n > 0 && tokens[n-1].Kind == Single {
			t.Prefix = append(t.Prefix, tokens[n-1].Text)
			tokens = tokens[:n-1]
		}
		switch len(tokens) {
		case 0:
		case 1:
			t.All = append(t.All, tokens[0].Text)
		default:
			phrase := make([]string, len(tokens))
			for i, token := range tokens {
				phrase[i] = token.Text
			}
			t.Phrases = append(t.Phrases, phrase)
		}
	}
	return t
}
