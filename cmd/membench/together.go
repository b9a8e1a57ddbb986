package main

import "strconv"

// together makes one corpus of all corpora of a dataset, the datasets in order of
// appearance. A dataset of one corpus stays as it is.
func together(corpora []corpus) []corpus {
	var datasets []string
	parts := make(map[string][]corpus)
	for _, c := range corpora {
		datasets = appendNew(datasets, c.Dataset)
		parts[c.Dataset] = append(parts[c.Dataset], c)
	}
	list := make([]corpus, 0, len(datasets))
	for _, name := range datasets {
		list = append(list, join(parts[name]))
	}
	return list
}

// join puts corpora into one. A number and a colon before the ids of messages
// and sessions keep those of different corpora apart.
func join(parts []corpus) corpus {
	if len(parts) == 1 {
		return parts[0]
	}
	whole := corpus{Dataset: parts[0].Dataset, Conv: wholeCategory}
	for i, c := range parts {
		prefix := strconv.Itoa(i+1) + ":"
		for _, d := range c.Docs {
			d.ID, d.Session = prefix+d.ID, sessionID(prefix)+d.Session
			whole.Docs = append(whole.Docs, d)
		}
		for _, q := range c.Queries {
			gold := make([]string, len(q.Gold))
			for j, id := range q.Gold {
				gold[j] = prefix + id
			}
			q.Gold = gold
			whole.Queries = append(whole.Queries, q)
		}
	}
	return whole
}
