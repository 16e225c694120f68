package docs

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	maxDescription = 850 // bytes of the text about the project; clients cut descriptions at 1,000 characters
	maxToolName    = 40  // characters; clients put the name of the server before it, and allow 60
)

// ToolName returns the name of a project's documents tool: "search" followed by the runs of ASCII
// letters and digits of name, each with its first letter in upper case. Latin letters lose their marks.
// If name has none, the name of the package is used, or else the result is "searchDocs".
func ToolName(name, pkg string) string {
	for _, s := range []string{name, pkg} {
		var b strings.Builder
		for word := range strings.FieldsFuncSeq(plainLetters(s), func(r rune) bool {
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

// ToolDescription returns the description of the tool for an agent and a project of this name. It has no text of a document, so it is the
// same as long as the names of folders are.
func (l *Library) ToolDescription(name string) string {
	if name = excerpt.Quote(name); name == "" {
		name = "this project"
	}
	var b strings.Builder
	switch {
	case l == nil || l.Len() > 0:
		fmt.Fprintf(&b, "Search and read the documentation of %s.", name)
	case l.HasTexts():
		fmt.Fprintf(&b, "Search the resources of %s, as far as they are text.", name)
	default:
		fmt.Fprintf(&b, "Search and read the documentation of %s. It has no documents yet.", name)
	}
	if l.Len() > 0 || l.HasTexts() {
		b.WriteString(" Consult this tool first for anything about it: before answering from memory, searching the web or writing code that uses it.")
	}
	if languages := l.languages(); languages != "" {
		b.WriteString(" " + languages)
	}
	if start := excerpt.Quote(l.Start()); start != "" {
		fmt.Fprintf(&b, " Start at %s.", start)
	}
	if names := l.tops(); len(names) > 0 {
		fmt.Fprintf(&b, " At the top: %s.", strings.Join(names, ", "))
	}
	if n := l.Dependencies().Len(); n > 0 {
		fmt.Fprintf(&b, " It also has documents of the packages that the project depends on, in the versions that are installed, below %s/: consult them before writing code that uses a package.", dependencies.Folder)
	}
	if l.OnlyTexts() {
		return excerpt.Ellipsis(b.String(), maxDescription) + "\n\nGive a query to find passages by their words; a passage comes with the URI of its resource and its line. Read the resource by this URI."
	}
	return excerpt.Ellipsis(b.String(), maxDescription) + "\n\nGive paths to read documents and to list folders, or a query to find passages by their words; a passage comes with its path and line."
}

// OnlyTexts reports whether queries find texts of sources, and there are no documents to read.
func (l *Library) OnlyTexts() bool {
	return l != nil && l.Len()+l.Dependencies().Len() == 0 && l.HasTexts()
}

// Start returns the path of the document to begin with: the index of the folder of all main documents, or else of the folder of
// the library, or "".
func (l *Library) Start() string {
	for _, folder := range []string{l.Base(), ""} {
		for _, name := range startNames {
			if l.HasFile(folder + name) {
				return folder + name
			}
		}
	}
	return ""
}

// PathsDescription returns the description of the argument for paths.
func (l *Library) PathsDescription() string {
	if l.OnlyTexts() {
		return "The only files that a query searches: folders, files or patterns, such as resources/config/**"
	}
	text := "Paths of documents or folders to read; next to a query, the only ones that it searches, or patterns such as guides/**."
	if deps := l.Dependencies().describe(maxDescription); deps != "" {
		text += "\nDependencies, as in " + dependencies.Folder + "/NAME@VERSION/README.md:" + deps
	}
	return text
}
