package skills

import (
	"crypto/sha256"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// Bounds of the Agent Skills specification, in characters, and of the JSON that aliases in front
// matter may multiply, in bytes.
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
	maxJSON          = 256 << 10
)

// nameRule comes from the Agent Skills specification.
var nameRule = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// reserved starts keys of the metadata that belong to MCP.
const reserved = "io.modelcontextprotocol/"

// A frontMatter is the front matter of a SKILL.md.
type frontMatter struct {
	name        string
	nameLine    int
	description string
	json        []byte        // all of it, an object
	problems    problems.List // without the file
}

func digestOf(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }

// parse reads a SKILL.md.
func parse(data []byte) *manifest {
	m := &manifest{}
	wrong := func(line int, format string, args ...any) {
		m.front.problems = append(m.front.problems, problems.Problem{Line: line, Reason: fmt.Sprintf(format, args...)})
	}
	if !utf8.Valid(data) {
		wrong(0, "is not UTF-8, which hosts read it as")
		return m
	}
	text := string(data)
	block, began := frontmatter.Find(text)
	switch {
	case !began:
		wrong(1, "has no front matter: it must begin with a line ---, the fields name and description, and another line ---")
		return m
	case block.End == 0:
		wrong(1, "the front matter has no line --- at its end within %d bytes", frontmatter.MaxSize)
		return m
	}
	root, line, reason := load(block.YAML)
	if reason != "" {
		wrong(line, "%s", reason)
		return m
	}
	w := &writer{}
	w.value(root, 0)
	if w.reason != "" {
		wrong(w.line, "%s", w.reason)
		return m
	}
	m.front.json = w.b
	m.front.check(root)
	return m
}

// load reads the front matter, which must be one mapping.
func load(front string) (root *yaml.Node, line int, reason string) {
	root, wrong := frontmatter.Load(front)
	switch {
	case wrong != nil && wrong.Second:
		return nil, wrong.Line, wrong.Reason
	case wrong != nil:
		return nil, max(1, wrong.Line), "the front matter is not valid YAML: " + wrong.Reason
	case root == nil:
		return nil, 2, "the front matter is empty: it must have the fields name and description"
	case root.Kind != yaml.MappingNode:
		return nil, 2, "the front matter is not a mapping, such as name: git-workflow"
	}
	return root, 0, ""
}

// check checks the fields that the Agent Skills specification defines.
func (f *frontMatter) check(root *yaml.Node) {
	add := func(at *yaml.Node, warning bool, format string, args ...any) {
		f.problems = append(f.problems, problems.Problem{Line: at.Line, Warning: warning, Reason: fmt.Sprintf(format, args...)})
	}
	fields := make(map[string]*yaml.Node)
	for i := 0; i+1 < len(root.Content); i += 2 {
		fields[deref(root.Content[i]).Value] = deref(root.Content[i+1])
	}
	text := func(name string, required bool, most int) (string, bool) {
		n := fields[name]
		switch {
		case n == nil && required:
			add(root, false, "the field %s is missing", name)
		case n == nil, !required && n.Kind == yaml.ScalarNode && kindOf(n) == aNull:
		case n.Kind != yaml.ScalarNode || kindOf(n) != aString:
			add(n, !required, "%s must be a text; put it in quotes", name)
		case required && strings.TrimSpace(n.Value) == "":
			add(n, false, "%s is empty", name)
		case most > 0 && utf8.RuneCountInString(n.Value) > most:
			add(n, name != "name", "%s has %d characters, may have %d", name, utf8.RuneCountInString(n.Value), most)
			return n.Value, name != "name"
		default:
			return n.Value, true
		}
		return "", false
	}
	if name, ok := text("name", true, maxName); ok {
		f.name, f.nameLine = name, fields["name"].Line
		if !nameRule().MatchString(name) {
			add(fields["name"], false, "the name %q must be small letters, digits and single hyphens between them", name)
		}
	}
	f.description, _ = text("description", true, maxDescription)
	text("license", false, 0)
	text("compatibility", false, maxCompatibility)
	text("allowed-tools", false, 0)
	meta := fields["metadata"]
	switch {
	case meta == nil:
		return
	case meta.Kind != yaml.MappingNode:
		add(meta, true, "metadata must be a mapping of texts")
		return
	}
	for i := 0; i+1 < len(meta.Content); i += 2 {
		key, value := deref(meta.Content[i]), deref(meta.Content[i+1])
		if strings.HasPrefix(key.Value, reserved) {
			add(key, true, "metadata: the key %q is reserved: keys that begin with %s belong to MCP", key.Value, reserved)
		}
		if value.Kind != yaml.ScalarNode || kindOf(value) != aString {
			add(value, true, "metadata: the value of %q must be a text; put it in quotes", key.Value)
		}
	}
}

