package sqlite

import (
	"net/url"
	"strings"
)

// dsn builds the data source name of the writer or of a reader. The path goes
// through url.URL: pasted in as text, a name with ? # or % opens another file.
func dsn(opts Options, writer bool) string {
	q := url.Values{}
	for _, pragma := range []string{
		"busy_timeout(10000)",
		"journal_mode(" + opts.JournalMode + ")",
		"synchronous(" + opts.Sync + ")",
		"foreign_keys(1)",
		"secure_delete(1)",
	} {
		q.Add("_pragma", pragma)
	}
	q.Set("_dqs", "0")
	if writer {
		if isEmpty(opts.Path) { // later it would change nothing, and wait for the write lock
			q.Set("_auto_vacuum", "incremental")
		}
	} else {
		q.Set("_query_only", "1")
		q.Add("_pragma", "mmap_size(268435456)") // 256 MiB: halves the time of a large vector search
	}
	return fileURI(opts.Path) + "?" + q.Encode()
}

// fileURI turns an absolute path into SQLite's file: URI. A Windows drive
// becomes file:///C:/…, a UNC share file:////server/share/….
func fileURI(path string) string {
	if isDrive(path) {
		path = "/" + strings.ReplaceAll(path, `\`, "/")
	} else if strings.HasPrefix(path, `\\`) {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	escaped := (&url.URL{Path: path}).EscapedPath()
	return "file://" + escaped
}

func isDrive(path string) bool {
	return len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') &&
		(path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z')
}
