package tools_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/tools"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	all := slices.Collect(maps.Values(newDesk(t).tools))
	const everything = "add_messages chat_history compact find_errors fit_context get_context memory_get memory_search memory_write reset write_error"
	for _, c := range []struct {
		selection tools.Selection
		want      string
	}{
		{tools.Selection{}, everything},
		{tools.Selection{Toolsets: []string{"notes", "all"}}, everything},
		{tools.Selection{Toolsets: []string{"conversation", "lessons"}, ReadOnly: true}, "chat_history find_errors get_context"},
		{tools.Selection{Toolsets: []string{"lessons"}}, "find_errors write_error"},
	} {
		list, err := c.selection.Of(all)
		var names []string
		for _, one := range list {
			names = append(names, one.Name())
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want || err != nil {
			t.Errorf("%+v selects %q, %v, want %q", c.selection, got, err, c.want)
		}
	}
	if _, err := (tools.Selection{Toolsets: []string{"everything"}}).Of(all); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "conversation") {
		t.Errorf("an unknown toolset = %v, want ErrInvalid with the known ones", err)
	}
}

// Every tool is in a toolset, so that --toolsets can reach it.
func TestEveryToolIsInAToolset(t *testing.T) {
	t.Parallel()
	for name, tool := range newDesk(t).tools {
		list, err := tools.Selection{Toolsets: tools.Toolsets()}.Of([]tools.Tool{tool})
		if err != nil || len(list) != 1 {
			t.Errorf("%s is in no toolset: %v, %v", name, list, err)
		}
	}
}
