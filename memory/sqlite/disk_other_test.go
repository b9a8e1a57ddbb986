//go:build !unix

package sqlite_test

import (
	"context"
	"errors"

	"mcp-memory/memory/sqlite"
)

func hitLimit(context.Context, *sqlite.DB) error { return errors.ErrUnsupported }
