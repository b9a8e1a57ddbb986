package guard

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// admitBody refuses a body of another kind than JSON or over the limit, and
// bounds how long it may take to arrive.
func (g *Guard) admitBody(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 && r.Header.Get("Content-Type") == "" {
		return true
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		Refuse(w, http.StatusUnsupportedMediaType, "the body must be JSON: send it with Content-Type: application/json")
		return false
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		Refuse(w, http.StatusUnsupportedMediaType, "the body must not be compressed")
		return false
	}
	if r.ContentLength > g.c.MaxBody {
		g.tooLarge(w)
		return false
	}
	controller := http.NewResponseController(w)
	if err := controller.SetReadDeadline(time.Now().Add(g.c.BodyTimeout)); err != nil {
		Refuse(w, http.StatusInternalServerError, "the connection cannot be bounded in time")
		return false
	}
	r.Body = &timedBody{ReadCloser: http.MaxBytesReader(w, r.Body, g.c.MaxBody), controller: controller}
	return r.ContentLength > 0 || g.gather(w, r)
}

// gather reads a body whose length nobody has told, so that one over the limit
// is answered as such.
func (g *Guard) gather(w http.ResponseWriter, r *http.Request) bool {
	whole, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok && tooLarge != nil {
		g.tooLarge(w)
		return false
	}
	if err != nil {
		Refuse(w, http.StatusBadRequest, "the body could not be read to its end")
		return false
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(whole)), int64(len(whole))
	return true
}

func (g *Guard) tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close") // what is still to come is not read
	Refuse(w, http.StatusRequestEntityTooLarge, "the body is too large: 16 MiB of messages may come at once")
}

// timedBody takes the deadline off the connection once the body has arrived:
// the answer may be a stream that stays open for long.
type timedBody struct {
	io.ReadCloser
	controller *http.ResponseController
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		if failed := b.controller.SetReadDeadline(time.Time{}); failed != nil {
			return n, failed
		}
	}
	return n, err
}
