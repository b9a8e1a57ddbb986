package main

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestWriterIsDeterministic(t *testing.T) {
	t.Parallel()
	first, again, other := newWriter(7).texts(200), newWriter(7).texts(200), newWriter(8).texts(200)
	if !slices.Equal(first, again) {
		t.Error("texts(200) of the same seed differ, want them equal")
	}
	if slices.Equal(first, other) {
		t.Error("texts(200) of two seeds are equal, want them different")
	}
}

func TestWriterTexts(t *testing.T) {
	t.Parallel()
	const n = 2000
	texts := newWriter(1).texts(n)
	counts := make(map[string]int)
	latin, words := 0, 0
	for i, text := range texts {
		sentence := latinWordsOf(text)
		if (sentence == nil) != (i%10 >= 8) {
			t.Fatalf("texts()[%d] = %q, want Latin letters in eight of ten, the last two without", i, text)
		}
		if sentence == nil {
			if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) || unicode.Is(unicode.Katakana, r) }) {
				t.Errorf("texts()[%d] = %q, want ideographs or kana", i, text)
			}
			continue
		}
		latin++
		words += len(sentence)
		for _, word := range sentence {
			counts[word]++
		}
	}
	if mean := float64(words) / float64(latin); mean < 14 || mean > 16 {
		t.Errorf("mean length of a sentence = %.1f words, want about 15", mean)
	}
	most, once := 0, 0
	for _, n := range counts {
		most = max(most, n)
		if n == 1 {
			once++
		}
	}
	if share := float64(most) / float64(words); share < .03 || share > .1 {
		t.Errorf("share of the most frequent word = %.3f, want .03 to .1 as in prose", share)
	}
	if share := float64(once) / float64(len(counts)); share < .3 || share > .7 {
		t.Errorf("share of words that occur once = %.2f, want about half as in prose", share)
	}
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	w := newWriter(1)
	for _, tc := range []struct {
		name string
		v    *vocabulary
		want int
	}{{"latin", w.latin, latinWords}, {"chinese", w.chinese, cjkWords}, {"japanese", w.japanese, cjkWords}} {
		distinct := slices.Compact(slices.Sorted(slices.Values(tc.v.words)))
		if len(tc.v.words) != tc.want || len(distinct) != tc.want {
			t.Errorf("%s vocabulary = %d words, %d distinct, want %d", tc.name, len(tc.v.words), len(distinct), tc.want)
		}
	}
}
