package tools

import "mcp-memory/memory"

// chooseSession returns the session that a call names, or else the configured
// one, when it is a legal id.
func chooseSession(given, configured string) (string, error) {
	if given == "" {
		given = configured
	}
	return given, memory.CheckSessionID(given)
}
