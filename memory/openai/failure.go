package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/limits"
)

// kind is what a failed request means for the texts in it.
type kind int

const (
	transient kind = iota // the same request may pass later
	final                 // nothing passes until the configuration changes
	tooMany               // more texts than the endpoint takes
	tooLong               // a text, or all together, longer than the model takes
	refused               // the request is not accepted: by a text in it, or any
	spoilt                // the endpoint broke down: by a text in it, or any
)

// longest is how much of what an endpoint said is kept, in runes.
const longest = 200

// Vendors say in words alone why they refuse a request.
var (
	tokenWords  = regexp.MustCompile(`(?i)tokens?\b.{0,40}\b(limit|exceed|max)|(exceed|max|less than|at most|longer than).{0,40}\btokens?\b`)
	numberWords = regexp.MustCompile(`(?i)batch size|array (is )?too long|array_above_max|数组最大` +
		`|too many (inputs|texts|items|documents)|number of (inputs|texts|items|documents)` +
		`|(at most|max\w*) \d* ?(inputs|texts|items|documents|requests)`)
	rateWords  = regexp.MustCompile(`(?i)tokens per min|rate limit`)
	quotaWords = regexp.MustCompile(`(?i)insufficient_quota`)
	digits     = regexp.MustCompile(`\d+`)
)

// longForEmbeddings says whether a refused request for vectors was too long.
// Whatever it hears about numbers of tokens is about that, as there is no answer
// that could have too many.
func longForEmbeddings(said string) bool {
	_, is := limits.ContextError(said)
	return is || tokenWords.MatchString(said)
}

// failure is a request that gave nothing of use.
type failure struct {
	kind   kind
	status int           // of HTTP; 0 = no reply
	said   string        // by the endpoint, or about it; without the key
	heard  string        // the same, whole, or else the body of the reply: not to be shown
	after  time.Duration // when to ask again; 0 = not said
	unfit  error         // what is wrong with all vectors of the reply; nil = there were none
}

// Error says what happened, without key, URL and text.
func (f *failure) Error() string {
	switch {
	case f.status == 0:
		return f.said
	case f.said == "":
		return fmt.Sprintf("HTTP %d %s", f.status, http.StatusText(f.status))
	default:
		return fmt.Sprintf("HTTP %d: %s", f.status, f.said)
	}
}

// Unwrap makes errors.Is find ErrUnavailable, and what is wrong with the vectors.
func (f *failure) Unwrap() []error {
	if f.unfit == nil {
		return []error{memory.ErrUnavailable}
	}
	return []error{memory.ErrUnavailable, f.unfit}
}

// retry is the error of Embed that stands for f. Vectors that all have another
// length than the model's will have it again.
func (e *Embedder) retry(f *failure) error {
	return &memory.RetryError{
		Err:   fmt.Errorf("ask the %s: %w", e.name, f),
		After: f.after,
		Never: f.kind == final || errors.Is(f.unfit, memory.ErrDimension),
	}
}

// mayPass says whether the same request is worth another try. A broken reply
// gets one, because servers hiccup; not while a batch is taken apart to find
// the text that breaks it.
func (f *failure) mayPass(try int, part bool) bool {
	return f.kind == transient || f.kind == spoilt && try == 1 && !part
}

// limit is how many texts the endpoint takes, when it found n too many: the
// largest smaller number that it mentions, else half.
func (f *failure) limit(n int) int {
	limit := 0
	for _, d := range digits.FindAllString(f.said, -1) {
		if m, err := strconv.Atoi(d); err == nil && m < n {
			limit = max(limit, m)
		}
	}
	if limit == 0 {
		return n / 2
	}
	return limit
}

// broken is a request without a reply. The library's error holds the URL, so
// only what lies beneath is shown.
func (e *endpoint) broken(err error) *failure {
	var about *url.Error
	if errors.As(err, &about) {
		err = about.Err
	}
	return &failure{kind: transient, said: e.presentable(err.Error())}
}

