package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// corpus is a set of conversations with questions about them: one line of an
// evaluation file.
type corpus struct {
	Dataset string   `json:"dataset"`
	Conv    string   `json:"conv"`
	Docs    []doc    `json:"docs"`
	Queries []labels `json:"queries"`
}

// doc is one message of a corpus.
type doc struct {
	ID      string    `json:"id"` // unique in the corpus
	Session sessionID `json:"session"`
	Speaker string    `json:"speaker"` // "" = not known
	Date    string    `json:"date"`    // as parseDate reads it; "" = not known
	Text    string    `json:"text"`
}

// labels are a question and the messages that answer it.
type labels struct {
	Question string   `json:"q"`
	Category string   `json:"cat"`
	Gold     []string `json:"gold"` // ids of docs; empty = the corpus has no answer

	noOverlap bool // no answer shares a word with the question, see markOverlap
}

// sessionID is a session's name, which corpora write as a string or a number.
type sessionID string

// UnmarshalJSON reads a string or a number.
func (s *sessionID) UnmarshalJSON(data []byte) error {
	var name string
	if err := json.Unmarshal(data, &name); err == nil {
		*s = sessionID(name)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return fmt.Errorf("session must be a string or a number, not %s", data)
	}
	*s = sessionID(number.String())
	return nil
}

// loadCorpora reads a jsonl file, which may be compressed with gzip.
func loadCorpora(path string) ([]corpus, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open corpora: %w", err)
	}
	defer file.Close()
	corpora, err := readCorpora(file)
	if err != nil {
		return nil, fmt.Errorf("read corpora of %s: %w", path, err)
	}
	return corpora, nil
}

// readCorpora reads and checks corpora until r ends.
func readCorpora(r io.Reader) ([]corpus, error) {
	plain, err := unzipped(r)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(plain)
	var corpora []corpus
	for {
		var c corpus
		err := decoder.Decode(&c)
		if errors.Is(err, io.EOF) {
			return corpora, nil
		}
		if err == nil {
			err = c.check()
		}
		if err != nil {
			return nil, fmt.Errorf("corpus %d: %w", len(corpora)+1, err)
		}
		corpora = append(corpora, c)
	}
}

// unzipped returns what r holds, decompressed when it begins as gzip does.
func unzipped(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read: %w", err)
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	plain, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return plain, nil
}

// check makes sure that ids can stand for messages and that every answer is
// there to be found.
func (c *corpus) check() error {
	if len(c.Docs) == 0 {
		return errors.New("it has no docs")
	}
	known := make(map[string]bool, len(c.Docs))
	for i, d := range c.Docs {
		if d.ID == "" || d.Session == "" {
			return fmt.Errorf("doc %d has no id or no session", i+1)
		}
		if known[d.ID] {
			return fmt.Errorf("the id %q is used twice", d.ID)
		}
		known[d.ID] = true
	}
	for _, q := range c.Queries {
		for _, id := range q.Gold {
			if !known[id] {
				return fmt.Errorf("question %q names the doc %q, which is not there", q.Question, id)
			}
		}
	}
	_, err := c.sentTimes()
	return err
}

// firstDate is when a corpus without dates begins. Any time in the past does.
var firstDate = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// sentTimes returns the time of each doc, so that order is kept inside a
// session: docs of one session with the same date follow each other by
// milliseconds, a doc without date is a second later than the one before it.
func (c *corpus) sentTimes() ([]time.Time, error) {
	type moment struct {
		session sessionID
		date    string
	}
	earlier := make(map[moment]int)
	times := make([]time.Time, len(c.Docs))
	last := firstDate.Add(-time.Second)
	for i, d := range c.Docs {
		last = last.Add(time.Second)
		if d.Date != "" {
			date, err := parseDate(d.Date)
			if err != nil {
				return nil, fmt.Errorf("doc %q: %w", d.ID, err)
			}
			same := moment{d.Session, d.Date}
			last = date.Add(time.Duration(earlier[same]) * time.Millisecond)
			earlier[same]++
		}
		times[i] = last
	}
	return times, nil
}

// parseDate reads "1:56 pm on 8 May, 2023", RFC 3339 or "2006-01-02", the last
// with or without a time of day; without a zone it is UTC.
func parseDate(s string) (time.Time, error) {
	written := strings.Join(strings.Fields(s), " ")
	for _, layout := range []string{"3:04 pm on 2 January, 2006", time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, written); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("cannot read the date %q", s)
}

// forgetSpeakers makes all messages those of nobody known.
func (c *corpus) forgetSpeakers() {
	for i := range c.Docs {
		c.Docs[i].Speaker = ""
	}
}

// batch is what one call of add_messages records.
type batch struct {
	session  string
	messages []message
}

// batches returns the docs as messages, at most size a batch, sessions in the
// order in which they begin.
func (c *corpus) batches(size int) ([]batch, error) {
	times, err := c.sentTimes()
	if err != nil {
		return nil, err
	}
	var order []sessionID
	sessions := make(map[sessionID][]message)
	for i, d := range c.Docs {
		if sessions[d.Session] == nil {
			order = append(order, d.Session)
		}
		sessions[d.Session] = append(sessions[d.Session], message{
			Role: "user", Content: d.Text, ID: d.ID, Sender: d.Speaker,
			SentAt: times[i].Format(time.RFC3339Nano),
		})
	}
	var out []batch
	for _, session := range order {
		for rest := sessions[session]; len(rest) > 0; {
			n := min(size, len(rest))
			out = append(out, batch{string(session), rest[:n]})
			rest = rest[n:]
		}
	}
	return out, nil
}
