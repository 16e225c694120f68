package capability

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const maxTargets = 20 // targets of links in an entry

// full makes capability-index://full. It reads each document once, for its title and links.
func (x *index) full() string {
	order, links := x.links()
	var sections []section
	for _, t := range types {
		s := x.elements(t.Type)
		if t.Type == Documents {
			s.order = func() []int { return order }
			if t.text = "Paths below the folder of the documents."; x.DocsTool != "" {
				t.text = fmt.Sprintf("Paths for %s.", code(x.DocsTool))
			}
		}
		if s.head, s.weight = fmt.Sprintf("\n## %s\n\n%s\n\n", t.title, t.text), t.weight; s.count > 0 {
			sections = append(sections, s)
		}
	}
	return layOut(MaxFull, x.head("all capabilities", "Everything that this server has."), append(sections, links)...)
}

// links returns the order of the documents, those with most links to them first, and the section of the links between them.
func (x *index) links() (order []int, links section) {
	all := x.Library.Documents()
	incoming := make(map[string]int) // number of links to a document
	var entries []string
	for i, d := range all {
		order = append(order, i)
		var targets []string
		for _, to := range d.Metadata().Links {
			if x.Library.Has(to) {
				incoming[to]++
			} else if r, ok := x.Files.Lookup(to); ok {
				to = r.URI()
			} else {
				continue
			}
			targets = append(targets, to)
		}
		if len(targets) > 0 {
			entries = append(entries, "- "+word(d.Path)+" → "+joined(targets, maxTargets, word)+"\n")
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(-cmp.Compare(incoming[all[i].Path], incoming[all[j].Path]), cmp.Compare(strings.Count(all[i].Path, "/"), strings.Count(all[j].Path, "/")))
	})
	if entries == nil {
		return order, section{}
	}
	return order, section{
		head:   "\n## Links\n\nWhich document leads to which others and to which resources.\n\n",
		count:  len(entries),
		entry:  func(i int) string { return entries[i] },
		weight: 2,
		rest: func(left int) string {
			return fmt.Sprintf("\n%s left out: read the documents.\n", plural(left, "more document"))
		},
	}
}
