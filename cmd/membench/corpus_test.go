package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const twoCorpora = `{"dataset":"d","conv":"one","docs":[` +
	`{"id":"a","session":1,"speaker":"Ann","date":"1:56 pm on 8 May, 2023","text":"first"},` +
	`{"id":"b","session":"two","speaker":"","date":"","text":"second"},` +
	`{"id":"c","session":1,"speaker":"Bob","date":"1:56 pm on 8 May, 2023","text":"third"}],` +
	`"queries":[{"q":"which?","cat":"x","gold":["a","c"],"answer":3}]}` + "\n" +
	`{"dataset":"d","conv":"two","docs":[{"id":"a","session":"s","text":"alone"}],"queries":[]}` + "\n"

func TestLoadCorpora(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(twoCorpora)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"plain.jsonl": []byte(twoCorpora), "zipped.jsonl.gz": zipped.Bytes()} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := loadCorpora(path)
		if err != nil || len(got) != 2 {
			t.Fatalf("loadCorpora(%s) = %d corpora, %v, want 2, nil", name, len(got), err)
		}
		want := corpus{
			Dataset: "d", Conv: "one",
			Docs: []doc{
				{"a", "1", "Ann", "1:56 pm on 8 May, 2023", "first"},
				{"b", "two", "", "", "second"},
				{"c", "1", "Bob", "1:56 pm on 8 May, 2023", "third"},
			},
			Queries: []labels{{Question: "which?", Category: "x", Gold: []string{"a", "c"}}},
		}
		if !reflect.DeepEqual(got[0], want) {
			t.Errorf("loadCorpora(%s)[0] = %+v, want %+v", name, got[0], want)
		}
	}
}

func TestReadCorporaRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ input, want string }{
		{`{"docs":[]}`, "no docs"},
		{`{"docs":[{"session":1,"text":"x"}]}`, "no id"},
		{`{"docs":[{"id":"a","text":"x"}]}`, "no session"},
		{`{"docs":[{"id":"a","session":1},{"id":"a","session":2}]}`, "used twice"},
		{`{"docs":[{"id":"a","session":1}],"queries":[{"q":"?","gold":["b"]}]}`, "not there"},
		{`{"docs":[{"id":"a","session":1,"date":"some day"}]}`, "cannot read the date"},
		{`{"docs":[{"id":"a","session":[1]}]}`, "string or a number"},
		{`{"docs":`, "corpus 1"},
		{"\x1f\x8bnot gzip at all", "decompress"},
	} {
		if _, err := readCorpora(strings.NewReader(tc.input)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("readCorpora(%q) = %v, want an error with %q", tc.input, err, tc.want)
		}
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"1:56 pm on 8 May, 2023":         "2023-05-08T13:56:00Z",
		"12:09 am on 13 September, 2023": "2023-09-13T00:09:00Z",
		"12:30 pm on 1 January, 2024":    "2024-01-01T12:30:00Z",
		"10:04  am on 19 June, 2023 ":    "2023-06-19T10:04:00Z",
		"2024-02-29T10:00:00+02:00":      "2024-02-29T08:00:00Z",
		"2024-02-29 10:00:00":            "2024-02-29T10:00:00Z",
		"2024-02-29":                     "2024-02-29T00:00:00Z",
	} {
		got, err := parseDate(input)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("parseDate(%q) = %v, %v, want %v", input, got, err, want)
		}
	}
	for _, input := range []string{"", "yesterday", "13:56 pm on 8 May, 2023", "1:56 pm on 31 February, 2023"} {
		if got, err := parseDate(input); err == nil {
			t.Errorf("parseDate(%q) = %v, want an error", input, got)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	f.Add("1:56 pm on 8 May, 2023")
	f.Add("2024-02-29T10:00:00.5+02:00")
	f.Add("on , \xff")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseDate(s)
		if err == nil && got.Location() != time.UTC {
			t.Errorf("parseDate(%q) is in %v, want UTC", s, got.Location())
		}
	})
}

func FuzzReadCorpora(f *testing.F) {
	f.Add([]byte(twoCorpora))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, input []byte) {
		corpora, err := readCorpora(bytes.NewReader(input))
		if err != nil {
			return
		}
		for _, c := range corpora {
			batches, err := c.batches(2)
			n := 0
			for _, b := range batches {
				n += len(b.messages)
			}
			if err != nil || n != len(c.Docs) {
				t.Errorf("batches() of %q = %d messages, %v, want %d, nil", input, n, err, len(c.Docs))
			}
		}
	})
}

func TestSentTimes(t *testing.T) {
	t.Parallel()
	const day = "2:00 pm on 1 March, 2023"
	c := corpus{Docs: []doc{
		{ID: "a", Session: "1"},
		{ID: "b", Session: "1"},
		{ID: "c", Session: "1", Date: day},
		{ID: "d", Session: "2", Date: day},
		{ID: "e", Session: "1", Date: day},
		{ID: "f", Session: "1"},
		{ID: "g", Session: "1", Date: day},
	}}
	want := []string{
		"2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z",
		"2023-03-01T14:00:00Z", "2023-03-01T14:00:00Z", "2023-03-01T14:00:00.001Z",
		"2023-03-01T14:00:01.001Z", "2023-03-01T14:00:00.002Z",
	}
	times, err := c.sentTimes()
	if err != nil {
		t.Fatalf("sentTimes() = %v", err)
	}
	for i, got := range times {
		if got.Format(time.RFC3339Nano) != want[i] {
			t.Errorf("sentTimes() of doc %q = %s, want %s", c.Docs[i].ID, got.Format(time.RFC3339Nano), want[i])
		}
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	c := corpus{Docs: []doc{
		{ID: "a", Session: "1", Speaker: "Ann", Text: "one"},
		{ID: "b", Session: "2", Text: "two"},
		{ID: "c", Session: "1", Text: "three"},
		{ID: "d", Session: "1", Text: "four"},
	}}
	got, err := c.batches(2)
	at := func(second string) string { return "2024-01-01T00:00:0" + second + "Z" }
	want := []batch{
		{"1", []message{{"user", "one", "a", at("0"), "Ann"}, {"user", "three", "c", at("2"), ""}}},
		{"1", []message{{"user", "four", "d", at("3"), ""}}},
		{"2", []message{{"user", "two", "b", at("1"), ""}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("batches(2) = %+v, %v, want %+v, nil", got, err, want)
	}
}
