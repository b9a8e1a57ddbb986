package guard

import (
	"encoding/json"
	"net/http"
)

// codes are the words for the statuses of refusals.
var codes = map[int]string{
	http.StatusBadRequest:            "invalid",
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              "not_found",
	http.StatusMethodNotAllowed:      "method_not_allowed",
	http.StatusConflict:              "conflict",
	http.StatusRequestEntityTooLarge: "too_large",
	http.StatusUnsupportedMediaType:  "unsupported_media_type",
	http.StatusTooManyRequests:       "too_many_requests",
	http.StatusInternalServerError:   "internal",
	http.StatusServiceUnavailable:    "unavailable",
}

// Failure is the body of every answer that is an error.
type Failure struct {
	Error struct {
		Code    string `json:"code"`    // a word for programs
		Message string `json:"message"` // a sentence for people and models
	} `json:"error"`
}

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, status int, message string) {
	var f Failure
	f.Error.Code, f.Error.Message = codes[status], message
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(f) // who asked may be gone
}
