package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
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

// aliases bounds how many values aliases may repeat.
var aliases = yaml.WithPlugin(loaderlimits.New(loaderlimits.AliasValue(1000)))

// nameRule comes from the Agent Skills specification.
var nameRule = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// reserved starts keys of the metadata that belong to MCP.
const reserved = "io.modelcontextprotocol/"

// A manifest is the front matter of a SKILL.md.
type manifest struct {
	name        string
	nameLine    int
	description string
	json        []byte
	problems    problems.List
}

// parse reads a SKILL.md.
func parse(data []byte) *manifest {
	m := new(manifest)
	wrong := func(line int, format string, args ...any) {
		m.problems = append(m.problems, problems.Problem{Line: line, Reason: fmt.Sprintf(format, args...)})
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
	root, refused := frontmatter.Mapping(block.YAML, "name: git-workflow")
	switch {
	case refused != nil:
		wrong(refused.Line, "%s", refused.Reason)
		return m
	case root == nil:
		wrong(2, "the front matter is empty: it must have the fields name and description")
		return m
	}
	checkValues(root, wrong)
	if m.problems.Err() != nil {
		return m
	}
	var values map[string]any
	if err := root.Load(&values, aliases); err != nil {
		wrong(root.Line, "the front matter has too many aliases, or an alias that contains itself")
		return m
	}
	var err error
	if m.json, err = json.Marshal(values); err != nil || len(m.json) > maxJSON {
		wrong(root.Line, "the front matter is too large, or has a number that JSON does not have")
		return m
	}
	m.check(root)
	return m
}

// check checks the fields that the Agent Skills specification defines.
func (m *manifest) check(root *yaml.Node) {
	add := func(node *yaml.Node, warning bool, format string, args ...any) {
		m.problems = append(m.problems, problems.Problem{Line: node.Line, Warning: warning, Reason: fmt.Sprintf(format, args...)})
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
		case n == nil, !required && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str":
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
		m.name, m.nameLine = name, fields["name"].Line
		if !nameRule().MatchString(name) {
			add(fields["name"], false, "the name %q must be small letters, digits and single hyphens between them", name)
		}
	}
	m.description, _ = text("description", true, maxDescription)
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
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
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

// checkValues reports keys that JSON does not have. It does not follow aliases. Dates become text, as in the core schema of YAML 1.2.
func checkValues(n *yaml.Node, wrong func(line int, format string, args ...any)) {
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp":
		n.Tag = "!!str"
	case n.Kind == yaml.MappingNode:
		seen := make(map[string]bool)
		for i := 0; i+1 < len(n.Content); i += 2 {
			switch key := n.Content[i]; {
			case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str":
				wrong(key.Line, "the key %s is not a text: put it in quotes", key.Value)
			case seen[key.Value]:
				wrong(key.Line, "the key %q is given twice", key.Value)
			default:
				seen[key.Value] = true
			}
		}
	}
	for _, c := range n.Content {
		checkValues(c, wrong)
	}
}

// Prompts returns a set with a prompt for each skill of a catalog too, for clients that do not know skills: the text
// of the SKILL.md, and the URIs of the other files. Each gets the first free name: of the skill, or else its path, or else its path with
// "skill/" before it, as often as necessary. Skills directly in skills/ come first. The error is ctx.Err().
func (r *Reader) Prompts(ctx context.Context, catalog *loader.Catalog, set *prompts.Set) (*prompts.Set, error) {
	all, err := r.Summaries(ctx, catalog)
	if err != nil {
		return nil, err
	}
	depth := func(s Summary) int { return strings.Count(folderOf(s.Manifest), "/") }
	slices.SortStableFunc(all, func(a, b Summary) int { return depth(a) - depth(b) })
	var out []*prompts.Prompt
	used := make(map[string]bool)
	taken := func(name string) bool { _, ok := set.Get(name); return ok || used[name] }
	for _, s := range all {
		text, err := promptText(catalog, s.Manifest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			text = fmt.Sprintf("The skill is at %s.", s.Manifest.URI())
		}
		name, next := s.Name, strings.TrimPrefix(folderOf(s.Manifest), Folder+"/")
		for taken(name) {
			name, next = next, Scheme+"/"+next
		}
		used[name] = true
		out = append(out, prompts.Literal(name, s.Description, s.Manifest.LogicalPath(), text))
	}
	return set.With(out), nil
}

// promptText returns the text of the prompt of a skill.
func promptText(catalog *loader.Catalog, skill loader.Resource) (string, error) {
	content, _, err := catalog.Content(skill, maxManifest)
	if err != nil {
		return "", err
	}
	block, _ := frontmatter.Find(content.Text)
	var b strings.Builder
	b.WriteString(strings.TrimSpace(content.Text[block.End:]))
	folder := skill.Folder()
	fmt.Fprintf(&b, "\n\n---\nThis is the skill %s. Relative paths in it are below %s.", skill.URI(), folder.URI())
	others := 0
	for file := range folder.All() {
		if file == skill {
			continue
		}
		if others++; others == 1 {
			b.WriteString(" Its other files are resources of this server; read one when you need it:\n")
		}
		fmt.Fprintf(&b, "- %s\n", file.URI())
	}
	return strings.TrimSpace(b.String()), nil
}
