package memory

import (
	"errors"
	"fmt"
)

// The errors that callers tell apart with errors.Is. An adapter translates what
// its technology reports (by code, never by text) and wraps one of these.
var (
	// ErrInvalid: the caller's input is wrong. The message says what is wrong
	// and what to do, and is safe to show to a model or a person.
	ErrInvalid = errors.New("invalid")
	// ErrNotFound: what was named does not exist.
	ErrNotFound = errors.New("not found")
	// ErrConflict: what was read has changed since, or another is at work on it.
	ErrConflict = errors.New("conflict")
	// ErrUnavailable: a needed part (disk, lock, endpoint) does not work now.
	ErrUnavailable = errors.New("unavailable")
	// ErrDimension: a vector has another length than its model.
	ErrDimension = errors.New("wrong vector dimension")
	// ErrTooLong: a prompt does not fit a model's context window.
	ErrTooLong = errors.New("too long for the model")
)

// PublicError is an error whose text may be shown to the caller as it is.
// Everything else is logged and answered with "internal error".
type PublicError struct {
	kind error
	text string
}

// Error returns the text for the caller.
func (e *PublicError) Error() string { return e.text }

// Unwrap makes errors.Is find the sentinel.
func (e *PublicError) Unwrap() error { return e.kind }

// Invalidf makes an ErrInvalid whose text is for the caller.
func Invalidf(format string, args ...any) error {
	return &PublicError{ErrInvalid, fmt.Sprintf(format, args...)}
}

// NotFoundf makes an ErrNotFound whose text is for the caller.
func NotFoundf(format string, args ...any) error {
	return &PublicError{ErrNotFound, fmt.Sprintf(format, args...)}
}

// Conflictf makes an ErrConflict whose text is for the caller.
func Conflictf(format string, args ...any) error {
	return &PublicError{ErrConflict, fmt.Sprintf(format, args...)}
}

// Unavailablef makes an ErrUnavailable whose text is for the caller.
func Unavailablef(format string, args ...any) error {
	return &PublicError{ErrUnavailable, fmt.Sprintf(format, args...)}
}
