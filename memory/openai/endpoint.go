package openai

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"mcp-memory/memory"
)

// endpoint is what the clients of an API have in common.
type endpoint struct {
	name    string                 // for errors: "embeddings endpoint"
	key     string                 // "" = no Authorization header
	tooLong func(said string) bool // whether a refusal is about the length of what was sent

	base   *url.URL
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	log    *slog.Logger
	client *http.Client
}

// connect reads the base URL, from which it takes the path of the service, and
// puts the defaults in.
func (e *endpoint) connect(baseURL, service string) error {
	var err error
	if e.base, err = e.parseBase(baseURL, service); err != nil {
		return err
	}
	e.key = strings.TrimSpace(e.key)
	if e.now == nil {
		e.now = time.Now
	}
	if e.sleep == nil {
		e.sleep = sleep
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.client == nil {
		e.client = &http.Client{}
	}
	return nil
}

// parseBase reads the URL of the API. Its errors do not repeat it, because a
// URL may hold a password.
func (e *endpoint) parseBase(s, service string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSpace(s))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, memory.Invalidf("the %s needs a base URL such as http://localhost:11434/v1", e.name)
	}
	if base.RawQuery != "" || base.Fragment != "" {
		return nil, memory.Invalidf("the base URL of the %s must have no query and no fragment", e.name)
	}
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), service) + "/"
	base.RawPath = ""
	return base, nil
}

// options is how the library is to reach the endpoint. It does not ask again by
// itself.
func (e *endpoint) options() []option.RequestOption {
	list := []option.RequestOption{
		option.WithBaseURL(e.base.String()),
		option.WithHTTPClient(e.client),
		option.WithMaxRetries(0),
	}
	if e.key != "" {
		list = append(list, option.WithAPIKey(e.key))
	}
	return list
}

// exchange sends one request by way of the library and returns the body of the
// reply, of which it reads so many bytes at most. The error is a *failure, or
// that of a ctx that ended.
func (e *endpoint) exchange(ctx context.Context, timeout time.Duration, most int64, send func(context.Context, ...option.RequestOption) error) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// The body is taken as it is, because the library decodes a reply only
	// when it is called JSON, and the error of one only when it is an object.
	var body []byte
	var response *http.Response
	err := send(limited,
		option.WithResponseBodyInto(&body),
		option.WithResponseInto(&response),
		option.WithMiddleware(limitBody(most)))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case response != nil && response.StatusCode >= http.StatusBadRequest:
		// The library has put what it read back in place of the body.
		body, _ := io.ReadAll(response.Body)
		return nil, e.refusal(response, body)
	case limited.Err() != nil:
		return nil, &failure{kind: transient, said: "no reply within " + timeout.String()}
	case err != nil:
		return nil, e.broken(err)
	}
	return body, nil
}

// limitBody keeps an endpoint from filling the memory: of its replies, n bytes
// are read at most.
func limitBody(n int64) option.Middleware {
	return func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		response, err := next(request)
		if err == nil && response.Body != nil {
			response.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(response.Body, n), response.Body}
		}
		return response, err
	}
}
