package server

// For tests: the longest line is too long to try out.
var (
	ReadLine       = readLine
	ErrLineTooLong = errLineTooLong
)
