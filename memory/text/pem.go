package text

import (
	"regexp"
	"strings"
)

const privateKeyRule = "private-key"

var (
	keyBegin = regexp.MustCompile(`-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	keyEnd   = regexp.MustCompile(`-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	keyLine  = regexp.MustCompile(`[A-Za-z0-9+/=]{16}`)
	// keyBody is what follows the first line when the last one is missing:
	// headers, then lines of base64, their ends written out or as \n.
	keyBody = regexp.MustCompile(`^(?:\s|\\[nr]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]*\n)*(?:[A-Za-z0-9+/]{16,}={0,2}(?:\s|\\[nr])*)+(?:[A-Za-z0-9+/]{1,15}={0,2}(?:\s|\\[nr]|$))?`)
)

// keyBytes is the most that lies between the first and the last line of a key.
const keyBytes = 64 << 10

// privateKeys returns the PEM blocks of private keys in s, also when the last
// line is missing. A mention of the first and last line, with no key between
// them, is none.
func privateKeys(s string) []secret {
	var secrets []secret
	for at := 0; ; {
		i := strings.Index(s[at:], "-----BEGIN")
		if i < 0 {
			return secrets
		}
		start := at + i
		size := privateKey(clip(s[start:], keyBytes))
		if size > 0 {
			secrets = append(secrets, secret{Span{start, start + size}, privateKeyRule})
		}
		at = start + max(size, len("-----BEGIN"))
	}
}

// privateKey returns the length of the private key block that begins s, or 0.
func privateKey(s string) int {
	first := keyBegin.FindStringIndex(clip(s, 160))
	if first == nil || first[0] != 0 {
		return 0
	}
	head := first[1]
	if next := strings.Index(s[head:], "-----BEGIN"); next >= 0 {
		s = s[:head+next]
	}
	if last := keyEnd.FindStringIndex(s[head:]); last != nil && keyLine.MatchString(s[head:head+last[0]]) {
		return head + last[1]
	}
	if body := keyBody.FindString(s[head:]); body != "" {
		return head + len(strings.TrimRight(body, " \t\r\n"))
	}
	return 0
}
