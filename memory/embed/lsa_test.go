package embed_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/rank"
	"mcp-memory/memory/text"
)

// rows makes training rows of one session out of texts.
func rows(texts ...string) []embed.Row {
	list := make([]embed.Row, len(texts))
	for i, s := range texts {
		list[i] = embed.Row{Session: 1, Terms: terms(s)}
	}
	return list
}

func terms(s string) []rank.Term {
	counts := map[string]int{}
	var list []rank.Term
	for _, t := range text.Terms(s) {
		if counts[t]++; counts[t] == 1 {
			list = append(list, rank.Term{Hash: rank.Hash(t)})
		}
	}
	for i := range list {
		for t, n := range counts {
			if rank.Hash(t) == list[i].Hash {
				list[i].Count = uint8(n)
			}
		}
	}
	return list
}

// garage is talk in which two words for a car never meet, but the words around
// them are the same; and other talk.
func garage() []embed.Row {
	var texts []string
	for i := range 40 {
		vehicle := []string{"car", "automobile"}[i%2]
		texts = append(texts,
			fmt.Sprintf("the %s needs petrol and new brakes in garage %d", vehicle, i),
			fmt.Sprintf("boil the soup with onions and pepper for dinner %d", i))
	}
	list := rows(texts...)
	for i := range list { // each message by itself: no context across the two kinds of talk
		list[i].Session = int64(i)
	}
	return list
}

func TestTrainFindsWithoutACommonWord(t *testing.T) {
	t.Parallel()
	m := embed.Train(garage())
	question := m.Embed(terms("who repairs an automobile"))
	if a, b := cosine(question, m.Embed(terms("petrol and brakes"))), cosine(question, m.Embed(terms("onions and pepper"))); a <= b {
		t.Errorf("a question without a common word: cosine %.2f to the garage, %.2f to the kitchen", a, b)
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(embed.Train(garage()).Marshal(), embed.Train(garage()).Marshal()) {
		t.Error("the same rows give two models")
	}
}

func TestTrainOnLittle(t *testing.T) {
	t.Parallel()
	if m := embed.Train(nil); m != nil {
		t.Errorf("Train(nothing) = %d words, want none", m.Words())
	}
	if m := embed.Train(rows("")); m != nil {
		t.Errorf("Train(no word) = %d words, want none", m.Words())
	}
	m := embed.Train(rows("fox"))
	if v := m.Embed(terms("a fox")); v == nil || math.Abs(cosine(v, v)-1) > 1e-5 {
		t.Errorf("Embed(fox) = %v, want a unit vector", v)
	}
	if v := m.Embed(terms("cow")); v != nil {
		t.Errorf("Embed(unknown word) = %v, want nil", v)
	}
	if v := m.Word(rank.Hash("fox")); v == nil || math.Abs(cosine(v, v)-1) > 1e-5 {
		t.Errorf("Word(fox) = %v, want a unit vector", v)
	}
	if v := m.Word(rank.Hash("cow")); v != nil {
		t.Errorf("Word(unknown) = %v, want nil", v)
	}
}

func TestLSARoundTrip(t *testing.T) {
	t.Parallel()
	m := embed.Train(garage())
	b := m.Marshal()
	again, err := embed.UnmarshalLSA(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Marshal(), b) || again.Words() != m.Words() {
		t.Error("a model read back is another one")
	}
	for name, broken := range map[string][]byte{
		"nothing": nil, "half": b[:len(b)/2], "one byte more": append(bytes.Clone(b), 0), "another format": append([]byte{9}, b[1:]...),
	} {
		if _, err := embed.UnmarshalLSA(broken); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("UnmarshalLSA(%s) = %v, want ErrInvalid", name, err)
		}
	}
}

func FuzzUnmarshalLSA(f *testing.F) {
	f.Add(embed.Train(garage()).Marshal())
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := embed.UnmarshalLSA(b)
		if err == nil {
			m.Embed(terms("car"))
		}
	})
}

// chatter makes n rows of 24 words whose frequencies fall as in talk (Zipf): of
// 100,000 rows more than 150,000 words are different.
func chatter(n int) []embed.Row {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.07, 8, 1<<20)
	list := make([]embed.Row, n)
	for i := range list {
		list[i].Session = int64(i / 200)
		for range 24 {
			list[i].Terms = append(list[i].Terms, rank.Term{Hash: uint32(zipf.Uint64()), Count: 1})
		}
	}
	return list
}

// BenchmarkTrain reports, beside the time, the most heap that training holds.
func BenchmarkTrain(b *testing.B) {
	for _, n := range []int{1000, 6000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list := chatter(n)
			runtime.GC()
			before, stop, peak := heap(), make(chan struct{}), make(chan uint64)
			go func() {
				top := uint64(0)
				for {
					top = max(top, heap())
					select {
					case <-stop:
						peak <- top
						return
					case <-time.After(5 * time.Millisecond):
					}
				}
			}()
			words := 0
			for b.Loop() {
				words = embed.Train(list).Words()
			}
			close(stop)
			b.ReportMetric(float64(<-peak-before), "peak-B")
			b.ReportMetric(float64(words), "words")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/op")
		})
	}
}

// heap is how many bytes are in use, garbage that was not collected yet included.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
