package capability

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// maxKeywords is how many keywords the summary has.
const maxKeywords = 20

// summary makes capability-index://summary. It reads only the newest files, for their titles.
func (x *Index) summary() string {
	var b strings.Builder
	b.WriteString(x.head("index of capabilities", "What this server has, in numbers."))
	sections := []section{
		{head: x.counts(), weight: 1},
		x.templateShares(),
		{head: x.searchIndex(), weight: 1},
		x.newest(),
		{head: x.howToGoOn(), weight: 1},
	}
	layOut(&b, spendable(MaxSummary)-tokens.Estimate(b.String()), sections)
	return b.String()
}

// head returns the beginning of each document: the title, and which parts are not known yet.
func (x *Index) head(title, text string) string {
	s := fmt.Sprintf("# %s: %s\n\nVersion %s. %s\n", prose(x.Name, maxTitle), title, prose(x.Version, maxTitle), text)
	switch {
	case x.Library == nil || x.Prompts == nil:
		s += "\nThe project is still being read: documents or prompts are missing here. This resource is updated when they are known.\n"
	case !x.indexed:
		s += "\nThe documents are still being indexed: keywords and figures of the search index are missing here. This resource is updated when they are known.\n"
	}
	return s
}

// counts returns the table of all types.
func (x *Index) counts() string {
	var b strings.Builder
	b.WriteString("\n| type | count | size |")
	if x.exposed.Elements {
		b.WriteString(" list |")
	}
	b.WriteString("\n|---|---|---|")
	if x.exposed.Elements {
		b.WriteString("---|")
	}
	b.WriteByte('\n')
	for _, t := range types {
		size := ""
		switch t {
		case Documents:
			size = plural(x.census().documentBytes, "byte")
		case Resources:
			size = plural(x.census().resourceBytes, "byte")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |", t, number(x.count(t)), size)
		if x.exposed.Elements {
			fmt.Fprintf(&b, " `%s` |", ElementsURI(t, "", 0, ""))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// templateShares returns the section with the number of files by template, or by scheme for files
// without a template. Templates with most files are the most important.
func (x *Index) templateShares() section {
	s := section{head: "\n## Resources by template\n\n", weight: 4, rest: x.restOf(Templates, "templates")}
	entries := x.Files.Templates().Entries()
	for i, e := range entries {
		n := x.census().byTemplate[i]
		s.items = append(s.items, item{fmt.Sprintf("- %s %s: %s, %s\n", code(line(e.Template.String(), templates.MaxLength)), prose(cmp.Or(e.Title, e.Name), maxTitle), plural(n.files, "file"), plural(n.bytes, "byte")), i})
	}
	slices.SortStableFunc(s.items, func(a, b item) int {
		return -cmp.Compare(x.census().byTemplate[a.place].files, x.census().byTemplate[b.place].files)
	})
	for i, scheme := range x.census().schemes() {
		n := x.census().byScheme[scheme]
		s.items = append(s.items, item{fmt.Sprintf("- `%s://` without a template: %s, %s\n", scheme, plural(n.files, "file"), plural(n.bytes, "byte")), len(entries) + i})
	}
	if len(s.items) == 0 {
		return section{weight: 1}
	}
	return s
}

// searchIndex returns the section with the figures of the index and the keywords.
func (x *Index) searchIndex() string {
	if !x.indexed || x.Library.Len() == 0 {
		return ""
	}
	var b strings.Builder
	f := x.Library.Figures()
	fmt.Fprintf(&b, "\n## Search index\n\n%s with %s, %s, %s of different stems.\n", plural(f.Documents, "document"), plural(f.Passages, "passage"), plural(f.Words, "word"), number(f.Terms))
	if keywords := x.Library.Keywords(maxKeywords); len(keywords) > 0 {
		b.WriteString("\nKeywords:")
		for i, k := range keywords {
			b.WriteString(separator(i) + prose(k.Word, maxTitle))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// newest returns the section of the newest files.
func (x *Index) newest() section {
	s := section{head: "\n## Newest files\n\n", weight: 4}
	for i, d := range x.census().newest {
		entry := ""
		if d.document != nil {
			entry = documentEntry(*d.document)
		} else {
			entry = x.resourceEntry(d.resource)
		}
		s.items = append(s.items, item{"- " + d.time.UTC().Format(time.RFC3339) + strings.TrimPrefix(entry, "-"), i})
	}
	if len(s.items) == 0 {
		return section{weight: 1}
	}
	return s
}

// howToGoOn returns the section that says what to call next.
func (x *Index) howToGoOn() string {
	var b strings.Builder
	b.WriteString("\n## How to go on\n\n")
	if x.DocsTool != "" && x.Library.Len() > 0 {
		fmt.Fprintf(&b, "- Documents: %s searches them (`query`) and reads them (`paths`).\n", code(x.DocsTool))
	}
	if x.Files.Len() > 0 {
		b.WriteString("- Resources: `resources/read` with a URI.")
		if x.ResourceTools {
			b.WriteString(" With tools only: `list_resources` and `read_resource`.")
		}
		b.WriteByte('\n')
	}
	if len(x.Prompts.Prompts()) > 0 {
		b.WriteString("- Prompts: `prompts/get` with a name and arguments.\n")
	}
	if len(x.Skills) > 0 {
		b.WriteString("- Skills: read the URI of a skill, and follow it.\n")
	}
	if x.exposed.Full {
		fmt.Fprintf(&b, "- `%s` lists everything, as far as %s tokens go.\n", FullURI, number(MaxFull))
	}
	if x.exposed.Elements {
		fmt.Fprintf(&b, "- `%s` lists a type in pages; `q` selects by words.\n", Template)
	}
	if x.exposed.Stats {
		fmt.Fprintf(&b, "- `%s` has these figures as JSON.\n", StatsURI)
	}
	return b.String()
}
