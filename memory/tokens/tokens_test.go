package tokens_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"mcp-memory/memory/tokens"
)

func TestForFindsTheTokenizerOfAModel(t *testing.T) {
	t.Parallel()
	var c tokens.Counters
	for model, want := range map[string]string{
		"gpt-4o": tokens.O200k, "gpt-4o-mini-2024-07-18": tokens.O200k, "openai/gpt-4.1": tokens.O200k, "GPT-5-nano": tokens.O200k,
		"o3-mini": tokens.O200k, "o1": tokens.O200k, "azure/openai/o4-mini": tokens.O200k, "ft:gpt-4o:org::id": tokens.O200k,
		"gpt-oss-120b": tokens.O200k, "openai@gpt-4o": tokens.O200k, "gpt-4o@azure": tokens.O200k, "o3:free": tokens.O200k,
		"gpt-4": tokens.Cl100k, "gpt-4-turbo": tokens.Cl100k, "gpt-3.5-turbo": tokens.Cl100k, "gpt-35-turbo": tokens.Cl100k,
		"claude-sonnet-4-5": tokens.Estimated, "deepseek-flash": tokens.Estimated, "qwen3": tokens.Estimated, "o1x": tokens.Estimated,
		"o365": tokens.Estimated, "": tokens.Estimated, "@": tokens.Estimated, "/": tokens.Estimated,
	} {
		if got := c.For(model).Name(); got != want {
			t.Errorf("For(%q).Name() = %s, want %s", model, got, want)
		}
	}
}

// A count is the library's, though it is put together from stretches, and does not
// change when it is asked for again.
func TestCountIsThatOfTheTokenizer(t *testing.T) {
	t.Parallel()
	var c tokens.Counters
	for model, name := range map[string]tokenizer.Encoding{"gpt-4": tokenizer.Cl100kBase, "gpt-4o": tokenizer.O200kBase} {
		codec, err := tokenizer.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts() {
			want, err := codec.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got := c.For(model).Count(text); got != want {
					t.Errorf("Count(%.60q) by %s = %d, want %d", text, name, got, want)
				}
			}
		}
	}
}

// texts are the samples and random texts in which every border occurs.
func texts() []string {
	list := []string{"", " ", "a", "\xff\xfe half", "it's  you'LL\n\n x", "a\u00a0 b", "ε λ", "1 a 2 b", "…  \t\n end "}
	for _, s := range samples {
		list = append(list, s.text)
	}
	r := rand.New(rand.NewPCG(1, 1))
	alphabet := []string{" ", " ", " ", "\n", "\t", "a", "Bc", "def", "é", "字", "한", "я", "م", "1", "23", ".", "--", "'s", "\u00a0", "\u3000", "🚢", "\u0301"}
	for range 200 {
		var b strings.Builder
		for range 60 {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		list = append(list, b.String())
	}
	return list
}

// A text without blanks takes no longer than another; what that costs is a token
// at each cut.
func TestCountOfATextWithoutBlanks(t *testing.T) {
	t.Parallel()
	var c tokens.Counters
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("港口辦公室", 8_000)
	want, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.For("gpt-4o").Count(text); got < want || got > want+want/100 {
		t.Errorf("Count(%d characters) = %d, want %d to 1 %% more", 40_000, got, want)
	}
}

// Many texts do not make the memory grow without end.
func TestCountsAreBounded(t *testing.T) { // not parallel: it looks at the heap
	if testing.Short() {
		t.Skip("counts 120,000 texts")
	}
	var c tokens.Counters
	counter := c.For("gpt-4")
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	fill := func(from int) {
		for i := range 60_000 {
			counter.Count(fmt.Sprintf("a%d b%d ", from+i, from+i) + strings.Repeat("same ", 60))
		}
	}
	fill(0)
	before := heap()
	fill(60_000)
	if after := heap(); after > before+4<<20 {
		t.Errorf("60,000 more texts take %d KB more", (after-before)>>10)
	}
	runtime.KeepAlive(&c)
}

// White space is the library's weak spot: its time grows with the square of it.
func TestCountOfWhiteSpaceTakesNoLonger(t *testing.T) {
	t.Parallel()
	var c tokens.Counters
	start := time.Now()
	if got := c.For("gpt-4o").Count(strings.Repeat(" \n", 200_000)); got < 50_000 || got > 400_000 {
		t.Errorf("Count(200,000 blank lines) = %d", got)
	}
	if took := time.Since(start); took > 10*time.Second { // a minute and more without the limit
		t.Errorf("Count(200,000 blank lines) took %v", took)
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat(samples[0].text+samples[7].text+samples[2].text, 2000)[:2<<20]
	for _, model := range []string{"gpt-4", "gpt-4o", "claude"} {
		b.Run(model, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var c tokens.Counters
			n := 0
			for b.Loop() {
				n++
				c.For(model).Count(text + fmt.Sprint(n)) // never the same
			}
		})
	}
}

// blank makes one blank of all.
func blank(r rune) rune {
	if r <= ' ' || r == 0x7F {
		return ' '
	}
	return r
}

func FuzzCount(f *testing.F) {
	for _, s := range texts() {
		f.Add(s)
	}
	var c tokens.Counters
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := tokens.Estimate(s); n < 0 || n > 2*len(s) || n == 0 && strings.TrimSpace(s) != "" {
			t.Errorf("Estimate(%q) = %d", s, n)
		}
		if len(s) > 1000 || strings.Contains(strings.Map(blank, s), strings.Repeat(" ", 128)) {
			return // not exact, and slow in the library
		}
		want, err := codec.Count(s)
		if got := c.For("gpt-4o").Count(s); err == nil && got != want {
			t.Errorf("Count(%q) = %d, want %d", s, got, want)
		}
	})
}
