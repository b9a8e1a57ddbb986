package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
)

var working = theme{
	"gives the oldest first":              givesOldestFirst,
	"adding again replaces":               replacesWork,
	"what is replaced meanwhile is kept":  keepsReplaced,
	"one of many has an item":             claimsOnce,
	"a lost item is taken over":           takesOverWork,
	"a failed item waits":                 postponesWork,
	"replacing does not shorten the wait": keepsWaiting,
	"an item is left":                     leavesWork,
	"an item that is done may come again": addsAgain,
	"work needs a kind":                   needsKind,
}

func addWork(t *testing.T, s Store, kind, key, payload string) {
	t.Helper()
	if err := s.AddWork(t.Context(), memory.Work{Kind: kind, Key: key, Payload: []byte(payload)}); err != nil {
		t.Fatalf("AddWork(%s, %s): %v", kind, key, err)
	}
}

// claimWork takes the next item of kind "note"; it must be the wanted one, "" for
// none.
func claimWork(t *testing.T, s Store, owner, wantKey, wantPayload string) memory.WorkClaim {
	t.Helper()
	return claimFor(t, s, owner, time.Hour, wantKey, wantPayload)
}

func claimFor(t *testing.T, s Store, owner string, lasting time.Duration, wantKey, wantPayload string) memory.WorkClaim {
	t.Helper()
	c, found, err := s.ClaimWork(t.Context(), "note", owner, lasting)
	if err != nil || found != (wantKey != "") || c.Key != wantKey || string(c.Payload) != wantPayload {
		t.Errorf("ClaimWork(%s) = %+v, %v, %v, want %q with payload %q", owner, c, found, err, wantKey, wantPayload)
	}
	if found && (c.Kind != "note" || c.Owner != owner) {
		t.Errorf("ClaimWork(%s) = %+v, want kind note of this owner", owner, c)
	}
	return c
}

func finish(t *testing.T, s Store, c memory.WorkClaim) {
	t.Helper()
	if err := s.FinishWork(t.Context(), c); err != nil {
		t.Errorf("FinishWork(%s): %v", c.Key, err)
	}
}

// wantBacklog compares what waits, as kind/key/tries.
func wantBacklog(t *testing.T, s Store, want ...string) []memory.WorkState {
	t.Helper()
	list, err := s.Backlog(t.Context())
	var got []string
	for _, w := range list {
		got = append(got, fmt.Sprintf("%s/%s/%d", w.Kind, w.Key, w.Tries))
		if time.Since(w.AddedAt).Abs() > time.Minute {
			t.Errorf("%s was added at %v, want just now", w.Key, w.AddedAt)
		}
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Backlog() = %q, %v, want %q", got, err, want)
	}
	return list
}

func givesOldestFirst(t *testing.T, s Store) {
	claimWork(t, s, "ann", "", "")
	addWork(t, s, "note", "z", "1")
	addWork(t, s, "other", "y", "2")
	addWork(t, s, "note", "", "")
	addWork(t, s, "note", "a", "日\x00本")
	wantBacklog(t, s, "note/z/0", "other/y/0", "note//0", "note/a/0")
	finish(t, s, claimWork(t, s, "ann", "z", "1"))
	if c, found, err := s.ClaimWork(t.Context(), "note", "ann", time.Hour); err != nil || !found || c.Key != "" || len(c.Payload) > 0 {
		t.Errorf("ClaimWork() = %+v, %v, %v, want the item without key and payload", c, found, err)
	}
	finish(t, s, claimWork(t, s, "ann", "a", "日\x00本"))
	claimWork(t, s, "ann", "", "")
}

func replacesWork(t *testing.T, s Store) {
	addWork(t, s, "note", "a", "old")
	addWork(t, s, "note", "b", "b")
	addWork(t, s, "note", "a", "new")
	wantBacklog(t, s, "note/a/0", "note/b/0")
	finish(t, s, claimWork(t, s, "ann", "a", "new"))
	wantBacklog(t, s, "note/b/0")
}

func keepsReplaced(t *testing.T, s Store) {
	addWork(t, s, "note", "a", "old")
	c := claimWork(t, s, "ann", "a", "old")
	addWork(t, s, "note", "a", "new")
	claimWork(t, s, "bob", "", "") // ann is still at it
	finish(t, s, c)
	again := claimWork(t, s, "bob", "a", "new")
	finish(t, s, again)
	wantBacklog(t, s)
	if err := s.FinishWork(t.Context(), again); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("FinishWork again = %v, want ErrConflict", err)
	}
}

