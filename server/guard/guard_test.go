package guard_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-memory/server/guard"
)

const secret = "a-long-secret-that-nobody-guesses"

// door is a guarded server with a real listener. What comes in is answered with
// whose it is and how much of a body came.
type door struct {
	*httptest.Server
	in atomic.Int64 // requests that came in
}

func open(t *testing.T, c guard.Config) *door {
	t.Helper()
	g, err := guard.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d := &door{}
	d.Server = httptest.NewUnstartedServer(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.in.Add(1)
		n, err := io.Copy(io.Discard, r.Body)
		who := guard.IdentityOf(r.Context())
		fmt.Fprintf(w, "%s|%s|%v|%d|%v", who.Name, who.Namespace, who.ReadOnly, n, err)
	})))
	d.Config.ReadHeaderTimeout = 200 * time.Millisecond
	d.Start()
	t.Cleanup(d.Close)
	return d
}

// ask sends a request with the given headers ("Host" sets the host).
func (d *door) ask(t *testing.T, method string, body io.Reader, headers map[string]string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.URL+"/v1/sessions", body)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// code reads the word for programs out of an answer that is an error.
func code(t *testing.T, r *http.Response) string {
	t.Helper()
	var f guard.Failure
	if err := json.NewDecoder(r.Body).Decode(&f); err != nil || f.Error.Message == "" {
		t.Errorf("the body is no error with a code and a message: %+v, %v", f, err)
	}
	return f.Error.Code
}

