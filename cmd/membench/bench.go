package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// benchConfig says what is measured and where the figures go.
type benchConfig struct {
	Binary   string        // absolute path; "" = build ./cmd/mcp-memory
	JSONFile string        // "" = below the table
	Settle   time.Duration // see waiting.settle
	Out      io.Writer     // tables
	Progress io.Writer     // what is being done, a line each
}

// bench is what both commands work with: a binary and a temporary directory.
type bench struct {
	benchConfig
	dir string
}

// openBench makes the temporary directory and, when no binary is given, builds
// one into it. The caller closes the bench.
func openBench(ctx context.Context, config benchConfig) (*bench, error) {
	dir, err := os.MkdirTemp("", "membench-")
	if err != nil {
		return nil, fmt.Errorf("make temporary directory: %w", err)
	}
	b := &bench{config, dir}
	if b.Binary != "" {
		return b, nil
	}
	if err := b.build(ctx); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return b, nil
}

// build compiles the binary as it is released, without cgo.
func (b *bench) build(ctx context.Context) error {
	b.Binary = filepath.Join(b.dir, "mcp-memory")
	if runtime.GOOS == "windows" {
		b.Binary += ".exe"
	}
	b.log("building ./cmd/mcp-memory")
	command := exec.CommandContext(ctx, "go", "build", "-o", b.Binary, "./cmd/mcp-memory")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build ./cmd/mcp-memory (run from the repository root, or give --binary): %w\n%s",
			err, strings.TrimSpace(string(output)))
	}
	return nil
}

// close removes the temporary directory.
func (b *bench) close() error {
	if err := os.RemoveAll(b.dir); err != nil {
		return fmt.Errorf("remove temporary directory: %w", err)
	}
	return nil
}

// folder makes a directory for one database.
func (b *bench) folder() (string, error) {
	dir, err := os.MkdirTemp(b.dir, "db-")
	if err != nil {
		return "", fmt.Errorf("make database directory: %w", err)
	}
	return dir, nil
}

// log writes one line of progress.
func (b *bench) log(format string, args ...any) {
	fmt.Fprintf(b.Progress, format+"\n", args...)
}

// stop stops s. A server that stops badly does not spoil what was measured, so
// that is only told.
func (b *bench) stop(ctx context.Context, s *server) {
	if err := s.close(); err != nil && ctx.Err() == nil {
		b.log("%v", err)
	}
}

// wait is how this bench waits for vectors.
func (b *bench) wait() waiting {
	return waiting{timeout: indexTimeout, poll: indexPoll, settle: b.Settle}
}

// machine says where the figures come from.
type machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
}

func thisMachine() machine { return machine{runtime.GOOS, runtime.GOARCH, runtime.NumCPU()} }

// report prints the table, and the figures as JSON below a line or to the
// JSON file.
func (b *bench) report(t table, notes []string, figures any) error {
	encoded, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return fmt.Errorf("encode figures: %w", err)
	}
	text := t.String() + strings.Join(append([]string{""}, notes...), "\n") + "\n"
	if b.JSONFile != "" {
		if err := os.WriteFile(b.JSONFile, append(encoded, '\n'), 0o644); err != nil {
			return fmt.Errorf("write figures: %w", err)
		}
	} else {
		text += strings.Repeat("-", 72) + "\n" + string(encoded) + "\n"
	}
	if _, err := io.WriteString(b.Out, text); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	return nil
}
