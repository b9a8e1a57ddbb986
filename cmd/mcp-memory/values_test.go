package main

import (
	"strings"
	"testing"
	"time"
)

func TestByteSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byteSize{
		"0": 0, "4194304": 4 << 20, "4MiB": 4 << 20, "4 mib": 4 << 20, "1GiB": 1 << 30, "10KB": 10_000, "7b": 7,
	} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("byteSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5MiB", "4TiB", "9999999999GiB"} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("byteSize(%q) = %d, want an error", text, got)
		}
	}
}

func TestLifetimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90d": 90 * 24 * time.Hour, " 1D ": 24 * time.Hour, "12h": 12 * time.Hour, "36500d": 36500 * 24 * time.Hour} {
		var got lifetime
		if err := got.UnmarshalText([]byte(text)); err != nil || time.Duration(got) != want {
			t.Errorf("lifetime(%q) = %v, %v, want %v", text, time.Duration(got), err, want)
		}
	}
	for _, text := range []string{"", "d", "90", "0d", "-1d", "1.5d", "36501d", "0h", "-3h", "9999999h"} {
		var got lifetime
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("lifetime(%q) = %v, want an error", text, time.Duration(got))
		}
	}
}

func TestPathsExpand(t *testing.T) {
	t.Parallel()
	env := newEnvironment([]string{"HOME=/home/ada", "DIR=data", "EMPTY="})
	for path, want := range map[string]string{
		"plain.db": "plain.db", "~": "/home/ada", "~/m.db": "/home/ada/m.db", "~other/m.db": "~other/m.db",
		"$HOME/m.db": "/home/ada/m.db", "${HOME}/$DIR/m.db": "/home/ada/data/m.db", "a~/m.db": "a~/m.db", "東京/m.db": "東京/m.db",
	} {
		if got, err := env.expand(path); err != nil || got != want {
			t.Errorf("expand(%q) = %q, %v, want %q", path, got, err, want)
		}
	}
	for path, name := range map[string]string{"$NOPE/m.db": "NOPE", "${EMPTY}/m.db": "EMPTY"} {
		if got, err := env.expand(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("expand(%q) = %q, %v, want an error that names %s", path, got, err, name)
		}
	}
}
