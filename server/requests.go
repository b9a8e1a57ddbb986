package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mark3labs/mcp-go/mcp"
)

// requestReader hands the lines of a client on to the library. It does what the
// library leaves open: the end of the input is passed on only when the running
// calls are answered (the library would cancel them and drop those that wait),
// a last line without a line feed counts, a line has a longest length, and
// arguments that are no object are refused as the protocol says.
type requestReader struct {
	in      *bufio.Reader
	answers *answerWriter
	open    *pending
	line    []byte // what of the current line is not handed on yet
	failed  error  // why the input ended
}

func newRequestReader(in io.Reader, answers *answerWriter, open *pending) *requestReader {
	return &requestReader{in: bufio.NewReaderSize(in, 64<<10), answers: answers, open: open}
}

// Read implements io.Reader.
func (r *requestReader) Read(p []byte) (int, error) {
	for len(r.line) == 0 {
		if r.failed != nil {
			r.open.wait(grace)
			return 0, r.failed
		}
		line, err := r.next()
		r.failed = err
		if r.accept(line) {
			r.line = append(line, '\n')
		}
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

var errLineTooLong = errors.New("line too long")

// next reads a line, without its end. With the last one comes the error that
// ended the input.
func (r *requestReader) next() ([]byte, error) {
	line, err := readLine(r.in, maxLine)
	if errors.Is(err, errLineTooLong) {
		return nil, r.answers.refuse(nil, mcp.INVALID_REQUEST, fmt.Sprintf("a request may have at most %d MiB", maxLine>>20))
	}
	return line, err
}

// readLine reads up to the next line feed. Of a line over the limit nothing is
// kept.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > limit; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && tooLong:
			return nil, errLineTooLong
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// accept counts a request that the library will answer, answers one that it
// would take wrongly, and says whether the line is to be handed on.
func (r *requestReader) accept(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(line, &head) != nil || !isValue(head.ID) || head.Method == "" {
		return true // the library refuses it, or it is no request
	}
	if kind := argumentsKind(head.Method, head.Params); kind != "" {
		if err := r.answers.refuse(head.ID, mcp.INVALID_PARAMS, "arguments must be an object, got "+kind); err != nil {
			r.failed = err
		}
		return false
	}
	if head.Method == string(mcp.MethodSubscriptionsListen) {
		r.open.opened(string(head.ID)) // stays open for good
	} else {
		r.open.asked()
	}
	return true
}

// argumentsKind names what the arguments of a tool call are when they are
// neither an object nor absent.
func argumentsKind(method string, params json.RawMessage) string {
	var call struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if method != string(mcp.MethodToolsCall) || json.Unmarshal(params, &call) != nil || !isValue(call.Arguments) {
		return ""
	}
	switch call.Arguments[0] {
	case '{':
		return ""
	case '[':
		return "a list"
	case '"':
		return "text"
	}
	return string(call.Arguments[:min(len(call.Arguments), 40)])
}

// isValue says whether a JSON value is there and not null.
func isValue(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
