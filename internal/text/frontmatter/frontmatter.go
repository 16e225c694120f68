// Package frontmatter finds the YAML at the start of a Markdown file, and reads the title and the
// description in it. Documents, resources and prompts all use it, so they agree.
//
// Front matter is the text between a first line "---", which a byte order mark may precede, and the
// next such line. If it is longer than [MaxSize], the first line is a thematic break instead.
package frontmatter

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// MaxSize is the maximum size of front matter in bytes, without the lines around it.
const MaxSize = 64 << 10

// Limits refuses deep nesting in YAML. The program reads at most five levels. Aliases need no
// bound, because nothing expands them: a reader resolves only the alias of the value that it needs.
var Limits = yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(20)))

// A Block is the front matter of a text.
type Block struct {
	YAML string // between the lines, with its last line end
	End  int    // offset of the text after it
	Line int    // line of the text after it, from 1
}

// Find returns the front matter of a text. For a text without front matter, it returns the zero
// Block with Line 1. began reports whether the first line begins front matter, even if no line
// closes it.
func Find(text string) (b Block, began bool) {
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	first, _, ended := strings.Cut(text[start:], "\n")
	if !isMark(first) {
		return Block{Line: 1}, false
	}
	if !ended {
		return Block{Line: 1}, true
	}
	begin := start + len(first) + 1
	for offset, line := begin, 2; offset < len(text) && offset-begin <= MaxSize; line++ {
		raw, _, _ := strings.Cut(text[offset:], "\n")
		next := min(offset+len(raw)+1, len(text))
		if isMark(raw) {
			return Block{text[begin:offset], next, line + 1}, true
		}
		offset = next
	}
	return Block{Line: 1}, true
}

func isMark(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }

// Mistake returns the line in the file, from 1, and the reason if the front matter is not a YAML
// mapping. Otherwise it returns 0 and "".
func (b Block) Mistake() (line int, reason string) {
	if strings.TrimSpace(b.YAML) == "" {
		return 0, ""
	}
	loader, err := yaml.NewLoader(strings.NewReader("\n"+b.YAML), Limits) // the empty line makes the line numbers match the file
	if err != nil {
		return 1, err.Error()
	}
	var doc yaml.Node
	switch err := loader.Load(&doc); {
	case err == io.EOF:
		return 0, ""
	case err != nil:
		line, reason = 1, err.Error()
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			line, reason = max(1, e.Mark.Line), e.Message
		}
		return line, reason
	case len(doc.Content) == 0 || doc.Content[0].Kind == yaml.MappingNode:
		return 0, ""
	case doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].ShortTag() == "!!null": // comments only
		return 0, ""
	}
	return 2, "it is not a mapping, such as title: Setup"
}

// Titles holds the title and description in front matter.
type Titles struct{ Title, Description string }

// Titles reads the title and the description. Front matter that is not YAML is meant for another
// program and has neither.
func (b Block) Titles() (t Titles) {
	if !strings.Contains(b.YAML, "title") && !strings.Contains(b.YAML, "description") { // true for most documents
		return t
	}
	loader, err := yaml.NewLoader(strings.NewReader(b.YAML), Limits)
	if err != nil {
		return t
	}
	var doc yaml.Node
	if loader.Load(&doc) != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return t
	}
	fields := doc.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		value := fields[i+1]
		if value.Kind == yaml.AliasNode && value.Alias != nil {
			value = value.Alias
		}
		if value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" {
			continue
		}
		switch fields[i].Value {
		case "title":
			t.Title = value.Value
		case "description":
			t.Description = value.Value
		}
	}
	return t
}
