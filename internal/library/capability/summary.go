package capability

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

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
	return fmt.Sprintf("\n## Search index\n\n%s with %s, %s, %s of different stems.\n\n%s\n", plural(f.Documents, "document"), plural(f.Passages, "passage"), plural(f.Words, "word"), number(f.Terms), prose(x.Library.Overview(), maxOverview))
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
