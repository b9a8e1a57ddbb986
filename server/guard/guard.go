// Package guard stands before everything that is served over HTTP. A request
// comes in only when it names a host that is ours, does not come from a foreign
// web page, carries a known token (where there are tokens), does not come too
// often, and has a body of the right kind and size. Whatever comes in carries
// its Identity in the context.
package guard

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Config configures a Guard.
type Config struct {
	Tokens      []Token          // who may come in; none = everybody that the other checks let pass
	Hosts       []string         // names by which the server may be called, beside those of loopback
	Origins     []string         // web pages of other origins that may ask, such as https://app.example; none = only pages of this server
	Public      []string         // paths that need no token
	Rate        float64          // requests a second that one client may make on average; 0 = any number
	MaxBody     int64            // bytes a body may have; 0 = DefaultMaxBody
	BodyTimeout time.Duration    // how long a body may take to arrive; 0 = DefaultBodyTimeout
	Now         func() time.Time // the clock of Rate; nil = time.Now
	Refused     func(status int) // told of each request that is refused before it is known whose it is; nil = nobody
}

// What holds when a Config does not say otherwise. The largest message that can
// be stored has 16 MiB; the rest is room for what stands around it.
const (
	DefaultMaxBody     = 17 << 20
	DefaultBodyTimeout = time.Minute
)

// Guard checks requests. It is safe for concurrent use.
type Guard struct {
	c     Config
	rates *rates // nil = no limit
}

// New checks the configuration.
func New(c Config) (*Guard, error) {
	if c.Rate < 0 || c.MaxBody < 0 || c.BodyTimeout < 0 {
		return nil, errors.New("guard: a limit is negative")
	}
	for _, o := range c.Origins {
		if err := checkOrigin(o); err != nil {
			return nil, err
		}
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.BodyTimeout == 0 {
		c.BodyTimeout = DefaultBodyTimeout
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Refused == nil {
		c.Refused = func(int) {}
	}
	g := &Guard{c: c}
	if c.Rate > 0 {
		g.rates = newRates(c.Rate, c.Now)
	}
	return g, nil
}

// Handler lets through to next what may come in, and answers the rest.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		if why := g.foreign(r); why != "" {
			g.c.Refused(http.StatusForbidden)
			Refuse(w, http.StatusForbidden, why)
			return
		}
		if g.preflight(w, r) {
			return
		}
		who, ok := g.identify(r)
		if !ok {
			g.refuseUnknown(w, r)
			return
		}
		if !g.allow(key(who, r)) {
			tooOften(w)
			return
		}
		if !g.admitBody(w, r) {
			return
		}
		next.ServeHTTP(w, r.WithContext(withIdentity(r.Context(), who)))
	})
}

// secure sets what every answer says to a browser: take the type for what it
// is, keep no copy, and show none of it inside pages of others.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// identify says whose request it is; false = nobody's.
func (g *Guard) identify(r *http.Request) (Identity, bool) {
	if len(g.c.Tokens) == 0 {
		return Identity{}, true
	}
	if who, ok := find(g.c.Tokens, bearer(r)); ok {
		return who, true
	}
	return Identity{}, slices.Contains(g.c.Public, r.URL.Path)
}

// refuseUnknown answers who has no token. Wrong tokens count, so that guessing
// is slow.
func (g *Guard) refuseUnknown(w http.ResponseWriter, r *http.Request) {
	if !g.allow("unknown " + address(r)) {
		g.c.Refused(http.StatusTooManyRequests)
		tooOften(w)
		return
	}
	g.c.Refused(http.StatusUnauthorized)
	w.Header().Set("WWW-Authenticate", `Bearer realm="mcp-memory"`)
	Refuse(w, http.StatusUnauthorized, "a known token is needed: send it as Authorization: Bearer TOKEN")
}

func (g *Guard) allow(client string) bool { return g.rates == nil || g.rates.allow(client) }

func tooOften(w http.ResponseWriter) {
	w.Header().Set("Retry-After", strconv.Itoa(1))
	Refuse(w, http.StatusTooManyRequests, "too many requests: wait a second and try again")
}

// key is whose requests are counted together: those of a token, or of an
// address where there are none.
func key(who Identity, r *http.Request) string {
	if who.Name != "" {
		return "token " + who.Name
	}
	return "address " + address(r)
}

// address is where a request comes from, without the port.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
