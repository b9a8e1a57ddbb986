package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
)

// maxPasses bounds how often a masked text is searched again.
const maxPasses = 8

// Markers begin and end like this, with the name of the rule between.
const (
	markerOpen  = "[redacted:"
	markerClose = "]"
)

// sharedRules loads the gitleaks rule set once for all Redactors, because its
// loader goes through state that the process shares.
var sharedRules = sync.OnceValue(loadRules)

// Redactor hides secrets in a text: keys, tokens, passwords and private keys,
// by the rules of gitleaks and some of our own. It looks at nothing but the text
// (no file, no environment), keeps nothing of it, and logs nothing. It is safe
// for concurrent use.
type Redactor struct {
	rules func() *detect.Detector
}

// NewRedactor returns a Redactor. It is cheap: the rules are compiled when they
// are first needed, or by Warm.
func NewRedactor() *Redactor { return &Redactor{rules: sharedRules} }

// Warm compiles the rules now (about 50 ms), so that the first Mask need not.
func (r *Redactor) Warm() { r.rules() }

// Mask replaces each secret in s by [redacted:<rule>] and returns how many it
// found. Everything around them stays as it was, byte for byte, and masking the
// result again changes nothing. Placeholders and mere mentions of keys stay, as
// do keys that their issuer publishes as an example.
func (r *Redactor) Mask(s string) (masked string, found int) {
	rules := r.rules()
	for range maxPasses {
		secrets := find(rules, s)
		if len(secrets) == 0 {
			break
		}
		found += len(secrets)
		s = replace(s, secrets)
	}
	return s, found
}

// loadRules compiles the rules that are built into gitleaks. They are part of
// the binary, so an error means that the binary is broken.
func loadRules() *detect.Detector {
	logging.Logger = logging.Logger.Output(io.Discard)
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		panic(fmt.Sprintf("text: load the built-in secret rules: %v", err))
	}
	// A remark in a message must not switch masking off.
	d.IgnoreGitleaksAllow = true
	return d
}

// secret is a place in a text that has to be masked.
type secret struct {
	Span
	rule string
}

// find returns the secrets of s in order, none overlapping another or a marker.
func find(rules *detect.Detector, s string) []secret {
	secrets := privateKeys(s)
	for w := range windows(s) {
		for _, x := range findWindow(rules, s[w.Start:w.End]) {
			x.Start += w.Start
			x.End += w.Start
			secrets = append(secrets, x)
		}
	}
	return slices.DeleteFunc(merge(secrets), func(x secret) bool { return marked(s, x) })
}

// findWindow returns the secrets of one stretch, in any order.
func findWindow(rules *detect.Detector, window string) []secret {
	secrets := findOwn(window)
	for _, f := range rules.DetectString(window) {
		if f.Secret == "" || harmless(f.RuleID, f.Match, f.Secret) {
			continue
		}
		for _, span := range occurrences(window, f.Secret) {
			secrets = append(secrets, secret{span, f.RuleID})
		}
	}
	return secrets
}

// occurrences returns where part occurs in s.
func occurrences(s, part string) []Span {
	var spans []Span
	for at := 0; ; {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return spans
		}
		spans = append(spans, Span{at + i, at + i + len(part)})
		at += i + len(part)
	}
}

// merge sorts secrets and joins those that overlap. The name of a rule that
// knows the kind of key wins over that of the generic rule.
func merge(secrets []secret) []secret {
	slices.SortFunc(secrets, func(a, b secret) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	merged := secrets[:0]
	for _, x := range secrets {
		n := len(merged)
		if n == 0 || x.Start >= merged[n-1].End {
			merged = append(merged, x)
			continue
		}
		last := &merged[n-1]
		last.End = max(last.End, x.End)
		if last.rule == genericRule {
			last.rule = x.rule
		}
	}
	return merged
}

// marked reports whether x touches a marker.
func marked(s string, x secret) bool {
	from := max(0, x.Start-len(markerOpen)-64)
	if i := strings.LastIndex(s[from:x.End], markerOpen); i >= 0 {
		end := strings.Index(s[from+i:], markerClose)
		return end < 0 || from+i+end >= x.Start
	}
	return false
}

// replace puts markers where the secrets are.
func replace(s string, secrets []secret) string {
	var b strings.Builder
	b.Grow(len(s))
	done := 0
	for _, x := range secrets {
		b.WriteString(s[done:x.Start])
		b.WriteString(markerOpen + x.rule + markerClose)
		done = x.End
	}
	b.WriteString(s[done:])
	return b.String()
}
