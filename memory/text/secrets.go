package text

import (
	"regexp"
	"slices"
	"strings"
)

// ownRule finds a kind of secret that the gitleaks rules miss in talk.
type ownRule struct {
	name     string
	keywords []string       // in lower case; without one of them in a text there is no match
	pattern  *regexp.Regexp // its last group is the secret
	secret   func(value string) bool
}

// ownRules compiles the table of them:
//
//	sk-key           keys in the style of OpenAI, Anthropic and others, of any length from 20
//	aws-access-token AWS access key ids, also those whose check of entropy fails
//	authorization    the value of an Authorization header
//	bearer-token     "Bearer" and an opaque token of 20 characters or more
//	url-password     the password in scheme://user:password@host
//	command-password the password in -u user:password, of curl whatever it is
//	password         what is given as password, in English, Chinese, Japanese or Korean,
//	                 by a sign (":" "=") or an option when it does not look like a word,
//	                 by "is" when it has the shape of a made-up password
func ownRules() []ownRule {
	return []ownRule{
		{"sk-key", []string{"sk-"}, regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{17,})`), opaque},
		{"aws-access-token", []string{"akia", "asia", "abia", "acca", "a3t"}, regexp.MustCompile(`\b((?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})\b`), notExample},
		{"authorization", []string{"authorization"}, regexp.MustCompile(`(?i)\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token)[ \t]+([\w.~+/=-]{8,})`), mixed},
		{"bearer-token", []string{"bearer"}, regexp.MustCompile(`(?i)\bbearer[ \t:]+([\w.~+/=-]{20,})`), mixed},
		{"url-password", []string{"://"}, regexp.MustCompile(`[A-Za-z0-9+.-]://[^\s:/?#@"'<>]{0,100}:([^\s/@"'<>]{1,200})@[\w\[]`), notPlaceholder},
		{"command-password", []string{"curl"}, regexp.MustCompile(`\bcurl\s[^\n]{0,120}?(?:-u|--user)(?:=|[ \t]*)["']?[\w$@.-]{1,64}:([^\s"']{3,128})`), notPlaceholder},
		{"command-password", []string{" -u", "--user"}, regexp.MustCompile(`\s(?:-u|--user)(?:=|[ \t]+)["']?[\w$@.-]{1,64}:([^\s"']{6,128})`), password},
		{"password", []string{"pass", "pwd"}, regexp.MustCompile("(?i)(?:password|passwd|passphrase|passcode|pwd)[\"'`]?[ \\t]*(?:=>|:=|[:=：])[ \\t]*[\"'`“]?([!-~]{6,128})"), password},
		{"password", []string{"--pass"}, regexp.MustCompile(`(?i)--pass(?:word|wd|phrase)?[ \t]+["']?([!-~]{6,128})`), password},
		{"password", []string{"密码", "密碼", "口令", "パスワード", "비밀번호"}, regexp.MustCompile("(?:密码|密碼|口令|パスワード|비밀번호)[ \\t]*(?:[:：=]|是|为|為|は|는)[ \\t]*[\"'`“「]?([!-~]{6,128})"), password},
		{"password", []string{" is "}, regexp.MustCompile("(?i)\\b(?:password|passphrase|passcode|pwd) is[ \\t]+[\"'`“]?([!-~]{8,128})"), madeUp},
	}
}

// findOwn returns the secrets that our own rules find.
func findOwn(rules []ownRule, window string) []secret {
	var secrets []secret
	folded := strings.ToLower(window)
	for _, rule := range rules {
		if !slices.ContainsFunc(rule.keywords, func(word string) bool { return strings.Contains(folded, word) }) {
			continue
		}
		for _, at := range rule.pattern.FindAllStringSubmatchIndex(window, -1) {
			start, end := at[len(at)-2], at[len(at)-1]
			if rule.name == "password" {
				end = start + len(unquoted(window[start:end]))
			}
			if rule.secret(window[start:end]) {
				secrets = append(secrets, secret{Span{start, end}, rule.name})
			}
		}
	}
	return secrets
}

// unquoted cuts a password off at what closes it: a quote or the punctuation
// of the sentence or structure around it.
func unquoted(value string) string {
	if i := strings.IndexAny(value, "\"'`,;<>"); i >= 0 {
		value = value[:i]
	}
	return strings.TrimRight(value, ".:)]}")
}

// traits are what a made-up value is told from a word by.
type traits struct {
	lower, upper, digits, signs int
}

// traitsOf counts the traits of an ASCII value.
func traitsOf(value string) traits {
	var t traits
	for _, b := range []byte(value) {
		switch {
		case 'a' <= b && b <= 'z':
			t.lower++
		case 'A' <= b && b <= 'Z':
			t.upper++
		case '0' <= b && b <= '9':
			t.digits++
		case b != '-' && b != '_' && b != '.':
			t.signs++
		}
	}
	return t
}

// mixed reports whether value has letters and digits.
func mixed(value string) bool {
	t := traitsOf(value)
	return t.digits > 0 && t.lower+t.upper > 0
}

// opaque reports whether value is a key and no name in the same style, such as
// sk-learn-part-2-of-3: one of its parts has eight characters or more, letters
// and digits among them.
func opaque(value string) bool {
	if len(value) < 20 {
		return false
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) >= 8 && mixed(part) {
			return true
		}
	}
	return false
}

// notExample reports whether an AWS key id is not one of the documentation.
func notExample(value string) bool { return !strings.HasSuffix(value, "EXAMPLE") }

var (
	placeholder = regexp.MustCompile(`(?i)^(?:[<\[{(%$].*|\*+|x+|\.+|\.{3}.*|pass|passwd|password|pwd|secret|your[_-].*)$`)
	algorithm   = regexp.MustCompile(`(?i)^(?:sha-?\d|md[45]\b|base-?\d\d|utf-?\d|oauth|argon2|pbkdf2|aes-?\d|rsa-?\d|ed25519|x509|varchar|char\(|text\b|int\d)`)
	reference   = regexp.MustCompile(`^(?:https?://|[./~]|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$|[A-Za-z_$][\w$.]*[(\[])`)
)

// notPlaceholder reports whether value does not stand for a secret to fill in.
func notPlaceholder(value string) bool { return !placeholder.MatchString(value) }

// password reports whether value, given as a password, looks like one: letters
// with digits or signs, or at least six digits; and is no placeholder, no
// algorithm, no file and nothing that a program evaluates.
func password(value string) bool {
	if len(value) < 6 || placeholder.MatchString(value) || algorithm.MatchString(value) || reference.MatchString(value) || fileName.MatchString(value) {
		return false
	}
	t := traitsOf(value)
	letters := t.lower + t.upper
	return letters == 0 && t.digits >= 6 && t.signs == 0 || letters > 0 && (t.digits > 0 || t.signs > 0 && len(value) >= 8)
}

// madeUp reports whether value looks like a password even where a sentence
// could go on: three of lower case, upper case, digits and signs.
func madeUp(value string) bool {
	t, kinds := traitsOf(value), 0
	for _, n := range []int{t.lower, t.upper, t.digits, t.signs} {
		if n > 0 {
			kinds++
		}
	}
	return kinds >= 3 && t.digits > 0 && password(value)
}
