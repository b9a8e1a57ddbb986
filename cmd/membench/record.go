package main

import "context"

const (
	batchSize   = 200 // messages a call
	trickleStep = 20  // messages after which a trickle lets the index catch up
)

// setting is how messages are recorded, the same for all corpora.
type setting struct {
	Nameless bool `json:"nameless" help:"Record every message with the role user and without a sender."`
	Together bool `json:"together" help:"Record all corpora of a dataset into one database, each in sessions of its own, so that answers are looked for among all."`
	Trickle  bool `json:"trickle" help:"Record message by message and let the index catch up after every 20, as with a live agent."`
}

// record adds all messages of a corpus, many a call or, in a trickle, one. The
// last vectors may be missing when it returns.
func (s *setting) record(ctx context.Context, to *server, from *corpus, w waiting) error {
	size := batchSize
	if s.Trickle {
		size = 1
	}
	batches, err := from.batches(size)
	if err != nil {
		return err
	}
	w.settle = 0 // a live agent goes on while the server learns
	for i, b := range batches {
		if _, err := to.add(ctx, b.session, b.messages); err != nil {
			return err
		}
		if !s.Trickle || (i+1)%trickleStep != 0 {
			continue
		}
		if _, err := to.waitIndexed(ctx, from.Docs[0].Text, w); err != nil {
			return err
		}
	}
	return nil
}