// What a stranger tries, and what must work: the lines of the acceptance (case
// M03 among them).
func TestWhoComesIn(t *testing.T) {
	t.Parallel()
	tokens := []guard.Token{
		guard.NewToken(guard.Identity{Name: "ann", Namespace: "team"}, secret),
		guard.NewToken(guard.Identity{Name: "eve", ReadOnly: true}, secret+"2"),
	}
	bearer := "Bearer " + secret
	for _, c := range []struct {
		name    string
		config  guard.Config
		method  string
		body    string
		headers map[string]string
		status  int
		want    string // the code, or what came in
	}{
		{name: "no Origin", status: 200, want: "||false|0|<nil>"},
		{name: "evil Origin", headers: map[string]string{"Origin": "https://evil.example"}, status: 403, want: "forbidden"},
		{name: "Origin null", headers: map[string]string{"Origin": "null"}, status: 403, want: "forbidden"},
		{name: "Origin of another port", headers: map[string]string{"Origin": "http://127.0.0.1:1"}, status: 403, want: "forbidden"},
		{name: "Origin that is no URL", headers: map[string]string{"Origin": "://"}, status: 403, want: "forbidden"},
		{name: "evil Host", headers: map[string]string{"Host": "evil.example:8080"}, status: 403, want: "forbidden"},
		{name: "evil Host with its own Origin", headers: map[string]string{"Host": "evil.example", "Origin": "http://evil.example"}, status: 403, want: "forbidden"},
		{name: "a host that looks like loopback", headers: map[string]string{"Host": "localhost.evil.example"}, status: 403, want: "forbidden"},
		{name: "another address", headers: map[string]string{"Host": "10.0.0.1"}, status: 403, want: "forbidden"},
		{name: "localhost", headers: map[string]string{"Host": "LOCALHOST:99"}, status: 200, want: "||false|0|<nil>"},
		{name: "IPv6", headers: map[string]string{"Host": "[::1]:99"}, status: 200, want: "||false|0|<nil>"},
		{name: "own page", headers: map[string]string{"Host": "localhost:99", "Origin": "http://localhost:99"}, status: 200, want: "||false|0|<nil>"},
		{name: "own page, port written out", headers: map[string]string{"Host": "localhost", "Origin": "http://localhost:80"}, status: 200, want: "||false|0|<nil>"},
		{name: "an image of another page", headers: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, status: 403, want: "forbidden"},
		{name: "a script of another port", headers: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, status: 403, want: "forbidden"},
		{name: "a link", headers: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, status: 200, want: "||false|0|<nil>"},
		{
			name: "configured host", config: guard.Config{Hosts: []string{"memory.example"}},
			headers: map[string]string{"Host": "Memory.example:443"}, status: 200, want: "||false|0|<nil>",
		},
		{
			name: "configured origin", config: guard.Config{Origins: []string{"https://app.example"}},
			headers: map[string]string{"Origin": "https://app.example"}, status: 200, want: "||false|0|<nil>",
		},
		{name: "no token", config: guard.Config{Tokens: tokens}, status: 401, want: "unauthorized"},
		{
			name: "wrong token", config: guard.Config{Tokens: tokens},
			headers: map[string]string{"Authorization": bearer + "x"}, status: 401, want: "unauthorized",
		},
		{
			name: "empty token", config: guard.Config{Tokens: tokens},
			headers: map[string]string{"Authorization": "Bearer "}, status: 401, want: "unauthorized",
		},
		{
			name: "token in another scheme", config: guard.Config{Tokens: tokens},
			headers: map[string]string{"Authorization": "Basic " + secret}, status: 401, want: "unauthorized",
		},
		{
			name: "token", config: guard.Config{Tokens: tokens},
			headers: map[string]string{"Authorization": bearer}, status: 200, want: "ann|team|false|0|<nil>",
		},
		{
			name: "read-only token", config: guard.Config{Tokens: tokens},
			headers: map[string]string{"Authorization": "bearer " + secret + "2"}, status: 200, want: "eve||true|0|<nil>",
		},
		{
			name: "public path", config: guard.Config{Tokens: tokens, Public: []string{"/v1/sessions"}}, status: 200, want: "||false|0|<nil>",
		},
		{
			name: "public path, evil Origin", config: guard.Config{Tokens: tokens, Public: []string{"/v1/sessions"}},
			headers: map[string]string{"Origin": "https://evil.example"}, status: 403, want: "forbidden",
		},
		{name: "text/plain", method: "POST", body: "{}", headers: map[string]string{"Content-Type": "text/plain"}, status: 415, want: "unsupported_media_type"},
		{name: "no type", method: "POST", body: "{}", status: 415, want: "unsupported_media_type"},
		{name: "form", method: "POST", headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, status: 415, want: "unsupported_media_type"},
		{
			name: "compressed", method: "POST", body: "{}",
			headers: map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}, status: 415, want: "unsupported_media_type",
		},
		{
			name: "JSON", method: "POST", body: "{}",
			headers: map[string]string{"Content-Type": "application/json; charset=utf-8"}, status: 200, want: "||false|2|<nil>",
		},
		{name: "nothing in it", method: "POST", status: 200, want: "||false|0|<nil>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := open(t, c.config)
			if c.method == "" {
				c.method = http.MethodGet
			}
			r := d.ask(t, c.method, strings.NewReader(c.body), c.headers)
			if r.StatusCode != c.status || r.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("status = %d, header %v, want %d and nosniff", r.StatusCode, r.Header, c.status)
			}
			if c.status != http.StatusOK {
				if got := code(t, r); got != c.want || d.in.Load() != 0 {
					t.Errorf("code = %q, %d came in, want %q and none", got, d.in.Load(), c.want)
				}
				return
			}
			if b, err := io.ReadAll(r.Body); string(b) != c.want || err != nil {
				t.Errorf("came in %q, %v, want %q", b, err, c.want)
			}
		})
	}
}

// A page of an allowed origin may ask beforehand and read what it gets; no other
// is ever told that it may.
func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	d := open(t, guard.Config{
		Origins: []string{"https://app.example"}, Tokens: []guard.Token{guard.NewToken(guard.Identity{Name: "a"}, secret)},
	})
	for origin, want := range map[string]string{"https://app.example": "https://app.example", "https://evil.example": ""} {
		r := d.ask(t, http.MethodOptions, http.NoBody, map[string]string{"Origin": origin, "Access-Control-Request-Method": "POST"})
		if got := r.Header.Get("Access-Control-Allow-Origin"); got != want || (r.StatusCode == http.StatusNoContent) != (want != "") {
			t.Errorf("preflight of %s = %d, %q, want %q", origin, r.StatusCode, got, want)
		}
	}
	r := d.ask(t, http.MethodGet, http.NoBody, map[string]string{"Origin": "https://app.example"})
	if r.StatusCode != http.StatusUnauthorized || r.Header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("GET of an allowed page without token = %d, %v, want a 401 that it can read", r.StatusCode, r.Header)
	}
	if _, err := guard.New(guard.Config{Origins: []string{"https://app.example/"}}); err == nil {
		t.Error("New accepts an origin with a path, which no browser sends")
	}
}

