// Package frontmatter finds the YAML at the start of a Markdown file, and reads the title and the
// description in it. Documents, resources and prompts all use it, so they agree.
//
// Front matter is the text between a first line "---", which a byte order mark may precede, and the
// next such line. If it is longer than [MaxSize], the first line is a thematic break instead.
package frontmatter

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// MaxSize is the maximum size of front matter in bytes, without the lines around it.
const MaxSize = 64 << 10

// A Block is the front matter of a text.
type Block struct {
	YAML string // between the lines, with its last line end, or TOML
	End  int    // offset of the text after it
	Line int    // line of the text after it, from 1
	TOML bool   // it is TOML, see [After]
}

// Find returns the front matter of a text. For a text without front matter, it returns the zero
// Block with Line 1. began reports whether the first line begins front matter, even if no line
// closes it.
func Find(text string) (b Block, began bool) { return find(text, "---") }

// After is Find for readers of the text after the front matter, which may also be TOML between two lines "+++".
func After(text string) Block {
	b, began := Find(text)
	if !began {
		b, b.TOML = find(text, "+++")
	}
	return b
}

func find(text, mark string) (b Block, began bool) {
	isMark := func(line string) bool { return strings.TrimRight(line, " \t\r") == mark }
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
			return Block{YAML: text[begin:offset], End: next, Line: line + 1}, true
		}
		offset = next
	}
	return Block{Line: 1}, true
}

// Described returns the description of a page that lacks something, or the description alone if lacks is "".
func Described(description, lacks string) string {
	if lacks == "" {
		return description
	}
	return strings.TrimSpace("Incomplete: " + lacks + " " + description)
}

// Quoted returns a string literal that is valid in both JSON and YAML (YAML 1.2.2, 5.1).
func Quoted(s string) string {
	var b strings.Builder
	for _, r := range string(jsonwire.AppendString(nil, s)) {
		// JSON allows these
		if r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// limits refuses deep nesting in YAML. The program reads at most five levels. Aliases need no bound,
// because nothing expands them: a reader resolves only the alias of the value that it needs.
var limits = yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(20)))

// A SyntaxError says where front matter is not YAML, and why.
type SyntaxError struct {
	Line, Column int // in the file, from 1
	Reason       string
}

// Load reads front matter that begins in the second line of a file. The root is nil if it is empty.
func Load(front string) (root *yaml.Node, wrong *SyntaxError) {
	// because of the empty line, line numbers count in the file
	loader, err := yaml.NewLoader(strings.NewReader("\n"+front), limits)
	if err != nil {
		return nil, &SyntaxError{Line: 1, Column: 1, Reason: err.Error()}
	}
	var doc yaml.Node
	switch err := loader.Load(&doc); {
	case err == io.EOF:
		return nil, nil
	case err != nil:
		return nil, syntaxError(front, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// Mapping is Load for front matter that must be a mapping, or empty. The reason is for users; example is a line of such a mapping.
func Mapping(front, example string) (root *yaml.Node, wrong *SyntaxError) {
	root, wrong = Load(front)
	switch {
	case wrong != nil:
		wrong.Reason = "the front matter is not valid YAML: " + wrong.Reason
	case root == nil || root.ShortTag() == "!!null":
		root = nil
	case root.Kind != yaml.MappingNode:
		wrong = &SyntaxError{Line: root.Line, Reason: "the front matter is not a mapping, such as " + example}
	}
	return root, wrong
}

// syntaxError returns an error of the YAML library with its place.
func syntaxError(front string, err error) *SyntaxError {
	wrong := &SyntaxError{Line: 1, Column: 1, Reason: err.Error()}
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		wrong.Line, wrong.Column, wrong.Reason = e.Mark.Line, e.Mark.Column, syntaxWords.Replace(e.Message)
	}
	if wrong.Line == 0 { // the library reports an invalid character without its line
		wrong.Line, wrong.Column = 1, 1
		if i := strings.IndexFunc(front, refused); i >= 0 {
			before := front[:i]
			wrong.Line, wrong.Column = 2+strings.Count(before, "\n"), 1+len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
		}
	}
	return wrong
}

// syntaxWords replaces phrases in the library's messages with words for users.
var syntaxWords = strings.NewReplacer("found unexpected end of stream", "a quotation mark has no counterpart",
	"did not find expected node content", "a value is missing, or a bracket has no counterpart", "could not find expected ':'", "a colon is missing after a key",
	"mapping values are not allowed in this context", "a colon is not expected here: put the value into quotation marks",
	"did not find expected", "there must be", "block sequence entries are not allowed in this context", "a list is not expected here",
	"found character that cannot start any token", "this character is not expected here: put the value into quotation marks")

// refused reports whether YAML 1.2 does not allow a character (section 5.1).
func refused(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || r == 0x7F || 0x80 <= r && r < 0xA0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF
}
