package notes

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mcp-memory/memory"
)

// Target is a note that can be written.
type Target string

// The targets.
const (
	Core   Target = "core"   // what lasts
	Today  Target = "daily"  // what today brought
	System Target = "system" // who the agent is and how it works
	User   Target = "user"   // who the user is
)

// The names of files in the workspace.
const (
	corePath    = "MEMORY.md"
	dailyFolder = "memory"
	extension   = ".md"
)

// profileNames are the files of a profile, by target. The first is the one that
// is made; a workspace that has one of the others already keeps it.
var profileNames = map[Target][]string{
	System: {"system.md", "AGENT.md", "SOUL.md"},
	User:   {"user.md", "USER.md"},
}

// DailyPath is the path of the note of a day.
func DailyPath(day string) string { return dailyFolder + "/" + day + extension }

// ParseDay checks that s is a day, YYYY-MM-DD.
func ParseDay(s string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return day, memory.Invalidf("%q is no day: write YYYY-MM-DD", s)
	}
	return day, nil
}

// Day is the day, YYYY-MM-DD, that a moment belongs to.
func (n *Notes) Day(at time.Time) string { return at.In(n.c.Location).Format(time.DateOnly) }

// resolve is the path of a target. Of a profile it is the file that has something
// in it, else the one that exists, else the one to make.
func (n *Notes) resolve(ctx context.Context, t Target) (string, error) {
	switch t {
	case Core:
		return corePath, nil
	case Today:
		return DailyPath(n.Day(n.c.Now())), nil
	case System, User:
		return n.profilePath(ctx, t)
	}
	return "", memory.Invalidf("target must be one of core, daily, system, user; got %q", t)
}

func (n *Notes) profilePath(ctx context.Context, t Target) (string, error) {
	names := profileNames[t]
	found := ""
	for _, name := range names {
		stat, err := n.c.Files.Stat(ctx, name)
		switch {
		case errors.Is(err, memory.ErrNotFound):
			continue
		case err != nil:
			return "", err
		case stat.Size > 0:
			return name, nil
		case found == "":
			found = name
		}
	}
	if found == "" {
		found = names[0]
	}
	return found, nil
}

// sourceOf says what kind of note a path is; day is set of a daily one.
func sourceOf(p string) (source memory.NoteSource, day string) {
	if p == corePath {
		return memory.NoteCore, ""
	}
	for _, names := range profileNames {
		for _, name := range names {
			if p == name {
				return memory.NoteProfile, ""
			}
		}
	}
	if dir, file := path.Split(p); dir == dailyFolder+"/" {
		day = strings.TrimSuffix(file, extension)
		if _, err := ParseDay(day); err == nil && DailyPath(day) == p {
			return memory.NoteDaily, day
		}
	}
	return memory.NoteOther, ""
}

// span is the stretch of time that a file is of.
func (n *Notes) span(stat memory.NoteStat) (source memory.NoteSource, from, to time.Time) {
	source, day := sourceOf(stat.Path)
	if source != memory.NoteDaily {
		return source, stat.ModTime.UTC(), stat.ModTime.UTC().Add(1)
	}
	from, _ = time.ParseInLocation(time.DateOnly, day, n.c.Location) // sourceOf has read it
	return source, from.UTC(), from.AddDate(0, 0, 1).UTC()
}

// cleanPath checks a path that a caller gave and writes it as the workspace does.
func cleanPath(p string) (string, error) {
	slashed := strings.ReplaceAll(p, `\`, "/")
	clean := path.Clean(slashed)
	switch {
	case strings.TrimSpace(p) == "":
		return "", memory.Invalidf("path is empty: give that of a note, such as MEMORY.md")
	case path.IsAbs(slashed) || driveLetter(slashed) || !filepath.IsLocal(clean) || strings.ContainsRune(p, 0):
		return "", memory.Invalidf("path must stay inside the workspace, such as memory/2026-03-08.md; got %q", short(p))
	case !memory.IsNote(clean):
		return "", memory.Invalidf("%q is no note: only Markdown files that are not hidden can be read", short(p))
	}
	return clean, nil
}

// short is a text as an error quotes it.
func short(s string) string {
	const most = 200
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// driveLetter says whether a path begins like one of Windows, C:.
func driveLetter(p string) bool {
	return len(p) > 1 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}
