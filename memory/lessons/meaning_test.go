package lessons_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/lessons"
	"mcp-memory/memory/text"
)

// thoughts is a model that knows what some words mean: texts about one topic are
// near, whatever the language, and all others lie as they come. Like some real
// models it puts everything near everything: base is the least cosine.
type thoughts struct {
	name string
	base float64

	mu     sync.Mutex
	texts  []string       // that were embedded
	places map[string]int // the direction of each text that has no topic
	fail   error
	refuse string        // a text that is refused alone
	slow   time.Duration // before it answers
}

var topics = [...][]string{{"disk", "磁盘", "空き容量", "storage"}, {"login", "登录", "認証", "password"}}

const dims = 256

func (m *thoughts) Model() memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: "openai", Name: m.name, Dimensions: dims}
}

func (m *thoughts) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	m.texts = append(m.texts, texts...)
	fail, refuse, slow := m.fail, m.refuse, m.slow
	m.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(slow):
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	vectors := make([][]float32, len(texts))
	failed := map[int]error{}
	for i, s := range texts {
		if refuse != "" && strings.Contains(s, refuse) {
			failed[i] = errors.New("refused")
			continue
		}
		vectors[i] = m.vector(s)
	}
	if len(failed) > 0 {
		return vectors, &memory.PartialError{Failed: failed}
	}
	return vectors, nil
}

// vector points in the direction that all share and, beyond base, in that of the
// topic or of the text alone; mu is held.
func (m *thoughts) vector(s string) []float32 {
	v := make([]float32, dims)
	v[0] = float32(math.Sqrt(m.base))
	own := float32(math.Sqrt(1 - m.base))
	for i, words := range topics {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) }) {
			v[1+i] = own
			return v
		}
	}
	if m.places == nil {
		m.places = map[string]int{}
	}
	if m.places[s] == 0 {
		m.places[s] = 3 + len(m.places)
	}
	v[m.places[s]] = own
	return v
}

func (m *thoughts) seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.texts)
}

func (m *thoughts) set(change func(*thoughts)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

// TestFoundByMeaning: an error that shares no word with its lesson is found where
// the model knows that they mean the same, however near that model puts strangers.
func TestFoundByMeaning(t *testing.T) {
	t.Parallel()
	for _, base := range []float64{0, .5, .85} {
		m := &thoughts{name: "a", base: base}
		s := newLessons(t, lessons.Config{Embedder: m, Masker: text.NewRedactor()})
		disk := write(t, s, solved("bash", "磁盘写满了", "清理缓存"))
		write(t, s, solved("curl", "登录 rejected", "renew the token"))
		wantRelated(t, s, "tar", "storage is exhausted", disk)
		wantRelated(t, s, "tar", "the moon is full of cheese")
		wantRelated(t, s, "tar", "空き容量がありません", disk)
	}
}

// The lessons of a model are embedded once, by the next one again.
func TestModelsChange(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir()+"/memory.db")
	first, second := &thoughts{name: "first"}, &thoughts{name: "second"}
	s := newLessons(t, lessons.Config{Store: db, Embedder: first})
	disk := write(t, s, solved("bash", "磁盘写满了", "清理缓存", "满"))
	for range 3 {
		wantRelated(t, s, "tar", "storage is exhausted", disk)
	}
	embedded := func(m *thoughts, text string) (n int) {
		for _, s := range m.seen() {
			if s == text {
				n++
			}
		}
		return n
	}
	if n, probes := embedded(first, "磁盘写满了\n满"), embedded(first, lessons.Probes[0]); n != 1 || probes != 1 {
		t.Errorf("the lesson was embedded %d times and a probe %d times, want once each", n, probes)
	}
	s = newLessons(t, lessons.Config{Store: db, Embedder: second})
	wantRelated(t, s, "tar", "storage is exhausted", disk)
	if n := embedded(second, "磁盘写满了\n满"); n != 1 {
		t.Errorf("the lesson was embedded %d times by the next model, want once", n)
	}
	if w, err := s.Write(t.Context(), solved("bash", "磁盘写满了", "清理缓存", "空间")); err != nil || !w.Updated {
		t.Errorf("Write() = %+v, %v, want an update", w, err)
	}
	wantRelated(t, s, "tar", "storage is exhausted", disk)
	if n := embedded(second, "磁盘写满了\n空间"); n != 1 {
		t.Errorf("the lesson written again was embedded %d times, want once", n)
	}
}

// Models that are made of the recorded words are not asked: the words are compared.
func TestLocalModelsAreNotAsked(t *testing.T) {
	t.Parallel()
	s := newLessons(t, lessons.Config{Embedder: embed.NewHashed(64)})
	disk := write(t, s, solved("bash", "no space left on device", "empty the cache"))
	wantRelated(t, s, "bash", "device has no space left", disk)
	wantRelated(t, s, "bash", "磁盘写满了")
}

// An embedder that fails or is slow leaves the words, and is left alone for a
// while.
func TestEmbedderFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &thoughts{name: "a", fail: errors.New("HTTP 500")}
		s := newLessons(t, lessons.Config{Embedder: m})
		disk := write(t, s, solved("bash", "no space left on disk", "empty the cache"))
		wantRelated(t, s, "bash", "disk has no space left", disk)
		asked := len(m.seen())
		m.set(func(m *thoughts) { m.fail = nil })
		wantRelated(t, s, "bash", "磁盘写满了")
		if n := len(m.seen()); n != asked {
			t.Errorf("the embedder was asked for %d texts right after its failure, want none", n-asked)
		}
		time.Sleep(time.Minute)
		wantRelated(t, s, "bash", "磁盘写满了", disk)

		m.set(func(m *thoughts) { m.slow = time.Hour })
		began := time.Now()
		wantRelated(t, s, "bash", "disk has no space left", disk)
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("Related() waited %v for a slow embedder, want 3 s", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		time.Sleep(time.Minute)
		if _, err := s.Related(ctx, "bash", "disk has no space left", 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Related() after its deadline = %v, want DeadlineExceeded", err)
		}
	})
}

// A lesson that is refused does not keep the others from their vectors.
func TestARefusedLesson(t *testing.T) {
	t.Parallel()
	m := &thoughts{name: "a", refuse: "odd"}
	s := newLessons(t, lessons.Config{Embedder: m})
	disk := write(t, s, solved("bash", "磁盘写满了", "清理缓存"))
	write(t, s, solved("bash", "odd thing", "x"))
	wantRelated(t, s, "tar", "storage is exhausted", disk)
}

func TestLimitOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vectors [][]float32
		want    float64
	}{
		{[][]float32{{1, 0}, {0, 1}}, .125},
		{[][]float32{{1, 0}, {.6, .8}, {0, 1}}, .825},
		{[][]float32{{1, 0}, nil}, 1},
		{[][]float32{{1, 0}, {1, 0}}, 1},
		{[][]float32{{1, 0}, {1, 0, 0}}, 1},
	} {
		if got := lessons.LimitOf(c.vectors); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("LimitOf(%v) = %v, want %v", c.vectors, got, c.want)
		}
	}
}
