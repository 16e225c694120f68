// Package about reads the titles and descriptions of files.
//
// A Markdown file has them in its front matter (title, description) or its first heading; a JSON
// Schema has them in its own title and description. A sidecar is a small JSON file that describes
// another file of any type in the same folder.
package about

import (
	"encoding/json"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
	"github.com/mcp-docs-server/mcp-docs-server/templates/hints"
)

// About is the description of a file that clients get beside its name (MCP, "Resources", data type
// Resource). The zero value is empty.
type About struct {
	Title       string // one line
	Description string
	Audience    []string // user, assistant
	Priority    *float64 // from 0 to 1
	Icons       []templates.Icon
}

// Over returns a, with the fields of b where those of a are empty.
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
	// MaxMarkdown is the size of the part at the start of a Markdown file that is read.
	MaxMarkdown = 16 << 10
	// MaxSchema is the maximum size of a JSON Schema, and MaxSidecar that of a sidecar.
	MaxSchema  = 1 << 20
	MaxSidecar = 64 << 10
)

// Wanted returns the number of bytes at the start of a file of this MIME type that [Of] needs: 0
// for a type without titles. A JSON Schema must be complete.
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

// Of returns the title and description in the text of a file, or in its start.
func Of(mime, text string) About {
	a, _ := Read(mime, text)
	return a
}

// A Source is the origin of a title or a description in a file.
type Source uint8

const (
	Nowhere Source = iota // no title or description
	FrontMatter
	FirstHeading
	SchemaField // "title" or "description" of a JSON Schema
)

// Sources holds the sources of a title and a description.
type Sources struct{ Title, Description Source }

// Read is [Of] that also returns the sources.
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

// bounded shortens the texts for a list.
func (a About) bounded() About {
	a.Title = Titled(a.Title)
	a.Description = excerpt.Ellipsis(strings.TrimSpace(a.Description), maxDescription)
	return a
}

// Titled shortens a title for a list.
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
	// A value that is not a string is ignored.
	_ = json.Unmarshal(fields["title"], &a.Title)
	_ = json.Unmarshal(fields["description"], &a.Description)
	return a
}

// isSchema reports whether a JSON object is a JSON Schema, judging by its type, its dialect, or a
// keyword that other documents do not use in the same way.
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

// Sidecar reads a sidecar. file is its name in the problems; if one of them is an error, the result
// is empty.
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
