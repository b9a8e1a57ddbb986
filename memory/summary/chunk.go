package summary

import (
	"slices"
	"strings"

	"mcp-memory/memory"
)

// chunk is what one model call gets.
type chunk struct {
	exchanges [][]item // in order of arrival; the last one may go on in the next chunk
	runes     int
	end       memory.SummaryCursor // once it is in the summary
}

// cut takes the next chunk off a list of exchanges, which is not empty. A chunk
// has whole exchanges of at most limit characters together; a longer one is a
// chunk of its own. Where inside is set, or a message alone is over the limit,
// such an exchange is cut between messages, and a message over the limit inside.
func (e *Engine) cut(list []exchange, limit int, inside bool) (c chunk, rest []exchange) {
	for len(list) > 0 {
		x := &list[0]
		alone := len(c.exchanges) == 0 && !inside && x.longest() <= limit
		if c.runes+x.runes > limit && !alone {
			break
		}
		c.add(x.items)
		c.end = x.end()
		list = list[1:]
	}
	if len(c.exchanges) > 0 {
		return c, list
	}
	return e.cutInside(list, limit)
}

// cutInside takes a chunk off the first exchange, which is longer than the limit:
// as many messages as fit. The next one is cut when it is over the limit itself,
// or when the chunk would else end on the user's message.
func (e *Engine) cutInside(list []exchange, limit int) (c chunk, rest []exchange) {
	x := list[0]
	n := 0 // whole items
	for runes := 0; n < len(x.items) && runes+x.items[n].runes <= limit; n++ {
		runes += x.items[n].runes
	}
	if n > 0 {
		c.add(x.items[:n])
		c.end = memory.SummaryCursor{Seq: x.items[n-1].message.Seq}
	}
	if n == len(x.items) {
		c.end = x.end()
		return c, list[1:]
	}
	next := x.items[n]
	remaining := x.items[n:]
	if next.runes > limit || n == 1 && x.items[0].message.Role == memory.RoleUser {
		if part, tail, ok := e.split(next, limit-c.runes); ok {
			c.append(part)
			c.end = memory.SummaryCursor{Seq: next.message.Seq - 1, Part: next.message.Seq, Offset: tail.offset}
			remaining = slices.Concat([]item{tail}, x.items[n+1:])
		}
	}
	if len(c.exchanges) == 0 { // it cannot be cut
		c.add(remaining[:1])
		c.end = memory.SummaryCursor{Seq: next.message.Seq}
		remaining = remaining[1:]
		if len(remaining) == 0 {
			c.end = x.end()
			return c, list[1:]
		}
	}
	left := exchange{last: x.last}
	for _, it := range remaining {
		left.items = append(left.items, it)
		left.runes += it.runes
	}
	return c, slices.Concat([]exchange{left}, list[1:])
}

// add appends the items of an exchange.
func (c *chunk) add(items []item) {
	c.exchanges = append(c.exchanges, slices.Clip(items))
	for _, it := range items {
		c.runes += it.runes
	}
}

// append adds an item to the last exchange.
func (c *chunk) append(it item) {
	if len(c.exchanges) == 0 {
		c.exchanges = append(c.exchanges, nil)
	}
	last := &c.exchanges[len(c.exchanges)-1]
	*last = append(*last, it)
	c.runes += it.runes
}

// transcript shows the messages of the chunk, a line each, by time and then by
// arrival.
func (c *chunk) transcript() string {
	items := slices.Concat(c.exchanges...)
	slices.SortStableFunc(items, func(a, b item) int {
		return a.message.Position().Compare(b.message.Position())
	})
	lines := make([]string, len(items))
	for i, it := range items {
		lines[i] = it.line
	}
	return strings.Join(lines, "\n")
}

// messages are the exchanges of the chunk as messages.
func (c *chunk) messages() [][]memory.Message {
	all := make([][]memory.Message, len(c.exchanges))
	for i, items := range c.exchanges {
		for _, it := range items {
			all[i] = append(all[i], it.message)
		}
	}
	return all
}
