package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// schemaFolder is the path of the schemas in the module. It is served: the $id of a schema is its URI.
const schemaFolder = "resources/config/schemas"

// copies are folders with another copy of a schema: "init" writes it into new projects.
var copies = map[string]string{"mcp-docs-server.schema.json": "internal/cli/authoring/starter"}

// writeSchemas writes the JSON Schemas of mcp-docs-server.json and of templates.json, which editors and MCP clients read.
//
// Names, types and descriptions come from the Go types of the two files, their fields and tags. Bounds,
// defaults, patterns and sets of values are added here. A schema is stricter than the program in two
// ways: it refuses unknown keys, for which the program only warns, and null, which the program treats
// as an absent key. The same types always give the same bytes.
func writeSchemas() error {
	files, err := schemas()
	if err != nil {
		return err
	}
	for name, data := range files {
		folders := []string{schemaFolder}
		if other, ok := copies[name]; ok {
			folders = append(folders, other)
		}
		for _, folder := range folders {
			if err := os.WriteFile(filepath.Join(root, folder, name), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// A document is a schema with its title and description.
type document struct {
	file, title, description string
	build                    func() (*jsonschema.Schema, error)
}

var documents = []document{
	{
		file:        "mcp-docs-server.schema.json",
		title:       "mcp-docs-server.json",
		description: "Configuration of a project that mcp-docs-server serves.",
		build:       configSchema,
	},
	{
		file:        "templates.schema.json",
		title:       "resources/templates.json",
		description: "URI templates that describe the resources of a project to MCP clients.",
		build:       templatesSchema,
	},
}

// schemas returns the schemas by file name.
func schemas() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, d := range documents {
		data, err := d.encode()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.file, err)
		}
		files[d.file] = data
	}
	return files, nil
}

// encode returns the schema as text. The head is encoded separately, as it would come last otherwise.
func (d document) encode() ([]byte, error) {
	s, err := d.build()
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(struct {
		Schema      string `json:"$schema"`
		ID          string `json:"$id"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}{draft, "config://schemas/" + d.file, d.title, d.description})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, append(append(head[:len(head)-1], ','), body[1:]...), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	// encoding/json escapes these characters for HTML; no text of a schema contains such an escape.
	return []byte(strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(b.String())), nil
}

func configSchema() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[config.Config](nil)
	if err != nil {
		return nil, err
	}
	withoutNull(s)
	s.Properties["$schema"] = &jsonschema.Schema{Type: "string", Description: "Path or URI of this schema, for editors."}
	s.PropertyOrder = append([]string{"$schema"}, s.PropertyOrder...)

	docs := s.Properties["docs"]
	docs.Default = raw("docs")
	// The pattern matches an empty text, absolute paths, steps upwards, and hidden names.
	docs.Not = &jsonschema.Schema{Pattern: `^$|^(\.[/\\])*([/\\]|.:)|(^|[/\\])(\.[^/\\]|node_modules([/\\]|$))|(~|\.swp)([/\\]|$)`}
	named := s.Properties["sites"].Items
	named.Properties["root"].Not = docs.Not
	unmatched := s.Properties["unmatched"]
	unmatched.Enum, unmatched.Default = []any{"serve", "hide"}, raw("serve")
	index := s.Properties["index"]
	index.Properties["expose"].Items.Enum = nil
	for _, name := range config.IndexNames {
		index.Properties["expose"].Items.Enum = append(index.Properties["expose"].Items.Enum, name)
	}
	index.Properties["expose"].MinItems = jsonschema.Ptr(1)
	index.Properties["ttl"].Pattern = `^(([0-9]+\.?[0-9]*|\.[0-9]+)(h|ms?|s))+$`
	index.Properties["ttl"].Default = raw("5m")
	s.Properties["index"] = &jsonschema.Schema{Description: index.Description, AnyOf: []*jsonschema.Schema{{Type: "boolean"}, index}}
	index.Description = ""
	capture := s.Properties["capture"]
	for _, name := range config.CaptureStores {
		capture.Properties["store"].Enum = append(capture.Properties["store"].Enum, name)
	}
	capture.Properties["store"].Default = raw("memory")
	capture.Properties["ttl"].Pattern = index.Properties["ttl"].Pattern
	capture.Properties["ttl"].Default = raw("24h")
	s.Properties["capture"] = &jsonschema.Schema{Description: capture.Description, AnyOf: []*jsonschema.Schema{{Type: "boolean"}, capture}}
	capture.Description = ""
	for name, bounds := range map[string]struct{ lowest, highest, byDefault int }{
		"maxReadBytes":  {1, 1 << 30, config.DefaultMaxReadBytes},
		"maxFrameBytes": {1024, 1 << 30, config.DefaultMaxFrameBytes},
		"pageSize":      {1, 10_000, config.DefaultPageSize},
	} {
		limit := s.Properties["limits"].Properties[name]
		limit.Minimum, limit.Maximum = number(bounds.lowest), number(bounds.highest)
		limit.Default = raw(bounds.byDefault)
	}
	return s, nil
}

func templatesSchema() (*jsonschema.Schema, error) {
	entry, err := jsonschema.For[templates.Definition](nil)
	if err != nil {
		return nil, err
	}
	withoutNull(entry)
	uriTemplate := entry.Properties["uriTemplate"]
	uriTemplate.MinLength = jsonschema.Ptr(1)
	uriTemplate.MaxLength = jsonschema.Ptr(templates.MaxLength)
	entry.Properties["name"].MinLength = jsonschema.Ptr(1)
	entry.Properties["mimeType"].Pattern = mimeType

	hints := entry.Properties["annotations"].Properties
	hints["audience"].Items.Enum = []any{"user", "assistant"}
	hints["priority"].Minimum, hints["priority"].Maximum = number(0), number(1)

	icon := entry.Properties["icons"].Items.Properties
	icon["src"].MinLength = jsonschema.Ptr(1)
	icon["mimeType"].Pattern = mimeType
	icon["theme"].Enum = []any{"light", "dark"}
	return &jsonschema.Schema{Type: "array", Items: entry}, nil
}

// mimeType is type/subtype (RFC 6838 section 4.2) without parameters.
const mimeType = `^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$`

// withoutNull removes null from the types of Go slices and pointers.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	withoutNull(s.Items)
	for _, property := range s.Properties {
		withoutNull(property)
	}
}

func raw(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // does not happen for plain values
	}
	return data
}

func number(n int) *float64 { return jsonschema.Ptr(float64(n)) }
