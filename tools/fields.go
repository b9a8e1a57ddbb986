package tools

import (
	"reflect"
	"strings"
)

// field is one argument or result field of a tool, read from a struct field:
//
//	Limit *int `json:"limit,omitempty" enum:"a,b" doc:"what it is"`
//
// A field without omitempty or omitzero is required.
type field struct {
	name     string
	doc      string
	enum     []string // nil = any value
	required bool
	index    []int
	typ      reflect.Type
}

// fieldsOf lists the fields of the struct t in order. An embedded struct counts
// as the fields it has.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		one := field{name: name, doc: f.Tag.Get("doc"), index: f.Index, typ: f.Type}
		one.required = !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
		if values := f.Tag.Get("enum"); values != "" {
			one.enum = strings.Split(values, ",")
		}
		list = append(list, one)
	}
	return list
}

// indirect follows a pointer type to what it points to.
func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