// deref resolves an alias.
func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// A kind is the type of a scalar by the core schema of YAML 1.2 (section 10.3.2).
type kind uint8

const (
	aString kind = iota
	aNull
	aBool
	anInt
	anOctal
	aHex
	aFloat
	notFinite
)

var (
	isInt       = lazyregexp.New(`^[-+]?[0-9]+$`)
	isOctal     = lazyregexp.New(`^0o[0-7]+$`)
	isHex       = lazyregexp.New(`^0x[0-9a-fA-F]+$`)
	isFloat     = lazyregexp.New(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	isNotFinite = lazyregexp.New(`^([-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN)$`)
)

func kindOf(n *yaml.Node) kind {
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 ||
		n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == "!!str" {
		return aString
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return aNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return aBool
	}
	for _, rule := range []struct {
		is func() *regexp.Regexp
		kind
	}{{isInt, anInt}, {isOctal, anOctal}, {isHex, aHex}, {isFloat, aFloat}, {isNotFinite, notFinite}} {
		if rule.is().MatchString(n.Value) {
			return rule.kind
		}
	}
	return aString
}

// A writer writes YAML as JSON. It stops at the first value that JSON cannot express.
type writer struct {
	b      []byte
	reason string
	line   int
}

func (w *writer) fail(n *yaml.Node, format string, args ...any) {
	if w.reason == "" {
		w.reason, w.line = fmt.Sprintf(format, args...), n.Line
	}
}

// maxDepth bounds nesting, including the nesting in the values of aliases.
const maxDepth = 20

func (w *writer) value(n *yaml.Node, depth int) {
	n = deref(n)
	switch {
	case w.reason != "":
		return
	case depth > maxDepth:
		w.fail(n, "the front matter is nested too deeply")
		return
	case len(w.b) > maxJSON:
		w.fail(n, "the front matter is too large")
		return
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str":
		w.fail(n, "hosts do not agree on the tag %s: leave it out", n.ShortTag())
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.mapping(n, depth)
	case yaml.SequenceNode:
		w.b = append(w.b, '[')
		for i, item := range n.Content {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.value(item, depth+1)
		}
		w.b = append(w.b, ']')
	case yaml.ScalarNode:
		w.scalar(n)
	default:
		w.fail(n, "the front matter has something that JSON cannot say")
	}
}

func (w *writer) mapping(n *yaml.Node, depth int) {
	w.b = append(w.b, '{')
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := deref(n.Content[i])
		switch {
		case key.Kind != yaml.ScalarNode:
			w.fail(key, "a key is not a text")
			return
		case !sameText(key):
			w.fail(key, "the key %s is not text, and hosts do not agree on how it is written: put it in quotes", key.Value)
			return
		case seen[key.Value]:
			w.fail(key, "the key %q is given twice", key.Value)
			return
		}
		seen[key.Value] = true
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(jsonwire.AppendString(w.b, key.Value), ':')
		w.value(n.Content[i+1], depth+1)
	}
	w.b = append(w.b, '}')
}

// sameText reports whether a key is a string, or becomes one in every conversion to JSON.
func sameText(key *yaml.Node) bool {
	switch kindOf(key) {
	case aString:
		return true
	case aNull:
		return false
	}
	w := &writer{}
	w.scalar(key)
	return w.reason == "" && string(w.b) == key.Value
}

func (w *writer) scalar(n *yaml.Node) {
	switch kindOf(n) {
	case aNull:
		w.b = append(w.b, "null"...)
	case aBool:
		w.b = append(w.b, strings.ToLower(n.Value)...)
	case anInt:
		digits := strings.TrimLeft(strings.TrimLeft(n.Value, "+-"), "0")
		switch {
		case digits == "":
			digits = "0"
		case n.Value[0] == '-':
			digits = "-" + digits
		}
		w.b = append(w.b, digits...)
	case anOctal, aHex:
		i, err := strconv.ParseInt(n.Value, 0, 64)
		if err != nil {
			w.fail(n, "the number %s is too large", n.Value)
			return
		}
		w.b = strconv.AppendInt(w.b, i, 10)
	case aFloat:
		f, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.IsInf(f, 0) {
			w.fail(n, "the number %s is too large", n.Value)
			return
		}
		if f == 0 {
			f = 0 // without the sign of a negative zero
		}
		w.b = strconv.AppendFloat(w.b, f, 'g', -1, 64)
	case notFinite:
		w.fail(n, "%s is not a number that JSON has; put it in quotes if it is a text", n.Value)
	default:
		w.b = jsonwire.AppendString(w.b, n.Value)
	}
}
