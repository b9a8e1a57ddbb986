package main

import (
	"math/rand/v2"
	"strings"
)

const (
	// zipfExponent and zipfOffset shape how often words occur, by Mandelbrot's
	// form of Zipf's law: the word of rank r in proportion to
	// (r + offset)^-exponent. These values are near those of English prose.
	zipfExponent = 1.07
	zipfOffset   = 2.7

	latinWords = 20_000
	cjkWords   = 8_000
)

// writer writes sentences that are natural in length and in how often words
// come back, and mean nothing. The same seed writes the same sentences.
type writer struct {
	rng      *rand.Rand
	latin    *vocabulary
	chinese  *vocabulary
	japanese *vocabulary
}

// newWriter invents the vocabularies.
func newWriter(seed uint64) *writer {
	rng := rand.New(rand.NewPCG(seed, 0))
	return &writer{
		rng:      rng,
		latin:    newVocabulary(rng, latinWords, latinWord),
		chinese:  newVocabulary(rng, cjkWords, chineseWord),
		japanese: newVocabulary(rng, cjkWords, japaneseWord),
	}
}

// texts returns the next n sentences: of ten, eight in Latin letters (the
// first ones), one Chinese, one Japanese.
func (w *writer) texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		switch i % 10 {
		case 8:
			out[i] = w.chineseSentence()
		case 9:
			out[i] = w.japaneseSentence()
		default:
			out[i] = w.latinSentence()
		}
	}
	return out
}

// latinSentence has 10 to 20 words.
func (w *writer) latinSentence() string {
	words := w.draw(w.latin, 10+w.rng.IntN(11))
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ") + "."
}

// chineseSentence has 8 to 16 words in two clauses.
func (w *writer) chineseSentence() string {
	words := w.draw(w.chinese, 8+w.rng.IntN(9))
	half := len(words) / 2
	return strings.Join(words[:half], "") + "，" + strings.Join(words[half:], "") + "。"
}

// japaneseSentence has 5 to 10 words, each with its particle.
func (w *writer) japaneseSentence() string {
	particles := []string{"は", "が", "を", "に", "で", "の", "と", "も", "から"}
	var out strings.Builder
	words := w.draw(w.japanese, 5+w.rng.IntN(6))
	for _, word := range words[1:] {
		out.WriteString(word + particles[w.rng.IntN(len(particles))])
	}
	return out.String() + words[0] + "です。"
}

// draw picks n words of v.
func (w *writer) draw(v *vocabulary, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = v.words[v.rank.Uint64()]
	}
	return words
}

// vocabulary is a list of distinct words, the most frequent first.
type vocabulary struct {
	words []string
	rank  *rand.Zipf
}

// newVocabulary invents size words; invent makes one for a rank.
func newVocabulary(rng *rand.Rand, size int, invent func(rng *rand.Rand, rank int) string) *vocabulary {
	v := &vocabulary{rank: rand.NewZipf(rng, zipfExponent, zipfOffset, uint64(size-1))}
	known := make(map[string]bool, size)
	for len(v.words) < size {
		word := invent(rng, len(v.words))
		if !known[word] {
			known[word] = true
			v.words = append(v.words, word)
		}
	}
	return v
}

// latinWord makes a word of one to four syllables; frequent words are short.
func latinWord(rng *rand.Rand, rank int) string {
	onsets := []string{"b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "br", "st", "tr", "sh", "pl"}
	vowels := []string{"a", "e", "i", "o", "u", "ai", "ea", "ou"}
	codas := []string{"", "", "", "n", "r", "s", "t", "l", "m", "nd"}
	syllables := 1
	if rank >= 60 {
		syllables++
	}
	if rank >= 2000 {
		syllables += 1 + rng.IntN(2)
	}
	var word strings.Builder
	for range syllables {
		word.WriteString(onsets[rng.IntN(len(onsets))] + vowels[rng.IntN(len(vowels))] + codas[rng.IntN(len(codas))])
	}
	return word.String()
}

// chineseWord makes a word of one character when frequent, else of two or
// three.
func chineseWord(rng *rand.Rand, rank int) string {
	characters := 1
	if rank >= 200 {
		characters = 2 + rng.IntN(5)/4
	}
	return ideographs(rng, characters)
}

// japaneseWord makes a word of one or two ideographs or, one in four, of three
// to five katakana.
func japaneseWord(rng *rand.Rand, rank int) string {
	if rng.IntN(4) > 0 {
		return ideographs(rng, min(2, 1+rank/200))
	}
	katakana := []rune("アイウエオカキクケコサシスセソタチツテトナニノハヒフヘホマミムメモラリルレロワン")
	word := make([]rune, 3+rng.IntN(3))
	for i := range word {
		word[i] = katakana[rng.IntN(len(katakana))]
	}
	return string(word)
}

// ideographs draws n characters out of the first 2,500 of the unified block.
func ideographs(rng *rand.Rand, n int) string {
	word := make([]rune, n)
	for i := range word {
		word[i] = rune(0x4e00 + rng.IntN(2500))
	}
	return string(word)
}
