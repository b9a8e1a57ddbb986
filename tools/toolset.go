package tools

import (
	"slices"
	"strings"

	"mcp-memory/memory"
)

// toolset is some tools that are switched on together.
type toolset struct {
	name  string
	tools []string
}

// toolsets are in the order in which help names them.
var toolsets = [...]toolset{
	{"conversation", []string{"add_messages", "chat_history", "get_context"}},
	{"upkeep", []string{"compact", "reset"}},
	{"fit", []string{"fit_context"}},
	{"lessons", []string{"write_error", "find_errors"}},
	{"notes", []string{"memory_search", "memory_get", "memory_write"}},
}

// Toolsets names the sets of tools that Selection knows.
func Toolsets() []string {
	names := make([]string, len(toolsets))
	for i, set := range toolsets {
		names[i] = set.name
	}
	return names
}

// Missing names the tools that are not in the list.
func Missing(list []Tool) []string {
	var missing []string
	for _, set := range toolsets {
		for _, name := range set.tools {
			if !slices.ContainsFunc(list, func(t Tool) bool { return t.Name() == name }) {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// Selection is which tools are offered. The zero value is all of them.
type Selection struct {
	Toolsets []string // names of sets; none, or "all", = every tool
	ReadOnly bool     // leave out the tools that change something
}

// Of returns the tools of list that are selected, in order. A set that does not
// exist is ErrInvalid.
func (s Selection) Of(list []Tool) ([]Tool, error) {
	var chosen []string
	for _, name := range s.Toolsets {
		i := slices.IndexFunc(toolsets[:], func(set toolset) bool { return set.name == name })
		switch {
		case name == "all":
			return Selection{ReadOnly: s.ReadOnly}.Of(list)
		case i < 0:
			return nil, memory.Invalidf("there is no toolset %q: known are all, %s", name, strings.Join(Toolsets(), ", "))
		}
		chosen = append(chosen, toolsets[i].tools...)
	}
	selected := []Tool{}
	for _, t := range list {
		if (len(s.Toolsets) == 0 || slices.Contains(chosen, t.Name())) && (t.ReadOnly() || !s.ReadOnly) {
			selected = append(selected, t)
		}
	}
	return selected, nil
}
