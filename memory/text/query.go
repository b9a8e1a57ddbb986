package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a query, so that what an engine asks of its index stays small. What
// goes beyond them is not looked at; nothing is an error.
const (
	maxChunks     = 128
	maxTokens     = 256
	maxQueryBytes = 64 << 10
)

// Query is a search text, taken apart. The zero value asks for nothing.
type Query struct {
	// Chunks are the parts of the text that hold at least one token, in order:
	// at most 128 of them, with at most 256 tokens together.
	Chunks []Chunk
}

// Chunk is a stretch of a search text without blanks, or one in quotes. Its
// tokens are to be found as a phrase: next to each other and in order.
type Chunk struct {
	// Tokens holds at least one token, with Start and End in the search text.
	// The Single after the pairs of the last run is left out, because the text
	// may go on there. When the last token is a Single it stands for a
	// character alone, and is meant as the prefix of a token.
	Tokens []Token
	// Quoted says that the chunk stood in double quotes.
	Quoted bool
	// Stop says that there is nothing but stop words in it.
	Stop bool
	// Text is the folded text of the chunk as typed, without its quotes, for
	// looking for it as a part of a folded text.
	Text string
}

// ParseQuery takes a search text apart. Balanced double quotes, straight or
// curly, make one chunk of what is between them; a straight quote right after
// an ASCII letter or digit (5") and a lone one are text. Everything else is cut
// at blanks, and nothing is an operator. Any text is legal.
func ParseQuery(s string) Query {
	p := queryParser{text: clip(s, maxQueryBytes), left: maxTokens}
	for p.pos < len(p.text) && len(p.query.Chunks) < maxChunks && p.left > 0 {
		p.step()
	}
	p.flush(len(p.text))
	return p.query
}

// Empty reports whether the query asks for nothing: it was blank, or held
// nothing but punctuation.
func (q Query) Empty() bool { return len(q.Chunks) == 0 }

// Terms returns the distinct index forms of the query in order, for ranking and
// for a search of any of them. Stop words are dropped unless nothing else
// remains.
func (q Query) Terms() []string {
	var terms []string
	for _, t := range q.content() {
		terms = append(terms, t.Text)
	}
	return terms
}

// content returns the first token of each form that Terms names.
func (q Query) content() []Token {
	if kept := q.distinct(false); len(kept) > 0 {
		return kept
	}
	return q.distinct(true)
}

// distinct returns the first token of each form.
func (q Query) distinct(stops bool) []Token {
	var kept []Token
	seen := make(map[string]bool)
	for _, chunk := range q.Chunks {
		after := Symbol
		for _, t := range chunk.Tokens {
			repeats := t.Kind == Single && after == Pair
			after = t.Kind
			if repeats || seen[t.Text] || !stops && IsStop(t) {
				continue
			}
			seen[t.Text] = true
			kept = append(kept, t)
		}
	}
	return kept
}

// queryParser cuts a search text into chunks.
type queryParser struct {
	text  string
	pos   int // the next byte to read
	start int // where the piece being read began
	left  int // how many tokens may still come
	lone  bool
	query Query
}

// step reads one character, or a whole part in quotes.
func (p *queryParser) step() {
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	if unicode.IsSpace(r) {
		p.flush(p.pos)
		p.start = p.pos + size
	} else if inside, whole, ok := p.quoted(r, size); ok {
		p.flush(p.pos)
		p.add(p.pos+size, p.pos+size+inside, true)
		p.start = p.pos + whole
		size = whole
	}
	p.pos += size
}

// quoted measures the quoted part that begins here with the quote r: the bytes
// between the quotes, and with them.
func (p *queryParser) quoted(r rune, size int) (inside, whole int, ok bool) {
	closing := `"`
	switch {
	case r == '“':
		closing = "”"
	case r != '"' || p.lone || p.glued():
		return 0, 0, false
	}
	inside = strings.Index(p.text[p.pos+size:], closing)
	if inside < 0 {
		p.lone = r == '"'
		return 0, 0, false
	}
	return inside, size + inside + len(closing), true
}

// glued reports whether the piece being read ends in an ASCII letter or digit.
func (p *queryParser) glued() bool {
	return p.pos > p.start && p.text[p.pos-1] < utf8.RuneSelf && classASCII(p.text[p.pos-1]).word()
}

// flush adds the piece that ends before byte end.
func (p *queryParser) flush(end int) {
	if end > p.start {
		p.add(p.start, end, false)
	}
	p.start = end
}

// add appends the chunk text[start:end] if it holds a token.
func (p *queryParser) add(start, end int, quoted bool) {
	if len(p.query.Chunks) >= maxChunks {
		return
	}
	chunk := Chunk{Quoted: quoted, Stop: true}
	for t := range Tokens(p.text[start:end]) {
		if p.left == len(chunk.Tokens) {
			end = start + chunk.Tokens[len(chunk.Tokens)-1].End
			break
		}
		chunk.Tokens = append(chunk.Tokens, t)
	}
	chunk.Tokens = trimSingle(chunk.Tokens)
	if len(chunk.Tokens) == 0 {
		return
	}
	for i := range chunk.Tokens {
		t := &chunk.Tokens[i]
		chunk.Stop = chunk.Stop && IsStop(*t)
		t.Start += start
		t.End += start
	}
	p.left -= len(chunk.Tokens)
	chunk.Text = Fold(p.text[start:end])
	p.query.Chunks = append(p.query.Chunks, chunk)
}

// trimSingle drops the last token when it is the Single after pairs.
func trimSingle(tokens []Token) []Token {
	n := len(tokens)
	if n > 1 && tokens[n-1].Kind == Single && tokens[n-2].Kind == Pair {
		return tokens[:n-1]
	}
	return tokens
}

// clip returns the first limit bytes of s, cut before a character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
