package memory_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mcp-memory/memory"
)

func TestParseRole(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"user", "assistant", "system", "tool"} {
		if got, err := memory.ParseRole(s); err != nil || string(got) != s {
			t.Errorf("ParseRole(%q) = %q, %v, want %q", s, got, err, s)
		}
	}
	for _, s := range []string{"", "User", " user", "users", "function", "developer", "\x00"} {
		got, err := memory.ParseRole(s)
		if got != "" || !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("%q", s)) {
			t.Errorf("ParseRole(%q) = %q, %v, want ErrInvalid that shows it", s, got, err)
		}
	}
}

func TestPositionCompare(t *testing.T) {
	t.Parallel()
	ordered := []memory.Position{
		{math.MinInt64, 0}, {math.MinInt64, 1}, {-1, 9}, {0, 0}, {0, 1}, {0, math.MaxInt64}, {1, 0}, {math.MaxInt64, math.MaxInt64},
	}
	for i, p := range ordered {
		for j, q := range ordered {
			if got, want := cmp.Compare(p.Compare(q), 0), cmp.Compare(i, j); got != want {
				t.Errorf("%v.Compare(%v) = %d, want %d", p, q, got, want)
			}
			if got, want := p.Before(q), i < j; got != want {
				t.Errorf("%v.Before(%v) = %t, want %t", p, q, got, want)
			}
		}
	}
}

func TestMessagePosition(t *testing.T) {
	t.Parallel()
	m := memory.Message{Seq: 7, SentAt: time.Date(2026, 3, 1, 12, 0, 0, 5, time.FixedZone("", 3600))}
	want := memory.Position{SentAt: time.Date(2026, 3, 1, 11, 0, 0, 5, time.UTC).UnixNano(), Seq: 7}
	if got := m.Position(); got != want {
		t.Errorf("Position() = %v, want %v", got, want)
	}
}

func TestFilterLets(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		f    memory.Filter
		want bool
	}{
		{"nothing asked", memory.Filter{}, true},
		{"its session", memory.Filter{Session: "s"}, true},
		{"another session", memory.Filter{Session: "S"}, false},
		{"its role", memory.Filter{Role: memory.RoleTool}, true},
		{"another role", memory.Filter{Role: memory.RoleUser}, false},
		{"since just then", memory.Filter{Since: at}, true},
		{"since later", memory.Filter{Since: at.Add(1)}, false},
		{"since just then in another zone", memory.Filter{Since: at.In(time.FixedZone("", 7200))}, true},
		{"until just then", memory.Filter{Until: at}, false},
		{"until later", memory.Filter{Until: at.Add(1)}, true},
		{"hot only", memory.Filter{HotOnly: true}, false},
		{"all but one", memory.Filter{Session: "s", Role: memory.RoleTool, Since: at, Until: at}, false},
		{"all", memory.Filter{Session: "s", Role: memory.RoleTool, Since: at, Until: at.Add(1)}, true},
	} {
		if got := c.f.Lets("s", memory.RoleTool, at, true); got != c.want {
			t.Errorf("%s: %+v.Lets(an archived message) = %t, want %t", c.name, c.f, got, c.want)
		}
	}
	if hot := (memory.Filter{HotOnly: true}); !hot.Lets("s", memory.RoleTool, at, false) {
		t.Errorf("%+v.Lets(a hot message) = false, want true", hot)
	}
}

func TestTextQueryEmpty(t *testing.T) {
	t.Parallel()
	word := []string{"x"}
	for _, c := range []struct {
		q    memory.TextQuery
		want bool
	}{
		{memory.TextQuery{}, true},
		{memory.TextQuery{All: []string{}, Phrases: [][]string{}}, true},
		{memory.TextQuery{All: word}, false},
		{memory.TextQuery{Any: word}, false},
		{memory.TextQuery{Phrases: [][]string{word}}, false},
		{memory.TextQuery{Prefix: word}, false},
		{memory.TextQuery{OneOf: [][]string{word}}, false},
	} {
		if got := c.q.Empty(); got != c.want {
			t.Errorf("%+v.Empty() = %t, want %t", c.q, got, c.want)
		}
	}
}

func TestPublicErrors(t *testing.T) {
	t.Parallel()
	kinds := []error{memory.ErrInvalid, memory.ErrNotFound, memory.ErrUnavailable, memory.ErrConflict, memory.ErrDimension}
	for _, c := range []struct {
		make func(string, ...any) error
		kind error
	}{
		{memory.Invalidf, memory.ErrInvalid},
		{memory.NotFoundf, memory.ErrNotFound},
		{memory.Conflictf, memory.ErrConflict},
		{memory.Unavailablef, memory.ErrUnavailable},
	} {
		err := fmt.Errorf("outer: %w", c.make("the %s of %d%%", "text", 7))
		for _, kind := range kinds {
			if got, want := errors.Is(err, kind), kind == c.kind; got != want {
				t.Errorf("errors.Is(%v, %v) = %t, want %t", err, kind, got, want)
			}
		}
		public, ok := errors.AsType[*memory.PublicError](err)
		if !ok || public.Error() != "the text of 7%" {
			t.Errorf("public text of %v = %v, want the text of 7%%", err, public)
		}
	}
	if _, ok := errors.AsType[*memory.PublicError](fmt.Errorf("disk: %w", memory.ErrUnavailable)); ok {
		t.Error("a plain error with a sentinel is public, want only those that were made for showing")
	}
}
