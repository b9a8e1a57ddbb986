package budget

// convert turns every tool step into text, whole, for a model that cannot read the
// calls of the one before. It says what it did.
func (r *run) convert() []string {
	converted := 0
	for _, u := range r.living() {
		if u.kind == step {
			r.rewrite(u, note, r.said(roleAssistant, r.stepOf(u).Text()))
			converted++
		}
	}
	if converted == 0 {
		return nil
	}
	return []string{count(converted, "tool step") + " of another model: now text, whole"}
}
