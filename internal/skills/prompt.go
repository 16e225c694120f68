package skills

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Prompts returns a prompt for each skill of a catalog, for clients that do not know skills: what
// the SKILL.md says, and the URIs of the other files. The name is that of the skill, or its path if
// another skill before it, or a prompt of the project, has the name. The error is that of ctx.
func (r *Reader) Prompts(ctx context.Context, catalog *loader.Catalog, taken func(name string) bool) ([]*prompts.Prompt, error) {
	var out []*prompts.Prompt
	names := make(map[string]bool)
	all, err := r.Summaries(ctx, catalog)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		skill, name := s.Manifest, s.Name
		if names[name] || taken(name) {
			name = strings.TrimPrefix(folderOf(skill), Folder+"/")
		}
		if names[name] || taken(name) {
			continue
		}
		text, err := promptText(catalog, skill)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			text = fmt.Sprintf("The skill is at %s.", skill.URI())
		}
		names[name] = true
		out = append(out, prompts.Literal(name, s.Description, skill.LogicalPath(), text))
	}
	return out, nil
}

// promptText is the text of the prompt of a skill.
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
