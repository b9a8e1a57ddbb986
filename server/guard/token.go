package guard

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// Token lets its bearer in as somebody. Only a digest of the secret is kept.
type Token struct {
	Identity
	digest [sha256.Size]byte
}

// NewToken makes a token of its secret.
func NewToken(who Identity, secret string) Token {
	return Token{Identity: who, digest: sha256.Sum256([]byte(secret))}
}

// readOnlyMark is the word of a line that makes a token read-only.
const readOnlyMark = "ro"

// namespaces become parts of file names, also where those know no case.
var namespacePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// ReadTokens reads a token file: a line "name token [namespace] [ro]" each.
// Empty lines and those that begin with # are left out. Errors name the line
// and never what a token is.
func ReadTokens(in io.Reader) ([]Token, error) {
	var tokens []Token
	names, digests := map[string]bool{}, map[[sha256.Size]byte]bool{}
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		t, err := parseToken(fields)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n, err)
		case names[t.Name]:
			return nil, fmt.Errorf("line %d: there is another token of the name %s", n, t.Name)
		case digests[t.digest]:
			return nil, fmt.Errorf("line %d: the token of %s is another's too", n, t.Name)
		}
		names[t.Name], digests[t.digest] = true, true
		tokens = append(tokens, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	return tokens, nil
}

// parseToken reads the fields of a line.
func parseToken(fields []string) (Token, error) {
	const form = "a line is: name token [namespace] [ro]"
	if len(fields) < 2 || len(fields) > 4 {
		return Token{}, fmt.Errorf("%d words; %s", len(fields), form)
	}
	who := Identity{Name: fields[0]}
	rest := fields[2:]
	if n := len(rest); n > 0 && rest[n-1] == readOnlyMark {
		who.ReadOnly, rest = true, rest[:n-1]
	}
	if len(rest) > 1 {
		return Token{}, fmt.Errorf("the last word is not %s; %s", readOnlyMark, form)
	}
	if len(rest) == 1 {
		who.Namespace = rest[0]
		if !namespacePattern.MatchString(who.Namespace) {
			return Token{}, fmt.Errorf("the namespace %q is not made of a-z, 0-9, _ and -, at most 64", who.Namespace)
		}
	}
	return NewToken(who, fields[1]), nil
}

// bearer is the secret that a request carries, "" when it carries none.
func bearer(r *http.Request) string {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// find looks for the owner of a secret. It takes as long whether and wherever
// it finds him.
func find(tokens []Token, secret string) (Identity, bool) {
	digest := sha256.Sum256([]byte(secret))
	found := -1
	for i := range tokens {
		same := subtle.ConstantTimeCompare(digest[:], tokens[i].digest[:])
		found = subtle.ConstantTimeSelect(same, i, found)
	}
	if found < 0 || secret == "" {
		return Identity{}, false
	}
	return tokens[found].Identity, true
}