func claimsOnce(t *testing.T, s Store) {
	const items = 20
	for i := range items {
		addWork(t, s, "note", fmt.Sprint(i), "x")
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for {
				c, found, err := s.ClaimWork(t.Context(), "note", fmt.Sprint("owner ", i), time.Hour)
				if err != nil {
					t.Errorf("ClaimWork(): %v", err)
				}
				if err != nil || !found {
					return
				}
				mu.Lock()
				seen[c.Key]++
				mu.Unlock()
				finish(t, s, c)
			}
		})
	}
	all.Wait()
	for key, n := range seen {
		if n != 1 {
			t.Errorf("item %s was given %d times, want once", key, n)
		}
	}
	if len(seen) != items {
		t.Errorf("%d items were given, want %d", len(seen), items)
	}
}

func takesOverWork(t *testing.T, s Store) {
	addWork(t, s, "note", "a", "x")
	lost := claimFor(t, s, "ann", -time.Second, "a", "x")
	// Late, but nobody else was there.
	if ok, err := s.RenewWork(t.Context(), lost, -time.Second); err != nil || !ok {
		t.Errorf("RenewWork() = %v, %v, want true", ok, err)
	}
	c := claimWork(t, s, "bob", "a", "x")
	if ok, err := s.RenewWork(t.Context(), lost, time.Hour); err != nil || ok {
		t.Errorf("RenewWork(taken over) = %v, %v, want false", ok, err)
	}
	for name, err := range map[string]error{
		"FinishWork":   s.FinishWork(t.Context(), lost),
		"PostponeWork": s.PostponeWork(t.Context(), lost, time.Now(), "x"),
		"LeaveWork":    s.LeaveWork(t.Context(), lost),
	} {
		if !errors.Is(err, memory.ErrConflict) {
			t.Errorf("%s(taken over) = %v, want ErrConflict", name, err)
		}
	}
	if list := wantBacklog(t, s, "note/a/0"); len(list) == 1 && list[0].Owner != "bob" {
		t.Errorf("the item belongs to %q, want bob", list[0].Owner)
	}
	finish(t, s, c)
	wantBacklog(t, s)
}

func postpone(t *testing.T, s Store, c memory.WorkClaim, until time.Time) {
	t.Helper()
	if err := s.PostponeWork(t.Context(), c, until, "it's down"); err != nil {
		t.Errorf("PostponeWork(%s): %v", c.Key, err)
	}
}

func postponesWork(t *testing.T, s Store) {
	addWork(t, s, "note", "a", "x")
	addWork(t, s, "note", "b", "y")
	until := time.Now().Add(time.Hour).UTC()
	postpone(t, s, claimWork(t, s, "ann", "a", "x"), until)
	c := claimWork(t, s, "ann", "b", "y") // the next one is not kept waiting
	postpone(t, s, c, time.Now().Add(-time.Second))
	again := claimWork(t, s, "bob", "b", "y")
	if again.Tries != 1 {
		t.Errorf("ClaimWork() after a failed try = %+v, want 1 try", again)
	}
	postpone(t, s, again, until)
	claimWork(t, s, "ann", "", "")
	list := wantBacklog(t, s, "note/a/1", "note/b/2")
	if len(list) == 2 && (list[0].LastError != "it's down" || !list[0].NotBefore.Equal(until) || list[0].Owner != "") {
		t.Errorf("Backlog() = %+v, want why and until when it waits", list[0])
	}
}

func keepsWaiting(t *testing.T, s Store) {
	addWork(t, s, "note", "a", "old")
	postpone(t, s, claimWork(t, s, "ann", "a", "old"), time.Now().Add(time.Hour))
	addWork(t, s, "note", "a", "new")
	claimWork(t, s, "ann", "", "")
	wantBacklog(t, s, "note/a/1")
}

func leavesWork(t *testing.T, s Store) {
	addWork(t, s, "note", "a", "x")
	if err := s.LeaveWork(t.Context(), claimWork(t, s, "ann", "a", "x")); err != nil {
		t.Errorf("LeaveWork(): %v", err)
	}
	wantBacklog(t, s, "note/a/0")
	claimWork(t, s, "bob", "a", "x")
}

func addsAgain(t *testing.T, s Store) {
	addWork(t, s, "note", "a", "x")
	stale := claimFor(t, s, "ann", -time.Second, "a", "x")
	finish(t, s, claimWork(t, s, "bob", "a", "x"))
	addWork(t, s, "note", "a", "x")
	if err := s.FinishWork(t.Context(), stale); !errors.Is(err, memory.ErrConflict) {
		t.Errorf("FinishWork(an item that was done by another and came again) = %v, want ErrConflict", err)
	}
	claimWork(t, s, "ann", "a", "x")
}

func needsKind(t *testing.T, s Store) {
	if err := s.AddWork(t.Context(), memory.Work{Key: "a"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("AddWork(no kind) = %v, want ErrInvalid", err)
	}
}
