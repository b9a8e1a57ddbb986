package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const (
	speedSeed      = 1
	fewestMessages = 10   // so that every language occurs
	singlesOnly    = 2000 // up to this size no batches are used
	measuredAdds   = 500
	sessionSize    = 200 // messages; also the size of a batch
	measuredStarts = 5
)

// speedCommand measures time and space at given numbers of messages.
type speedCommand struct {
	Sizes []int `arg:"" name:"N" help:"Numbers of messages, 10 or more each."`
}

// Validate is called by kong.
func (c *speedCommand) Validate() error {
	for _, n := range c.Sizes {
		if n < fewestMessages {
			return fmt.Errorf("the number of messages must be at least %d, got %d", fewestMessages, n)
		}
	}
	return nil
}

// Run measures each size with both ways of syncing.
func (c *speedCommand) Run(ctx context.Context, b *bench) error {
	report := speedReport{Command: "speed", Machine: thisMachine()}
	for _, n := range c.Sizes {
		for _, sync := range []string{"full", "normal"} {
			column, err := b.measureSpeed(ctx, n, sync)
			if err != nil {
				return fmt.Errorf("%d messages, sync %s: %w", n, sync, err)
			}
			report.Columns = append(report.Columns, *column)
		}
	}
	return b.report(report.table(), nil, report)
}

// speedReport is the result of the command.
type speedReport struct {
	Command string        `json:"command"`
	Machine machine       `json:"machine"`
	Columns []speedColumn `json:"columns"`
}

// speedColumn is what was measured at one size with one way of syncing.
type speedColumn struct {
	Messages    int           `json:"messages"`
	Sync        string        `json:"sync"`
	StartMillis float64       `json:"start_p50_ms"` // process start to initialize reply, on the filled file
	FillSeconds float64       `json:"fill_s"`       // all messages but the measured ones
	IndexDelay  float64       `json:"index_s"`      // from the end of the fill until meaning is searched
	Add         latency       `json:"add"`          // one message a call
	Searches    []speedSearch `json:"searches"`
	Training    *training     `json:"training"` // null when the vectors are not learnt
	Memory      *memoryUse    `json:"memory"`   // null where it is not known
	Files       fileUse       `json:"files"`
	Yardstick   yardstick     `json:"yardstick"`
	AddPerFsync float64       `json:"add_p50_per_fsync_p50"`
}

// speedSearch is what was measured of one kind of query.
type speedSearch struct {
	Match string `json:"match"`
	Kind  string `json:"kind"`
	latency
	Bytes float64 `json:"mean_answer_bytes"` // text and structured content
}

// fileUse is the space on disk, in bytes, while the server runs.
type fileUse struct {
	Database   int64   `json:"db_bytes"`
	Log        int64   `json:"wal_bytes"`
	Text       int64   `json:"text_bytes"` // of all messages
	PerMessage float64 `json:"bytes_per_message"`
	PerText    float64 `json:"bytes_per_text_byte"`
}

// speedRun is one column while it is being measured.
type speedRun struct {
	bench  *bench
	db     string
	env    string
	texts  []string
	column *speedColumn
}

// measureSpeed fills a new database with n messages and measures one column.
func (b *bench) measureSpeed(ctx context.Context, n int, sync string) (*speedColumn, error) {
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	run := &speedRun{
		bench: b, db: filepath.Join(dir, "memory.db"), env: "MCP_MEMORY_SYNC=" + sync,
		texts: newWriter(speedSeed).texts(n), column: &speedColumn{Messages: n, Sync: sync},
	}
	if err := run.fillAndSearch(ctx); err != nil {
		return nil, err
	}
	if err := run.starts(ctx); err != nil {
		return nil, err
	}
	return run.column, nil
}

// fillAndSearch does all that one server process does.
func (r *speedRun) fillAndSearch(ctx context.Context) error {
	s, err := startServer(ctx, r.bench.Binary, r.db, r.env)
	if err != nil {
		return err
	}
	defer r.bench.stop(ctx, s)
	for _, step := range []func(context.Context, *server) error{r.fill, r.singles, r.search} {
		if err := step(ctx, s); err != nil {
			return err
		}
	}
	if r.column.Memory, err = readMemory(s.process.Process.Pid); err != nil {
		return err
	}
	if err := r.measureFiles(); err != nil {
		return err
	}
	return r.train(ctx, s)
}

// measured returns where the measured messages begin.
func (r *speedRun) measured() int { return max(0, len(r.texts)-measuredAdds) }

