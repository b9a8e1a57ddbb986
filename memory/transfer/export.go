package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"mcp-memory/memory"
)

// Export writes the messages of a session, or of all sessions with "", as lines
// that Import reads, and returns how many there are.
func Export(ctx context.Context, from Exporter, session string, out io.Writer) (int, error) {
	buffered := bufio.NewWriterSize(out, 256<<10)
	lines := json.NewEncoder(buffered)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(header{formatVersion}); err != nil {
		return 0, fmt.Errorf("write header: %w", err)
	}
	count := 0
	var repeats repeats
	err := from(ctx, session, func(m memory.Message) error {
		if err := lines.Encode(recordOf(m, repeats.id(m))); err != nil {
			return fmt.Errorf("write message: %w", err)
		}
		count++
		return nil
	})
	if err != nil {
		return count, fmt.Errorf("export messages: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return count, fmt.Errorf("write messages: %w", err)
	}
	return count, nil
}

// repeats notices messages that are equal in session, time, role and text. They
// were added without a time, twice in one instant; read back from a file they
// would count as one, so that each but the first gets an id.
type repeats struct {
	at   memory.Message // the instant that is looked at
	seen map[string]int // by role and text
}

// id returns the id that m needs, "" for none. Messages come in order of time.
func (r *repeats) id(m memory.Message) string {
	if r.seen == nil || m.Session != r.at.Session || !m.SentAt.Equal(r.at.SentAt) {
		r.at, r.seen = m, map[string]int{}
	}
	if m.ClientID != "" {
		return ""
	}
	key := string(m.Role) + "\x00" + m.Content
	r.seen[key]++
	if n := r.seen[key]; n > 1 {
		return fmt.Sprintf("repeat-%d-%d", m.SentAt.UnixNano(), m.Seq)
	}
	return ""
}
