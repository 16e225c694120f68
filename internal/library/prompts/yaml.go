package prompts

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// loadYAML reads front matter, which begins in the second line of the file. It returns nil for
// empty front matter, and false for front matter that is not YAML.
func loadYAML(r *report, front string) (*yaml.Node, bool) {
	root, wrong := frontmatter.Load(front)
	switch {
	case wrong == nil && root == nil:
		return nil, true
	case wrong == nil:
		return deref(root), true
	case wrong.Second:
		r.add(wrong.Line, wrong.Column, false, "%s", wrong.Reason)
		return nil, false
	}
	reason := wrong.Reason
	switch {
	case strings.Contains(reason, "mapping values are not allowed"):
		reason += "; text with a colon and a blank behind it must stand in quotes"
	case strings.Contains(reason, "cannot start any token"):
		reason += "; text that begins with such a character must stand in quotes"
	}
	r.add(wrong.Line, wrong.Column, false, "the front matter is not valid YAML: %s", reason)
	return nil, false
}

// deref resolves an alias.
func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// A member is one field of a mapping.
type member struct {
	key   *yaml.Node
	value *yaml.Node // with aliases resolved
}

// members returns the fields of a mapping. It reports and drops keys that are not scalars, merge
// keys and repeated keys.
func members(r *report, mapping *yaml.Node) []member {
	var list []member
	first := make(map[string]*yaml.Node)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := deref(mapping.Content[i]), deref(mapping.Content[i+1])
		node := mapping.Content[i]
		if key.Kind != yaml.ScalarNode {
			r.add(node.Line, node.Column, false, "a key is %s, must be a string", kindOf(key))
			continue
		}
		if key.ShortTag() == "!!merge" {
			r.add(node.Line, node.Column, false, "merge keys (<<) are not understood here")
			continue
		}
		if twice := first[key.Value]; twice != nil {
			r.add(node.Line, node.Column, false, "%s is given twice, first in line %d", jsondoc.Quote(key.Value), twice.Line)
			continue
		}
		first[key.Value] = node
		list = append(list, member{key, value})
	}
	return list
}

// fields returns the known fields of a mapping that are not null, and warns of unknown ones.
func fields(r *report, mapping *yaml.Node, path string, known ...string) map[string]*yaml.Node {
	found := make(map[string]*yaml.Node, len(known))
	for _, m := range members(r, mapping) {
		name := m.key.Value
		switch {
		case slices.Contains(known, name):
			if m.value.ShortTag() != "!!null" {
				found[name] = m.value
			}
		case path == "" && (name == "arguments" || name == "parameters"): // the terms of MCP and of many other programs
			r.add(m.key.Line, m.key.Column, true, `unknown key %q; did you mean "args"?`, name)
		default:
			r.add(m.key.Line, m.key.Column, true, "unknown key %s%s", jsondoc.Quote(path+name), meant(name, known))
		}
	}
	return found
}

// text reads a string for people.
func text(r *report, n *yaml.Node, path string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!str" || n.ShortTag() == "!!timestamp"):
		return strings.TrimSpace(n.Value) // block scalars end with a line end
	}
	wrong(r, n, path, "a string")
	return ""
}

// flag reads a boolean, which may be in quotes.
func flag(r *report, n *yaml.Node, path string) (value, given bool) {
	if n == nil {
		return false, false
	}
	if tag := n.ShortTag(); n.Kind == yaml.ScalarNode && (tag == "!!bool" || tag == "!!str") {
		switch strings.ToLower(n.Value) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	}
	wrong(r, n, path, "true or false")
	return false, false
}

func wrong(r *report, n *yaml.Node, path, want string) {
	is := kindOf(n)
	if n.Kind == yaml.ScalarNode {
		is += " (" + jsondoc.Quote(n.Value) + ")"
	}
	hint := ""
	if want == "a string" && n.Kind == yaml.ScalarNode {
		hint = "; put it in quotes"
	}
	r.add(n.Line, n.Column, false, "%s is %s, must be %s%s", path, is, want, hint)
}

// kindOf names the kind of a value.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch tag := n.ShortTag(); tag {
	case "!!str":
		return "a string"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "a boolean"
	case "!!null":
		return "null"
	case "!!timestamp":
		return "a date"
	default:
		return "a value with the tag " + jsondoc.Quote(tag)
	}
}
