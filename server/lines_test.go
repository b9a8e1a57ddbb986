package server_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"mcp-memory/server"
)

func TestReadLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	in := bufio.NewReaderSize(strings.NewReader("short\r\n\n"+long+"\nafter\nlast"), 16)
	for i, want := range []struct {
		line string
		err  error
	}{
		{"short", nil}, {"", nil}, {"", server.ErrLineTooLong}, {"after", nil}, {"last", io.EOF}, {"", io.EOF},
	} {
		line, err := server.ReadLine(in, 60)
		if string(line) != want.line || !errors.Is(err, want.err) {
			t.Errorf("line %d = %q, %v, want %q, %v", i, line, err, want.line, want.err)
		}
	}
}
