package summary

import (
	"context"
	"errors"
	"math"
	"time"

	"mcp-memory/memory"
)

// A portion is what is read and judged at one go.
const (
	portionMessages = 2000
	portionBytes    = 4 << 20
)

// walk goes over the messages of a session in order of arrival and merges them
// into a summary.
type walk struct {
	e       *Engine
	session string
	upTo    int64 // the last message to read; later ones are for the next time

	summary memory.Summary
	model   string // what wrote it
	cursor  memory.SummaryCursor
	talked  time.Time                   // when the last message in it was sent; zero = not known
	read    int                         // messages that are in it, of those walked over
	save    func(context.Context) error // keeps all of the above; called when it is of one piece

	limit  int  // characters of a chunk
	inside bool // a longer exchange is cut too
}

// walk prepares a walk to the last message that has arrived.
func (e *Engine) walk(session string, st memory.SummaryState) *walk {
	w := &walk{e: e, session: session, upTo: st.LastSeq, model: e.author(), limit: e.runes}
	if e.model == nil {
		w.limit = math.MaxInt // nothing is too long for the local summary
	}
	return w
}

// run reads portion after portion.
func (w *walk) run(ctx context.Context) error {
	if err := w.lookBack(ctx); err != nil {
		return err
	}
	for {
		portion, err := w.portion(ctx)
		if err != nil || len(portion) == 0 {
			return err
		}
		kept := w.judge(ctx, portion)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(kept) == 0 {
			w.pass(portion, portion[len(portion)-1].end())
			err = w.save(ctx)
		} else {
			err = w.merge(ctx, portion, kept)
		}
		if err != nil {
			return err
		}
	}
}

// lookBack finds out when the last message that is in the summary was sent, which
// the local summary asks for.
func (w *walk) lookBack(ctx context.Context) error {
	if w.e.model != nil || w.cursor.Seq == 0 {
		return nil
	}
	last, err := w.e.store.MessagesAfter(ctx, w.session, w.cursor.Seq-1, w.cursor.Seq, 1, 1)
	if err == nil && len(last) > 0 {
		w.talked = last[0].SentAt
	}
	return err
}

// portion reads the next exchanges. The last one is left for the next portion
// when more of it may come there.
func (w *walk) portion(ctx context.Context) ([]exchange, error) {
	messages, err := w.e.store.MessagesAfter(ctx, w.session, w.cursor.Seq, w.upTo, portionMessages, portionBytes)
	if err != nil || len(messages) == 0 {
		return nil, err
	}
	last := messages[len(messages)-1].Seq
	list := w.e.exchanges(messages, w.cursor)
	if last < w.upTo && len(list) > 1 {
		list = list[:len(list)-1]
	}
	return list, nil
}

// judge leaves out what is noise, and takes out of the summary what the exchanges
// overturn: all of them, because a turn without a result may still change a rule.
// A failed judgement keeps everything.
func (w *walk) judge(ctx context.Context, portion []exchange) []exchange {
	if w.e.judge == nil {
		return portion
	}
	kept, err := w.withoutNoise(ctx, portion)
	if err != nil {
		w.e.log.Warn("judge the exchanges", "session", w.session, "error", err)
		return portion
	}
	if len(w.summary.KeyDecisions)+len(w.summary.PastDiscussions) == 0 {
		return kept
	}
	pruned, err := w.e.judge.Overturned(ctx, w.summary, messagesOf(portion))
	if err != nil {
		w.e.log.Warn("judge the summary", "session", w.session, "error", err)
		return kept
	}
	w.summary = pruned
	return kept
}

// withoutNoise asks for the noise. An exchange that is in the summary in part is
// none.
func (w *walk) withoutNoise(ctx context.Context, portion []exchange) ([]exchange, error) {
	noise, err := w.e.judge.Noise(ctx, messagesOf(portion))
	if err == nil && len(noise) != len(portion) {
		err = errors.New("the judge gave another number of verdicts than it was given exchanges")
	}
	if err != nil {
		return nil, err
	}
	var kept []exchange
	for i, x := range portion {
		switch {
		case !noise[i] || x.begun():
			kept = append(kept, x)
		case len(kept) > 0: // the cursor passes it with the exchange before
			kept[len(kept)-1].last = x.last
		}
	}
	return kept, nil
}

// merge has the model merge exchanges into the summary, chunk by chunk. A chunk
// that is too long for it is halved.
func (w *walk) merge(ctx context.Context, portion, kept []exchange) error {
	for len(kept) > 0 {
		c, rest := w.e.cut(kept, w.limit, w.inside)
		next, err := w.e.merge(ctx, w.summary, w.talked, &c)
		if errors.Is(err, memory.ErrTooLong) && ctx.Err() == nil && w.halve(c.runes) {
			continue
		}
		if err != nil {
			return err
		}
		kept = rest
		w.summary, w.model = next, w.e.author()
		w.pass(portion, c.end)
		if err := w.save(ctx); err != nil {
			return err
		}
	}
	return nil
}

// halve makes chunks smaller after one of so many characters was too long; false
// when they cannot be smaller. What the model takes is remembered for the rest of
// the walk.
func (w *walk) halve(runes int) bool {
	if runes > w.limit && !w.inside {
		w.inside = true
		return true
	}
	w.inside = true
	w.limit = min(w.limit, runes) / 2
	return w.limit >= LeastRunes
}

// pass moves the cursor and counts the messages that it passes.
func (w *walk) pass(portion []exchange, to memory.SummaryCursor) {
	for _, x := range portion {
		for _, it := range x.items {
			if it.message.Seq > w.cursor.Seq && it.message.Seq <= to.Seq {
				w.read++
				w.talked = it.message.SentAt
			}
		}
	}
	w.cursor = to
}

// messagesOf are the messages of exchanges.
func messagesOf(list []exchange) [][]memory.Message {
	all := make([][]memory.Message, len(list))
	for i, x := range list {
		for _, it := range x.items {
			all[i] = append(all[i], it.message)
		}
	}
	return all
}
