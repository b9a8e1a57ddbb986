package summary

import (
	"mcp-memory/memory"
)

// exchange is one user message and all that arrived after it up to the next. The
// first of a portion may be the rest of one whose beginning is in the summary.
type exchange struct {
	items []item
	last  int64 // the cursor behind it; past messages that need no summary, too
	runes int   // of all items
}

// item is a message, or what is not in the summary yet of a long one.
type item struct {
	message memory.Message // whole
	offset  int            // bytes of its content that are in the summary
	line    string         // how it is shown
	runes   int            // of the line and its end
}

// exchanges cuts messages, in order of arrival, into exchanges. The message that
// the cursor has in part begins where the cursor stands.
func (e *Engine) exchanges(messages []memory.Message, from memory.SummaryCursor) []exchange {
	var list []exchange
	for _, m := range messages {
		offset := 0
		if m.Seq == from.Part {
			offset = min(from.Offset, len(m.Content))
		}
		if len(list) == 0 || m.Role == memory.RoleUser {
			list = append(list, exchange{})
		}
		list[len(list)-1].add(e.item(m, offset))
	}
	return list
}

func (x *exchange) add(it item) {
	x.items = append(x.items, it)
	x.last = it.message.Seq
	x.runes += it.runes
}

// begun says whether the first message is in the summary in part.
func (x *exchange) begun() bool { return x.items[0].offset > 0 }

// end is the cursor behind the exchange.
func (x *exchange) end() memory.SummaryCursor { return memory.SummaryCursor{Seq: x.last} }

// longest is the size of the longest item.
func (x *exchange) longest() int {
	longest := 0
	for _, it := range x.items {
		longest = max(longest, it.runes)
	}
	return longest
}
