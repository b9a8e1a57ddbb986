package embed

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// When the local model is trained. Below minDocuments there is too little to
// learn from and hashed vectors do as well; after that it is trained again
// whenever the messages have grown by growth: a model that has seen half of a
// conversation finds a fifth less of the other half, and training a thousand
// messages takes a twentieth of a second.
const (
	minDocuments = 64
	growth       = .1
)

// state is what a model is trained on: the messages with text, and how many have
// been deleted before.
type state struct {
	documents, deletions int
}

// lsaName begins the name of a trained model; its state and a checksum follow,
// so that two trainings never share a name.
const lsaName = "lsa-1-"

func isLearnt(name string) bool { return strings.HasPrefix(name, lsaName) }

// name is the name of a model with this body, trained in this state.
func (s state) name(body []byte) string {
	return fmt.Sprintf("%s%d-%d-%08x", lsaName, s.documents, s.deletions, crc32.ChecksumIEEE(body))
}

// trainedIn is the state in which a model was trained; false for one that was
// not.
func trainedIn(name string) (s state, ok bool) {
	n, _ := fmt.Sscanf(name, lsaName+"%d-%d-", &s.documents, &s.deletions)
	return s, n > 0
}

// due says whether the model is to be replaced by one that is trained now, in
// which case too few messages mean the hashed one: when the messages have grown
// enough, when any has been deleted, whose words must not stay in the model, or
// when it was asked for and there is any change.
func due(model string, now state, asked bool) bool {
	before, trained := trainedIn(model)
	if !trained { // hashed, or of an older kind
		return now.documents >= minDocuments
	}
	grown := now.documents >= minDocuments && float64(now.documents) >= float64(before.documents)*(1+growth)
	return grown || now.deletions != before.deletions || asked && now != before
}
