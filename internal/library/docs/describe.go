package docs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	maxDescription = 550 // bytes of the text about the project; clients cut descriptions at 1,000 characters
	maxToolName    = 40  // characters; clients put the name of the server before it, and allow 60
)

// ToolName returns the name of a project's documents tool: "search" followed by the runs of ASCII
// letters and digits of name, as [excerpt.Name] returns it, each with its first letter in upper case. Latin letters lose their marks.
// If name has none, the name of the package is used, or else the result is "searchDocs".
func ToolName(name, pkg string) string {
	for _, s := range []string{name, pkg} {
		var b strings.Builder
		for word := range strings.FieldsFuncSeq(plainLetters(excerpt.Name(s)), func(r rune) bool {
			return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		if b.Len() > 0 {
			return excerpt.Cut("search"+b.String(), maxToolName) // in ASCII
		}
	}
	return "searchDocs"
}

// plainLetters returns s with the letters "Uber Grosse" for "Über Größe".
func plainLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.NewReplacer("ß", "ss", "ø", "o", "Ø", "O", "æ", "ae", "Æ", "Ae", "ł", "l", "Ł", "L").Replace(s)))
}

// A Description is what the description of the tool for documents depends on.
type Description struct {
	Name         string     // of the project
	Documents    site.Names // what their files tell
	Resources    bool       // there are resources, or captures, that are searched without documents
	Dependencies bool       // documents of packages are served too
}

// Tool returns the description of the tool. It has no text of a document, so it is the same as long as the names of files are.
func (d Description) Tool() string {
	name := cmp.Or(excerpt.Quote(d.Name), "this project")
	var b strings.Builder
	switch {
	case d.Documents.Documents > 0:
		fmt.Fprintf(&b, "Search and read the documentation of %s.", name)
	case d.Resources:
		fmt.Fprintf(&b, "Search the resources of %s, as far as they are text.", name)
	default:
		fmt.Fprintf(&b, "Search and read the documentation of %s. It has no documents yet.", name)
	}
	if d.Documents.Documents > 0 || d.Resources {
		b.WriteString(" Consult this tool first for anything about it: before answering from memory, searching the web or writing code that uses it.")
	}
	if languages := languagesOf(d.Documents); languages != "" {
		b.WriteString(" " + languages)
	}
	if start := excerpt.Quote(d.Documents.Start); start != "" {
		fmt.Fprintf(&b, " Start at %s.", start)
	}
	if names := tops(d.Documents); names != "" {
		fmt.Fprintf(&b, " At the top: %s.", names)
	}
	if d.Dependencies {
		fmt.Fprintf(&b, " It also has documents of the packages that the project depends on, in the versions that are installed, below %[1]s/, such as %[1]s/npm/NAME/README.md: consult them before writing code that uses a package.", dependencies.Folder)
	}
	text := excerpt.Ellipsis(b.String(), maxDescription)
	if d.OnlyTexts() {
		return text + "\n\nGive a query to find passages by their words; a passage comes with the URI of its resource and its line. Read the resource by this URI."
	}
	return text + "\n\nGive paths to read documents and to list folders, or a query to find passages by their words; a passage comes with its path and line."
}

// Paths returns the description of the argument for paths.
func (d Description) Paths() string {
	if d.OnlyTexts() {
		return "The only files that a query searches: folders, files or patterns, such as resources/config/**"
	}
	return "Paths of documents or folders to read; next to a query, the only ones that it searches, or patterns such as guides/**."
}

// OnlyTexts reports whether queries find texts of resources, without documents to read.
func (d Description) OnlyTexts() bool {
	return d.Resources && d.Documents.Documents == 0 && !d.Dependencies
}

// Start returns the path of the document to begin with, or "".
func (l *Library) Start() string {
	if start := l.Sites().Names().Start; l.HasFile(start) {
		return start
	}
	return ""
}

const (
	maxVariants = 12 // languages, or versions, that are named
	maxSubject  = 60 // bytes of a name
)

// tagline matches what separates a name from a sentence about it, framing what the title of a site or of its first page has around the name of its
// subject, and unnamed a title whose words name nothing.
var (
	tagline = lazyregexp.New(`\s[-–—|·]\s|:\s`)
	framing = lazyregexp.New(`(?i)^welcome to (?:the )?|[\s:|-]*\b(?:official )?(?:developer )?(?:documentation|docs)(?: site)?[.!]?$|!$`)
	unnamed = lazyregexp.New(`(?i)^(?:(?:the|an?|my|your|our|new|official|awesome|site|website|project|product|app|book|blog|wiki|handbook|title|name|untitled|template|preview|documentation|docs|` +
		`introduction|intro|overview|home|homepage|page|index|readme|getting|started|quick|start|welcome|about|contents|guides?|install(?:ation)?|usage|examples?)\b[\s:|.,!-]*)*$`)
)

