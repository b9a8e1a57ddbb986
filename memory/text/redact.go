package text

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/config"
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

// sharedRules loads the rules once for all Redactors, because the
// loader of gitleaks goes through state that the process shares.
var sharedRules = sync.OnceValue(loadRules)

// slowRules are the gitleaks rules that ours take the place of: they follow a
// command over six lines, and so cost ten times as much as all others together.
var slowRules = []string{"curl-auth-user", "curl-auth-header"}

// ruleSet is all rules: our own, and those of gitleaks in two parts.
type ruleSet struct {
	own     []ownRule
	named   *detect.Detector // for one kind of key each
	generic *detect.Detector // the generic rule alone
}

// Redactor hides secrets in a text: keys, tokens, passwords and private keys,
// by the rules of gitleaks and some of our own. It looks at nothing but the text
// (no file, no environment), keeps nothing of it, and logs nothing. It is safe
// for concurrent use.
type Redactor struct {
	rules func() *ruleSet
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
func loadRules() *ruleSet {
	logging.Logger = logging.Logger.Output(io.Discard)
	named, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		panic(fmt.Sprintf("text: load the built-in secret rules: %v", err))
	}
	rest := named.Config
	rest.Rules = maps.Clone(rest.Rules)
	maps.DeleteFunc(rest.Rules, func(name string, _ config.Rule) bool { return name != genericRule })
	generic := detect.NewDetector(rest)
	for _, name := range slowRules {
		delete(named.Config.Rules, name)
	}
	delete(named.Config.Rules, genericRule)
	// A remark in a message must not switch masking off.
	named.IgnoreGitleaksAllow = true
	generic.IgnoreGitleaksAllow = true
	return &ruleSet{ownRules(), named, generic}
}

// secret is a place in a text that has to be masked.
type secret struct {
	Span
	rule string
}

// find returns the secrets of s in order, none overlapping another or a marker.
func find(rules *ruleSet, s string) []secret {
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
func findWindow(rules *ruleSet, window string) []secret {
	secrets := findOwn(rules.own, window)
	for _, f := range rules.named.DetectString(window) {
		secrets = append(secrets, occurrences(window, f.Secret, f.RuleID)...)
	}
	for part := range assignments(window) {
		for _, f := range rules.generic.DetectString(window[part.Start:part.End]) {
			if !mention(f.Match, f.Secret) {
				secrets = append(secrets, occurrences(window, f.Secret, f.RuleID)...)
			}
		}
	}
	return secrets
}

// occurrences returns each place in s of a value that a rule found.
func occurrences(s, value, rule string) []secret {
	var secrets []secret
	for at := 0; value != ""; {
		i := strings.Index(s[at:], value)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(value)
		secrets = append(secrets, secret{Span{start, at}, rule})
	}
	return secrets
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