// fill records all messages before the measured ones and waits until the
// server has their vectors.
func (r *speedRun) fill(ctx context.Context, s *server) error {
	end := r.measured()
	if end == 0 {
		return nil
	}
	r.bench.log("%d messages, sync %s: filling", len(r.texts), r.column.Sync)
	size := sessionSize
	if len(r.texts) <= singlesOnly {
		size = 1
	}
	begin := time.Now()
	for i := 0; i < end; i += size {
		if _, err := s.add(ctx, sessionOf(i), r.messages(i, min(i+size, end))); err != nil {
			return err
		}
	}
	r.column.FillSeconds = time.Since(begin).Seconds()
	waited, err := s.waitIndexed(ctx, r.texts[0], r.bench.wait())
	r.column.IndexDelay = waited.Seconds()
	return err
}

// singles records the last messages one by one and times each call. The
// yardstick is laid on before and after.
func (r *speedRun) singles(ctx context.Context, s *server) error {
	r.bench.log("%d messages, sync %s: adding one by one", len(r.texts), r.column.Sync)
	var stick yardstickTimes
	if err := stick.measure(filepath.Dir(r.db)); err != nil {
		return err
	}
	var times []float64
	for i := r.measured(); i < len(r.texts); i++ {
		elapsed, err := s.add(ctx, sessionOf(i), r.messages(i, i+1))
		if err != nil {
			return err
		}
		times = append(times, millis(elapsed))
	}
	r.column.Add = latencyOf(times)
	if _, err := s.waitIndexed(ctx, r.texts[0], r.bench.wait()); err != nil {
		return err
	}
	if err := stick.measure(filepath.Dir(r.db)); err != nil {
		return err
	}
	r.column.Yardstick = stick.median()
	r.column.AddPerFsync = 1000 * r.column.Add.P50 / r.column.Yardstick.FsyncMicros
	return nil
}

// search times every kind of query with both ways of matching, over all sessions,
// and by meaning within one session.
func (r *speedRun) search(ctx context.Context, s *server) error {
	r.bench.log("%d messages, sync %s: searching", len(r.texts), r.column.Sync)
	for _, way := range []struct{ match, session, note string }{
		{"keyword", "", ""},
		{"semantic", "", ""},
		{"semantic", sessionOf(len(r.texts) / 2), ", one session"},
	} {
		for _, load := range workloads(r.texts, speedSeed) {
			measured, err := measureSearch(ctx, s, load, question{Match: way.match, Session: way.session})
			if err != nil {
				return err
			}
			measured.Kind += way.note
			r.column.Searches = append(r.column.Searches, measured)
		}
	}
	return nil
}

// measureSearch asks the queries of one kind, each as q.
func measureSearch(ctx context.Context, s *server, load workload, q question) (speedSearch, error) {
	var times, sizes []float64
	for i, query := range load.queries {
		q.Query = query
		found, err := s.search(ctx, q)
		if err != nil {
			return speedSearch{}, err
		}
		if i >= warmUps {
			times = append(times, millis(found.elapsed))
			sizes = append(sizes, float64(found.bytes))
		}
	}
	return speedSearch{Match: q.Match, Kind: load.kind, latency: latencyOf(times), Bytes: average(sizes)}, nil
}

// measureFiles reads the sizes of the database and its log.
func (r *speedRun) measureFiles() error {
	use := fileUse{}
	var err error
	if use.Database, err = fileSize(r.db); err != nil {
		return err
	}
	if use.Log, err = fileSize(r.db + "-wal"); err != nil {
		return err
	}
	for _, text := range r.texts {
		use.Text += int64(len(text))
	}
	total := float64(use.Database + use.Log)
	use.PerMessage = total / float64(len(r.texts))
	use.PerText = total / float64(use.Text)
	r.column.Files = use
	return nil
}

// fileSize returns 0 for a file that does not exist.
func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("measure file: %w", err)
	}
	return info.Size(), nil
}

// starts times new processes on the filled file, one after the other.
func (r *speedRun) starts(ctx context.Context) error {
	times := make([]float64, measuredStarts)
	for i := range times {
		s, err := startServer(ctx, r.bench.Binary, r.db, r.env)
		if err != nil {
			return err
		}
		times[i] = millis(s.startup)
		r.bench.stop(ctx, s)
	}
	r.column.StartMillis = percentile(times, 50)
	return nil
}

// messages returns the messages from number i to before end.
func (r *speedRun) messages(i, end int) []message {
	out := make([]message, 0, end-i)
	for ; i < end; i++ {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		out = append(out, message{
			Role: role, Content: r.texts[i], ID: "m" + strconv.Itoa(i),
			SentAt: firstDate.Add(time.Duration(i) * time.Minute).Format(time.RFC3339),
		})
	}
	return out
}

// sessionOf names the session of message i.
func sessionOf(i int) string { return fmt.Sprintf("bench-%04d", i/sessionSize) }
