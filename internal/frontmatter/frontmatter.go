// Package frontmatter finds the YAML at the start of a Markdown file, and reads the title and the description in it. Documents,
// resources and prompts agree on both by it.
//
// Front matter is what stands between a first line "---", which a byte order mark may precede, and the next such line. What is
// longer than [MaxSize] begins with a rule.
package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// MaxSize is how long front matter may be, in bytes without the lines around it.
const MaxSize = 64 << 10

// Limits refuse deep nesting while YAML is read. What the program reads of it is five deep. Aliases need no bound, as long as
// nothing expands them: whoever wants a value follows the one to it.
var Limits = yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(20)))

// A Block is the front matter of a text.
type Block struct {
	YAML string // between the lines, with its last line end
	End  int    // offset of the text behind it
	Line int    // of that text, from 1
}

// Find returns the front matter of a text. A text without has the zero Block with Line 1. began reports whether a first line begins
// front matter, whether or not a line closes it.
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
	for at, line := begin, 2; at < len(text) && at-begin <= MaxSize; line++ {
		raw, _, _ := strings.Cut(text[at:], "\n")
		next := min(at+len(raw)+1, len(text))
		if isMark(raw) {
			return Block{text[begin:at], next, line + 1}, true
		}
		at = next
	}
	return Block{Line: 1}, true
}

func isMark(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }

// Titles are what front matter says of a file.
type Titles struct{ Title, Description string }

// Titles reads the title and the description. What is no YAML says nothing: it is the business of whatever program it was written
// for.
func (b Block) Titles() (t Titles) {
	if !strings.Contains(b.YAML, "title") && !strings.Contains(b.YAML, "description") { // as of most documents
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
