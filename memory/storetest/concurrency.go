package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"mcp-memory/memory"
)

var sharing = theme{
	"appends and reads at once lose nothing": sharesStore,
	"one client id, many writers":            storesOnceAmongMany,
	"a cancelled call leaves a whole state":  survivesCancelling,
	"a call that is cancelled before":        refusesCancelled,
}

// writers and batches are the work of sharesStore.
const (
	writers = 8
	batches = 12
)

// sharesStore lets writers append to three sessions while readers search and
// page and an embedder works.
func sharesStore(t *testing.T, s Store) {
	use(t, s, plane)
	ctx, stop := context.WithCancel(t.Context())
	var readers, work sync.WaitGroup
	for _, read := range []func() error{
		func() error {
			_, err := s.Match(t.Context(), memory.TextQuery{Any: tokens("writer")}, memory.Filter{Session: "s0"}, memory.BestFirst, 0, 20)
			return err
		},
		func() error { return readsInOrder(t.Context(), s) },
		func() error { return embedsWaiting(t.Context(), s) },
	} {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := read(); err != nil {
					t.Errorf("reading beside writers: %v", err)
					return
				}
			}
		})
	}
	for w := range writers {
		work.Go(func() {
			for b := range batches {
				name := fmt.Sprintf("writer %d batch %d", w, b)
				if _, err := s.Append(t.Context(), fmt.Sprintf("s%d", (w+b)%3), []memory.Entry{said(name+" first", at(b)), said(name+" second", at(b))}); err != nil {
					t.Errorf("Append(%s): %v", name, err)
				}
			}
		})
	}
	work.Wait()
	stop()
	readers.Wait()
	checkShared(t, s)
}

// readsInOrder pages a session and checks that each page is in order and each
// batch in it whole.
func readsInOrder(ctx context.Context, s Store) error {
	list, err := s.Newest(ctx, "s1", 10000)
	if err != nil {
		return err
	}
	for i := 1; i < len(list); i++ {
		if !list[i-1].Position().Before(list[i].Position()) {
			return errors.New("messages are not in order")
		}
	}
	if len(list)%2 != 0 {
		return fmt.Errorf("%d messages can be seen, want whole batches of two", len(list))
	}
	_, err = s.Sessions(ctx, nil, 10)
	return err
}

func embedsWaiting(ctx context.Context, s Store) error {
	list, err := s.Waiting(ctx, 20)
	if err != nil {
		return err
	}
	var vectors []memory.Vector
	for _, p := range list {
		vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: angle(float64(p.Ref % 90))})
	}
	if err := s.SaveVectors(ctx, plane, vectors); err != nil {
		return err
	}
	_, err = s.Nearest(ctx, plane, angle(10), memory.Filter{Session: "s2"}, 10)
	return err
}

func checkShared(t *testing.T, s Store) {
	t.Helper()
	const want = writers * batches * 2
	var got []string
	for i := range 3 {
		list := transcript(t, s, fmt.Sprintf("s%d", i))
		got = append(got, contents(list)...)
		slices.SortFunc(list, func(a, b memory.Message) int { return int(a.Seq - b.Seq) })
		for j := 1; j < len(list); j++ {
			if list[j].Seq == list[j-1].Seq {
				t.Errorf("s%d: seq %d was given twice", i, list[j].Seq)
			}
			if j%2 == 1 && list[j].Content[:len(list[j].Content)-len("second")] != list[j-1].Content[:len(list[j-1].Content)-len("first")] {
				t.Errorf("s%d: %q came in between a batch, before %q", i, list[j-1].Content, list[j].Content)
			}
		}
	}
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != want || len(got) != want {
		t.Errorf("%d messages are stored, %d different, want %d", len(got), n, want)
	}
	if n, err := s.Count(t.Context(), memory.TextQuery{All: tokens("writer")}, memory.Filter{}, 10000); err != nil || n != want {
		t.Errorf("Count(writer) = %d, %v, want %d", n, err, want)
	}
	p, err := s.Progress(t.Context(), plane)
	if err != nil || p.Indexed+p.Waiting != want {
		t.Errorf("Progress() = %+v, %v, want %d indexed or waiting", p, err, want)
	}
	if hits, err := s.Nearest(t.Context(), plane, angle(0), memory.Filter{}, 10000); err != nil || len(hits) != p.Indexed {
		t.Errorf("Nearest() = %d hits, %v, want the %d indexed", len(hits), err, p.Indexed)
	}
}

