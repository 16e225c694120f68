package prompts

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// maxEnum bounds an enumeration, because aliases could repeat a long one for every argument.
const maxEnum = 1000

// A header is the parsed front matter.
type header struct {
	title, description string
	arguments          []Argument
	lines              []int    // of the arguments
	faulty             []string // names of arguments with an invalid declaration
	broken             bool     // the names of the arguments cannot be read
}

// The front matter as YAML. Its types resolve aliases, but never expand values that nobody reads.
type (
	fields struct {
		Title, Description value
		Args               declarations
	}
	declarations struct {
		line int
		bad  bool // it is neither a mapping nor a list of mappings
		list []declaration
		keys []*yaml.Node // the mapping of each argument; nil: it has none
	}
	declaration struct {
		Name, Title, Description, Type, Required, Optional, Default value
		Enum                                                        enumeration
	}
	enumeration struct {
		line   int
		bad    bool // it is not a list of a suitable length
		values []value
	}
	// A value is a scalar as it is written, so that a version such as 1.20 keeps its zero.
	value struct {
		text string
		line int  // 0: it is missing, or null
		bad  bool // it is a list or a mapping
	}
)

func (v *value) UnmarshalYAML(n *yaml.Node) error {
	if n.ShortTag() != "!!null" {
		*v = value{n.Value, n.Line, n.Kind != yaml.ScalarNode}
	}
	return nil
}

func (e *enumeration) UnmarshalYAML(n *yaml.Node) error {
	e.line = n.Line
	if e.bad = n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > maxEnum; e.bad {
		return nil
	}
	return n.Decode(&e.values)
}

