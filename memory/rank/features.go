package rank

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sort"
	"strings"
	"unicode"

	"mcp-memory/memory/text"
)

// Features is what ranking needs to know of a passage. It is computed once,
// when the message is stored, so that a search reads no text.
type Features struct {
	Terms       []Term // distinct content terms, by hash
	Length      int    // content terms, repeated ones counted
	Question    bool   // it ends with a question mark
	FirstPerson bool   // it speaks of its sender: I, my, we, 我, 私, …
}

// Term is a content term and how often it occurs, 255 at most. Only its hash is
// kept: among 100,000 different words about one pair shares a hash, which no
// ranking notices, and no word of a deleted text stays behind.
type Term struct {
	Hash  uint32
	Count uint8
}

// maxTerms bounds the features of a very long text; its parts have their own.
const maxTerms = 1024

// Describe computes the features of a passage from its text.
func Describe(passage string) Features {
	f := Features{}
	counts := map[uint32]int{}
	for _, t := range text.Terms(passage) {
		f.Length++
		if h := Hash(t); counts[h] > 0 || len(counts) < maxTerms {
			counts[h]++
		}
	}
	f.Terms = make([]Term, 0, len(counts))
	for h, n := range counts {
		f.Terms = append(f.Terms, Term{h, uint8(min(n, 255))})
	}
	slices.SortFunc(f.Terms, func(a, b Term) int { return compareHash(a.Hash, b.Hash) })
	body := strings.TrimSpace(withoutNote(passage))
	f.Question = strings.HasSuffix(body, "?") || strings.HasSuffix(body, "？")
	f.FirstPerson = len(body) <= maxForm && speaksInFirstPerson(body)
	return f
}

// maxForm is the size in bytes up to which the form of a text says something: a
// long one holds an "I" anyway.
const maxForm = 1000

func compareHash(a, b uint32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Hash is the 32-bit FNV-1a hash by which features know a term.
func Hash(term string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(term))
	return h.Sum32()
}

// The layout of encoded features: version, flags, length (uvarint), then five
// bytes a term: hash (little-endian), count.
const (
	featuresVersion = 1
	flagQuestion    = 1 << 0
	flagFirstPerson = 1 << 1
	termSize        = 5
)

// Encode writes the features in a few bytes a term.
func (f *Features) Encode() []byte {
	b := make([]byte, 0, 8+termSize*len(f.Terms))
	flags := byte(0)
	if f.Question {
		flags |= flagQuestion
	}
	if f.FirstPerson {
		flags |= flagFirstPerson
	}
	b = append(b, featuresVersion, flags)
	b = binary.AppendUvarint(b, uint64(f.Length))
	for _, t := range f.Terms {
		b = append(binary.LittleEndian.AppendUint32(b, t.Hash), t.Count)
	}
	return b
}

// Decode reads encoded features. Nothing, another version or damaged bytes give
// the zero Features, which no signal is for.
func Decode(b []byte) Features {
	s := open(b)
	f := s.Features
	if s.terms == nil {
		return f
	}
	f.Terms = make([]Term, len(s.terms)/termSize)
	for i := range f.Terms {
		f.Terms[i] = s.term(i)
	}
	return f
}

// stored is an encoded Features that is read in place: ranking asks a passage for
// the few words of a question and leaves the others alone. Bytes of another
// version or damaged ones are like no text.
type stored struct {
	Features        // without its terms
	terms    []byte // termSize bytes each, by hash
}

func open(b []byte) stored {
	if len(b) < 3 || b[0] != featuresVersion {
		return stored{}
	}
	length, n := binary.Uvarint(b[2:])
	if n <= 0 || (len(b)-2-n)%termSize != 0 {
		return stored{}
	}
	return stored{
		Features: Features{Length: int(length), Question: b[1]&flagQuestion != 0, FirstPerson: b[1]&flagFirstPerson != 0},
		terms:    b[2+n:],
	}
}

func (s *stored) term(i int) Term {
	t := s.terms[i*termSize:]
	return Term{binary.LittleEndian.Uint32(t), t[4]}
}

// count says how often the term with this hash occurs.
func (s *stored) count(hash uint32) int {
	n := len(s.terms) / termSize
	i := sort.Search(n, func(i int) bool { return s.term(i).Hash >= hash })
	if i == n || s.term(i).Hash != hash {
		return 0
	}
	return int(s.term(i).Count)
}

// withoutNote cuts a last note in brackets that a client appended ("[photo of a
// dog]"): it is searched, but says nothing about the form of the message.
func withoutNote(s string) string {
	trimmed := strings.TrimRightFunc(s, unicode.IsSpace)
	if !strings.HasSuffix(trimmed, "]") {
		return s
	}
	if i := strings.LastIndexByte(trimmed, '['); i >= 0 {
		return trimmed[:i]
	}
	return s
}

// firstPerson are the words by which a text speaks of its sender: English words
// and, for scripts without spaces, characters to look for anywhere.
var firstPerson = struct {
	words      []string
	characters string
}{
	words:      []string{"i", "me", "my", "mine", "we", "us", "our", "ours"},
	characters: "我私僕俺",
}

func speaksInFirstPerson(s string) bool {
	if strings.ContainsAny(s, firstPerson.characters) {
		return true
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains(firstPerson.words, word) {
			return true
		}
	}
	return false
}
