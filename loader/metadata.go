package loader

import (
	"encoding/json"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// Metadata is what clients learn about a resource in addition to its name (MCP, "Resources", data type
// Resource). The zero value is empty.
type Metadata struct {
	Title       string // one line
	Description string
	Audience    []string // user, assistant
	Priority    *float64 // from 0 to 1
	Icons       []templates.Icon
}

// over returns a copy of a in which each empty field has the value from b.
func (a Metadata) over(b Metadata) Metadata {
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
	// MetadataLen is the size of the part at the start of a Markdown file that [ReadMetadata] needs.
	MetadataLen = 16 << 10
	// maxSchema and maxSidecar are the maximum sizes of a JSON Schema and of a sidecar.
	maxSchema  = 1 << 20
	maxSidecar = 64 << 10
)

// metadataLen returns how many bytes from the start of a file of this MIME type [ReadMetadata] needs:
// 0 for a type without titles. A JSON Schema must be complete.
func metadataLen(mime string) int {
	switch {
	case isMarkdown(mime):
		return MetadataLen
	case isJSON(mime):
		return maxSchema
	}
	return 0
}

func isMarkdown(mime string) bool { return mime == "text/markdown" || mime == "text/mdx" }

func isJSON(mime string) bool { return mime == "application/json" || strings.HasSuffix(mime, "+json") }

// ReadMetadata returns the title and description in the text of a file, or in its start. Markdown has
// them in its front matter or first heading, a JSON Schema in fields of the same names.
func ReadMetadata(mime, text string) (a Metadata) {
	switch {
	case isMarkdown(mime):
		a = markdown(text)
	case isJSON(mime):
		a = schema(mime, text)
	}
	return a.bounded()
}

// bounded shortens the texts for a list.
func (a Metadata) bounded() Metadata {
	a.Title = ShortTitle(a.Title)
	a.Description = excerpt.Ellipsis(strings.TrimSpace(excerpt.Seen(a.Description)), maxDescription)
	return a
}

// ShortTitle returns a title in one line, shortened for a list.
func ShortTitle(title string) string { return excerpt.Ellipsis(excerpt.OneLine(title), maxTitle) }

func markdown(text string) Metadata {
	front, _ := frontmatter.Find(text)
	var a Metadata
	a.Title, a.Description = settings.Titles(front)
	if a.Title == "" {
		for _, h := range excerpt.Headings(text) {
			if h.Text != "" {
				a.Title = h.Text
				break
			}
		}
	}
	return a
}

func schema(mime, text string) (a Metadata) {
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

// sidecarSuffix follows the whole name of the file that a sidecar describes.
const sidecarSuffix = ".meta.json"
