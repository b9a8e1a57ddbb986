package sqlite

import (
	"strconv"

	"mcp-memory/memory"
)

// roles are stored as their index.
var roles = [...]memory.Role{memory.RoleUser, memory.RoleAssistant, memory.RoleSystem, memory.RoleTool}

func roleCode(r memory.Role) int {
	for i, x := range roles {
		if x == r {
			return i
		}
	}
	return -1 // refused by the table
}

// partBits is how many low bits of a passage number hold its ord.
const partBits = 8

// MaxParts is how many parts of a long message are indexed on their own; the
// whole is indexed whatever its length.
const MaxParts = 1<<partBits - 1

func passageID(message int64, ord int) int64 { return message<<partBits | int64(ord) }

func splitPassageID(id int64) (message int64, ord int) {
	return id >> partBits, int(id & MaxParts)
}

// scopeMark begins each token of the scope column. It is a private-use
// character that the analyser never emits first, so that a word of a text
// cannot be taken for a scope.
const scopeMark = "\uf8ff"

func sessionToken(id int64) string   { return scopeMark + "s" + strconv.FormatInt(id, 10) }
func roleToken(r memory.Role) string { return scopeMark + "r" + strconv.Itoa(roleCode(r)) }
func scopeOf(m *messageRow) string   { return sessionToken(m.session) + " " + roleToken(m.role) }
