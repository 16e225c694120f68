package capability

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

const (
	maxVocabulary = 400 // keywords
	maxTargets    = 20  // targets of links in an entry
)

// full makes capability-index://full. It reads each document once, for its title and links.
func (x *Index) full() string {
	var b strings.Builder
	b.WriteString(x.head("all capabilities", "Everything that this server has."))
	documents, links := x.documents()
	sections := []section{
		x.listed(Templates, "Templates", "URI templates of resources.", 2),
		x.listed(Prompts, "Prompts", "For `prompts/get`, with their arguments.", 2),
		x.listed(Skills, "Skills", "Instructions to follow; read the URI.", 2),
		x.listed(Tools, "Tools", "For `tools/call`.", 1),
		documents,
		x.resources(),
		links,
		x.vocabulary(),
	}
	layOut(&b, spendable(MaxFull)-tokens.Estimate(b.String()), slices.DeleteFunc(sections, func(s section) bool { return s.head == "" }))
	return b.String()
}

// restOf returns a function that says where to find the omitted elements of a type.
func (x *Index) restOf(t Type, things string) func(int) string {
	return func(left int) string {
		where := ""
		if x.exposed.Elements {
			where = fmt.Sprintf(": `%s` lists all", ElementsURI(t, "", 0, ""))
		}
		return fmt.Sprintf("\n%s %s are left out%s.\n", number(left), things, where)
	}
}

// listed returns a section of all elements of a type, the most important first.
func (x *Index) listed(t Type, title, text string, weight int) section {
	s := section{head: fmt.Sprintf("\n## %s\n\n%s\n\n", title, text), weight: weight, rest: x.restOf(t, "more")}
	for e := range x.each(t, "", false) {
		s.items = append(s.items, item{e.entry(), len(s.items)})
	}
	if len(s.items) == 0 {
		return section{}
	}
	return s
}

// documents returns the section of the documents and the section of the links between them. The start
// page is the most important document; others are ordered by decreasing number of links to them, then by
// depth.
func (x *Index) documents() (documents, links section) {
	all := x.Library.Documents()
	if len(all) == 0 {
		return
	}
	how := "Paths below the folder of the documents."
	if x.DocsTool != "" {
		how = fmt.Sprintf("Paths for %s.", code(x.DocsTool))
	}
	documents = section{head: "\n## Documents\n\n" + how + "\n\n", weight: 4, rest: x.restOf(Documents, "more")}
	links = section{head: "\n## Links\n\nWhich document leads to which others and to which resources.\n\n", weight: 2, rest: func(left int) string {
		return fmt.Sprintf("\n%s are left out: read the documents.\n", plural(left, "more document"))
	}}
	incoming := make(map[string]int) // number of links to a document
	targets := make([][]string, len(all))
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
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(-cmp.Compare(startPage(all[i].Path), startPage(all[j].Path)), -cmp.Compare(incoming[all[i].Path], incoming[all[j].Path]),
			cmp.Compare(strings.Count(all[i].Path, "/"), strings.Count(all[j].Path, "/")), cmp.Compare(i, j))
	})
	spent := 0
	for _, i := range order {
		text := "" // without a description if it cannot fit
		if spent < MaxFull {
			text = documentEntry(all[i])
			spent += tokens.Estimate(text)
		} else {
			text = word(all[i].Path)
		}
		documents.items = append(documents.items, item{text, i})
		if len(targets[i]) > 0 {
			links.items = append(links.items, item{linkEntry(all[i], targets[i]), i})
		}
	}
	if len(links.items) == 0 {
		links = section{}
	}
	return documents, links
}

// startPage returns 1 for a document with which readers begin, and 0 for others.
func startPage(path string) int {
	switch path {
	case "index.md", "index.mdx", "README.md", "readme.md":
		return 1
	}
	return 0
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

// vocabulary returns the section of the keywords.
func (x *Index) vocabulary() section {
	if !x.indexed {
		return section{}
	}
	s := section{head: "\n## Vocabulary\n\nWords that find documents, the best first.\n\n", joint: ", ", tail: "\n", weight: 1}
	for i, k := range x.Library.Keywords(maxVocabulary) {
		s.items = append(s.items, item{prose(k.Word, maxTitle), i})
	}
	if len(s.items) == 0 {
		return section{}
	}
	return s
}
