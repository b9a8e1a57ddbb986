package lessons

import (
	"strings"

	"mcp-memory/memory/text"
)

// meanings spells out what programs abbreviate: the names of system errors (POSIX
// errno.h, Node.js), of some exceptions, and the status codes of HTTP (RFC 9110).
// One program shows the name, the next one the words.
var meanings = map[string]string{
	"eacces":        "permission denied",
	"eperm":         "operation not permitted permission denied",
	"eaddrinuse":    "address already in use port",
	"eaddrnotavail": "cannot assign requested address",
	"ebusy":         "device or resource busy",
	"econnaborted":  "connection aborted",
	"econnrefused":  "connection refused",
	"econnreset":    "connection reset by peer",
	"eexist":        "file already exists",
	"ehostunreach":  "no route to host unreachable",
	"eisdir":        "is a directory",
	"emfile":        "too many open files",
	"enetunreach":   "network is unreachable",
	"enoent":        "no such file or directory",
	"enomem":        "out of memory",
	"enospc":        "no space left on device disk full",
	"enotdir":       "not a directory",
	"enotempty":     "directory not empty",
	"enotfound":     "could not resolve host name",
	"epipe":         "broken pipe",
	"erofs":         "read only file system",
	"etimedout":     "connection timed out timeout",
	"exdev":         "invalid cross device link",

	"filenotfounderror":      "no such file or directory",
	"modulenotfounderror":    "no module named",
	"permissionerror":        "permission denied",
	"connectionrefusederror": "connection refused",
	"oomkilled":              "out of memory killed",

	"401": "unauthorized",
	"403": "forbidden",
	"404": "not found",
	"413": "payload too large",
	"429": "too many requests rate limit",
	"502": "bad gateway",
	"503": "service unavailable",
	"504": "gateway timeout",
}

// spell adds to a text what the abbreviations in it mean, each once.
func spell(s string) string {
	spelled := []string{s}
	seen := map[string]bool{}
	for t := range text.Tokens(s) {
		if m, ok := meanings[t.Word]; ok && !seen[t.Word] {
			seen[t.Word] = true
			spelled = append(spelled, m)
		}
	}
	return strings.Join(spelled, " ")
}
