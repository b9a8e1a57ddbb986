// Package tools holds the tools that agents call, one file each: typed
// arguments in, one call into an engine, a typed result and a short readable
// text out. Names, arguments and result fields are a contract with everyone who
// has written them into a prompt; they grow, they do not change.
//
// A tool does no work of its own: what it does to the memory is its engine's
// matter. What is the same for all of them is here: reading arguments leniently,
// schemas that every client accepts, quoting recorded text as data, and turning
// errors into answers. The typed functions (AddMessages.Call and so on) know
// nothing of the protocol, so that other faces can call them too.
package tools

import "fmt"

// Describer is what every tool of this package is.
type Describer interface{ Tool() (Tool, error) }

// All describes the tools, in order.
func All(list ...Describer) ([]Tool, error) {
	tools := make([]Tool, 0, len(list))
	for _, one := range list {
		t, err := one.Tool()
		if err != nil {
			return nil, fmt.Errorf("describe tools: %w", err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}
