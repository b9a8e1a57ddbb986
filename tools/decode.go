package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcp-memory/memory"
)

// decodeArguments reads the arguments of a call into a struct whose fields
// carry their names (see field). Models and clients differ in how they write an
// argument, so a number given as a string counts, and null or an empty string
// stands for an absent optional argument. What cannot be meant is refused with
// a text that says what to send instead.
func decodeArguments[A any](tool string, raw json.RawMessage) (A, error) {
	var args A
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if raw[0] != '{' {
		return args, memory.Invalidf("arguments must be an object, got %s", got(raw))
	}
	d := decoder{tool: tool}
	err := d.object(reflect.ValueOf(&args).Elem(), "", raw)
	return args, err
}

// decoder fills structs from JSON objects.
type decoder struct{ tool string }

// object fills the struct at out. The path names the place inside the
// arguments, "" for the arguments themselves.
func (d decoder) object(out reflect.Value, path string, raw json.RawMessage) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return memory.Invalidf("%s must be an object, got %s", d.place(path), got(raw))
	}
	fields := fieldsOf(out.Type())
	if err := d.unknown(fields, path, given); err != nil {
		return err
	}
	for _, f := range fields {
		value, present := given[f.name]
		target := out.FieldByIndex(f.index)
		switch {
		case f.required && (!present || isNull(value) && target.Kind() != reflect.Pointer):
			return memory.Invalidf("%s is missing", join(path, f.name))
		case !present || isNull(value) || !f.required && isEmpty(value):
			continue
		}
		if err := d.value(target, join(path, f.name), f.enum, value); err != nil {
			return err
		}
	}
	return nil
}

// unknown refuses arguments that no field has, by name.
func (d decoder) unknown(fields []field, path string, given map[string]json.RawMessage) error {
	var known, extra []string
	for _, f := range fields {
		known = append(known, f.name)
	}
	for name := range given {
		if !slices.Contains(known, name) {
			extra = append(extra, strconv.Quote(shorten(name, 60)))
		}
	}
	if len(extra) == 0 {
		return nil
	}
	slices.Sort(extra)
	return memory.Invalidf("unknown argument %s in %s: known are %s", strings.Join(extra, ", "), d.place(path), strings.Join(known, ", "))
}

func (d decoder) place(path string) string {
	if path == "" {
		return d.tool
	}
	return path
}

// value sets out from raw, which is not null.
func (d decoder) value(out reflect.Value, path string, enum []string, raw json.RawMessage) error {
	if out.Kind() == reflect.Pointer {
		out.Set(reflect.New(out.Type().Elem()))
		out = out.Elem()
	}
	if self, ok := out.Addr().Interface().(decoded); ok {
		return self.decode(path, raw)
	}
	switch out.Kind() {
	case reflect.String:
		return decodeText(out, path, enum, raw)
	case reflect.Int, reflect.Int64:
		return decodeInt(out, path, raw)
	case reflect.Float64:
		return decodeFloat(out, path, raw)
	case reflect.Bool:
		return decodeBool(out, path, raw)
	case reflect.Slice:
		return d.list(out, path, raw)
	case reflect.Struct:
		return d.object(out, path, raw)
	}
	panic(fmt.Sprintf("tools: no argument can be of type %v", out.Type()))
}

func (d decoder) list(out reflect.Value, path string, raw json.RawMessage) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return memory.Invalidf("%s must be a list, got %s", path, got(raw))
	}
	out.Set(reflect.MakeSlice(out.Type(), len(items), len(items)))
	for i, item := range items {
		if err := d.value(out.Index(i), fmt.Sprintf("%s[%d]", path, i), nil, item); err != nil {
			return err
		}
	}
	return nil
}

// decodeText reads a string. Where only some values are possible, the word
// "null" is what some clients send for nothing.
func decodeText(out reflect.Value, path string, enum []string, raw json.RawMessage) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return memory.Invalidf("%s must be text, got %s", path, got(raw))
	}
	if enum != nil {
		if s == "null" {
			return nil
		}
		if !slices.Contains(enum, s) {
			return memory.Invalidf("%s must be one of %s; got %s", path, strings.Join(enum, ", "), got(raw))
		}
	}
	out.SetString(s)
	return nil
}

// decodeInt reads a whole number, written as 20, 20.0 or "20".
func decodeInt(out reflect.Value, path string, raw json.RawMessage) error {
	s := strings.TrimSpace(unquoted(raw))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		out.SetInt(n)
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return memory.Invalidf("%s must be a whole number, got %s", path, got(raw))
	}
	out.SetInt(int64(f))
	return nil
}

// decodeFloat reads a number, written as 0.5 or "0.5".
func decodeFloat(out reflect.Value, path string, raw json.RawMessage) error {
	f, err := strconv.ParseFloat(strings.TrimSpace(unquoted(raw)), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return memory.Invalidf("%s must be a number, got %s", path, got(raw))
	}
	out.SetFloat(f)
	return nil
}

func decodeBool(out reflect.Value, path string, raw json.RawMessage) error {
	switch strings.ToLower(unquoted(raw)) {
	case "true":
		out.SetBool(true)
	case "false":
		out.SetBool(false)
	default:
		return memory.Invalidf("%s must be true or false, got %s", path, got(raw))
	}
	return nil
}

// unquoted is the text of a JSON string, or what else raw holds as it is.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// got describes a value that was refused, in a few words.
func got(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0 || isNull(raw):
		return "nothing"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '"':
		return strconv.Quote(shorten(unquoted(raw), 40))
	}
	return shorten(string(raw), 40)
}

func isNull(raw json.RawMessage) bool  { return string(raw) == "null" }
func isEmpty(raw json.RawMessage) bool { return string(raw) == `""` }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// shorten cuts s after max bytes, on a character border, and marks the cut.
func shorten(s string, max int) string {
	if len(s) <= max {
		return s
	}
	cut := max
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
