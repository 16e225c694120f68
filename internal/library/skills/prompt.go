package skills

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Prompts returns a prompt for each skill of a catalog, for clients that do not know skills: the text
// of the SKILL.md, and the URIs of the other files. taken reports whether the project has a prompt with
// a name; see promptNames. The error is ctx.Err().
func (r *Reader) Prompts(ctx context.Context, catalog *loader.Catalog, taken func(name string) bool) ([]*prompts.Prompt, error) {
	all, err := r.Summaries(ctx, catalog)
	if err != nil {
		return nil, err
	}
	var out []*prompts.Prompt
	names := promptNames(all, taken)
	for i, s := range all {
		text, err := promptText(catalog, s.Manifest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			text = fmt.Sprintf("The skill is at %s.", s.Manifest.URI())
		}
		out = append(out, prompts.Literal(names[i], s.Description, s.Manifest.LogicalPath(), text))
	}
	return out, nil
}

// promptNames returns a free name for the prompt of each skill: the name of the skill, or else its path,
// or else its path with "skill/" before it, as often as necessary. Skills directly in skills/, whose path
// is their name, get their names first.
func promptNames(all []Summary, taken func(name string) bool) []string {
	out := make([]string, len(all))
	used := make(map[string]bool)
	for _, direct := range []bool{true, false} {
		for i, s := range all {
			path := strings.TrimPrefix(folderOf(s.Manifest), Folder+"/")
			if (path == s.Name) != direct {
				continue
			}
			name := s.Name
			if used[name] || taken(name) {
				name = path
			}
			for used[name] || taken(name) {
				name = Scheme + "/" + name
			}
			used[name] = true
			out[i] = name
		}
	}
	return out
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
