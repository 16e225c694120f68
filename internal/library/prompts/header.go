package prompts

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// maxEnum bounds an enumeration, because aliases could repeat a long one for every argument.
const maxEnum = 1000

// A header is the parsed front matter.
type header struct {
	title, description string
	arguments          []Argument
	nameNodes          []*yaml.Node // of the arguments' names
	faulty             []string     // names of arguments with an invalid declaration
	broken             bool         // the names of the arguments cannot be read
}

// readHeader reads front matter and reports what is wrong with it.
func readHeader(r *report, front string) (h header) {
	doc, ok := loadYAML(r, front)
	switch {
	case !ok:
		h.broken = true
		return h
	case doc == nil || doc.ShortTag() == "!!null":
		return h
	case doc.Kind != yaml.MappingNode:
		h.broken = true
		wrong(r, doc, "the front matter", "a mapping")
		return h
	}
	found := fields(r, doc, "", "title", "description", "args")
	h.title = text(r, found["title"], "title")
	h.description = text(r, found["description"], "description")
	args := found["args"]
	if args == nil {
		return h
	}
	switch args.Kind {
	case yaml.MappingNode:
		for _, m := range members(r, args) {
			h.argument(r, m.key, m.value, false)
		}
	case yaml.SequenceNode:
		for _, item := range args.Content {
			h.listed(r, deref(item))
		}
	default:
		h.broken = true
		wrong(r, args, "args", "a mapping or a list")
	}
	if n := len(h.arguments) + len(h.faulty); n > MaxArguments {
		h.broken = true
		r.add(args.Line, args.Column, false, "args has %d arguments, may have %d", n, MaxArguments)
	}
	return h
}

// listed reads an argument from a list.
func (h *header) listed(r *report, item *yaml.Node) {
	if item.Kind != yaml.MappingNode {
		h.broken = true
		wrong(r, item, "an item of args", "a mapping with a name")
		return
	}
	for i := 0; i+1 < len(item.Content); i += 2 {
		if deref(item.Content[i]).Value != "name" {
			continue
		}
		name := deref(item.Content[i+1])
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!null" {
			h.broken = true
			wrong(r, name, "the name of an argument", "a string")
			return
		}
		h.argument(r, name, item, true)
		return
	}
	h.broken = true
	r.add(item.Line, item.Column, false, "an argument has no name")
}

// argument reads one argument. inside says that its name is in one of the fields.
func (h *header) argument(r *report, name, spec *yaml.Node, inside bool) {
	if len(h.arguments)+len(h.faulty) > MaxArguments {
		h.faulty = append(h.faulty, name.Value)
		return
	}
	same := func(a Argument) bool { return a.Name == name.Value }
	if slices.ContainsFunc(h.arguments, same) || slices.Contains(h.faulty, name.Value) {
		r.add(name.Line, name.Column, false, "the argument %s is given twice", jsondoc.Quote(name.Value))
		return
	}
	before := r.errors
	a := Argument{Name: name.Value, Type: TypeString, Required: true}
	if wordingOf(a.Name) != isName {
		r.add(name.Line, name.Column, false, "%s cannot name an argument: %s", jsondoc.Quote(a.Name), nameRule)
	}
	switch {
	case spec.Kind == yaml.MappingNode:
		a.read(r, spec, inside)
	case spec.ShortTag() != "!!null":
		wrong(r, spec, "args."+a.Name, "a mapping")
	}
	if r.errors > before {
		h.faulty = append(h.faulty, a.Name)
		return
	}
	h.arguments = append(h.arguments, a)
	h.nameNodes = append(h.nameNodes, name)
}

// read reads the fields of an argument.
func (a *Argument) read(r *report, spec *yaml.Node, inside bool) {
	path := "args." + a.Name + "."
	known := []string{"type", "required", "optional", "title", "description", "enum", "default"}
	if inside {
		known = append(known, "name")
	}
	found := fields(r, spec, path, known...)
	a.Title = text(r, found["title"], path+"title")
	a.Description = text(r, found["description"], path+"description")
	if n := found["type"]; n != nil {
		a.Type = ""
		switch {
		case n.Kind != yaml.ScalarNode:
			wrong(r, n, path+"type", "string, number or boolean")
		case slices.Contains(types, n.Value):
			a.Type = n.Value
		default:
			r.add(n.Line, n.Column, false, "%stype is %s, must be string, number or boolean%s", path, jsondoc.Quote(n.Value), meant(n.Value, types))
		}
	}
	required, r1 := flag(r, found["required"], path+"required")
	optional, r2 := flag(r, found["optional"], path+"optional")
	a.Required = !(r2 && optional || r1 && !required || found["default"] != nil)
	if r1 && r2 && required == optional {
		n := found["optional"]
		r.add(n.Line, n.Column, true, "required and optional of args.%s are both %v: it is optional", a.Name, optional)
	} else if n := found["default"]; n != nil && (r1 && required || r2 && !optional) {
		r.add(n.Line, n.Column, true, "args.%s has a default and so is not required", a.Name)
	}
	if a.Type == "" {
		return // reported; without a type, the other fields cannot be checked
	}
	if n := found["enum"]; n != nil && !a.readEnum(r, n, path+"enum") {
		return
	}
	if n := found["default"]; n != nil {
		if value, ok := a.literal(r, n, path+"default"); ok {
			if flaw := a.flaw(value); flaw != "" {
				r.add(n.Line, n.Column, false, "%sdefault %s", path, flaw)
			}
			a.Default = &value
		}
	}
}

// readEnum reads the enumeration and returns whether it is valid.
func (a *Argument) readEnum(r *report, n *yaml.Node, path string) bool {
	switch {
	case n.Kind != yaml.SequenceNode:
		wrong(r, n, path, "a list")
		return false
	case a.Type == TypeBoolean:
		r.add(n.Line, n.Column, false, "%s is not for a boolean", path)
		return false
	case len(n.Content) == 0 || len(n.Content) > maxEnum:
		r.add(n.Line, n.Column, false, "%s has %d values, must have 1 to %d", path, len(n.Content), maxEnum)
		return false
	}
	good := true
	var values []string
	seen := make(map[string]bool)
	for _, item := range n.Content {
		value, ok := a.literal(r, deref(item), path)
		if ok && a.Type == TypeNumber && !isNumber(value) {
			r.add(item.Line, item.Column, false, "%s holds %s, must hold numbers", path, jsondoc.Quote(value))
			ok = false
		}
		if good = good && ok; ok && seen[value] {
			r.add(item.Line, item.Column, true, "%s holds %s twice", path, jsondoc.Quote(value))
		} else if ok {
			seen[value] = true
			values = append(values, value)
		}
	}
	a.Enum = values
	return good
}

// literal reads a value of the argument as a client would send it: as written, even a number, so
// that a version such as 1.20 keeps its zero.
func (a *Argument) literal(r *report, n *yaml.Node, path string) (string, bool) {
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!timestamp":
			return n.Value, true
		case "!!bool":
			if a.Type == TypeBoolean {
				return strings.ToLower(n.Value), true
			}
		}
	}
	wrong(r, n, path, map[string]string{TypeString: "a string", TypeNumber: "a number", TypeBoolean: "true or false"}[a.Type])
	return "", false
}
