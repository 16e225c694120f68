package docs

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	maxDescription = 2000 // bytes; clients cut longer texts at 2 KB
	maxSaid        = 1000 // characters of the description of the tool
	maxName        = 100  // bytes of the project's name in it
	maxToolName    = 128  // characters; the limit of the protocol
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
			return excerpt.Cut("search"+b.String(), maxToolName)
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

// ToolDescription returns the description of the tool for an agent and a project of this name.
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
		fmt.Fprintf(&b, " Consult this tool first for anything about %s: before answering from memory, searching the web or writing code that uses it.", name)
	}
	overview := l.Overview()
	if overview != "" {
		b.WriteString(" " + overview)
	}
	if start := l.Start(); start != "" {
		fmt.Fprintf(&b, " Start at %s, which leads to the rest.", start)
	}
	if n := l.Dependencies().Len(); n > 0 {
		fmt.Fprintf(&b, " It also has %d documents of the packages that the project depends on, in the versions that are installed, below %s/: consult them before writing code that uses a package.", n, dependencies.Folder)
	}
	if l.OnlyTexts() {
		return b.String() + "\n\nGive a query to find passages by their words; a passage comes with the URI of its resource and its line. Read the resource by this URI."
	}
	b.WriteString("\n\nGive paths to read documents and to list folders, or a query to find passages by their words; a passage comes with its path and line. " +
		"section (a heading), offset and limit (lines) read a part of a long document.")
	if utf8.RuneCountInString(b.String()) > maxSaid {
		return strings.Replace(b.String(), " "+overview, "", 1)
	}
	return b.String()
}

// OnlyTexts reports whether queries find texts of sources, and there are no documents to read.
func (l *Library) OnlyTexts() bool {
	return l != nil && l.Len()+l.Dependencies().Len() == 0 && l.HasTexts()
}

// Start returns the path of the document to begin with, or "".
func (l *Library) Start() string {
	for _, name := range startNames {
		if l.HasFile(name) {
			return name
		}
	}
	return ""
}

// PathsDescription returns the description of the argument for paths: a list of the top folders and
// documents, as far as they fit.
func (l *Library) PathsDescription() string {
	dirs, files := l.topNames()
	if l.OnlyTexts() {
		return "The only files that a query searches: folders, files or patterns, such as resources/config/**"
	}
	var b strings.Builder
	b.WriteString("Paths of documents or folders to read; next to a query, the only ones that it searches, or patterns such as guides/**.")
	deps := l.Dependencies().describe(maxDescription / 2)
	if deps != "" {
		deps = "\nDependencies, as in " + dependencies.Folder + "/NAME@VERSION/README.md:" + deps
	}
	if l.Len() == 0 && len(dirs) == 0 {
		return b.String() + deps
	}
	b.WriteString(" Available at the top:")
	// Room that folders do not need goes to files, so that many folders do not hide all files.
	b.WriteString("\nDirectories:" + within(orNone(dirs), (maxDescription-len(deps)-b.Len())/2))
	b.WriteString("\nFiles:" + within(orNone(files), maxDescription-len(deps)-b.Len()-len("\nFiles:")))
	return b.String() + deps
}

// within lists as many names as fit into the limit.
func within(names []string, room int) string {
	const rest = len("\n- and 1000000 more")
	var b strings.Builder
	for i, n := range names {
		line := "\n- " + excerpt.OneLine(strings.ToValidUTF8(n, "\ufffd"))
		if b.Len()+len(line)+rest > room {
			fmt.Fprintf(&b, "\n- and %d more", len(names)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}
