package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCommand shows versions.
type versionCommand struct{}

// Run prints the versions of the program and of what it stands on.
func (versionCommand) Run(p *program) error {
	fmt.Fprintf(p.stdout, "mcp-memory %s\n", programVersion())
	fmt.Fprintf(p.stdout, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, path := range []string{"modernc.org/sqlite", "github.com/mark3labs/mcp-go"} {
		if v := moduleVersion(path); v != "" {
			fmt.Fprintf(p.stdout, "%s %s\n", path, v)
		}
	}
	return nil
}

// programVersion is the version of the module, or the commit it was built from.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	version, changed := "devel", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version = "devel-" + s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	return version + changed
}

// moduleVersion is the version of a module that was built in, "" when it was
// not.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
