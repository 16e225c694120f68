package capability

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// The entries of elements are items of a Markdown list. Each ends with a line end.

// resourceEntry describes a file by its title and description. It omits the description of the
// template, which is listed with the template.
func (x *Index) resourceEntry(r loader.Resource) string {
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

// templateEntry describes a template with a number of resources.
func templateEntry(e *templates.Entry, files int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s%s", code(line(e.Template.String(), templates.MaxLength)), described(cmp.Or(e.Title, e.Name), e.Description))
	if names := e.Template.Names(); len(names) > 0 {
		b.WriteString("; variables")
		for i, name := range names {
			b.WriteString(separator(i) + code(line(name, maxTitle)))
		}
	}
	return b.String() + "; " + plural(files, "file") + "\n"
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

// An element is an entry of a page.
type element struct {
	key   string // identifies it in a cursor
	text  string // the text that a query searches
	entry func() string
}

// each yields the elements of a type after the one with a key, in the order of their lists. queried
// says whether their texts are needed.
func (x *Index) each(t Type, after string, queried bool) iter.Seq[element] {
	return func(yield func(element) bool) {
		if t == Resources {
			for r := range x.Files.After(after) {
				e := element{key: r.URI(), entry: func() string { return x.resourceEntry(r) }}
				if queried {
					e.text = uri.Decode(e.key)
				}
				if !yield(e) {
					return
				}
			}
			return
		}
		var elements []element
		add := func(key string, entry func() string, texts ...string) {
			elements = append(elements, element{key, strings.Join(append(texts, key), " "), entry})
		}
		switch t {
		case Templates:
			entries := x.Files.Templates().Entries()
			for i := range entries {
				e := &entries[i]
				add(e.Template.String(), func() string { return templateEntry(e, x.census().byTemplate[i].files) }, e.Name, e.Title, e.Description)
			}
		case Prompts:
			for _, p := range x.Prompts.Prompts() {
				add(p.Name, func() string { return promptEntry(p) }, p.Title, p.Description)
			}
		case Skills:
			for _, s := range x.Skills {
				entry := func() string {
					return fmt.Sprintf("- `%s`%s (%s)\n", s.URI, described(s.Name, s.Description), plural(s.Size, "byte"))
				}
				add(s.URI, entry, s.Name, s.Description)
			}
		case Tools:
			for _, t := range x.Tools {
				add(t.Name, func() string { return fmt.Sprintf("- %s%s\n", word(t.Name), described(t.Title, t.Description)) }, t.Title, t.Description)
			}
		case Documents:
			for _, d := range x.Library.Documents() {
				add(d.Path, func() string { return documentEntry(d) })
			}
		}
		from := slices.IndexFunc(elements, func(e element) bool { return e.key == after }) + 1
		if from == 0 && after != "" && (t == Documents || t == Skills || t == Prompts) { // a removed element has a place in a sorted list
			if from = slices.IndexFunc(elements, func(e element) bool { return e.key > after }); from < 0 {
				from = len(elements)
			}
		}
		for _, e := range elements[from:] {
			if !yield(e) {
				return
			}
		}
	}
}
