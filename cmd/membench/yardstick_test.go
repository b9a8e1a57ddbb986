package main

import (
	"os"
	"testing"
)

func TestYardstick(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var times yardstickTimes
	if err := times.measure(dir); err != nil {
		t.Fatalf("measure() = %v", err)
	}
	if got := times.median(); got.FsyncMicros <= 0 || got.LoopMillis <= 0 {
		t.Errorf("median() = %+v, want times above 0", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("measure() left %v, %v, want nothing", left, err)
	}
	if err := times.measure(dir + "/absent"); err == nil {
		t.Error("measure(absent directory) = nil, want an error")
	}
}

func TestYardstickMedian(t *testing.T) {
	t.Parallel()
	times := yardstickTimes{micros: []float64{300, 100, 200}, millis: []float64{9, 7, 8}}
	if got, want := times.median(), (yardstick{200, 8}); got != want {
		t.Errorf("median() = %+v, want %+v", got, want)
	}
}
