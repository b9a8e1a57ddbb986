package rank

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"mcp-memory/memory/text"
)

// Features is what ranking needs to know of a passage. It is computed once,
// when the message is stored, so that a search reads no text.
type Features struct {
	Terms    []Term // distinct content terms, by hash
	Length   int    // content terms, repeated ones counted
	Question bool   // it ends with a question mark
	Form
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

// Describe computes the features of a passage from its text. sentAt says which
// day "yesterday" is the one before, in the time's own zone; the zero time knows
// none.
func Describe(passage string, sentAt time.Time) Features {
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
	slices.SortFunc(f.Terms, func(a, b Term) int { return cmp.Compare(a.Hash, b.Hash) })
	body := strings.TrimSpace(withoutNote(passage))
	f.Question = strings.HasSuffix(body, "?") || strings.HasSuffix(body, "？")
	f.Form = formOf(body, civilOf(sentAt), !sentAt.IsZero())
	return f
}

// Hash is the 32-bit FNV-1a hash by which features know a term.
func Hash(term string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(term))
	return h.Sum32()
}

// The layout of encoded features: version, flags, number of day ranges, length
// (uvarint), each day range (varint of its first day, uvarint of the days
// behind it), then five bytes a term: hash (little-endian), count.
const (
	featuresVersion = 2
	termSize        = 5
)

// The flags of encoded features, in the order of flags. The two highest bits
// count capitals.
const (
	flagQuestion = 1 << iota
	flagFirstPerson
	flagTime
	flagNumber
	flagQuoted
	flagPlace
	capitalsShift = iota
)

// Encode writes the features in a few bytes a term.
func (f *Features) Encode() []byte {
	b := make([]byte, 0, 16+termSize*len(f.Terms))
	b = append(b, featuresVersion, f.flags(), byte(len(f.Days)))
	b = binary.AppendUvarint(b, uint64(f.Length))
	for _, r := range f.Days {
		b = binary.AppendVarint(b, int64(r.From))
		b = binary.AppendUvarint(b, uint64(r.To-r.From))
	}
	for _, t := range f.Terms {
		b = append(binary.LittleEndian.AppendUint32(b, t.Hash), t.Count)
	}
	return b
}

func (f *Features) flags() byte {
	flags := byte(f.Capitals) << capitalsShift
	for i, on := range [...]bool{f.Question, f.FirstPerson, f.Time, f.Number, f.Quoted, f.Place} {
		if on {
			flags |= 1 << i
		}
	}
	return flags
}

// Decode reads encoded features. Nothing, another version or damaged bytes give
// the zero Features, which no signal is for.
func Decode(b []byte) Features {
	s := open(b)
	f := s.Features
	if s.terms == nil {
		return f
	}
	f.Days = slices.Collect(s.ranges())
	f.Terms = make([]Term, 0, len(s.terms)/termSize)
	f.Terms = slices.AppendSeq(f.Terms, s.each())
	return f
}

// stored is an encoded Features that is read in place: ranking asks a passage for
// the few words of a question and leaves the others alone. Bytes of another
// version or damaged ones are like no text.
type stored struct {
	Features        // without its terms and day ranges
	days     []byte // the day ranges
	terms    []byte // termSize bytes each, by hash
}

func open(b []byte) stored {
	if len(b) < 4 || b[0] != featuresVersion || b[2] > maxDayRanges {
		return stored{}
	}
	flags, ranges, rest := b[1], int(b[2]), b[3:]
	length, n := binary.Uvarint(rest)
	if n <= 0 || length > math.MaxInt32 {
		return stored{}
	}
	rest = rest[n:]
	size := rangesSize(rest, ranges)
	if size < 0 || (len(rest)-size)%termSize != 0 {
		return stored{}
	}
	s := stored{days: rest[:size], terms: rest[size:]}
	s.Length = int(length)
	s.Question = flags&flagQuestion != 0
	s.Form = Form{
		FirstPerson: flags&flagFirstPerson != 0,
		Time:        flags&flagTime != 0,
		Number:      flags&flagNumber != 0,
		Quoted:      flags&flagQuoted != 0,
		Place:       flags&flagPlace != 0,
		Capitals:    int(flags >> capitalsShift),
	}
	return s
}

// rangesSize returns how many bytes n encoded day ranges take; -1 when b does
// not begin with so many sound ones.
func rangesSize(b []byte, n int) int {
	size := 0
	for range n {
		_, width := readRange(b[size:])
		if width == 0 {
			return -1
		}
		size += width
	}
	return size
}

// readRange reads the day range that b begins with, and how many bytes it takes;
// 0 when there is none.
func readRange(b []byte) (r DayRange, width int) {
	from, n := binary.Varint(b)
	if n <= 0 || from < -maxDayOffset || from > maxDayOffset {
		return r, 0
	}
	length, m := binary.Uvarint(b[n:])
	if m <= 0 || length > 2*maxDayOffset {
		return r, 0
	}
	return DayRange{int(from), int(from) + int(length)}, n + m
}

// ranges gives the day ranges.
func (s *stored) ranges() iter.Seq[DayRange] {
	return func(yield func(DayRange) bool) {
		for b := s.days; len(b) > 0; {
			r, width := readRange(b)
			if !yield(r) {
				return
			}
			b = b[width:]
		}
	}
}

// each gives the terms.
func (s *stored) each() iter.Seq[Term] {
	return func(yield func(Term) bool) {
		for i := range len(s.terms) / termSize {
			if !yield(s.term(i)) {
				return
			}
		}
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
