package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// listener is a client on a transport over the network.
type listener struct {
	told      chan string            // the URIs that it was told of
	subscribe func(uri string)       // subscribes, and comes back when that is acknowledged
	end       func(uri string)       // ends the subscription; nil = this client cannot
	close     func() (status string) // goes away; "" = well
}

// hears fails unless a change is told within two seconds.
func (l *listener) hears(t *testing.T, when, uri string) {
	t.Helper()
	select {
	case got := <-l.told:
		if got != uri {
			t.Errorf("%s: told of %q, want %q", when, got, uri)
		}
	case <-time.After(2 * time.Second):
		t.Errorf("%s: nothing was told within 2 s", when)
	}
}

// modern is a listener by the protocol of 2026-07-28.
func modern(t *testing.T, c *client.Client, err error) *listener {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	told, acknowledged := make(chan string, 100), make(chan struct{}, 1)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationResourceUpdated:
			told <- fmt.Sprint(n.Params.AdditionalFields["uri"])
		case mcp.MethodNotificationSubscriptionsAcknowledged:
			acknowledged <- struct{}{}
		}
	})
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if welcome, err := c.Initialize(t.Context(), hello); err != nil || !mcp.IsModernProtocol(welcome.ProtocolVersion) {
		t.Fatalf("Initialize = %+v, %v, want the newest protocol", welcome, err)
	}
	stop := func() {}
	return &listener{
		told: told,
		subscribe: func(uri string) {
			if stop, err = c.ListenAsync(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, nil); err != nil {
				t.Fatal(err)
			}
			<-acknowledged
		},
		end: func(string) { stop() },
		close: func() string {
			if err := c.Close(); err != nil {
				return err.Error()
			}
			return ""
		},
	}
}

// old speaks a protocol before 2026-07-28 by hand. Its stream is open for as
// long as it is there.
type old struct {
	t       *testing.T
	post    string // where requests go
	session string // header of Streamable HTTP
	stream  *http.Response
	answers chan reply // that came over the stream
	ready   chan struct{}
	told    chan string
}

// do sends one HTTP request.
func (o *old) do(method, url, body string) *http.Response {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if o.session != "" {
		req.Header.Set("Mcp-Session-Id", o.session)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		o.t.Fatalf("%s %s = %s", method, url, response.Status)
	}
	return response
}

// ask sends a message and returns the whole body that comes back.
func (o *old) ask(message string) (string, http.Header) {
	o.t.Helper()
	response := o.do(http.MethodPost, o.post, message)
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return string(b), response.Header
}

// listen opens the stream and reads it in a goroutine until it is closed.
func (o *old) listen(url string) {
	o.stream = o.do(http.MethodGet, url, "")
	o.ready = make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(o.stream.Body); lines.Scan(); {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			switch {
			case !ok:
			case strings.HasPrefix(data, "{"):
				o.take(data)
			default: // over SSE the first event says where requests go
				o.post = strings.TrimSuffix(url, "/sse") + data
				close(o.ready)
			}
		}
	}()
}

// take sorts a message of the stream.
func (o *old) take(message string) {
	var n struct {
		reply
		Method string
		Params struct{ URI string }
	}
	if err := json.Unmarshal([]byte(message), &n); err != nil {
		o.t.Errorf("the stream has %q, which is no JSON", message)
	}
	if n.Method == mcp.MethodNotificationResourceUpdated {
		o.told <- n.Params.URI
	} else if n.ID != nil {
		o.answers <- n.reply
	}
}

// listener is o with the ways in which its requests are answered.
func (o *old) listener(request func(method, uri string), close func()) *listener {
	return &listener{
		told:      o.told,
		subscribe: func(uri string) { request("resources/subscribe", uri) },
		end:       func(uri string) { request("resources/unsubscribe", uri) },
		close:     func() string { close(); return "" },
	}
}

const uriRequest = `{"jsonrpc":"2.0","id":2,"method":%q,"params":{"uri":%q}}`

// oldHTTP is a listener on Streamable HTTP.
func oldHTTP(t *testing.T, url string) *listener {
	o := &old{t: t, post: url, told: make(chan string, 100), answers: make(chan reply, 1)}
	_, header := o.ask(initialize)
	o.session = header.Get("Mcp-Session-Id")
	o.ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	o.listen(url)
	return o.listener(func(method, uri string) {
		if body, _ := o.ask(fmt.Sprintf(uriRequest, method, uri)); !strings.Contains(body, `"result":{}`) {
			t.Errorf("%s = %s, want it done", method, body)
		}
	}, func() {
		o.stream.Body.Close()
		o.do(http.MethodDelete, url, "").Body.Close()
	})
}

// oldSSE is a listener on the HTTP with SSE of 2024-11-05.
func oldSSE(t *testing.T, url string) *listener {
	o := &old{t: t, told: make(chan string, 100), answers: make(chan reply, 1)}
	o.listen(url + "/sse")
	<-o.ready
	o.ask(initialize)
	<-o.answers
	return o.listener(func(method, uri string) {
		o.ask(fmt.Sprintf(uriRequest, method, uri))
		if r := <-o.answers; r.Error.Code != 0 {
			t.Errorf("%s = %+v, want it done", method, r.Error)
		}
	}, func() { o.stream.Body.Close() })
}

func TestSubscriptionsOverTheNetwork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 20*time.Millisecond)
	network := h.server.Network(0)
	webSite, sseSite := httptest.NewServer(network.Streamable()), httptest.NewServer(network.SSE())
	t.Cleanup(func() {
		if err := network.Close(t.Context()); err != nil {
			t.Error(err)
		}
		webSite.Close()
		sseSite.Close()
	})
	other := h.neighbour()
	for name, dial := range map[string]func(t *testing.T) *listener{
		"http": func(t *testing.T) *listener {
			c, err := client.NewStreamableHttpClient(webSite.URL)
			return modern(t, c, err)
		},
		"sse": func(t *testing.T) *listener {
			c, err := client.NewSSEMCPClient(sseSite.URL + "/sse")
			l := modern(t, c, err)
			l.end = nil // it takes SSE for a transport where closing the request ends it
			return l
		},
		"old http": func(t *testing.T) *listener { return oldHTTP(t, webSite.URL) },
		"old sse":  func(t *testing.T) *listener { return oldSSE(t, sseSite.URL) },
	} {
		t.Run(name, func(t *testing.T) {
			l := dial(t)
			l.subscribe(ownURI)
			for i := range 3 {
				other.save("home", strconv.Itoa(i))
				l.hears(t, "a version was saved", ownURI)
			}
			h.summaries.save("home", "by this process")
			h.server.Changed()
			l.hears(t, "this process saved", ownURI)
			if l.end != nil {
				l.end(ownURI)
				eventually(t, "the subscription has ended", func() bool {
					hearing, _ := h.server.Subscribers()
					return hearing == 0
				})
				other.save("home", "unheard")
				l.subscribe(allURI) // and goes away without ending it
				other.add(name, "a new session")
				l.hears(t, "a session was added", allURI)
			}
			if status := l.close(); status != "" {
				t.Errorf("close = %s", status)
			}
			eventually(t, "the client is forgotten", func() bool {
				hearing, sessions := h.server.Subscribers()
				return hearing == 0 && sessions == 0
			})
			if len(l.told) > 0 {
				t.Errorf("told of %s once more", <-l.told)
			}
		})
	}
}

// eventually waits for what the library does in another goroutine.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within 5 s: %s", what)
		}
	}
}
