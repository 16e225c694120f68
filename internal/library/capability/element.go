package capability

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// The entries of elements are items of a Markdown list. Each ends with a line end.

// resourceEntry describes a file by its title and description. It omits the description of the
// template, which is listed with the template.
func (x *index) resourceEntry(r loader.Resource) string {
	about := x.Files.About(r)
	if t, ok := r.Template(); ok && about.Description == x.Files.Templates().Entries()[t].Description {
		about.Description = ""
	}
	return fmt.Sprintf("- `%s`%s (%s)\n", r.URI(), described(about.Title, about.Description), plural(r.Size(), "byte"))
}

func documentEntry(d docs.Document) string {
	facts := d.Facts()
	return fmt.Sprintf("- %s%s (%s)\n", word(d.Path), described(facts.Title, facts.Description), plural(d.Size, "byte"))
}

func templateEntry(e *templates.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s%s", code(line(e.Template.String(), templates.MaxLength)), described(cmp.Or(e.Title, e.Name), e.Description))
	if names := e.Template.Names(); len(names) > 0 {
		b.WriteString("; variables")
		for i, name := range names {
			b.WriteString(separator(i) + code(line(name, maxTitle)))
		}
	}
	return b.String() + "\n"
}

func separator(i int) string {
	if i == 0 {
		return " "
	}
	return ", "
}

// maxValues is how many values of an enumeration an entry lists.
const maxValues = 10

func promptEntry(p *prompts.Prompt) string {
	title := p.Title
	if title == p.Name {
		title = ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- %s%s\n", word(p.Name), described(title, p.Description))
	for _, a := range p.Arguments {
		b.WriteString("  - " + word(a.Name))
		switch {
		case a.Required:
			b.WriteString(" (required)")
		case a.Default != nil:
			b.WriteString(" (default " + code(line(*a.Default, maxTitle)) + ")")
		}
		b.WriteString(described(a.Title, a.Description))
		for i, value := range a.Enum {
			if i == 0 {
				b.WriteString("; one of")
			}
			if i == maxValues {
				fmt.Fprintf(&b, " and %d more", len(a.Enum)-i)
				break
			}
			b.WriteString(separator(i) + code(line(value, maxTitle)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// elements returns the section of all elements of a type, without its head.
func (x *index) elements(t Type) section {
	s := section{count: x.count(t), weight: 1, rest: x.restOf(t)}
	switch t {
	case Templates:
		entries := x.Files.Templates().Entries()
		s.entry = func(i int) string { return templateEntry(&entries[i]) }
	case Prompts:
		s.entry = func(i int) string { return promptEntry(x.Prompts.Prompts()[i]) }
	case Skills:
		s.entry = func(i int) string {
			skill := x.Skills[i]
			return fmt.Sprintf("- `%s`%s (%s)\n", skill.URI, described(skill.Name, skill.Description), plural(skill.Size, "byte"))
		}
	case Tools:
		s.entry = func(i int) string {
			return fmt.Sprintf("- %s%s\n", word(x.Tools[i].Name), described(x.Tools[i].Title, x.Tools[i].Description))
		}
	case Documents:
		documents := x.Library.Documents()
		s.entry = func(i int) string { return documentEntry(documents[i]) }
	case Resources:
		files := slices.Collect(x.Files.All())
		s.entry = func(i int) string { return x.resourceEntry(files[i]) }
		s.order = byFolder(files)
	}
	return s
}

// byFolder orders files, which are in canonical order: one file of each folder, then a second one of each,
// and so on.
func byFolder(files []loader.Resource) []int {
	order, rank := make([]int, len(files)), make([]int, len(files))
	for i, r := range files {
		if order[i] = i; i > 0 && r.Folder() == files[i-1].Folder() {
			rank[i] = rank[i-1] + 1
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rank[i], rank[j]) })
	return order
}

// restOf returns a function that says where to find the omitted elements of a type.
func (x *index) restOf(t Type) func(int) string {
	lists := map[Type]string{Templates: "resources/templates/list", Prompts: "prompts/list", Tools: "tools/list", Documents: x.DocsTool, Resources: "resources/list"}
	return func(left int) string {
		where := ""
		if lists[t] != "" {
			where = fmt.Sprintf("; `%s` has all", lists[t])
		}
		return fmt.Sprintf("\n%s more left out%s.\n", number(left), where)
	}
}
