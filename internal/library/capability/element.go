package capability

import (
	"cmp"
	"fmt"
	"math"
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
	about := x.Files.Metadata(r)
	if t, ok := r.Template(); ok && about.Description == x.Files.Templates().Entries()[t].Description {
		about.Description = ""
	}
	return fmt.Sprintf("- `%s`%s (%s)\n", r.URI(), described(about.Title, about.Description), plural(r.Size(), "byte"))
}

func documentEntry(d docs.Document) string {
	m := d.Metadata()
	return fmt.Sprintf("- %s%s (%s)\n", word(d.Path), described(m.Title, m.Description), plural(d.Size, "byte"))
}

func templateEntry(e *templates.Entry) string {
	s := fmt.Sprintf("- %s%s", code(line(e.Template.String(), templates.MaxLength)), described(cmp.Or(e.Title, e.Name), e.Description))
	if names := e.Template.Names(); len(names) > 0 {
		s += "; variables " + joined(names, math.MaxInt, title)
	}
	return s + "\n"
}

// title returns a short text as code.
func title(s string) string { return code(line(s, maxTitle)) }

// joined returns at most most of some values as a list in a sentence.
func joined(values []string, most int, show func(string) string) string {
	var shown []string
	for _, v := range values[:min(len(values), most)] {
		shown = append(shown, show(v))
	}
	text := strings.Join(shown, ", ")
	if more := len(values) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxValues is how many values of an enumeration an entry lists.
const maxValues = 10

func promptEntry(p *prompts.Prompt) string {
	shown := p.Title
	if shown == p.Name {
		shown = ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- %s%s\n", word(p.Name), described(shown, p.Description))
	for _, a := range p.Arguments {
		b.WriteString("  - " + word(a.Name))
		switch {
		case a.Required:
			b.WriteString(" (required)")
		case a.Default != nil:
			b.WriteString(" (default " + title(*a.Default) + ")")
		}
		b.WriteString(described(a.Title, a.Description))
		if len(a.Enum) > 0 {
			b.WriteString("; one of " + joined(a.Enum, maxValues, title))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// elements returns the section of all elements of a type, without its head.
func (x *index) elements(t Type) (s section) {
	switch t {
	case Templates:
		entries := x.Files.Templates().Entries()
		s = section{count: len(entries), entry: func(i int) string { return templateEntry(&entries[i]) }}
	case Prompts:
		all := x.Prompts.Prompts()
		s = section{count: len(all), entry: func(i int) string { return promptEntry(all[i]) }}
	case Skills:
		s = section{count: len(x.Skills), entry: func(i int) string {
			skill := x.Skills[i]
			return fmt.Sprintf("- `%s`%s (%s)\n", skill.URI, described(skill.Name, skill.Description), plural(skill.Size, "byte"))
		}}
	case Tools:
		s = section{count: len(x.Tools), entry: func(i int) string {
			return fmt.Sprintf("- %s%s\n", word(x.Tools[i].Name), described(x.Tools[i].Title, x.Tools[i].Description))
		}}
	case Documents:
		all := x.Library.Documents()
		s = section{count: len(all), entry: func(i int) string { return documentEntry(all[i]) }}
	case Resources:
		files := slices.Collect(x.Files.All())
		s = section{count: len(files), entry: func(i int) string { return x.resourceEntry(files[i]) }, order: func() []int { return byFolder(files) }}
	}
	method := x.DocsTool
	for _, of := range types {
		if of.Type == t && t != Documents {
			method = of.method
		}
	}
	s.weight, s.rest = 1, func(left int) string {
		where := ""
		if method != "" {
			where = fmt.Sprintf("; `%s` has all", method)
		}
		return fmt.Sprintf("\n%s more left out%s.\n", number(left), where)
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
