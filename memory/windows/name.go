package windows

import (
	"regexp"
	"slices"
	"strings"
)

// longestName is how long the name of a model may be, in bytes.
const longestName = 256

// suffix is what stands behind the name of a model and does not belong to it: a
// tag, a version, or a date in one of the vendors' spellings.
var suffix = regexp.MustCompile(`(?:[:@][^:@]*|\[[^\]]*\]|-(?:latest|preview|exp|experimental|beta|default)|-v\d` +
	`|-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{6}|-\d{2}-\d{4}|-\d{2}-\d{2}|-\d{4}|-0\d{2})$`)

// revision is what may follow an @ that does not name a vendor before it.
var revision = regexp.MustCompile(`^(?:v?\d[\d.-]*|latest|default|stable)$`)

// dotted is a model as Amazon Bedrock names it: us.anthropic.claude-opus-4-1.
var dotted = regexp.MustCompile(`^(?:(?:us|us-gov|eu|apac|jp|au|ca|global)\.)?` +
	`(ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|writer|zai)\.(.+)$`)

// spelling makes one of gpt-4.1, gpt_4.1 and "gpt 4.1".
var spelling = strings.NewReplacer(".", "-", "_", "-", " ", "-")

// containers are parts of a path that name neither vendor nor model.
var containers = []string{"models", "accounts", "publishers"}

// aliases are other names of a vendor, in the spelling of a name.
var aliases = map[string]string{
	"gemini": "google", "google-ai-studio": "google", "googleai": "google", "google-gemini": "google",
	"x-ai": "xai", "grok": "xai",
	"z-ai": "zai", "zhipu": "zai", "zhipuai": "zai", "bigmodel": "zai", "thudm": "zai", "zai-org": "zai",
	"moonshot": "moonshotai", "kimi": "moonshotai",
	"mistralai": "mistral",
	"qwen":      "alibaba", "dashscope": "alibaba",
	"meta-llama": "meta", "llama": "meta",
	"deepseek-ai": "deepseek",
	"minimaxai":   "minimax",
	"claude":      "anthropic",
	"cohereai":    "cohere", "cohere-chat": "cohere",
	"amazon-bedrock": "bedrock", "bedrock-converse": "bedrock",
}

// makers says who makes the models whose names begin so.
var makers = []struct{ prefix, vendor string }{
	{"gpt-", "openai"}, {"chatgpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
	{"claude-", "anthropic"}, {"gemini-", "google"}, {"gemma-", "google"}, {"deepseek-", "deepseek"}, {"grok-", "xai"},
	{"qwen", "alibaba"}, {"qwq", "alibaba"}, {"kimi-", "moonshotai"}, {"moonshot-", "moonshotai"}, {"glm-", "zai"},
	{"mistral-", "mistral"}, {"ministral-", "mistral"}, {"magistral-", "mistral"}, {"codestral-", "mistral"}, {"devstral-", "mistral"},
	{"llama-", "meta"}, {"command-", "cohere"}, {"minimax-", "minimax"}, {"nova-", "amazon"},
}

// name is the name of a model, read. The zero value is the empty name, which no
// table has.
type name struct {
	vendors []string // the outermost first: openrouter, anthropic
	model   string   // as it stands, in one spelling
}

// readName takes a name apart. One that is too long is empty.
func readName(s string) name {
	if len(s) > longestName {
		return name{}
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if vendor, model, ok := strings.Cut(s, "@"); ok && !revision.MatchString(model) {
		s = vendor + "/" + model
	}
	parts := strings.Split(s, "/")
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })
	if len(parts) == 0 {
		return name{}
	}
	last := strings.TrimSpace(parts[len(parts)-1])
	parts = slices.DeleteFunc(parts[:len(parts)-1], func(p string) bool { return slices.Contains(containers, p) })
	if m := dotted.FindStringSubmatch(last); m != nil {
		parts, last = append(parts, m[1]), m[2]
	}
	n := name{model: spelling.Replace(last)}
	for _, p := range parts {
		n.vendors = append(n.vendors, readVendor(p))
	}
	return n
}

func readVendor(s string) string {
	s = spelling.Replace(strings.TrimSpace(s))
	if vendor, ok := aliases[s]; ok {
		return vendor
	}
	return s
}

func (n name) empty() bool { return n.model == "" }

// key is the whole name in one spelling.
func (n name) key() string { return join(n.vendors, n.model) }

func join(vendors []string, model string) string {
	return strings.Join(append(slices.Clone(vendors), model), "/")
}

// forms are the names that the model may be listed under: as it stands, then
// without the last suffix, and so on.
func (n name) forms() []string {
	list := []string{n.model}
	for model := n.model; ; {
		at := suffix.FindStringIndex(model)
		if at == nil || at[0] == 0 {
			return list
		}
		model = model[:at[0]]
		list = append(list, model)
	}
}

// maker is the vendor that makes the model; "" = not known.
func maker(model string) string {
	for _, m := range makers {
		if strings.HasPrefix(model, m.prefix) {
			return m.vendor
		}
	}
	return ""
}

// deepSeekFlash says whether this is the model deepseek-flash, of the vendor
// deepseek or without a vendor.
func (n name) deepSeekFlash() bool {
	return (len(n.vendors) == 0 || slices.Contains(n.vendors, "deepseek")) && slices.Contains(n.forms(), "deepseek-flash")
}
