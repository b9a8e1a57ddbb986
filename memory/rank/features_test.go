package rank_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"mcp-memory/memory/rank"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text        string
		length      int
		question    bool
		firstPerson bool
	}{
		{"", 0, false, false},
		{"the of and", 0, false, false},
		{"The fox sees the other fox", 3, false, false},
		{"Where is the fox?", 1, true, false},
		{"Where is the fox? ", 1, true, false},
		{"狐はどこですか？", 6, true, false},
		{"Where is the fox? [photo of a fox]", 3, true, false},
		{"Is it? It is.", 0, false, false},
		{"I saw it", 1, false, true},
		{"what I'M told", 1, false, true},
		{"my fox", 1, false, true},
		{"it is mine, not ours", 0, false, true},
		{"in the inn", 1, false, false},
		{"idem", 1, false, false},
		{"a fox [I took this photo]", 3, false, false},
		{"我看到了狐狸", 5, false, true},
		{"昨日は私が見た", 6, false, true},
		{"狐を見た", 3, false, false},
		{"I " + strings.Repeat("fox ", 400), 400, false, false}, // a long text holds an I anyway
	}
	for _, tt := range tests {
		f := rank.Describe(tt.text, day)
		if f.Length != tt.length || f.Question != tt.question || f.FirstPerson != tt.firstPerson {
			t.Errorf("Describe(%.60q) = length %d, question %v, first person %v; want %d, %v, %v",
				tt.text, f.Length, f.Question, f.FirstPerson, tt.length, tt.question, tt.firstPerson)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	f := rank.Describe("fox fox fox cat "+strings.Repeat("dog ", 300), day)
	for word, want := range map[string]int{"fox": 3, "cat": 1, "dog": 255, "cow": 0} {
		got := 0
		for _, term := range f.Terms {
			if term.Hash == rank.Hash(word) {
				got = int(term.Count)
			}
		}
		if got != want {
			t.Errorf("Describe counts %s %d times, want %d", word, got, want)
		}
	}
}

func TestDescribeBoundsTerms(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "word%d ", i)
	}
	f := rank.Describe(b.String(), day)
	if len(f.Terms) != 1024 || f.Length != 3000 {
		t.Errorf("Describe keeps %d terms of %d, want 1024 of 3000", len(f.Terms), f.Length)
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "the", "I saw a fox. Did you?", "昨晚我们确认了部署步骤", `Last Friday and two weeks ago we read "the fox" in New York`,
		"上周五和两年前在北京市", strings.Repeat("fox and cat, ", 500)} {
		f := rank.Describe(s, day)
		if got := rank.Decode(f.Encode()); !reflect.DeepEqual(got, f) {
			t.Errorf("Decode(Encode(%.40q)) = %+v, want %+v", s, got, f)
		}
	}
}

func TestDecodeDamaged(t *testing.T) {
	t.Parallel()
	f := rank.Describe("fox cat", day)
	good := f.Encode()
	other := append([]byte{good[0] + 1}, good[1:]...)
	for name, b := range map[string][]byte{
		"nothing": nil, "one byte": good[:1], "half a term": good[:len(good)-1], "another version": other,
		"a length without end": {good[0], 0, 0, 0xff, 0xff}, "more day ranges than there may be": {good[0], 0, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"a day range cut off": {good[0], 0, 1, 1, 3}, "a day range out of sight": {good[0], 0, 1, 1, 0xff, 0xff, 0xff, 0x7f, 0}, "a length of billions": {good[0], 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
	} {
		if got := rank.Decode(b); !reflect.DeepEqual(got, rank.Features{}) {
			t.Errorf("%s: Decode = %+v, want the zero Features", name, got)
		}
	}
}

// FuzzDecode: any bytes decode without a panic, and what they decode to can be
// used and survives another round.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "I saw a fox?", "部署"} {
		features := rank.Describe(s, day)
		f.Add(features.Encode())
	}
	f.Add([]byte{2, 3, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		features := rank.Decode(b)
		if len(features.Terms) == 0 {
			return
		}
		if again := rank.Decode(features.Encode()); !reflect.DeepEqual(again, features) {
			t.Errorf("Decode(Encode(Decode(%v))) = %+v, want %+v", b, again, features)
		}
	})
}