func (d *declarations) UnmarshalYAML(n *yaml.Node) error {
	d.line = n.Line
	names, specs := []*yaml.Node(nil), n.Content
	if n.Kind == yaml.MappingNode {
		names, specs = nil, nil
		for i := 0; i+1 < len(n.Content); i += 2 {
			names, specs = append(names, n.Content[i]), append(specs, n.Content[i+1])
		}
	}
	d.bad = n.Kind == yaml.ScalarNode
	d.list, d.keys = make([]declaration, len(specs)), make([]*yaml.Node, len(specs))
	for i, spec := range specs[:min(len(specs), MaxArguments)] {
		if spec.Kind == yaml.AliasNode {
			spec = spec.Alias
		}
		switch {
		case spec.Kind == yaml.MappingNode:
			d.keys[i] = spec
			if err := spec.Load(&d.list[i], yaml.WithUniqueKeys(false)); err != nil {
				return err
			}
		case names == nil || spec.ShortTag() != "!!null":
			d.bad, d.line = true, spec.Line
		}
		if names != nil {
			if err := names[i].Decode(&d.list[i].Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// readHeader reads front matter and reports what is wrong with it.
func readHeader(r *report, front string) (h header) {
	root, wrong := frontmatter.Load(front)
	switch {
	case wrong != nil:
		h.broken = true
		r.add(wrong.Line, wrong.Column, false, "%s", reasonOf(wrong))
		return h
	case root == nil || root.ShortTag() == "!!null":
		return h
	case root.Kind != yaml.MappingNode:
		h.broken = true
		r.add(root.Line, 0, false, "the front matter is not a mapping, such as title: Setup")
		return h
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; key.Value == "arguments" || key.Value == "parameters" { // the words of MCP and of other programs
			key.Value = "args"
		}
	}
	var f fields
	checkKeys(r, root, "title", "description", "args")
	if err := root.Load(&f, yaml.WithUniqueKeys(false)); err != nil {
		h.broken = true
		line, reason := 1, err.Error()
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			line, reason = e.Mark.Line, e.Message
		}
		r.add(line, 0, false, "%s", reason)
		return h
	}
	h.title, h.description = f.Title.read(r, "title"), f.Description.read(r, "description")
	if n := len(f.Args.list); n > MaxArguments {
		h.broken = true
		r.add(f.Args.line, 0, false, "has %d arguments, may have %d", n, MaxArguments)
		return h
	}
	if f.Args.bad {
		h.broken = true
		r.add(f.Args.line, 0, false, "the arguments must be a mapping from name to argument, or a list of arguments with a name")
		return h
	}
	for i := range f.Args.list {
		h.argument(r, &f.Args.list[i], f.Args.keys[i], f.Args.line)
	}
	return h
}

// reasonOf returns the reason of a syntax error, with a hint.
func reasonOf(wrong *frontmatter.SyntaxError) string {
	if wrong.Second {
		return wrong.Reason
	}
	reason := "the front matter is not valid YAML: " + wrong.Reason
	if strings.Contains(reason, "mapping values are not allowed") || strings.Contains(reason, "cannot start any token") {
		reason += "; put text with such characters in quotes"
	}
	return reason
}

// checkKeys reports repeated keys and merge keys, and warns of unknown keys.
func checkKeys(r *report, mapping *yaml.Node, known ...string) {
	seen := make(map[string]bool)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		switch {
		case seen[key.Value] || key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
			r.add(key.Line, 0, false, "the key %s is given twice, or is not a plain name", jsondoc.Quote(key.Value))
		case !slices.Contains(known, key.Value):
			r.add(key.Line, 0, true, "unknown key %s%s", jsondoc.Quote(key.Value), meant(key.Value, known))
		}
		seen[key.Value] = true
	}
}

// argument reads one argument.
func (h *header) argument(r *report, d *declaration, keys *yaml.Node, line int) {
	name := d.Name.read(r, "the name of an argument")
	if d.Name.line > 0 {
		line = d.Name.line
	}
	if slices.ContainsFunc(h.arguments, func(a Argument) bool { return a.Name == name }) || slices.Contains(h.faulty, name) {
		r.add(line, 0, false, "the argument %s is given twice", jsondoc.Quote(name))
		return
	}
	before := r.errors
	if wordingOf(name) != isName {
		r.add(line, 0, false, "%s cannot name an argument: %s", jsondoc.Quote(name), nameRule)
	}
	if keys != nil {
		checkKeys(r, keys, "name", "type", "required", "optional", "title", "description", "enum", "default")
	}
	a := d.read(r, name)
	if r.errors > before {
		h.faulty = append(h.faulty, name)
		return
	}
	h.arguments, h.lines = append(h.arguments, a), append(h.lines, line)
}

// read reads the fields of an argument.
func (d *declaration) read(r *report, name string) Argument {
	path := "args." + name + "."
	a := Argument{
		Name: name, Title: d.Title.read(r, path+"title"), Description: d.Description.read(r, path+"description"),
		Type: TypeString, Required: true,
	}
	if t := d.Type.read(r, path+"type"); d.Type.line > 0 {
		if a.Type = t; !slices.Contains(types, t) {
			r.add(d.Type.line, 0, false, "%stype is %s, must be string, number or boolean%s", path, jsondoc.Quote(t), meant(t, types))
			return a
		}
	}
	required, optional := d.Required.flag(r, path+"required"), d.Optional.flag(r, path+"optional")
	a.Required = required != "false" && optional != "true" && d.Default.line == 0
	if !a.Required && (required == "true" || optional == "false") {
		r.add(max(d.Required.line, d.Optional.line), 0, true, "%srequired, optional and default contradict each other: it is optional", path)
	}
	a.readEnum(r, &d.Enum, path+"enum")
	if d.Default.line > 0 {
		value := a.literal(d.Default.read(r, path+"default"))
		if flaw := a.flaw(value); flaw != "" {
			r.add(d.Default.line, 0, false, "%sdefault %s", path, flaw)
		}
		a.Default = &value
	}
	return a
}

func (a *Argument) readEnum(r *report, e *enumeration, path string) {
	if e.bad {
		r.add(e.line, 0, false, "%s must be a list of 1 to %d values", path, maxEnum)
	}
	var enum []string
	for _, v := range e.values {
		value := a.literal(v.read(r, path))
		if flaw := a.flaw(value); flaw != "" {
			r.add(v.line, 0, false, "%s %s", path, flaw)
		}
		enum = append(enum, value)
	}
	a.Enum = enum
}

// literal returns a value as a client would send it.
func (a *Argument) literal(value string) string {
	if a.Type == TypeBoolean {
		return strings.ToLower(value)
	}
	return value
}

// read returns the text of a value.
func (v value) read(r *report, path string) string {
	if v.bad {
		r.add(v.line, 0, false, "%s must be a text, a number, true or false", path)
	}
	return strings.TrimSpace(excerpt.Seen(v.text)) // block scalars end with a line end
}

// flag returns "true", "false" or, for a missing value, "".
func (v value) flag(r *report, path string) string {
	text := strings.ToLower(v.read(r, path))
	if text != "true" && text != "false" && v.line > 0 {
		r.add(v.line, 0, false, "%s is %s, must be true or false", path, jsondoc.Quote(v.text))
	}
	return text
}
