package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	// bytes of the text about the project; clients cut descriptions at 1,000 characters
	maxDescription = 550
	// characters; clients put the name of the server before it, and allow 60
	maxName = 40
)

// DocsName returns the name of a project's documents tool: "search" followed by the runs of ASCII
// letters and digits of name, as [excerpt.Name] returns it, each with its first letter in upper case. Latin letters lose their marks.
// If name has none, the name of the package is used, or else the result is "searchDocs".
func DocsName(name, pkg string) string {
	for _, s := range []string{name, pkg} {
		var b strings.Builder
		for word := range strings.FieldsFuncSeq(plainLetters(excerpt.Name(s)), func(r rune) bool {
			return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		if b.Len() > 0 {
			return excerpt.Cut("search"+b.String(), maxName) // in ASCII
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

// A description is what the description of the tool for documents depends on.
type description struct {
	name      string     // of the project
	documents site.Names // what their files tell
	// there are resources, or captures, that are searched without documents
	resources    bool
	dependencies bool // documents of packages are served too
}

// tool returns the description of the tool. It has no text of a document, so it is the same as long as the names of files are.
func (d description) tool() string {
	name := cmp.Or(excerpt.Quote(d.name), "this project")
	var b strings.Builder
	switch {
	case d.documents.Documents > 0:
		fmt.Fprintf(&b, "Search and read the documentation of %s.", name)
	case d.resources:
		fmt.Fprintf(&b, "Search the resources of %s, as far as they are text.", name)
	default:
		fmt.Fprintf(&b, "Search and read the documentation of %s. It has no documents yet.", name)
	}
	if d.documents.Documents > 0 || d.resources {
		b.WriteString(" Consult this tool first for anything about it: before answering from memory, searching the web or writing code that uses it.")
	}
	if languages := languagesOf(d.documents); languages != "" {
		b.WriteString(" " + languages)
	}
	if start := excerpt.Quote(d.documents.Start); start != "" {
		fmt.Fprintf(&b, " Start at %s.", start)
	}
	if names := tops(d.documents); names != "" {
		fmt.Fprintf(&b, " At the top: %s.", names)
	}
	if d.dependencies {
		fmt.Fprintf(&b, " It also has documents of the packages that the project depends on, in the versions that are installed, below %[1]s/, such as %[1]s/npm/NAME/README.md: consult them before writing code that uses a package.", dependencies.Folder)
	}
	text := excerpt.Ellipsis(b.String(), maxDescription)
	if d.onlyTexts() {
		return text + "\n\nGive a query to find passages by their words; a passage comes with the URI of its resource and its line. Read the resource by this URI."
	}
	return text + "\n\nGive paths to read documents and to list folders, or a query to find passages by their words; a passage comes with its path and line."
}

// onlyTexts reports whether queries find texts of resources, without documents to read.
func (d description) onlyTexts() bool {
	return d.resources && d.documents.Documents == 0 && !d.dependencies
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

// subjectOf returns the name in the title of a site, or "" if it has none: of "Acme - The Best Tool", "Acme".
func subjectOf(title string) string {
	for _, part := range tagline().Split(excerpt.OneLine(strings.ToValidUTF8(title, "\ufffd")), 10) {
		if name := strings.TrimSpace(framing().ReplaceAllString(part, "")); !unnamed().MatchString(name) {
			return excerpt.Ellipsis(name, maxSubject)
		}
	}
	return ""
}

// Overview returns sentences about what the documents of a library have, or "" if there are none.
func Overview(l *docs.Library) string {
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
