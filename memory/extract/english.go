package extract

// spacedReader reads a language that parts its words.
type spacedReader struct {
	phrases   map[string][]phrase // the cues, by their first word
	courtesy  map[string]bool
	questions []phrase
	lists     [listNames]map[string][]phrase // by their first word
}

var englishReader = newSpacedReader(&english)

// newSpacedReader prepares the lists of a language.
func newSpacedReader(l *language) *spacedReader {
	r := &spacedReader{courtesy: words(l.courtesy...), questions: phrasesOf(cueList{phrases: l.questions})}
	var cues []phrase
	for _, list := range l.cues {
		cues = append(cues, phrasesOf(list)...)
	}
	r.phrases = byFirstWord(cues)
	for name := range listNames {
		r.lists[name] = byFirstWord(phrasesOf(cueList{phrases: l.list(name)}))
	}
	return r
}

// byFirstWord sorts phrases by the alternatives of their first word, none of
// which may be a pattern.
func byFirstWord(phrases []phrase) map[string][]phrase {
	index := map[string][]phrase{}
	for _, p := range phrases {
		for _, first := range p.words[0] {
			index[first] = append(index[first], p)
		}
	}
	return index
}

func (r *spacedReader) cues(s string) []cue {
	ws := split(s, r.courtesy)
	var found []cue
	for i, w := range ws {
		for _, p := range r.phrases[w.text] {
			if end, ok := p.at(ws, i); ok {
				found = append(found, cue{w.start, ws[end-1].end, p.strength, p.polarity})
			}
		}
	}
	return found
}

// signWords is how many words behind a neutral cue tell what it asks for.
const signWords = 6

func (r *spacedReader) sign(s string, list listName) int {
	ws := split(s, r.courtesy)
	if list == toDo || list == notToDo {
		ws = ws[:min(len(ws), signWords)]
	}
	for i, w := range ws {
		for _, p := range r.lists[list][w.text] {
			if _, ok := p.at(ws, i); ok {
				return w.start
			}
		}
	}
	return -1
}

// asks looks at the first words, courtesies apart.
func (r *spacedReader) asks(s string) bool {
	ws := split(s, r.courtesy)
	for i, w := range ws {
		if !w.begins {
			return false
		}
		for _, p := range r.questions {
			if _, ok := p.at(ws, i); ok {
				return true
			}
		}
		if !r.courtesy[w.text] {
			return false
		}
	}
	return false
}