// Subject returns the name in the title of a site, or "" if it has none: of "Acme - The Best Tool", "Acme".
func Subject(title string) string {
	for _, part := range tagline().Split(excerpt.OneLine(strings.ToValidUTF8(title, "\ufffd")), 10) {
		if name := strings.TrimSpace(framing().ReplaceAllString(part, "")); !unnamed().MatchString(name) {
			return excerpt.Ellipsis(name, maxSubject)
		}
	}
	return ""
}

// Overview returns sentences about what the documents have, or "" if there are none.
func (l *Library) Overview() string {
	if l.Len() == 0 {
		return ""
	}
	names := l.Sites().Names()
	return strings.TrimSpace(fmt.Sprintf("Documents: %d. At the top: %s. %s", l.Len(), tops(names), languagesOf(names)))
}

// tops returns the names at the top, each in quotation marks.
func tops(n site.Names) string {
	var names []string
	for _, name := range n.Top {
		if name = excerpt.Quote(name); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// languagesOf returns sentences about the languages and versions of the documents, unless they are in English alone.
func languagesOf(n site.Names) string {
	var b strings.Builder
	languages, versions := n.Languages, n.Versions
	if len(languages) == 1 && !strings.HasPrefix(languages[0], "en") {
		fmt.Fprintf(&b, " The documents have the language %q.", languages[0])
	}
	for _, of := range []struct {
		name   string
		values []string
	}{{"language", languages}, {"version", versions}} {
		if n := len(of.values); n > 1 {
			others := of.values[1:]
			if len(others) > maxVariants {
				others = append(slices.Clone(others[:maxVariants]), fmt.Sprintf("%d more", len(others)-maxVariants))
			}
			fmt.Fprintf(&b, " A query searches the %s %s only: add %[1]s:%[3]s to it for another one (%[4]s).", of.name, of.values[0], others[0], strings.Join(others, ", "))
		}
	}
	return excerpt.OneLine(strings.ToValidUTF8(b.String(), "\ufffd"))
}

// Served returns one line that says how many Markdown files are documents, in all languages and versions, and how many are
// not, by reason, and, if they are not all main documents, how many have which class: "451 Markdown files are served; 9 are not: 2 tests, 6 vendored, 1 redirect". Files that git ignores do not
// count. It is "" without Markdown.
func (l *Library) Served() string {
	pdfs, left, unread := len(l.PDFs()), l.Left(), l.Sites().Unread()
	served := len(l.All()) - pdfs
	kinds := make(map[[2]string]int)
	for _, p := range left {
		kinds[p.Kind()]++
	}
	if served+pdfs+len(left)+len(unread) == 0 {
		return ""
	}
	var b strings.Builder
	switch {
	case pdfs > 0:
		fmt.Fprintf(&b, "%d Markdown and %d PDF files are served", served, pdfs)
	case served == 1:
		b.WriteString("1 Markdown file is served")
	default:
		fmt.Fprintf(&b, "%d Markdown files are served", served)
	}
	if c := l.Sites().Counts(); c[site.Other]+c[site.Last] > 0 {
		fmt.Fprintf(&b, " (%d main, %d other, %d last)", c[site.Main], c[site.Other], c[site.Last])
	}
	var parts []string
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b [2]string) int { return cmp.Or(kinds[b]-kinds[a], strings.Compare(a[0], b[0])) }) {
		noun := kind[min(kinds[kind]-1, 1)]
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], noun))
	}
	if verb := [2]string{"is", "are"}; len(left) > 0 {
		fmt.Fprintf(&b, "; %d %s not: %s (list --hidden shows them)", len(left), verb[min(len(left)-1, 1)], strings.Join(parts, ", "))
	}
	if n := l.Sites().Beside(); n > 0 {
		fmt.Fprintf(&b, "; other files next to them: %d, which can be read", n)
		if l.Closed() {
			b.WriteString(" where a document links to them")
		}
	}
	if len(unread) > 0 {
		b.WriteString("; files whose text is not read: " + strings.Join(unread, ", "))
	}
	return b.String()
}

// Left returns the Markdown files that are not documents. Files that git ignores are not among them.
func (l *Library) Left() (left []*site.Page) {
	for _, p := range l.Sites().Hidden() {
		if p.Hidden != site.Gitignored {
			left = append(left, p)
		}
	}
	return left
}
