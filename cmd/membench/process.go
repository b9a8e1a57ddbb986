package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// memoryUse is what a process holds in memory, in bytes.
type memoryUse struct {
	Resident   int64 `json:"rss_bytes"`       // VmRSS
	Peak       int64 `json:"peak_rss_bytes"`  // VmHWM
	Anonymous  int64 `json:"anonymous_bytes"` // RssAnon: its own data
	FileMapped int64 `json:"file_bytes"`      // RssFile: pages of mapped files, which the system can take back
}

// readMemory asks Linux about a process. Where there is no /proc it returns
// nil, which means not known.
func readMemory(pid int) (*memoryUse, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read process status: %w", err)
	}
	return parseStatus(string(status))
}

// parseStatus reads the text of /proc/PID/status (proc_pid_status(5)), whose
// sizes are in units of 1,024 bytes.
func parseStatus(status string) (*memoryUse, error) {
	use := &memoryUse{}
	fields := map[string]*int64{
		"VmRSS": &use.Resident, "VmHWM": &use.Peak, "RssAnon": &use.Anonymous, "RssFile": &use.FileMapped,
	}
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		into, wanted := fields[name]
		if !wanted {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("parse %s of process status: %w", name, err)
		}
		*into = kilobytes * 1024
		delete(fields, name)
	}
	for name := range fields {
		return nil, fmt.Errorf("parse process status: it has no %s", name)
	}
	return use, nil
}