// unreadable is a reply that makes no sense.
func unreadable(why string) *failure { return &failure{kind: spoilt, said: why} }

// refusal is a reply with an error status.
func (e *endpoint) refusal(response *http.Response, body []byte) *failure {
	said := message(body)
	heard := said
	if said == "" && response.StatusCode < http.StatusInternalServerError {
		heard = string(body)
	}
	return &failure{
		kind:   e.classify(response.StatusCode, heard),
		status: response.StatusCode,
		said:   e.presentable(said),
		heard:  heard,
		after:  retryAfter(response.Header, e.now()),
	}
}

// classify tells by status and words what a refusal means.
func (e *endpoint) classify(status int, said string) kind {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound:
		return final
	case http.StatusTooManyRequests:
		if quotaWords.MatchString(said) {
			return final
		}
		return transient
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return transient
	}
	switch {
	case status > http.StatusInternalServerError, rateWords.MatchString(said):
		return transient
	case e.tooLong(said):
		return tooLong
	case numberWords.MatchString(said):
		return tooMany
	case status == http.StatusRequestEntityTooLarge:
		return tooLong
	case status == http.StatusInternalServerError:
		return spoilt
	}
	return refused
}

// message finds what an error reply says. Vendors write {"error": {"message",
// "code"}}, {"error": "…"}, {"message": "…"}, {"detail": "…"}, {"detail":
// [{"msg": "…"}]} or {"base_resp": {"status_msg": "…"}}, or a list of one of
// these. Of any other reply nothing is kept: it may repeat the texts.
func message(body []byte) string {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var reply struct {
		Error, Message, Detail json.RawMessage
		Base                   json.RawMessage `json:"base_resp"`
	}
	if json.Unmarshal(body, &reply) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{reply.Error, reply.Message, reply.Detail, reply.Base} {
		if said := words(raw); said != "" {
			return said
		}
	}
	return ""
}

// words reads one of the forms in which an error can be given.
func words(raw json.RawMessage) string {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return plain
	}
	type object struct {
		Message  string
		Msg      string
		Status   string `json:"status_msg"`
		Code     any
		Metadata json.RawMessage
	}
	var one object
	var list []object
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		one = list[0]
	} else if json.Unmarshal(raw, &one) != nil {
		return ""
	}
	said := one.Message + one.Msg + one.Status
	if code, ok := one.Code.(string); ok && code != "" {
		said += " (" + code + ")"
	}
	if inner := upstream(one.Metadata); inner != "" {
		said += ": " + inner
	}
	return strings.TrimSpace(said)
}

// upstream reads what the server behind a router said, as OpenRouter gives it:
// {"raw": "…"}, its JSON as a text.
func upstream(metadata json.RawMessage) string {
	var m struct{ Raw string }
	if json.Unmarshal(metadata, &m) != nil {
		return ""
	}
	return message([]byte(m.Raw))
}

// presentable makes what an endpoint said fit for an error: one short line
// without the key.
func (e *endpoint) presentable(said string) string {
	if e.key != "" {
		said = strings.ReplaceAll(said, e.key, "[key]")
	}
	said = strings.Join(strings.Fields(said), " ")
	if short := cut(said, longest); short != said {
		return short + "…"
	}
	return said
}

// retryAfter reads when an endpoint wants to be asked again: milliseconds or
// seconds from now, or a date (RFC 9110, 10.2.3). 0 = it does not say, or at
// once; never more than a day.
func retryAfter(header http.Header, now time.Time) time.Duration {
	const day = 24 * time.Hour
	units := []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}}
	for _, u := range units {
		if n, err := strconv.ParseFloat(header.Get(u.name), 64); err == nil && n >= 0 {
			return time.Duration(min(n*float64(u.unit), float64(day)))
		}
	}
	if date, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		return min(max(date.Sub(now), 0), day)
	}
	return 0
}
