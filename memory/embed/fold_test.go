package embed_test

import (
	"fmt"
	"slices"
	"testing"

	"mcp-memory/memory"
)

// tell records one message of a session and returns its passage.
func (m *mind) tell(session, content string) int64 {
	m.t.Helper()
	done, err := m.h.Append(m.t.Context(), session, "test", []memory.Draft{{Role: memory.RoleUser, Content: content}})
	if err != nil {
		m.t.Fatalf("Append(%q): %v", content, err)
	}
	m.said++
	return done.LastID << 8
}

func (m *mind) drain() {
	m.t.Helper()
	if err := m.loop.Drain(m.t.Context()); err != nil {
		m.t.Fatalf("Drain(): %v", err)
	}
}

func (m *mind) fold(refs ...int64) {
	m.t.Helper()
	if err := m.local.Fold(m.t.Context(), refs); err != nil {
		m.t.Fatalf("Fold(%d): %v", refs, err)
	}
}

// vector embeds a text; nil = no word of it is known.
func (m *mind) vector(s string) []float32 {
	m.t.Helper()
	list, err := m.local.Embed(m.t.Context(), []string{s})
	if err != nil || len(list) != 1 {
		m.t.Fatalf("Embed(%q) = %d vectors, %v", s, len(list), err)
	}
	return list[0]
}

// twoTopics records enough talk of two kinds for a model.
func twoTopics(m *mind) {
	for i := range 50 {
		m.tell(fmt.Sprint("garage", i), fmt.Sprintf("the car needs petrol and brakes in garage %d", i))
		m.tell(fmt.Sprint("kitchen", i), fmt.Sprintf("boil the soup with onions and pepper for dinner %d", i))
	}
	m.drain()
	m.want("lsa-1-100-0-")
}

func TestFold(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/memory.db"
	m, other := newMind(t, path), newMind(t, path)
	twoTopics(m)
	if v := m.vector("carburettor"); v != nil {
		t.Fatalf("Embed(new word) = %v before it is folded in, want nil", v)
	}
	ref := m.tell("s", "the carburettor of the car needs petrol")
	m.fold(ref)
	v := m.vector("carburettor")
	if garage, kitchen := cosine(v, m.vector("brakes")), cosine(v, m.vector("onions")); garage < kitchen+.5 {
		t.Errorf("the new word has the cosine %.2f to its topic, %.2f to the other", garage, kitchen)
	}
	if got := other.vector("carburettor"); !slices.Equal(got, v) {
		t.Errorf("another process has the vector %v, want %v", got, v)
	}
	again := newMind(t, path)
	if got := again.vector("carburettor"); !slices.Equal(got, v) {
		t.Errorf("after a start the vector is %v, want %v", got, v)
	}
	other.fold(m.tell("s2", "carburettor soup with onions and pepper"))
	if got := other.vector("carburettor"); !slices.Equal(got, v) {
		t.Error("a word that is known was folded in once more")
	}
}

// A message without a known word gets its words from the messages around it; what
// stands alone stays unknown until it is met among known words.
func TestFoldFromNeighbours(t *testing.T) {
	t.Parallel()
	m := newMind(t, t.TempDir()+"/memory.db")
	twoTopics(m)
	m.fold(m.tell("alone", "zyzzyva"))
	if v := m.vector("zyzzyva"); v != nil {
		t.Errorf("Embed(word among nothing known) = %v, want nil", v)
	}
	for _, s := range []string{"boil the soup", "onions", "one", "two", "three"} {
		m.tell("kitchen", s)
	}
	m.fold(m.tell("kitchen", "far away")) // three messages behind what is known
	if v := m.vector("far away"); v != nil {
		t.Errorf("Embed(word far from known ones) = %v, want nil", v)
	}
	m.tell("dinner", "boil the soup")
	m.fold(m.tell("dinner", "zyzzyva"))
	v := m.vector("zyzzyva")
	if v == nil || cosine(v, m.vector("onions")) < .5 {
		t.Errorf("Embed(word beside known ones) = %v, want it near them", v)
	}
}

// A part of a long message is looked at alone.
func TestFoldPart(t *testing.T) {
	t.Parallel()
	m := newMind(t, t.TempDir()+"/memory.db")
	twoTopics(m)
	long := ""
	for range 40 {
		long += "the car needs petrol and brakes. "
	}
	for range 40 {
		long += "the soup needs paprika and onions. "
	}
	ref := m.tell("s", long)
	m.fold(ref | 1) // all about the car
	if v := m.vector("paprika"); v != nil {
		t.Errorf("Embed(word of another part) = %v, want nil", v)
	}
	p, err := m.db.Waiting(t.Context(), 100)
	if err != nil || len(p) < 2 {
		t.Fatalf("Waiting() = %d, %v, want the parts", len(p), err)
	}
	m.fold(p[len(p)-1].Ref)
	if v := m.vector("paprika"); v == nil || cosine(v, m.vector("onions")) < cosine(v, m.vector("brakes")) {
		t.Errorf("Embed(word of the last part) = %v, want it near the soup", v)
	}
}

// Nothing happens without a learnt model, for no passages, or for one that is gone.
func TestFoldNothing(t *testing.T) {
	t.Parallel()
	m := newMind(t, t.TempDir()+"/memory.db")
	m.drain()
	m.fold(m.tell("s", "hello world"))
	learnt := newMind(t, t.TempDir()+"/memory.db")
	twoTopics(learnt)
	learnt.fold()
	learnt.fold(1 << 40)
	for _, one := range []*mind{m, learnt} {
		e, err := one.local.Current(t.Context())
		if err != nil {
			t.Fatalf("Current(): %v", err)
		}
		if list, err := one.db.LearntWords(t.Context(), e.Model(), 0); err != nil || len(list) != 0 {
			t.Errorf("%s has %d learnt words, %v, want none", e.Model().Name, len(list), err)
		}
	}
}
