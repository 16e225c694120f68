package site

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// Names is what the names of files tell of the documents of a project. No text of a document changes it, so it is known before any
// is read, and is the same at each start.
type Names struct {
	Documents           int      // of the default languages and versions
	Title               string   // of the largest site, or ""
	Languages, Versions []string // the default ones first
	Start               string   // path of the document to begin with, or ""
	// Top are paths of folders, each with a slash, and then of documents: the first ten in the folder that holds all main documents.
	Top []string
}

// office are the extensions of files with text that is not read.
var office = map[string]int{".doc": 0, ".docx": 0, ".ppt": 1, ".pptx": 1, ".xls": 2, ".xlsx": 2}

// Unread counts the files with text that is not read: "3 Word", "1 Excel".
func (s *Set) Unread() (counts []string) {
	var n [3]int
	for _, file := range s.known().all {
		if i, ok := office[strings.ToLower(path.Ext(file))]; ok {
			n[i]++
		}
	}
	for i, program := range []string{"Word", "PowerPoint", "Excel"} {
		if n[i] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n[i], program))
		}
	}
	return counts
}

// Counts returns how many documents there are of each class, in all languages and versions.
func (s *Set) Counts() (counts [3]int) {
	for _, p := range s.Pages(true) {
		counts[p.Class]++
	}
	return counts
}

// String describes the documents in one line: "155 documents in docs/, en of 13 languages". It is "" if they have one language and one
// version.
func (s *Set) String() string {
	main, n := 0, s.Names()
	for _, p := range s.Pages(false) {
		main += number(p.Class == Main)
	}
	languages, versions := n.Languages, n.Versions
	if main == 0 || len(languages) < 2 && len(versions) < 2 {
		return ""
	}
	line := fmt.Sprintf("%d documents in %s/", main, s.Base())
	if len(languages) > 1 {
		line += fmt.Sprintf(", %s of %d languages", languages[0], len(languages))
	}
	if len(versions) > 1 {
		line += fmt.Sprintf(", version %s of %d", versions[0], len(versions))
	}
	return strings.Replace(line, " ./", " the project folder", 1)
}

const maxTop = 10

// StartNames are the names of documents that stand for their folder, the best first.
var StartNames = []string{"index.md", "index.mdx", "README.md", "readme.md", "_index.md"}

// Names returns what the names of files tell of the documents.
func (s *Set) Names() Names { return s.known().names }

// name finds out the names of a set whose documents have a class, a language and a version.
func (s *Set) name() {
	s.names = Names{Title: s.title()}
	n := &s.names
	n.Languages, n.Versions = s.variants()
	known, main := make(map[string]bool), []string(nil)
	for _, p := range s.Pages(false) {
		if known[p.File] = true; p.Class == Main {
			main = append(main, p.File)
		}
	}
	n.Documents = len(known)
	for _, dir := range []string{s.mainFolder(), cmp.Or(s.options.Chosen, ".")} {
		if i := slices.IndexFunc(StartNames, func(name string) bool { return known[join(dir, name)] }); i >= 0 && n.Start == "" {
			n.Start = s.pathOf(join(dir, StartNames[i]))
		}
	}
	if slices.Sort(main); len(main) > 0 {
		dir := path.Dir(main[0])
		for !walk.Holds(dir, main[len(main)-1]) {
			dir = path.Dir(dir)
		}
		var documents []string
		for _, file := range main {
			name, _, inside := strings.Cut(relative(dir, file), "/")
			if top := s.pathOf(join(dir, name)) + "/"; !inside {
				documents = append(documents, s.pathOf(file))
			} else if len(n.Top) == 0 || n.Top[len(n.Top)-1] != top {
				n.Top = append(n.Top, top)
			}
		}
		n.Top = append(n.Top, documents...)
		n.Top = n.Top[:min(len(n.Top), maxTop)]
	}
	if s.options.Listed != nil {
		s.options.Listed(*n)
	}
}

// title returns the name of the largest site that has one, or the only name that a site has, or "".
func (s *Set) title() string {
	var titles []string
	for _, site := range s.Sites {
		if site.counted*2 >= s.Sites[0].counted && site.Title != "" {
			return site.Title
		}
		if !site.part {
			titles = with(titles, site.Title)
		}
	}
	if len(titles) == 1 {
		return titles[0]
	}
	return ""
}

// variants returns the languages and versions of the main documents, the default ones first.
func (s *Set) variants() (languages, versions []string) {
	main, largest := make(map[*Tree]int), nowhere
	for _, p := range s.Pages(true) {
		if main[p.Tree] += number(p.Class == Main); !p.Tree.Other && main[p.Tree] > main[largest] {
			largest = p.Tree
		}
	}
	languages, versions = with(nil, largest.Language), with(nil, largest.Version)
	for _, other := range []bool{false, true} {
		for _, site := range s.Sites {
			for _, t := range site.Trees {
				if main[t] > 0 && t.Other == other {
					languages, versions = with(languages, t.Language), with(versions, t.Version)
				}
			}
		}
	}
	return languages, versions
}

// mainFolder returns the deepest folder that holds all main documents of the default languages and versions, but the README of the project.
func (s *Set) mainFolder() (base string) {
	for _, p := range s.Pages(false) {
		if p.Class != Main || isReadme(p.File) {
			continue
		}
		for base = cmp.Or(base, p.Folder, "."); !walk.Holds(base, cmp.Or(p.Folder, ".")); {
			base = path.Dir(base)
		}
	}
	return cmp.Or(base, ".")
}
