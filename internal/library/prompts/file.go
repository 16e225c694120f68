package prompts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Bounds on one file. They are far above the needs of a prompt that a person reads and fills in.
const (
	MaxFileSize  = 1 << 20
	MaxArguments = 256
	maxProblems  = 100
)

var errTooLarge = fmt.Errorf("is larger than %d bytes", MaxFileSize)

// readFile reads a file.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	data, err := rootfs.ReadFile(fsys, name, MaxFileSize)
	if errors.Is(err, rootfs.ErrTooLarge) {
		err = errTooLarge
	}
	return data, err
}

// parse parses a prompt. The prompt is nil if and only if the problems contain an error.
func parse(file, name string, data []byte) (*Prompt, jsondoc.Problems) {
	r := &report{file: file}
	p := &Prompt{Name: name, Title: name, File: file}
	content := media.Classify("prompt.md", "", data)
	if !content.IsText {
		r.add(0, 0, false, "is not text in UTF-8")
		return nil, r.problems
	}
	text := strings.TrimPrefix(content.Text, "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)

	var head header
	body, line := text, 1
	if front, began := frontmatter.Find(text); began {
		if front.End == 0 {
			within := ""
			if len(text) > frontmatter.MaxSize {
				within = fmt.Sprintf(" within %d bytes", frontmatter.MaxSize)
			}
			r.add(1, 1, false, "the front matter that begins here has no closing ---%s", within)
			return nil, r.problems
		}
		body, line = text[front.End:], front.Line
		head = readHeader(r, front.YAML)
		if head.title != "" {
			p.Title = excerpt.OneLine(head.title)
		}
		p.Description = head.description
	}
	p.Arguments, p.line = head.arguments, line
	t := readText(r, body, line)
	if !head.broken {
		p.parts = t.bind(r, head)
		if p.Description == "" && r.errors == 0 {
			p.Description = excerpt.Seen(firstSentence(p.Text(func(argument string) string { return "{" + argument + "}" })))
		}
	}
	if strings.TrimSpace(body) == "" {
		r.add(line, 0, true, "the prompt has no text")
	}
	r.problems.Sort()
	if r.errors > 0 {
		p = nil
	}
	return p, r.problems
}

// A report collects the problems of one file.
type report struct {
	file     string
	problems jsondoc.Problems
	errors   int // includes those beyond the bound
}

// hasRoom reports whether the report has room for one more problem. It always has room for the
// first error.
func (r *report) hasRoom(warning bool) bool {
	return len(r.problems) < maxProblems || !warning && r.errors == 0
}

func (r *report) add(line, column int, warning bool, format string, args ...any) {
	if r.hasRoom(warning) {
		r.problems = append(r.problems, jsondoc.Problem{
			File: r.file, Line: line, Column: column, Reason: fmt.Sprintf(format, args...), Warning: warning,
		})
	}
	if !warning {
		r.errors++
	}
}

// meant suggests the name that is most similar to a word.
func meant(word string, names []string) string {
	if name, ok := nearest.One(word, names); ok {
		return "; did you mean " + jsondoc.Quote(name) + "?"
	}
	return ""
}

// maxEnum bounds an enumeration, because aliases could repeat a long one for every argument.
const maxEnum = 1000

// A header is the parsed front matter.
type header struct {
	title, description string
	arguments          []Argument
	lines              []int
	faulty             []string
	broken             bool
}

// A mapping has the fields of a YAML mapping that are not null. An alias is followed only where a value is expected, so that aliases
// cannot multiply values.
type mapping struct {
	*report
	path   string // prefix of field names in messages
	fields map[string]*yaml.Node
}

func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.ShortTag() == "!!null" }

// mapping reads a mapping. It reports repeated keys and merge keys, and warns of unknown keys.
func (r *report) mapping(n *yaml.Node, known ...string) mapping {
	m := mapping{r, "", make(map[string]*yaml.Node)}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], follow(n.Content[i+1])
		name := key.Value
		if slices.Contains(known, "args") && (name == "arguments" || name == "parameters") {
			// words of MCP and other programs
			name = "args"
		}
		switch {
		case seen[name] || key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
			r.add(key.Line, 0, false, "the key %s is given twice, or is not a plain name", jsondoc.Quote(name))
		case !slices.Contains(known, name):
			r.add(key.Line, 0, true, "unknown key %s%s", jsondoc.Quote(name), meant(name, known))
		}
		if seen[name] = true; !isNull(value) {
			m.fields[name] = value
		}
	}
	return m
}

// text returns a field as it is written, so that a version such as 1.20 keeps its zero.
func (m mapping) text(key string) string {
	if n := m.fields[key]; n != nil {
		return m.scalar(key, n)
	}
	return ""
}

