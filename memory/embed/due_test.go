package embed_test

import (
	"database/sql"
	"testing"
)

// forget deletes the messages that the condition selects, with what the store
// counts of them.
func (m *mind) forget(path, condition string) {
	m.t.Helper()
	file, err := sql.Open("sqlite", path)
	if err != nil {
		m.t.Fatalf("Open(%s): %v", path, err)
	}
	defer file.Close()
	deleted := 0
	for _, statement := range []string{
		"DELETE FROM messages WHERE " + condition,
		"UPDATE corpus_totals SET documents = (SELECT count(*) FROM messages WHERE features IS NOT NULL)",
	} {
		res, err := file.ExecContext(m.t.Context(), statement)
		if err != nil {
			m.t.Fatalf("%s: %v", statement, err)
		}
		if n, err := res.RowsAffected(); err == nil && deleted == 0 {
			deleted = int(n)
		}
	}
	m.said -= deleted
}

// model is the name of the active model.
func (m *mind) model() string {
	m.t.Helper()
	e, err := m.local.Current(m.t.Context())
	if err != nil {
		m.t.Fatalf("Current(): %v", err)
	}
	return e.Model().Name
}

// One message deleted among many: its words leave the model, also when others
// have come in since the training and when the program was started again.
func TestDeletedWordsLeave(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/memory.db"
	m := newMind(t, path)
	m.tell("s", "the secret harbour is called zyzzyva")
	m.say(99)
	if m.vector("zyzzyva") == nil {
		t.Fatal("the model does not know the word to be deleted")
	}
	m.say(5)
	before := m.model()
	m.forget(path, "content LIKE '%zyzzyva%'")
	again := newMind(t, path)
	again.said = m.said
	again.drain()
	if v, now := again.vector("zyzzyva"), again.model(); v != nil || now == before {
		t.Errorf("after the deletion the model %s knows the word: %v; before it was %s", now, v != nil, before)
	}
	if v := m.vector("zyzzyva"); v != nil {
		t.Error("the other process still knows the word")
	}
	now := again.model()
	again.drain()
	if got := again.model(); got != now {
		t.Errorf("without another change the model becomes %s after %s", got, now)
	}
}

// As many come in as go: the count is the same, the words are not.
func TestDeletedAndReplaced(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/memory.db"
	m := newMind(t, path)
	m.tell("s", "the secret harbour is called zyzzyva")
	m.say(99)
	m.forget(path, "content LIKE '%zyzzyva%'")
	m.say(1)
	m.want("lsa-1-100-1-")
	if v := m.vector("zyzzyva"); v != nil {
		t.Error("the model knows a word that no message has")
	}
}

// Too few are left to learn from: the hashed model takes over, until there are
// enough again.
func TestDeletedAlmostAll(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/memory.db"
	m := newMind(t, path)
	m.say(100)
	m.forget(path, "seq > 10")
	m.drain()
	if got := m.model(); got != "hashed-1" {
		t.Errorf("of 10 messages the model is %s, want hashed-1", got)
	}
	m.say(54)
	m.want("lsa-1-64-90-")
}

func TestRenew(t *testing.T) {
	t.Parallel()
	m := newMind(t, t.TempDir()+"/memory.db")
	m.say(100)
	first := m.model()
	m.local.Renew()
	m.drain()
	if got := m.model(); got != first {
		t.Errorf("renewed without a change the model is %s, want %s as before", got, first)
	}
	m.say(1)
	m.want(first)
	m.local.Renew()
	m.drain()
	m.want("lsa-1-101-0-")
	m.say(1)
	m.want("lsa-1-101-0-") // asked for once only
}
