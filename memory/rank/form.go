package rank

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxForm is the size in bytes up to which the form of a text says something: a
// long one holds a number, a name and an "I" anyway.
const maxForm = 1000

// maxCapitals is the number of capitalised words from which more say no more.
const maxCapitals = 3

// Form is what a text looks like, whatever it is about. A text of more than 1,000
// bytes has none.
type Form struct {
	FirstPerson bool       // it speaks of its sender: I, my, we, 我, 私, …
	Time        bool       // it says when or for how long: yesterday, for two years, 三点, 先週
	Number      bool       // it has a figure or a number in words
	Quoted      bool       // it has a title or a saying in quotation marks
	Place       bool       // it has a word with the ending of a Chinese or Japanese place name
	Capitals    int        // its capitalised words that begin no sentence, 3 at most
	Days        []DayRange // the days that its "yesterday", "last Friday", "两周前" mean, 4 at most
}

// quotation is a title or a saying in quotation marks.
var quotation = regexp.MustCompile(`["“”「『《][^"“”」』》]{2,60}["“”」』》]`)

// formReader collects the form of a text, word by word.
type formReader struct {
	Form
	sent  civil
	dated bool // sent is known
}

// formOf reads the form of a text that was sent on the given day.
func formOf(s string, sent civil, dated bool) Form {
	if len(s) > maxForm {
		return Form{}
	}
	f := formReader{sent: sent, dated: dated}
	var buffer [64]word
	words := f.split(s, buffer[:0])
	for i := range words {
		f.english(words, i)
	}
	return f.Form
}

// word is a word of letters and digits with what the lexicon knows of it.
type word struct {
	text string // in lower case
	lexeme
}

// split cuts a text into words and looks at what shows at once: quotation
// marks, capitals, and all of the scripts that are written without spaces.
func (f *formReader) split(s string, words []word) []word {
	begins, quote := true, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWordRune(r) {
			quote = quote || isOpeningQuote(r)
			i += size
			begins = begins || endsSentence(r, s[i:])
			continue
		}
		end := i + wordLength(s[i:])
		w := s[i:end]
		if r < utf8.RuneSelf || !isUnspacedRune(r) {
			f.countCapital(w, r, begins)
			w = strings.ToLower(w)
			words = append(words, word{w, english[w]})
		}
		if !isASCII(w) {
			f.unspaced(w)
		}
		i, begins = end, false
	}
	f.Quoted = quote && quotation.MatchString(s)
	return words
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return isCommonUnspaced(r) || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '〇'
}

// wordLength returns the length in bytes of the word that s begins with.
func wordLength(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !isWordRune(r) }); i >= 0 {
		return i
	}
	return len(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isOpeningQuote(r rune) bool { return strings.ContainsRune(`"“”「『《`, r) }

// endsSentence says whether the sign r, followed by rest, lets the next word
// begin with a capital whatever it is.
func endsSentence(r rune, rest string) bool {
	switch r {
	case '.', '!', '?', ':', '-':
		return rest == "" || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '"'
	case '\n', '。', '！', '？', '：', '…':
		return true
	}
	return false
}

// countCapital counts a word that begins with the capital first, unless it is
// one letter alone or begins a sentence.
func (f *formReader) countCapital(w string, first rune, begins bool) {
	if !begins && f.Capitals < maxCapitals && len(w) > utf8.RuneLen(first) && unicode.IsUpper(first) {
		f.Capitals++
	}
}

// english looks at word i and those behind it.
func (f *formReader) english(words []word, i int) {
	w := &words[i]
	if c := w.text[0]; '0' <= c && c <= '9' {
		f.Number = true
		w.kind, w.value = amount, leadingFigures(w.text)
	}
	switch w.kind {
	case self:
		f.FirstPerson = true
	case moment:
		f.Time = true
	case nearDay:
		f.says(days.shifted(f.sent, w.value))
	case direction:
		f.directed(words[i:])
	case numeral:
		f.Number = true
		f.counted(words[i:])
	case amount:
		f.counted(words[i:])
	case duration:
		f.lasting(words[i:])
	case since:
		next := at(words, i+1)
		f.Time = f.Time || next.isYear() || next.kind == month
	case month:
		f.Time = f.Time || w.value == 0
	case weekday:
		f.Time = f.Time || len(w.text) > len("thurs")
	case just:
		f.Time = f.Time || slices.Contains(justDone, at(words, i+1).text)
	case other:
		f.Time = f.Time || at(words, i+1).text == "day"
	}
}

// at returns word i; a word that says nothing behind the last.
func at(words []word, i int) word {
	if i < len(words) {
		return words[i]
	}
	return word{}
}

// says notes that the text means these days.
func (f *formReader) says(s stretch) {
	f.Time = true
	r := DayRange{int(s.from - f.sent), int(s.to - f.sent)}
	if !f.dated || len(f.Days) == maxDayRanges || r.From < -maxDayOffset || r.To > maxDayOffset || slices.Contains(f.Days, r) {
		return
	}
	f.Days = append(f.Days, r)
}

// directed reads "last week", "next Friday", "this morning", "this past month".
func (f *formReader) directed(words []word) {
	towardsWhat, next := words[0].value, at(words, 1)
	if next.kind == direction && next.value < 0 { // this past month
		return // which is read from "past" on
	}
	switch next.kind {
	case unit:
		f.says(span(next.value).shifted(f.sent, towardsWhat))
	case weekday:
		f.says(towards(f.sent, next.value, towardsWhat))
	case partOfDay:
		f.says(days.shifted(f.sent, towardsWhat))
	case season:
		f.Time = true
	}
}

// counted reads "two weeks ago", "a couple of days later", "5 years old".
func (f *formReader) counted(words []word) {
	i := 1
	if at(words, i).text == "of" {
		i++
	}
	if at(words, i).kind != unit {
		return
	}
	switch at(words, i+1).text {
	case "ago":
		f.says(span(words[i].value).ago(f.sent, words[0].value))
	case "later", "before", "earlier", "now", "old":
		f.Time = true
	}
}

// lasting reads "for years", "for two years".
func (f *formReader) lasting(words []word) {
	f.Time = f.Time || at(words, 1).kind == unit || at(words, 2).kind == unit
}

// isYear says whether the word is a year in figures.
func (w word) isYear() bool {
	return len(w.text) == 4 && leadingFigures(w.text) >= 1000
}

// leadingFigures reads the number that s begins with in ASCII figures.
func leadingFigures(s string) int {
	n := 0
	for i := 0; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		n = min(maxNumber, n*10+int(s[i]-'0'))
	}
	return n
}
