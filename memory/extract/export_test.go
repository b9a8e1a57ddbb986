package extract

// Sentences and Prose are tested on their own: they read whatever comes.
var (
	Sentences = sentences
	Prose     = prose
	Cut       = cut
)
