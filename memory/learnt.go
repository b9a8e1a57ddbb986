package memory

// LearntWord is a word that was folded into a learnt model after its training.
type LearntWord struct {
	ID         int64  // order of adding, from the store
	Hash       uint32 // the word
	IDF, Scale float32
	Vector     []byte // opaque to the store
}