func storesOnceAmongMany(t *testing.T, s Store) {
	var mu sync.Mutex
	added, ids := 0, map[int64]bool{}
	var work sync.WaitGroup
	for w := range 8 {
		work.Go(func() {
			for i := range 5 {
				done, err := s.Append(t.Context(), "s", []memory.Entry{called(fmt.Sprintf("m%d", i), said(fmt.Sprintf("from writer %d", w), at(w)))})
				if err != nil {
					t.Errorf("Append(m%d): %v", i, err)
				}
				mu.Lock()
				added += done.Added
				ids[done.FirstID] = true
				mu.Unlock()
			}
		})
	}
	work.Wait()
	if n := len(transcript(t, s, "s")); added != 5 || len(ids) != 5 || n != 5 {
		t.Errorf("8 writers of 5 ids: %d added, %d ids, %d stored, want 5 each", added, len(ids), n)
	}
}

// survivesCancelling ends contexts at all moments of a call. Whether a call was
// in time is its own affair; half a batch, or a store that no longer works, is
// not.
func survivesCancelling(t *testing.T, s Store) {
	for range 5000 { // so short that many end while a transaction begins
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(40*time.Microsecond))
		_, err := s.Archive(ctx, "nobody", memory.Position{SentAt: 1}, false)
		cancel()
		if !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Archive(unknown session, short deadline) = %v, want ErrNotFound or DeadlineExceeded", err)
		}
	}
	acknowledged := 0
	for i := range 150 {
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(800*time.Microsecond))
		name := fmt.Sprintf("batch%d", i)
		_, err := s.Append(ctx, "s", []memory.Entry{said(name+" one", at(i)), said(name+" two", at(i))})
		_, _ = s.Match(ctx, memory.TextQuery{Any: tokens("one")}, memory.Filter{}, memory.BestFirst, 0, 5)
		cancel()
		switch {
		case err == nil:
			acknowledged++
		case errors.Is(err, context.DeadlineExceeded):
		default:
			t.Fatalf("Append(short deadline, call %d) = %v, want nil or DeadlineExceeded", i, err)
		}
	}
	add(t, s, "s", said("at last", at(999)))
	list := contents(transcript(t, s, "s"))
	if n := len(list) - 1; n < 2*acknowledged || n%2 != 0 {
		t.Errorf("%d messages are stored, want whole batches, at least the %d acknowledged", n, acknowledged)
	}
	if n, err := s.Count(t.Context(), memory.TextQuery{}, memory.Filter{}, 10000); err != nil || n != len(list) {
		t.Errorf("Count() = %d, %v, want %d", n, err, len(list))
	}
}

func refusesCancelled(t *testing.T, s Store) {
	add(t, s, "s", said("one", at(0)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Append(ctx, "s", []memory.Entry{said("two", at(1))}); !errors.Is(err, context.Canceled) {
		t.Errorf("Append(cancelled) = %v, want Canceled", err)
	}
	if _, err := s.Match(ctx, memory.TextQuery{All: tokens("one")}, memory.Filter{}, memory.BestFirst, 0, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("Match(cancelled) = %v, want Canceled", err)
	}
	if got := contents(transcript(t, s, "s")); !slices.Equal(got, []string{"one"}) {
		t.Errorf("contents = %q, want what was there before", got)
	}
}
