package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// schema is the part of JSON Schema that every client understands. Some refuse
// the whole list of tools for one other keyword (additionalProperties, $ref,
// anyOf, a list of types), so there is no way to write one here.
type schema struct {
	Type        string     `json:"type"`
	Description string     `json:"description,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Items       *schema    `json:"items,omitempty"`
}

// properties are the fields of an object in the order in which a reader should
// meet them; encoding a map would sort them by name.
type properties []property

type property struct {
	name   string
	schema schema
}

// MarshalJSON writes the properties as one object.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// described is a type that says itself how it looks in a schema.
type described interface{ describe() schema }

// schemaOf writes the schema of a struct or of a value in it. Types that JSON
// has no word for are a fault of the program.
func schemaOf(t reflect.Type) schema {
	t = indirect(t)
	if d, ok := reflect.Zero(t).Interface().(described); ok {
		return d.describe()
	}
	if t == reflect.TypeFor[time.Time]() {
		return schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.String:
		return schema{Type: "string"}
	case reflect.Bool:
		return schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return schema{Type: "integer"}
	case reflect.Float64:
		return schema{Type: "number"}
	case reflect.Slice:
		items := schemaOf(t.Elem())
		return schema{Type: "array", Items: &items}
	case reflect.Struct:
		return objectOf(t)
	}
	panic(fmt.Sprintf("tools: no schema for %v", t))
}

func objectOf(t reflect.Type) schema {
	object := schema{Type: "object"}
	for _, f := range fieldsOf(t) {
		one := schemaOf(f.typ)
		if f.doc != "" {
			one.Description = f.doc
		}
		one.Enum = f.enum
		object.Properties = append(object.Properties, property{f.name, one})
		if f.required {
			object.Required = append(object.Required, f.name)
		}
	}
	return object
}
