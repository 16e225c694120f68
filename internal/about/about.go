// Package about reads what files say of themselves: their titles and descriptions.
//
// A Markdown file says it in its front matter (title, description), or by its first heading; a JSON Schema in its own
// title and description. A sidecar, a small JSON file beside another file of any type, says it for that one.
package about

import (
	"encoding/json"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/hints"
	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// About is what clients are told of a file beside its name (MCP, "Resources", data type Resource). The zero value says
// nothing.
type About struct {
	Title       string // one line
	Description string
	Audience    []string // user, assistant
	Priority    *float64 // from 0 to 1
	Icons       []templates.Icon
}

// Over returns a with b where a says nothing.
func (a About) Over(b About) About {
	if a.Title == "" {
		a.Title = b.Title
	}
	if a.Description == "" {
		a.Description = b.Description
	}
	if a.Audience == nil {
		a.Audience = b.Audience
	}
	if a.Priority == nil {
		a.Priority = b.Priority
	}
	if a.Icons == nil {
		a.Icons = b.Icons
	}
	return a
}

// Sizes in bytes.
const (
	maxTitle       = 300
	maxDescription = 2000
	// MaxMarkdown is how much of the start of a Markdown file is looked at.
	MaxMarkdown = 16 << 10
	// MaxSchema is the largest JSON Schema, and MaxSidecar the largest sidecar, that is read.
	MaxSchema  = 1 << 20
	MaxSidecar = 64 << 10
)

// Wanted returns how many bytes of the start of a file of this MIME type [Of] looks at: 0 for a type that says nothing. A
// JSON Schema must be given whole.
func Wanted(mime string) int {
	switch {
	case isMarkdown(mime):
		return MaxMarkdown
	case isJSON(mime):
		return MaxSchema
	}
	return 0
}

func isMarkdown(mime string) bool { return mime == "text/markdown" || mime == "text/mdx" }

func isJSON(mime string) bool { return mime == "application/json" || strings.HasSuffix(mime, "+json") }

// Of returns what the text of a file, or its start, says of it.
func Of(mime, text string) About {
	a, _ := Read(mime, text)
	return a
}

// A Source is the part of a file that a title or a description comes from.
type Source uint8

const (
	Nowhere Source = iota // there is none
	FrontMatter
	FirstHeading
	SchemaField // "title" or "description" of a JSON Schema
)

// Sources say where a title and a description come from.
type Sources struct{ Title, Description Source }

// Read is [Of] with the sources of what it returns.
func Read(mime, text string) (About, Sources) {
	var a About
	var from Sources
	switch {
	case isMarkdown(mime):
		a, from = markdown(text)
	case isJSON(mime):
		a, from = schema(mime, text), Sources{SchemaField, SchemaField}
	}
	if a = a.bounded(); a.Title == "" {
		from.Title = Nowhere
	}
	if a.Description == "" {
		from.Description = Nowhere
	}
	return a, from
}

// bounded makes the texts fit a list.
func (a About) bounded() About {
	a.Title = Titled(a.Title)
	a.Description = excerpt.Ellipsis(strings.TrimSpace(a.Description), maxDescription)
	return a
}

// Titled makes a title fit a list.
func Titled(title string) string { return excerpt.Ellipsis(excerpt.OneLine(title), maxTitle) }

func markdown(text string) (About, Sources) {
	front, _ := frontmatter.Find(text)
	titles := front.Titles()
	a := About{Title: titles.Title, Description: titles.Description}
	from := Sources{FrontMatter, FrontMatter}
	if a.Title == "" {
		from.Title = FirstHeading
		for _, h := range excerpt.Headings(text) {
			if h.Text != "" {
				a.Title = h.Text
				break
			}
		}
	}
	return a, from
}

func schema(mime, text string) (a About) {
	text = strings.TrimPrefix(text, "\ufeff")
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") || !strings.Contains(text, `"title"`) && !strings.Contains(text, `"description"`) {
		return a
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) != nil || !isSchema(mime, fields) {
		return a
	}
	// What is not a string says nothing.
	_ = json.Unmarshal(fields["title"], &a.Title)
	_ = json.Unmarshal(fields["description"], &a.Description)
	return a
}

// isSchema reports whether a JSON object is a JSON Schema: its type or dialect says so, or a keyword that other documents
// do not use the same way.
func isSchema(mime string, fields map[string]json.RawMessage) bool {
	if mime == "application/schema+json" || strings.Contains(string(fields["$schema"]), "json-schema.org/") {
		return true
	}
	for _, keyword := range []string{"$defs", "definitions", "properties", "patternProperties", "allOf", "anyOf", "oneOf", "enum"} {
		if _, ok := fields[keyword]; ok {
			return true
		}
	}
	switch string(fields["type"]) {
	case `"object"`, `"array"`, `"string"`, `"number"`, `"integer"`, `"boolean"`, `"null"`:
		return true
	}
	return false
}

// SidecarSuffix follows the whole name of the file that a sidecar describes.
const SidecarSuffix = ".meta.json"

// Sidecar reads a sidecar. file names it in the problems; if one of them is an error, nothing is returned.
func Sidecar(file string, data []byte) (About, jsondoc.Problems) {
	v, problems := jsondoc.Parse(file, data)
	if problems.Err() != nil {
		return About{}, problems
	}
	o, ok := jsondoc.NewObject(file, "", v, &problems)
	if !ok {
		return About{}, problems
	}
	var a About
	o.String("title", &a.Title)
	o.String("description", &a.Description)
	hints.Annotations(o, &a.Audience, &a.Priority)
	for _, icon := range hints.Icons(o) {
		a.Icons = append(a.Icons, templates.Icon(icon))
	}
	o.Done()
	problems.Sort()
	if problems.Err() != nil {
		return About{}, problems
	}
	return a.bounded(), problems
}
