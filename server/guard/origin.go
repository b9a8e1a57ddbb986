package guard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Loopback says whether an address to listen on, host:port, is reachable from
// this machine alone.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && loopbackName(host)
}

// loopbackName says whether a host can be nothing but this machine.
func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// foreign says why a request is not for this server or comes from a page that
// may not ask; "" = it is well. A web page can make a browser send requests to
// any address, and by changing what its own name means in the DNS even ones
// that the browser takes for its own: those name a foreign host.
func (g *Guard) foreign(r *http.Request) string {
	if !g.ours(r.Host) {
		return "requests to this host name are not answered: name it with --allow-host to change that"
	}
	origin := r.Header.Get("Origin")
	switch {
	case origin == "" && crossSite(r):
		return "requests from other web pages are not answered"
	case origin == "" || sameOrigin(origin, r.Host) || slices.Contains(g.c.Origins, strings.ToLower(origin)):
		return ""
	}
	return "requests from pages of this origin are not answered: name it with --allow-origin to change that"
}

// ours says whether a Host header, with or without a port, names this server.
func (g *Guard) ours(host string) bool {
	name := hostname(host)
	return loopbackName(name) || slices.ContainsFunc(g.c.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// hostname is a host without its port and brackets.
func hostname(host string) string {
	u := url.URL{Host: host}
	return u.Hostname()
}

// crossSite says whether a browser tells that another page made it ask. Pages
// get no answer to read then, but need not get one to throw away either. A
// person who follows a link may come.
func crossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// sameOrigin says whether a page was served by the host that it asks.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(withPort(u.Scheme, u.Host), withPort(u.Scheme, host))
}

// withPort writes out the port that a scheme has by itself.
func withPort(scheme, host string) string {
	u := url.URL{Host: host}
	if u.Port() != "" {
		return host
	}
	if scheme == "https" {
		return net.JoinHostPort(u.Hostname(), "443")
	}
	return net.JoinHostPort(u.Hostname(), "80")
}

// checkOrigin refuses what no browser sends as an origin.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != strings.ToLower(u.Scheme+"://"+u.Host) {
		return fmt.Errorf("%q is not an origin such as https://app.example", origin)
	}
	return nil
}

// preflight lets pages of the allowed origins read what they get, and answers
// what a browser asks beforehand. It returns true when that was all.
func (g *Guard) preflight(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || sameOrigin(origin, r.Host) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, X-Request-Id")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
