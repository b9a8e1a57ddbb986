package embed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
	"mcp-memory/memory/history"
	"mcp-memory/memory/index"
	"mcp-memory/memory/sqlite"
)

// mind is a store with the local embedder and the loop that trains it.
type mind struct {
	t     *testing.T
	db    *sqlite.DB
	h     *history.History
	local *embed.Local
	loop  *index.Loop
	said  int
}

func newMind(t *testing.T, path string) *mind {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Sync: "normal"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	h, err := history.New(history.Config{Store: db, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	local := embed.NewLocal(db)
	loop, err := index.New(index.Config{Store: db, Source: local})
	if err != nil {
		t.Fatal(err)
	}
	return &mind{t: t, db: db, h: h, local: local, loop: loop}
}

// say records n messages and lets the loop work on them.
func (m *mind) say(n int) {
	m.t.Helper()
	for range n {
		m.said++
		d := memory.Draft{Role: memory.RoleUser, Content: fmt.Sprintf("message %d about the harbour and boat number %d", m.said, m.said%17)}
		if _, err := m.h.Append(m.t.Context(), "s", "test", []memory.Draft{d}); err != nil {
			m.t.Fatal(err)
		}
	}
	if err := m.loop.Drain(m.t.Context()); err != nil {
		m.t.Fatalf("Drain: %v", err)
	}
}

// want checks the active model and that every message has a vector of it.
func (m *mind) want(name string) {
	m.t.Helper()
	e, err := m.local.Current(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	if got := e.Model().Name; !strings.HasPrefix(got, name) {
		m.t.Errorf("after %d messages the model is %q, want %s", m.said, got, name)
	}
	p, err := m.db.Progress(m.t.Context(), e.Model())
	if err != nil || p.Indexed != m.said || p.Waiting != 0 {
		m.t.Errorf("after %d messages: %+v, %v; want all indexed", m.said, p, err)
	}
}

func TestLocalLearnsAsItGrows(t *testing.T) {
	t.Parallel()
	m := newMind(t, t.TempDir()+"/memory.db")
	m.say(63)
	m.want("hashed-")
	m.say(1)
	m.want("lsa-1-64-0-")
	m.say(6)
	m.want("lsa-1-64-0-")
	m.say(1)
	m.want("lsa-1-71-0-")
	vectors, err := m.local.Embed(t.Context(), []string{"the harbour", "zyzzyva"})
	if err != nil || vectors[0] == nil || vectors[1] != nil {
		t.Errorf("Embed = %v, %v, want a vector for what is known only", vectors, err)
	}
}

// Two processes on one file: what one has trained, the other uses.
func TestLocalFollowsAnotherProcess(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/memory.db"
	one, two := newMind(t, path), newMind(t, path)
	two.say(10)
	two.want("hashed-")
	one.said = 10
	one.say(60)
	one.want("lsa-1-70")
	two.said = 70
	two.want("lsa-1-70")
	two.say(2)
	two.want("lsa-1-70")
}

// A model of an endpoint is not replaced by a local one.
func TestLocalLeavesOtherModelsAlone(t *testing.T) {
	t.Parallel()
	m := newMind(t, t.TempDir()+"/memory.db")
	m.say(70)
	if err := m.db.UseModel(t.Context(), memory.EmbeddingModel{Provider: "openai", Name: "x", Dimensions: 3}); err != nil {
		t.Fatal(err)
	}
	if _, e, err := m.local.Next(t.Context()); e != nil || err != nil {
		t.Errorf("Next() = %v, %v, want nothing", e, err)
	}
}
