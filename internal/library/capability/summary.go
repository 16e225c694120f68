package capability

import (
	"fmt"
	"strings"
	"time"
)

const maxOverview = 1000 // bytes of what the documents are about

// summary makes capability-index://summary. It reads only the newest files, for their titles.
func (x *index) summary() string {
	return layOut(MaxSummary, x.head("index of capabilities", "What this server has, in numbers."),
		section{head: x.counts(), weight: 1},
		section{head: x.searchIndex(), weight: 1},
		x.newest(),
		section{head: x.howToGoOn(), weight: 1},
	)
}

// head returns the beginning of each document: the title, and which parts are not known yet.
func (x *index) head(title, text string) string {
	s := fmt.Sprintf("# %s: %s\n\nVersion %s. %s\n", prose(x.Name, maxTitle), title, prose(x.Version, maxTitle), text)
	switch {
	case x.Library == nil || x.Prompts == nil:
		s += "\nThe project is still being read: documents or prompts are missing here. This resource is updated when they are known.\n"
	case !x.Indexed:
		s += "\nThe documents are still being indexed: the figures of the search index are missing here. This resource is updated when they are known.\n"
	}
	return s
}

// counts returns the table of all types.
func (x *index) counts() string {
	var b strings.Builder
	b.WriteString("\n| type | count | size |\n|---|---|---|\n")
	for _, t := range types {
		size := ""
		switch t {
		case Documents:
			size = plural(x.census().documentBytes, "byte")
		case Resources:
			size = plural(x.census().resourceBytes, "byte")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t, number(x.count(t)), size)
	}
	return b.String()
}

// searchIndex returns the section with the figures of the index and what the documents are about.
func (x *index) searchIndex() string {
	if !x.Indexed || x.Library.Len() == 0 {
		return ""
	}
	f := x.Library.Figures()
	return fmt.Sprintf("\n## Search index\n\n%s with %s, %s, %s of different stems.\n\n%s\n", plural(f.Documents, "document"), plural(f.Passages, "passage"), plural(f.Words, "word"), number(f.Terms), prose(x.Library.Overview(), maxOverview))
}

// newest returns the section of the newest files.
func (x *index) newest() section {
	newest := x.census().newest
	if len(newest) == 0 {
		return section{}
	}
	return section{head: "\n## Newest files\n\n", count: len(newest), weight: 4, entry: func(i int) string {
		return "- " + newest[i].time.UTC().Format(time.RFC3339) + strings.TrimPrefix(newest[i].entry(), "-")
	}}
}

// howToGoOn returns the section that says what to call next.
func (x *index) howToGoOn() string {
	var b strings.Builder
	b.WriteString("\n## How to go on\n\n")
	if x.DocsTool != "" && x.Library.Len() > 0 {
		fmt.Fprintf(&b, "- Documents: %s searches them (`query`) and reads them (`paths`).\n", code(x.DocsTool))
	}
	if x.exposes("full") {
		fmt.Fprintf(&b, "- `%s` lists everything, as far as %s tokens go.\n", FullURI, number(MaxFull))
	}
	if x.exposes("elements") {
		fmt.Fprintf(&b, "- `%s` lists one type.\n", Template)
	}
	if x.exposes("stats") {
		fmt.Fprintf(&b, "- `%s` has these figures as JSON.\n", StatsURI)
	}
	return b.String()
}
