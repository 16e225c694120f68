// Package settings reads configuration files of other programs, and front matter.
//
// A file in YAML, TOML or JSON becomes [Values]. Values are texts, whatever the types of the file are. A text that is
// not well-formed has the values that can be made out, or none.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Values is a configuration or front matter: a tree of maps, slices and scalars.
type Values map[string]any

// A SyntaxError says where a text is not well-formed.
type SyntaxError struct {
	Line   int // from 1
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Parse reads YAML, TOML or JSON with comments, as the extension says. Tags of YAML that name programs are ignored. The error is
// a [*SyntaxError], also for lists and mappings that are nested more deeply than the parsers allow. Of YAML that is not
// well-formed, the lines that are "key: value" give the values.
func Parse(name, text string) (Values, error) {
	v := make(Values)
	switch strings.ToLower(path.Ext(name)) {
	case ".toml":
		if err := toml.Unmarshal([]byte(text), (*map[string]any)(&v)); err != nil {
			line := 1
			if e, ok := errors.AsType[*toml.DecodeError](err); ok {
				line, _ = e.Position()
			}
			return nil, &SyntaxError{line, err.Error()}
		}
		return v, nil
	case ".json", ".jsonc":
		err := json.Unmarshal(jsonc.ToJSON([]byte(text)), (*map[string]any)(&v))
		if e, ok := errors.AsType[*json.SyntaxError](err); ok && strings.TrimSpace(text) != "" {
			return nil, &SyntaxError{1 + strings.Count(text[:min(int(e.Offset), len(text))], "\n"), err.Error()}
		}
		return v, nil // without values if it is not an object
	}
	return parseYAML(text)
}

// pairs matches the lines of YAML that are "key: value".
var pairs = lazyregexp.New(`(?m)^([A-Za-z_][\w-]*):[ \t]+(\S.*?)\s*$`)

// parseYAML reads YAML. Of a text that is none, it reads the lines that are "key: value".
func parseYAML(text string) (Values, error) {
	root, wrong := frontmatter.Load(text)
	v := make(Values)
	switch {
	case wrong != nil:
		for _, m := range pairs().FindAllStringSubmatch(text, 1000) {
			v[m[1]] = strings.Trim(m[2], `"'`)
		}
		return v, &SyntaxError{max(1, wrong.Line-1), wrong.Reason}
	case root != nil:
		budget := 100_000 // nodes, so that aliases cannot multiply
		if m, ok := yamlValue(root, &budget, 0).(map[string]any); ok {
			v = m
		}
	}
	return v, nil
}

// yamlValue returns a node as maps, slices and strings; numbers and booleans stay as they are spelled.
func yamlValue(n *yaml.Node, budget *int, depth int) any {
	if *budget--; *budget < 0 || depth > 30 || n == nil {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlValue(n.Alias, budget, depth+1)
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = yamlValue(n.Content[i+1], budget, depth+1)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, yamlValue(c, budget, depth+1))
		}
		return list
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return nil
		}
		return n.Value
	}
	return nil
}

// Titles returns the title and the description in front matter. The description of a captured page says first what the page lacks.
// Front matter that is not YAML is meant for another program, and has neither.
func Titles(b frontmatter.Block) (title, description string) {
	named := func(key string) bool { return strings.Contains(b.YAML, key) }
	if !named("title") && !named("description") && !named("incomplete") {
		return "", ""
	}
	v, err := Parse(".yml", b.YAML)
	if err != nil {
		return "", ""
	}
	return v.Str("title"), frontmatter.Described(v.Str("description"), v.Str("incomplete"))
}

// Get returns the value at the first of some paths that has one, or nil. "name|project name" are the paths of the key "name", and of
// "name" in the mapping "project".
func (v Values) Get(paths string) any {
	for keys := range strings.SplitSeq(paths, "|") {
		var at any = map[string]any(v)
		for key := range strings.FieldsSeq(keys) {
			m, _ := at.(map[string]any)
			at = m[key]
		}
		if at != nil {
			return at
		}
	}
	return nil
}

// Str returns the text at the first of some paths that has a value, or "".
func (v Values) Str(paths string) string { return Scalar(v.Get(paths)) }

// List returns the texts at a path: the items of a list, or the lines of a text.
func (v Values) List(paths string) (out []string) {
	switch x := v.Get(paths).(type) {
	case []any:
		for _, e := range x {
			if s := Scalar(e); s != "" {
				out = append(out, s)
			}
		}
	case string:
		for line := range strings.Lines(x) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// Is reports whether the value at a path is true.
func (v Values) Is(paths string) bool { return v.Str(paths) == "true" }

// Number returns the integer at a path.
func (v Values) Number(paths string) (int, bool) {
	n, err := strconv.ParseFloat(v.Str(paths), 64)
	return int(max(-1e9, min(1e9, n))), err == nil
}

// Scalar returns a scalar as text, or "" for anything else.
func Scalar(x any) string {
	switch x := x.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case bool, int64, fmt.Stringer:
		return fmt.Sprint(x)
	}
	return ""
}

// A Text is a text in a navigation.
type Text struct {
	Text  string
	Label string // of the object that has the text, or the key that is the label
	// labels of the objects whose lists hold the text, the outermost first
	Groups []string
}

const (
	MaxGroups = 20     // that hold a text
	maxTexts  = 10_000 // of a navigation
	maxDepth  = 200    // values in values
)

// labelKeys are the keys of what an object in a navigation is called.
const labelKeys = "label|text|title|group|tab|caption|section|part"

// Texts returns the texts in a value, in order, but not labels. keyed says that each key is the label of its value;
// a list without a label has its first text as the label.
func Texts(v any, keyed bool) (texts []Text) {
	left := 10 * maxTexts // values, since aliases of YAML may be in many lists
	var walk func(v any, label string, groups []string, depth int)
	walk = func(v any, label string, groups []string, depth int) {
		if left--; left < 0 || depth > maxDepth || len(texts) >= maxTexts {
			return
		}
		switch x := v.(type) {
		case string:
			texts = append(texts, Text{x, label, groups})
		case []any:
			// the first page of a list names it
			if keyed && label == "" && depth > 0 && len(x) > 0 {
				label, _ = x[0].(string)
			}
			if label != "" && len(groups) < MaxGroups {
				groups = append(slices.Clip(groups), label)
			}
			for _, e := range x {
				walk(e, "", groups, depth+1)
			}
		case map[string]any:
			label = Values(x).Str(labelKeys)
			// the page of a group is in it, and first
			if page, ok := x["root"].(string); ok {
				walk([]any{page}, label, groups, depth+1)
			}
			for _, key := range slices.Sorted(maps.Keys(x)) {
				switch {
				case keyed:
					walk(x[key], key, groups, depth+1)
				case key != "root" && !slices.Contains(strings.Split(labelKeys, "|"), key):
					walk(x[key], label, groups, depth+1)
				}
			}
		}
	}
	if _, ok := v.(string); !ok {
		walk(v, "", nil, 0)
	}
	return texts
}
