package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"mcp-memory/server"
	"mcp-memory/server/guard"
	"mcp-memory/server/metrics"
	"mcp-memory/server/rest"
	"mcp-memory/server/site"
)

// serveCommand serves over HTTP.
type serveCommand struct {
	Addr        string        `default:"127.0.0.1:8765" placeholder:"HOST:PORT" help:"Where to listen: ${default} unless given. An address that others can reach needs tokens."`
	TokenFile   string        `placeholder:"FILE" help:"Tokens that clients must send, a line each: name token [namespace] [ro]. One token alone can be in MCP_MEMORY_TOKEN instead."`
	AllowHost   []string      `placeholder:"NAME" help:"Host names by which clients call the server, beside localhost and that of --addr."`
	AllowOrigin []string      `placeholder:"URL" help:"Origins of other web pages that may ask, such as https://app.example."`
	RateLimit   float64       `default:"100" placeholder:"N" help:"Requests a second of one token or address; 0 = no limit. None without tokens on this machine."`
	KeepAlive   time.Duration `default:"20s" placeholder:"TIME" help:"How often something goes over a stream on which nothing happens."`
	TLSCert     string        `name:"tls-cert" placeholder:"FILE" help:"Serve HTTPS with this certificate, PEM."`
	TLSKey      string        `name:"tls-key" placeholder:"FILE" help:"The certificate's key, PEM."`
}

// Run serves until a signal comes. Then running calls finish, streams close, and
// the databases are closed.
func (c serveCommand) Run(ctx context.Context, p *program, s *settings) (err error) {
	p.log = slog.New(site.Requests(p.log.Handler()))
	if c.KeepAlive <= 0 {
		return usagef("--keep-alive must be more than nothing, such as 20s")
	}
	tokens, err := c.tokens(p)
	if err != nil {
		return usageError{err}
	}
	secure, err := c.secure(p.env)
	if err != nil {
		return usageError{err}
	}
	process := metrics.NewProcess(programVersion())
	g, err := c.guard(tokens, process)
	if err != nil {
		return usageError{err}
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer listener.Close() // again after Serve, which does no harm
	o := opener{program: p, settings: s, process: process, tokens: tokens, alive: c.KeepAlive}
	web, err := site.New(site.Config{Guard: g, Open: o.open, Log: p.log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, web.Close(context.WithoutCancel(ctx))) }()
	if len(tokens) == 0 || o.has("", false) || o.has("", true) {
		if err := web.Prepare(ctx, ""); err != nil { // so that it shows at once
			return err
		}
	}
	c.announce(p, listener, secure != nil)
	return web.Serve(ctx, listener, secure)
}

// tokenVariable is where one token for everything can be. It is no flag, for
// others can read those in the list of processes.
const tokenVariable = "MCP_MEMORY_TOKEN"

// tokens are those of the file and of the environment.
func (c serveCommand) tokens(p *program) ([]guard.Token, error) {
	var tokens []guard.Token
	if secret := p.env[tokenVariable]; secret != "" {
		tokens = append(tokens, guard.NewToken(guard.Identity{Name: "environment"}, secret))
	}
	if c.TokenFile == "" {
		return tokens, nil
	}
	path, err := p.env.expand(c.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("--token-file: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--token-file: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode().Perm()&0o077 != 0 {
		p.log.Warn("others on this machine can read the token file", "path", path)
	}
	read, err := guard.ReadTokens(file)
	if err != nil {
		return nil, fmt.Errorf("--token-file %s: %w", path, err)
	}
	if len(read) == 0 {
		return nil, fmt.Errorf("--token-file %s: there is no token in it", path)
	}
	return append(tokens, read...), nil
}

// guard makes the guard, and refuses to let everybody in from everywhere.
func (c serveCommand) guard(tokens []guard.Token, process *metrics.Process) (*guard.Guard, error) {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr must be HOST:PORT such as 127.0.0.1:8765: %w", err)
	}
	local := guard.Loopback(c.Addr)
	if !local && len(tokens) == 0 {
		return nil, fmt.Errorf("others can reach --addr %s, so that clients must send a token: set --token-file or %s, or listen on 127.0.0.1", c.Addr, tokenVariable)
	}
	g := guard.Config{
		Tokens: tokens, Hosts: c.AllowHost, Origins: c.AllowOrigin, Public: []string{site.HealthPath},
		Rate: c.RateLimit, Refused: process.Refused,
	}
	if host != "" {
		g.Hosts = append(g.Hosts, host)
	}
	if local && len(tokens) == 0 {
		g.Rate = 0
	}
	return guard.New(g)
}

// secure loads the certificate; nil without one.
func (c serveCommand) secure(env environment) (*tls.Config, error) {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return nil, errors.New("--tls-cert and --tls-key belong together")
	}
	if c.TLSCert == "" {
		return nil, nil
	}
	var paths [2]string
	for i, path := range []string{c.TLSCert, c.TLSKey} {
		var err error
		if paths[i], err = env.expand(path); err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
	}
	pair, err := tls.LoadX509KeyPair(paths[0], paths[1])
	if err != nil {
		return nil, fmt.Errorf("load certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// announce says where the server is, once it can be reached.
func (c serveCommand) announce(p *program, l net.Listener, secure bool) {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	base := scheme + "://" + l.Addr().String()
	fmt.Fprintf(p.stdout, "mcp-memory serves MCP at %s/mcp, SSE at %s%s, REST at %s%s\n", base, base, server.StreamPath, base, rest.Prefix)
}
