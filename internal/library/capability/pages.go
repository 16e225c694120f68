package capability

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
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

const (
	maxOverview = 1000 // bytes of what the documents are about
	maxNewest   = 10   // files
)

// summary makes capability-index://summary. It reads only the newest files, for their titles.
func (x *index) summary() string {
	return layOut(MaxSummary, x.head("index of capabilities", "What this server has, in numbers."),
		section{head: x.counts(), weight: 1},
		section{head: x.searchIndex(), weight: 1},
		x.newest(),
		section{head: x.howToGoOn(), weight: 1},
	)
}

// counts returns the table of all types.
func (x *index) counts() string {
	var b strings.Builder
	b.WriteString("\n| type | count | size |\n|---|---|---|\n")
	for _, t := range types {
		size := ""
		if t.Type == Documents || t.Type == Resources {
			size = plural(x.bytes(t.Type), "byte")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t.Type, number(x.elements(t.Type).count), size)
	}
	return b.String()
}

// searchIndex returns the section with the figures of the index and what the documents are about.
func (x *index) searchIndex() string {
	if !x.Indexed || x.Library.Len() == 0 {
		return ""
	}
	f := x.figures()
	return fmt.Sprintf("\n## Search index\n\n%s with %s, %s, %s of different stems.\n\n%s\n", plural(f.Documents, "document"), plural(f.Passages, "passage"), plural(f.Words, "word"), number(f.Terms), prose(tools.Overview(x.Library), maxOverview))
}

// newest returns the section of the newest files, which is empty if all files have the same time, as in an npm package.
func (x *index) newest() section {
	type file struct {
		time  time.Time
		entry func() string
	}
	var files []file
	mounted := false // documents are also resources
	for r := range x.Files.All() {
		mounted = mounted || r.Mounted() && !r.Exact()
		files = append(files, file{r.ModTime(), func() string { return x.resourceEntry(r) }})
	}
	for _, d := range x.Library.Documents() {
		if !mounted {
			files = append(files, file{d.ModTime, func() string { return documentEntry(d) }})
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.time.Compare(a.time) })
	if len(files) == 0 || files[0].time.Equal(files[len(files)-1].time) {
		return section{}
	}
	return section{head: "\n## Newest files\n\n", count: min(len(files), maxNewest), weight: 4, entry: func(i int) string {
		return "- " + files[i].time.UTC().Format(time.RFC3339) + strings.TrimPrefix(files[i].entry(), "-")
	}}
}

// howToGoOn returns the section that says what to call next.
func (x *index) howToGoOn() string {
	var b strings.Builder
	b.WriteString("\n## How to go on\n\n")
	if x.DocsTool != "" && x.Library.Len() > 0 {
		fmt.Fprintf(&b, "- Documents: %s searches them (`query`) and reads them (`paths`).\n", code(x.DocsTool))
	}
	if x.Exposes("full") {
		fmt.Fprintf(&b, "- `%s` lists everything, as far as %s tokens go.\n", FullURI, number(MaxFull))
	}
	if x.Exposes("elements") {
		fmt.Fprintf(&b, "- `%s` lists one type.\n", Template)
	}
	if x.Exposes("stats") {
		fmt.Fprintf(&b, "- `%s` has these figures as JSON.\n", StatsURI)
	}
	return b.String()
}

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
