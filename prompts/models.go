package prompts

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed *.tmpl
var templates embed.FS

// Summary is what the prompt of the rolling summary is made of.
type Summary struct {
	Previous string // the summary so far, as JSON
	Language string // "" = that of the conversation
}

// System tells the model how to summarise, and what the summary is so far.
func (s Summary) System() string { return render("summary.tmpl", s) }

// SummaryMessages hands the next messages over, one JSON object a line.
func SummaryMessages(lines string) string {
	return render("summary_messages.tmpl", struct{ Messages string }{lines})
}

// SummaryAgain asks for a corrected summary; reason says what is wrong with the
// answer before.
func SummaryAgain(reason string) string {
	return render("summary_again.tmpl", struct{ Reason string }{reason})
}

// Noise tells the decision model which exchanges need no summary.
func Noise() string { return render("judge_noise.tmpl", nil) }

// Outdated tells the main model which exchanges are no longer useful.
func Outdated() string { return render("judge_outdated.tmpl", nil) }

// Overturned tells the decision model which entries of a summary no longer hold.
func Overturned() string { return render("judge_overturned.tmpl", nil) }

// Relevant tells the decision model which entries of a summary a request needs.
func Relevant() string { return render("judge_relevant.tmpl", nil) }

// UnneededSteps tells the decision model which tool steps of a run can go.
func UnneededSteps() string { return render("judge_steps.tmpl", nil) }

// Steps tells the model how to write what stands in for old tool steps, in at most
// so many words.
func Steps(words int) string { return render("steps.tmpl", struct{ Words int }{words}) }

// render fills a template. It panics when the template is wrong, which the
// golden tests rule out: templates are part of the program.
func render(name string, data any) string {
	var b strings.Builder
	if err := template.Must(template.ParseFS(templates, name)).Execute(&b, data); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}