// zeros is a body of n bytes that is never in memory.
func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A body of 100 MB is refused before it is read, whether its size is told or
// not; the largest that is allowed comes in.
func TestBodiesHaveALimit(t *testing.T) {
	t.Parallel()
	d := open(t, guard.Config{})
	for _, told := range []bool{true, false} {
		for size, want := range map[int64]int{100 << 20: 413, guard.DefaultMaxBody + 1: 413, guard.DefaultMaxBody: 200} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL, zeros(size))
			if err != nil {
				t.Fatal(err)
			}
			if told {
				r.ContentLength = size
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Expect", "100-continue")
			transport := &http.Transport{ExpectContinueTimeout: time.Second}
			defer transport.CloseIdleConnections()
			response, err := transport.RoundTrip(r)
			if err != nil {
				t.Fatalf("%d bytes, told %v: %v", size, told, err)
			}
			if response.StatusCode != want {
				t.Errorf("%d bytes, told %v = %d, want %d", size, told, response.StatusCode, want)
			}
			if want == 413 && code(t, response) != "too_large" {
				t.Errorf("%d bytes, told %v has another code", size, told)
			}
			response.Body.Close()
		}
	}
}

// Who sends headers or a body too slowly is cut off, and a stream that has been
// answered for longer than a body may take is not.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	d := open(t, guard.Config{BodyTimeout: 200 * time.Millisecond})
	for name, head := range map[string]string{
		"headers": "GET / HTTP/1.1\r\nHost: localhost\r\n",
		"body":    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
		"chunks":  "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", d.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			began := time.Now()
			if _, err := io.WriteString(c, head); err != nil {
				t.Fatal(err)
			}
			if err := c.SetReadDeadline(began.Add(5 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, c); err != nil { // until the server closes
				t.Errorf("the connection was not closed: %v", err)
			}
			if took := time.Since(began); took < 150*time.Millisecond {
				t.Errorf("cut off after %v, want the time that was given", took)
			}
		})
	}
}

// Once its body has come, a request may take as long as it likes.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.Config{BodyTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		select {
		case <-r.Context().Done():
			t.Error("the request was given up")
		case <-time.After(400 * time.Millisecond):
		}
		fmt.Fprintln(w, "done")
	})))
	defer s.Close()
	r, err := http.Post(s.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if line, err := bufio.NewReader(r.Body).ReadString('\n'); line != "done\n" {
		t.Errorf("answer = %q, %v", line, err)
	}
}

// Each client has a rate of its own, and guesses of tokens have one too.
func TestRates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 8, 10, 0, 0, 0, time.UTC)
	var elapsed atomic.Int64
	var refused atomic.Int64
	d := open(t, guard.Config{
		Tokens: []guard.Token{
			guard.NewToken(guard.Identity{Name: "ann"}, secret), guard.NewToken(guard.Identity{Name: "bob"}, secret+"b"),
		},
		Rate:    1,
		Now:     func() time.Time { return now.Add(time.Duration(elapsed.Load())) },
		Refused: func(int) { refused.Add(1) },
	})
	ask := func(token string) int {
		return d.ask(t, http.MethodGet, http.NoBody, map[string]string{"Authorization": "Bearer " + token}).StatusCode
	}
	for i, want := range []int{200, 200, 200, 200, 429} {
		if got := ask(secret); got != want {
			t.Errorf("request %d of ann = %d, want %d", i, got, want)
		}
	}
	for i, want := range []int{401, 401, 401, 401, 429} {
		if got := ask("guess"); got != want {
			t.Errorf("guess %d = %d, want %d", i, got, want)
		}
	}
	if got := ask(secret + "b"); got != 200 {
		t.Errorf("request of bob = %d, want 200", got)
	}
	elapsed.Store(int64(time.Second))
	for i, want := range []int{200, 429} {
		if got := ask(secret); got != want {
			t.Errorf("request %d of ann a second later = %d, want %d", i, got, want)
		}
	}
	if got := refused.Load(); got != 5 {
		t.Errorf("told of %d refusals, want those of the five guesses", got)
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true, "[::ffff:127.0.0.1]:80": true,
		":80": false, "0.0.0.0:80": false, "[::]:80": false, "192.168.1.5:80": false, "example.org:80": false, "127.0.0.1": false, "": false,
	} {
		if got := guard.Loopback(addr); got != want {
			t.Errorf("Loopback(%q) = %v, want %v", addr, got, want)
		}
	}
}
