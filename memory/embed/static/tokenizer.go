package static

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/memory"
)

// tokenizer cuts texts into the pieces of a vocabulary, as BERT does: normalise,
// cut at spaces and punctuation, then take the longest known piece again and
// again (Devlin et al., 2018; the details are those of Hugging Face's
// tokenizers, with which models are trained).
type tokenizer struct {
	rules   normalizer
	heads   map[string]int // pieces that begin a word, by text
	tails   map[string]int // pieces that go on with one, without their prefix
	unknown int            // the id that stands for an unknown word; -1 = none
	longest int            // characters a word may have; longer ones are unknown
}

// normalizer is BERT's normaliser as tokenizer.json describes it.
type normalizer struct {
	Type         string `json:"type"`
	CleanText    bool   `json:"clean_text"`
	Chinese      bool   `json:"handle_chinese_chars"`
	StripAccents *bool  `json:"strip_accents"` // nil = as Lowercase
	Lowercase    bool   `json:"lowercase"`
}

// description is what is read of a tokenizer.json. What is left out only wraps
// the pieces of a text in special ones, which no text vector has.
type description struct {
	Normalizer   normalizer `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	AddedTokens []struct {
		Content string `json:"content"`
		Special bool   `json:"special"`
	} `json:"added_tokens"`
	Model struct {
		Type    string          `json:"type"`
		Vocab   json.RawMessage `json:"vocab"`
		Unknown string          `json:"unk_token"`
		Prefix  *string         `json:"continuing_subword_prefix"`
		Longest *int            `json:"max_input_chars_per_word"`
	} `json:"model"`
}

// parseTokenizer reads a tokenizer.json and refuses what it cannot do exactly.
func parseTokenizer(file []byte) (*tokenizer, error) {
	var d description
	if err := json.Unmarshal(file, &d); err != nil {
		return nil, memory.Invalidf("the tokenizer is not described as Hugging Face does: %v", err)
	}
	switch {
	case d.Model.Type != "WordPiece":
		return nil, memory.Invalidf("the tokenizer is of type %.40q: only WordPiece is supported", d.Model.Type)
	case d.Normalizer.Type != "BertNormalizer":
		return nil, memory.Invalidf("the tokenizer normalises with %.40q: only BertNormalizer is supported", d.Normalizer.Type)
	case d.PreTokenizer.Type != "BertPreTokenizer":
		return nil, memory.Invalidf("the tokenizer cuts words with %.40q: only BertPreTokenizer is supported", d.PreTokenizer.Type)
	}
	var vocabulary map[string]int
	if err := json.Unmarshal(d.Model.Vocab, &vocabulary); err != nil || len(vocabulary) == 0 {
		return nil, memory.Invalidf("the tokenizer has no vocabulary that gives each piece a number")
	}
	for _, added := range d.AddedTokens {
		if _, known := vocabulary[added.Content]; !known && !added.Special {
			return nil, memory.Invalidf("the tokenizer has a piece outside its vocabulary, %.40q: that is not supported", added.Content)
		}
	}
	return newTokenizer(d, vocabulary)
}

// newTokenizer sorts the vocabulary by where in a word a piece may stand.
func newTokenizer(d description, vocabulary map[string]int) (*tokenizer, error) {
	t := &tokenizer{rules: d.Normalizer, heads: map[string]int{}, tails: map[string]int{}, unknown: -1, longest: 100}
	if d.Model.Longest != nil {
		t.longest = *d.Model.Longest
	}
	prefix := "##"
	if d.Model.Prefix != nil {
		prefix = *d.Model.Prefix
	}
	if prefix == "" {
		return nil, memory.Invalidf("the tokenizer does not mark the pieces within a word: that is not supported")
	}
	for piece, id := range vocabulary {
		if id < 0 {
			return nil, memory.Invalidf("the tokenizer gives piece %.40q the number %d", piece, id)
		}
		t.heads[piece] = id
		if tail, ok := strings.CutPrefix(piece, prefix); ok {
			t.tails[tail] = id
		}
	}
	if id, ok := vocabulary[d.Model.Unknown]; ok {
		t.unknown = id
	}
	return t, nil
}

// highest is the highest number of a piece.
func (t *tokenizer) highest() int {
	highest := 0
	for _, id := range t.heads {
		highest = max(highest, id)
	}
	return highest
}

// pieces gives each known piece of a text to use, in order.
func (t *tokenizer) pieces(s string, use func(id int)) {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	for word := range strings.FieldsSeq(t.rules.normalize(s)) {
		for len(word) > 0 {
			end := wordEnd(word)
			for _, id := range t.word(word[:end]) {
				use(id)
			}
			word = word[end:]
		}
	}
}

// wordEnd is where the first word ends: before punctuation, each of which is a
// word of its own.
func wordEnd(s string) int {
	for i, r := range s {
		if punctuation(r) {
			if i == 0 {
				return utf8.RuneLen(r)
			}
			return i
		}
	}
	return len(s)
}

// word cuts a word into pieces, the longest first; none when it is too long or
// some part of it is unknown.
func (t *tokenizer) word(s string) []int {
	if utf8.RuneCountInString(s) > t.longest {
		return nil
	}
	var ids []int
	for known := t.heads; len(s) > 0; known = t.tails {
		end, id := longestPiece(known, s)
		if end == 0 {
			return nil
		}
		if id != t.unknown {
			ids = append(ids, id)
		}
		s = s[end:]
	}
	return ids
}

// longestPiece finds the longest beginning of s that is a known piece; end is 0 when
// none is.
func longestPiece(known map[string]int, s string) (end, id int) {
	for end = len(s); end > 0; {
		if id, ok := known[s[:end]]; ok {
			return end, id
		}
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return 0, 0
}

// normalize cleans, spaces, strips and lowers a text, as far as the rules say.
// White space stays as it is: words are cut at any of it.
func (n *normalizer) normalize(s string) string {
	if n.CleanText {
		s = without(s, control)
	}
	if n.Chinese && strings.ContainsFunc(s, chinese) {
		s = spaceChinese(s)
	}
	if n.StripAccents == nil && n.Lowercase || n.StripAccents != nil && *n.StripAccents {
		s = without(norm.NFD.String(s), func(r rune) bool { return unicode.Is(unicode.Mn, r) })
	}
	if n.Lowercase {
		s = strings.ToLower(s)
	}
	return s
}

// without takes the characters out that drop says.
func without(s string, drop func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}, s)
}

// spaceChinese makes each Chinese character a word of its own.
func spaceChinese(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for _, r := range s {
		if !chinese(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteByte(' ')
		b.WriteRune(r)
		b.WriteByte(' ')
	}
	return b.String()
}

// control says whether cleaning drops r: the replacement character and all of
// Unicode's category Other, but not the three that count as space.
func control(r rune) bool {
	return r == utf8.RuneError || r != '\t' && r != '\n' && r != '\r' && unicode.Is(unicode.C, r)
}

// punctuation counts all of ASCII's, also what Unicode calls symbols.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.IsPunct(r)
}

// chinese says whether r is a CJK ideograph. The ranges are those of Hugging
// Face's tokenizers, which leave out the first 256 of extension E that BERT has.
func chinese(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF ||
		0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x2A6DF ||
		0x2A700 <= r && r <= 0x2B81F || 0x2B920 <= r && r <= 0x2CEAF ||
		0x2F800 <= r && r <= 0x2FA1F
}
