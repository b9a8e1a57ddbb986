package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

const statusText = "Name:\tmcp-memory\nVmPeak:\t  900000 kB\nVmHWM:\t   40000 kB\nVmRSS:\t   30000 kB\n" +
	"RssAnon:\t   20000 kB\nRssFile:\t   10000 kB\nRssShmem:\t       0 kB\nThreads:\t7\n"

func TestParseStatus(t *testing.T) {
	t.Parallel()
	got, err := parseStatus(statusText)
	want := memoryUse{Resident: 30_720_000, Peak: 40_960_000, Anonymous: 20_480_000, FileMapped: 10_240_000}
	if err != nil || *got != want {
		t.Errorf("parseStatus() = %+v, %v, want %+v, nil", got, err, want)
	}
	for _, bad := range []string{"", strings.Replace(statusText, "30000", "many", 1), strings.Replace(statusText, "RssFile", "Rss", 1)} {
		if got, err := parseStatus(bad); err == nil {
			t.Errorf("parseStatus(%q) = %+v, want an error", bad, got)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add(statusText)
	f.Add("VmRSS:\nVmRSS: kB kB")
	f.Fuzz(func(t *testing.T, status string) {
		if use, err := parseStatus(status); (use == nil) == (err == nil) {
			t.Errorf("parseStatus(%q) = %v, %v, want one of them", status, use, err)
		}
	})
}

func TestReadMemory(t *testing.T) {
	t.Parallel()
	use, err := readMemory(os.Getpid())
	if err != nil {
		t.Fatalf("readMemory(own) = %v", err)
	}
	if known := use != nil; known != (runtime.GOOS == "linux") {
		t.Fatalf("readMemory(own) is known: %v on %s, want it on Linux alone", known, runtime.GOOS)
	}
	if use != nil && (use.Resident < 1e6 || use.Peak < use.Anonymous) {
		t.Errorf("readMemory(own) = %+v, want a megabyte or more and a peak not below the data", *use)
	}
}