func (m mapping) scalar(key string, n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		m.add(n.Line, 0, false, "%s%s must be a text, a number, true or false", m.path, key)
	case !isNull(n):
		return strings.TrimSpace(excerpt.Seen(n.Value))
	}
	return ""
}

// flag returns "true", "false" or, for a missing value, "".
func (m mapping) flag(key string) string {
	text := strings.ToLower(m.text(key))
	if n := m.fields[key]; n != nil && text != "true" && text != "false" {
		m.add(n.Line, 0, false, "%s%s is %s, must be true or false", m.path, key, jsondoc.Quote(n.Value))
	}
	return text
}

// readHeader reads front matter and reports what is wrong with it.
func readHeader(r *report, front string) (h header) {
	root, wrong := frontmatter.Mapping(front, "title: Setup")
	if wrong != nil {
		h.broken = true
		r.add(wrong.Line, wrong.Column, false, "%s", wrong.Reason)
	}
	if root == nil || wrong != nil {
		return h
	}
	m := r.mapping(root, "title", "description", "args")
	h.title, h.description = m.text("title"), m.text("description")
	args := m.fields["args"]
	if args == nil {
		return h
	}
	h.broken = true
	var names, specs []*yaml.Node
	for i, n := range args.Content {
		if args.Kind == yaml.MappingNode && i%2 == 0 {
			names = append(names, follow(n))
		} else {
			specs = append(specs, follow(n))
		}
	}
	if n := len(specs); n > MaxArguments {
		r.add(args.Line, 0, false, "has %d arguments, may have %d", n, MaxArguments)
		return h
	}
	other := func(n *yaml.Node) bool { return n.Kind != yaml.MappingNode && (names == nil || !isNull(n)) }
	if i := slices.IndexFunc(specs, other); args.Kind == yaml.ScalarNode || i >= 0 {
		r.add(append(specs, args)[max(i, 0)].Line, 0, false, "the arguments must be a mapping from name to argument, or a list of arguments with a name")
		return h
	}
	h.broken = false
	for i, spec := range specs {
		m := r.mapping(spec, "name", "type", "required", "optional", "title", "description", "enum", "default")
		if names != nil {
			m.fields["name"] = names[i]
		}
		h.argument(m, args.Line)
	}
	return h
}

// argument reads one argument.
func (h *header) argument(m mapping, line int) {
	name := m.text("name")
	if n := m.fields["name"]; n != nil {
		line = n.Line
	}
	if slices.ContainsFunc(h.arguments, func(a Argument) bool { return a.Name == name }) || slices.Contains(h.faulty, name) {
		m.add(line, 0, false, "the argument %s is given twice", jsondoc.Quote(name))
		return
	}
	before := m.errors
	if wordingOf(name) != isName {
		m.add(line, 0, false, "%s cannot name an argument: %s", jsondoc.Quote(name), nameRule)
	}
	m.path = "args." + name + "."
	a := m.argument(name)
	if m.errors > before {
		h.faulty = append(h.faulty, name)
		return
	}
	h.arguments, h.lines = append(h.arguments, a), append(h.lines, line)
}

// argument returns the argument of a name.
func (m mapping) argument(name string) Argument {
	a := Argument{Name: name, Title: m.text("title"), Description: m.text("description"), Type: cmp.Or(m.text("type"), TypeString)}
	if !slices.Contains(types, a.Type) {
		m.add(m.fields["type"].Line, 0, false, "%stype is %s, must be string, number or boolean%s", m.path, jsondoc.Quote(a.Type), meant(a.Type, types))
		return a
	}
	required, optional := m.flag("required"), m.flag("optional")
	a.Required = required != "false" && optional != "true" && m.fields["default"] == nil
	if e := m.fields["enum"]; e != nil {
		if e.Kind != yaml.SequenceNode || len(e.Content) == 0 || len(e.Content) > maxEnum {
			m.add(e.Line, 0, false, "%senum must be a list of 1 to %d values", m.path, maxEnum)
			return a
		}
		var enum []string
		for _, n := range e.Content {
			enum = append(enum, m.value(a, "enum", follow(n)))
		}
		a.Enum = enum
	}
	if n := m.fields["default"]; n != nil {
		value := m.value(a, "default", n)
		a.Default = &value
	}
	return a
}

// value returns a value of an argument as a client would send it.
func (m mapping) value(a Argument, key string, n *yaml.Node) string {
	value := m.scalar(key, n)
	if a.Type == TypeBoolean {
		value = strings.ToLower(value)
	}
	if flaw := a.flaw(value); flaw != "" {
		m.add(n.Line, 0, false, "%s%s %s", m.path, key, flaw)
	}
	return value
}
