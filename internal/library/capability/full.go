package capability

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
)

const maxTargets = 20 // targets of links in an entry

// full makes capability-index://full. It reads each document once, for its title and links.
func (x *index) full() string {
	documents, links := x.documents()
	return layOut(MaxFull, x.head("all capabilities", "Everything that this server has."),
		x.listed(Templates, "Templates", "URI templates of resources.", 2),
		x.listed(Prompts, "Prompts", "For `prompts/get`, with their arguments.", 2),
		x.listed(Skills, "Skills", "Instructions to follow; read the URI.", 2),
		x.listed(Tools, "Tools", "For `tools/call`.", 1),
		documents,
		x.listed(Resources, "Resources", "For `resources/read`.", 4),
		links,
	)
}

// listed returns a section of all elements of a type, or no section if there are none.
func (x *index) listed(t Type, title, text string, weight int) section {
	if x.count(t) == 0 {
		return section{}
	}
	s := x.elements(t)
	s.head, s.weight = fmt.Sprintf("\n## %s\n\n%s\n\n", title, text), weight
	return s
}

// documents returns the section of the documents, those with most links to them first, and the section of
// the links between them.
func (x *index) documents() (documents, links section) {
	how := "Paths below the folder of the documents."
	if x.DocsTool != "" {
		how = fmt.Sprintf("Paths for %s.", code(x.DocsTool))
	}
	documents = x.listed(Documents, "Documents", how, 4)
	all := x.Library.Documents()
	incoming := make(map[string]int) // number of links to a document
	targets := make([][]string, len(all))
	var order, leading []int // all documents, and those with links
	for i, d := range all {
		for _, to := range d.Facts().Links {
			if x.Library.Has(to) {
				incoming[to]++
			} else if r, ok := x.Files.Lookup(to); ok {
				to = r.URI()
			} else {
				continue
			}
			targets[i] = append(targets[i], to)
		}
		if order = append(order, i); len(targets[i]) > 0 {
			leading = append(leading, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(-cmp.Compare(incoming[all[i].Path], incoming[all[j].Path]), cmp.Compare(strings.Count(all[i].Path, "/"), strings.Count(all[j].Path, "/")))
	})
	documents.order = order
	if leading == nil {
		return documents, section{}
	}
	return documents, section{
		head:   "\n## Links\n\nWhich document leads to which others and to which resources.\n\n",
		count:  len(leading),
		entry:  func(i int) string { return linkEntry(all[leading[i]], targets[leading[i]]) },
		weight: 2,
		rest: func(left int) string {
			return fmt.Sprintf("\n%s left out: read the documents.\n", plural(left, "more document"))
		},
	}
}

func linkEntry(d docs.Document, targets []string) string {
	var b strings.Builder
	b.WriteString("- " + word(d.Path) + " →")
	for i, to := range targets {
		if i == maxTargets {
			fmt.Fprintf(&b, " and %d more", len(targets)-i)
			break
		}
		b.WriteString(separator(i) + word(to))
	}
	return b.String() + "\n"
}
