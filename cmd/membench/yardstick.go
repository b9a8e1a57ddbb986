package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

const (
	yardstickAppends = 100
	yardstickBytes   = 4096
	yardstickLoops   = 3
	yardstickSteps   = 20_000_000
)

// yardstick is how fast the machine itself is at this moment. Figures of two
// runs are best compared as multiples of it.
type yardstick struct {
	FsyncMicros float64 `json:"fsync_4k_append_p50_us"` // append 4 KB to a file and sync it
	LoopMillis  float64 `json:"cpu_loop_p50_ms"`        // a fixed loop of integer arithmetic
}

// yardstickTimes collects measurements; its zero value is ready.
type yardstickTimes struct {
	micros []float64 // of the appends
	millis []float64 // of the loops
}

// measure measures the disk that holds dir, and one core.
func (y *yardstickTimes) measure(dir string) error {
	micros, err := timeAppends(filepath.Join(dir, "yardstick"))
	if err != nil {
		return err
	}
	y.micros = append(y.micros, micros...)
	for range yardstickLoops {
		y.millis = append(y.millis, millis(timeLoop()))
	}
	return nil
}

// median sums up all measurements so far.
func (y *yardstickTimes) median() yardstick {
	return yardstick{percentile(y.micros, 50), percentile(y.millis, 50)}
}

// timeAppends returns the microseconds that each synced append to a new file
// took. The file is removed.
func timeAppends(path string) ([]float64, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create yardstick file: %w", err)
	}
	defer os.Remove(path)
	defer file.Close()
	block := make([]byte, yardstickBytes)
	micros := make([]float64, yardstickAppends)
	for i := range micros {
		begin := time.Now()
		if _, err := file.Write(block); err != nil {
			return nil, fmt.Errorf("append to yardstick file: %w", err)
		}
		if err := file.Sync(); err != nil {
			return nil, fmt.Errorf("sync yardstick file: %w", err)
		}
		micros[i] = 1000 * millis(time.Since(begin))
	}
	return micros, nil
}

// timeLoop times a chain of multiplications and shifts, each of which needs
// the one before it (the constants are those of the splitmix64 generator).
func timeLoop() time.Duration {
	begin := time.Now()
	x := uint64(1)
	for range yardstickSteps {
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	}
	runtime.KeepAlive(x)
	return time.Since(begin)
}
