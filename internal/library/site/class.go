package site

import (
	"path"
	"slices"
	"strings"
)

// A Class says how much a document counts among the documents of a project. It orders documents, and hides none.
type Class uint8

const (
	Main  Class = iota // it is in a folder for documentation, or the README of the project
	Other              // it lies elsewhere: the README of a package, for example
	Last               // a changelog, a licence, a part of pages, or the document of a test or an example
)

func (c Class) String() string { return [...]string{"main", "other", "last"}[c] }

// The names of folders, in lower case. In a folder for documentation, outsideFolders are subjects of the documents.
var (
	documentFolderNames = []string{"docs", "doc", "documentation", "content", "contents", "guide", "guides", "manual", "manuals", "handbook", "wiki", "_docs", "_content", "_posts"}
	lastFolders         = []string{"snippets", "partials", "static", "public", "assets"}
	outsideFolders      = []string{"test", "tests", "__tests__", "testdata", "fixture", "fixtures", "__fixtures__", "e2e", "example", "examples", "sample", "samples", "demo", "demos",
		"template", "templates", "archive", "archives", "archived", "playground", "playgrounds", "benchmark", "benchmarks"}
)

// The names of files, in lower case and without extension. In a folder for documentation, outsideFiles are subjects.
const (
	lastFiles    = `^(?:change[-_ ]?logs?|changes|history|(?:release[-_ ]?notes|news|licen[cs]es?|copying|notice)(?:[-_. ].*)?)$`
	outsideFiles = `^(?:contributing|contributors|security|code[-_ ]of[-_ ]conduct|support|governance|maintainers|authors)$`
)

// A classifier knows the folders of a project that decide the class of a document.
type classifier struct {
	documents   map[string]bool // folders that a configuration names
	collections map[string]bool // folders whose subfolders may begin with "_" and have documents, as Jekyll has them
}

// class returns the class of a document by its path below the project folder.
func (c *classifier) class(file string) Class {
	inside, dir := c.documents["."], "."
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if part == "." {
			break
		}
		above, name := dir, strings.ToLower(part)
		dir = join(dir, part)
		documents := c.documents[dir] || slices.Contains(documentFolderNames, name)
		switch {
		case documents && !strings.HasPrefix(name, "_"):
		case slices.Contains(lastFolders, name), name[0] == '_' && !documents && (!c.collections[above] || slices.Contains([]string{"_includes", "_layouts", "_drafts"}, name)):
			return Last
		case !inside && slices.Contains(outsideFolders, name):
			return Last
		}
		inside = inside || documents
	}
	name := strings.ToLower(stem(path.Base(file)))
	switch {
	case name[:min(1, len(name))] == "_" && !strings.HasPrefix(name, "_index"), compile(lastFiles).MatchString(name), !inside && compile(outsideFiles).MatchString(name):
		return Last
	case inside, dir == "." && (name == "readme" || strings.HasPrefix(name, "readme.")):
		return Main
	}
	return Other
}
