package docs

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
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
