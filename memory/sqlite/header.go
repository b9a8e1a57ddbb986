package sqlite

import (
	"encoding/binary"
	"errors"
	"io"
	"os"

	"mcp-memory/memory"
)

// applicationID marks our files in the header ("mcme").
const applicationID = 0x6d636d65

// The places in the 100-byte header of a database file, see
// https://www.sqlite.org/fileformat.html §1.3.
const (
	headerSize          = 100
	headerMagic         = "SQLite format 3\x00"
	headerSchemaCookie  = 40 // grows with each change of the schema, from 0
	headerUserVersion   = 60
	headerApplicationID = 68
)

// inspectFile reads the header of an existing file with plain reads, so that a
// file we refuse is not even opened by SQLite, which could leave a -wal behind.
func inspectFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return memory.Unavailablef("cannot open the database %s for writing: %v", path, unwrapPath(err))
	}
	defer f.Close()
	var header [headerSize]byte
	n, err := io.ReadFull(f, header[:])
	switch {
	case errors.Is(err, io.EOF): // an empty file is a new database
		return nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return memory.Unavailablef("cannot read the database %s: %v", path, unwrapPath(err))
	case n < headerSize || string(header[:len(headerMagic)]) != headerMagic:
		return memory.Invalidf("%s is not a SQLite database; give another path, it was left as it is", path)
	}
	field := func(at int) uint32 { return binary.BigEndian.Uint32(header[at:]) }
	id, version := field(headerApplicationID), int(field(headerUserVersion))
	unused := id == 0 && version == 0 && field(headerSchemaCookie) == 0 // ours too, before its first migration
	switch {
	case id != applicationID && !unused:
		return memory.Invalidf("%s is the SQLite database of another program; give another path, it was left as it is", path)
	case version > latestVersion():
		return newerError(path, version)
	}
	return nil
}

func newerError(path string, version int) error {
	return memory.Invalidf("%s was written by a newer version of mcp-memory (schema %d, this one knows %d); update mcp-memory, the file was left as it is",
		path, version, latestVersion())
}

// isEmpty says whether the file has no content yet.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}
