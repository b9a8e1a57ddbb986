package windows

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// count is a number of tokens as tables write it: 128000, 1.28e5 or "128000".
// Anything else is 0, so that one odd field costs its entry and no other.
type count int

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(raw []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	*c = 0
	if err == nil && f > 0 && f <= math.MaxInt32 {
		*c = count(f)
	}
	return nil
}

// readPublished reads a live table in the shapes that the package comment shows.
// In the second one max_tokens counts when there is no max_input_tokens, and not
// when it repeats max_output_tokens: that is the length of an answer. The error
// is one of a text that is no JSON object or has no window in it.
func readPublished(body []byte) ([]entry, error) {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return nil, errors.New("the table is not a JSON object")
	}
	var list []entry
	for key, raw := range top {
		if models := modelsOf(raw); models != nil {
			list = append(list, ofVendor(key, models)...)
		} else if e, ok := ofModel(key, raw); ok {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the table holds no context window")
	}
	return list, nil
}

// modelsOf is the member "models" of an object; nil = it has none.
func modelsOf(raw json.RawMessage) map[string]json.RawMessage {
	var vendor struct {
		Models map[string]json.RawMessage `json:"models"`
	}
	if json.Unmarshal(raw, &vendor) != nil {
		return nil
	}
	return vendor.Models
}

func ofVendor(vendor string, models map[string]json.RawMessage) []entry {
	var list []entry
	for id, raw := range models {
		var model struct {
			Limit struct {
				Context count `json:"context"`
			} `json:"limit"`
		}
		if json.Unmarshal(raw, &model) != nil {
			continue
		}
		if e := (entry{readName(vendor + "/" + id), int(model.Limit.Context)}); e.valid() {
			list = append(list, e)
		}
	}
	return list
}

func ofModel(id string, raw json.RawMessage) (entry, bool) {
	var model struct {
		Provider string `json:"litellm_provider"`
		Input    count  `json:"max_input_tokens"`
		Most     count  `json:"max_tokens"`
		Output   count  `json:"max_output_tokens"`
	}
	if json.Unmarshal(raw, &model) != nil {
		return entry{}, false
	}
	tokens := model.Input
	if tokens == 0 && model.Most != model.Output {
		tokens = model.Most
	}
	if model.Provider != "" && !strings.ContainsAny(id, "/@") {
		id = model.Provider + "/" + id
	}
	e := entry{readName(id), int(tokens)}
	return e, e.valid()
}
