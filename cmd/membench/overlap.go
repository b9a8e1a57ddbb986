package main

import "mcp-memory/memory/text"

// markOverlap notes which questions share no word with any message that answers
// them, in the words that the server's ranking counts: stemmed, without stop
// words, in Chinese and Japanese pairs of characters. A question of nothing but
// stop words shares none. Senders do not count as words of a message.
func (c *corpus) markOverlap() {
	terms := make(map[string][]string, len(c.Docs)) // of each answer, by its id
	for _, q := range c.Queries {
		for _, id := range q.Gold {
			terms[id] = nil
		}
	}
	for _, d := range c.Docs {
		if _, answers := terms[d.ID]; answers {
			terms[d.ID] = text.Terms(d.Text)
		}
	}
	for i := range c.Queries {
		c.Queries[i].noOverlap = !shared(&c.Queries[i], terms)
	}
}

// shared says whether a word of the question is in one of its answers.
func shared(q *labels, terms map[string][]string) bool {
	asked := make(map[string]bool)
	for _, term := range text.Terms(q.Question) {
		asked[term] = true
	}
	for _, id := range q.Gold {
		for _, term := range terms[id] {
			if asked[term] {
				return true
			}
		}
	}
	return false
}
