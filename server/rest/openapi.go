package rest

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcp-memory/tools"
)

// object is a JSON object of the document.
type object map[string]any

// objectSchema is what is needed of the schema of a tool's arguments.
type objectSchema struct {
	Type       string                     `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required,omitempty"`
}

// document writes the OpenAPI document of the operations that are there. Its
// schemas are those of the tools.
func (a *api) document() ([]byte, error) {
	paths := map[string]object{}
	for _, r := range routes {
		t, there := a.byName[r.tool]
		if !there || r.writes() && a.ReadOnly {
			continue
		}
		operation, err := r.describe(t)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", r.method, r.path, err)
		}
		path := Prefix + r.path
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path][strings.ToLower(r.method)] = operation
	}
	document, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "mcp-memory", "version": a.Version,
			"description": "A lasting memory for agents: records conversations and finds them again.",
		},
		"security": []object{{"bearer": []string{}}, {}},
		"paths":    paths,
		"components": object{
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}},
			"schemas":         object{"Error": errorSchema()},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	return document, nil
}

// describe is the operation in the document.
func (r route) describe(t tools.Tool) (object, error) {
	var input objectSchema
	if err := json.Unmarshal(t.Definition.RawInputSchema, &input); err != nil {
		return nil, err
	}
	operation := object{
		"operationId": r.operationID(),
		"summary":     r.summary,
		"responses": object{
			"200":     content("The result.", t.Definition.RawOutputSchema),
			"default": content("What went wrong.", object{"$ref": "#/components/schemas/Error"}),
		},
	}
	parameters := []object{}
	if strings.Contains(r.path, "{id}") {
		parameters = append(parameters, object{"name": "id", "in": "path", "required": true, "description": "The session.", "schema": object{"type": "string"}})
	}
	for _, name := range r.query {
		schema, known := input.Properties[name]
		if !known {
			return nil, fmt.Errorf("%s has no argument %s", r.tool, name)
		}
		parameters = append(parameters, object{"name": name, "in": "query", "schema": schema})
	}
	operation["parameters"] = parameters
	if r.takesBody() {
		delete(input.Properties, sessionArgument)
		body := content("", input)
		delete(body, "description")
		body["required"] = true
		operation["requestBody"] = body
	}
	return operation, nil
}

// operationID is a name for the operation that programs can use: the method and
// the words of the path.
func (r route) operationID() string {
	words := strings.FieldsFunc(r.path, func(c rune) bool { return strings.ContainsRune("/{}", c) })
	return strings.ToLower(r.method) + "_" + strings.Join(words, "_")
}

// content is a body of JSON.
func content(description string, schema any) object {
	return object{"description": description, "content": object{"application/json": object{"schema": schema}}}
}

// errorSchema is the schema of guard.Failure.
func errorSchema() object {
	text := object{"type": "string"}
	return object{
		"type": "object", "required": []string{"error"},
		"properties": object{"error": object{
			"type": "object", "required": []string{"code", "message"}, "properties": object{"code": text, "message": text},
		}},
	}
}
