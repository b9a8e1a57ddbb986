package memory

import "time"

// LessonLife is how long a lesson is kept after it was written or last found.
const LessonLife = 90 * 24 * time.Hour

// Lesson is how an error of a tool was solved. Lessons are shared by all sessions.
type Lesson struct {
	ID       int64 // given by the store, never used again; 0 before it is stored
	Tool     string
	Keywords []string // nil = none
	Symptom  string   // what was seen of the error
	Cause    string   // why it came; "" = not known
	Action   string   // what solved it

	Session   string    // in which it was written last; "" = none
	Source    string    // what wrote it last: "mcp", "cli", …
	CreatedAt time.Time // when it was written first
	UpdatedAt time.Time // when it was written or edited last
	ExpiresAt time.Time // from then on it is not found any more
}

// LessonEntry is a lesson made ready for the store.
type LessonEntry struct {
	Lesson  Lesson   // ID and CreatedAt are the store's to give
	ToolKey string   // the tool as it is compared: equal for spellings of one name
	Key     []byte   // of tool, class of error and action: an equal key is the same lesson
	Tokens  []string // by which it is found, as package text makes them
}

// SavedLesson is what became of a lesson that was saved.
type SavedLesson struct {
	ID      int64
	Updated bool // it was known: what was stored of it is replaced
}

// LessonHit is a lesson that a search found.
type LessonHit struct {
	Lesson Lesson
	Score  float64 // larger is better
}
