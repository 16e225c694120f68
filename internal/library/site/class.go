package site

import (
	"cmp"
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
		"template", "templates", "archive", "archives", "archived", "old", "legacy", "deprecated", "playground", "playgrounds", "benchmark", "benchmarks"}
)

// The names of files, in lower case and without extension. In a folder for documentation, outsideFiles are subjects.
const (
	lastFiles    = `^(?:summary|toc|change[-_ ]?logs?|changes|history|(?:release[-_ ]?notes|news|licen[cs]es?|copying|notice)(?:[-_. ].*)?)$`
	outsideFiles = `^(?:contributing|contributors|security|code[-_ ]of[-_ ]conduct|support|governance|maintainers|authors)$`
)

// A classifier knows the folders of a project that decide the class of a document.
type classifier struct {
	documents   map[string]bool // folders that a configuration names
	modules     map[string]bool // folders of modules of Antora, of which only the folder "pages" has documents
	code        map[string]bool // folders with source code
	indexed     map[string]bool // folders with an index page, which are subjects
	excluded    []string        // globs of files that a configuration leaves out
	collections map[string]bool // folders whose subfolders may begin with "_" and have documents, as Jekyll has them
}

// class returns the class of a document by its path below the project folder.
func (c *classifier) class(file string) Class {
	inside, dir, below := c.documents["."], ".", false // below: in a folder for documentation in the project folder
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if part == "." {
			break
		}
		above, name := dir, strings.ToLower(part)
		if c.modules[path.Dir(above)] && name != "pages" {
			return Last
		}
		dir = join(dir, part)
		documents := c.documents[dir] || slices.Contains(documentFolderNames, name) || strings.HasSuffix(name, "versioned_docs") || strings.HasPrefix(name, "docusaurus-plugin-content-")
		switch {
		case documents && !strings.HasPrefix(name, "_"):
		case slices.Contains(lastFolders, name) && !(inside && c.indexed[dir]), name[0] == '_' && !documents && (!c.collections[above] || slices.Contains([]string{"_includes", "_layouts", "_drafts"}, name)):
			return Last
		case !inside && (slices.Contains(outsideFolders, name) || strings.HasSuffix(name, "-edition")): // an old one
			return Last
		}
		inside, below = inside || documents, below || documents
	}
	name := strings.ToLower(stem(path.Base(file)))
	switch {
	case name[:min(1, len(name))] == "_" && !strings.HasPrefix(name, "_index"), compile(lastFiles).MatchString(name), (!inside || dir == ".") && compile(outsideFiles).MatchString(name):
		return Last
	case matchesAny(c.excluded, file):
		return Last
	case formatOf(file) == asciidoc && compile(`^nav(?:[-_]|$)`).MatchString(name): // a list of Antora
		return Last
	case !below && dir != "." && c.code[dir] && strings.HasPrefix(name, "readme"): // about this code
		return Other
	case inside, dir == "." && name == "readme":
		return Main
	}
	return Other
}

// folder returns the outermost folder for documentation that holds a document, or "".
func (c *classifier) folder(file string) string {
	dir := "."
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if dir = join(dir, part); c.documents[dir] && dir != "." || slices.Contains(documentFolderNames, strings.ToLower(part)) {
			return dir
		}
	}
	return ""
}

// classify decides what the documents are, and the class of each.
func (s *Set) classify(w *walked) {
	c := &classifier{documents: make(map[string]bool), collections: make(map[string]bool), modules: make(map[string]bool)}
	sites := s.Sites[:len(s.Sites)-1] // those with a configuration
	c.code, c.indexed = w.code, w.indexed
	code := w.manifests > 0 && w.sources >= len(w.documents)
	stated, here := false, false // the project's own configuration names a folder; it is there
	for _, site := range sites {
		here = here || site.Dir == "." && path.Ext(site.Config) != ".yml"
		if root := site.Root; root != "" && (root != "." || !code) && (!stated || site.Dir == ".") { // the first is nearest to the project folder
			c.documents[root] = true
			stated = stated || site.Dir == "."
		}
		c.modules[site.Root] = c.modules[site.Root] || path.Base(site.Config) == "antora.yml"
		for _, pattern := range site.Exclude {
			c.excluded = append(c.excluded, join(cmp.Or(site.Root, site.Dir), pattern))
		}
		if strings.HasPrefix(path.Base(site.Config), "_config.") {
			c.collections[cmp.Or(site.Root, site.Dir)] = true
		}
	}
	all := append(w.documents, slices.DeleteFunc(w.texts, func(p *Page) bool {
		return w.sources > 0 && c.class(p.File) != Main && !s.named(p.File)
	})...)
	slices.SortFunc(all, func(a, b *Page) int { return strings.Compare(a.File, b.File) })
	counted := make(map[*Site]int)
	for _, p := range all {
		p.Tree = s.siteOf(p.File).Trees[0]
		counted[p.Tree.site]++
	}
	var best *Site // below the project folder
	for _, site := range sites {
		if site.Dir == "." || c.class(join(site.Dir, "x.md")) == Last || counted[site] == 0 {
			continue
		}
		depth := func(site *Site) int { return strings.Count(site.Dir, "/") }
		if best == nil || depth(site) == depth(best) && counted[site] > counted[best] {
			best = site
		}
	}
	if best != nil && !stated {
		c.documents[best.Dir] = true
	}
	numbers := make(map[Class]int)
	for _, p := range all {
		if !isReadme(p.File) && !strings.Contains(p.File, "versioned_docs/") && !strings.Contains(p.File, "docusaurus-plugin-content-") { // each document once
			numbers[c.class(p.File)]++
		}
	}
	if (here || numbers[Main] < numbers[Other]) && !code && !stated {
		c.documents["."] = true // notes, or a site whose folder is the project's
	}
	s.scattered = c.documents["."] && !s.wholly && len(s.roots) == 0
	for _, p := range all {
		p.Class, p.folder = c.class(p.File), p.Tree.Root
		if p.folder == "." {
			p.folder = cmp.Or(s.rootOf(p.File), c.folder(p.File), ".")
		}
		switch named := s.named(p.File); {
		case named:
			p.Class, p.wholly = Main, true
		case len(s.roots) > 0 && !s.wholly:
			p.Hidden = cmp.Or(p.Hidden, outside+s.roots[0]+"/")
		}
		if s.options.Published && p.Class != Main {
			p.Hidden = cmp.Or(p.Hidden, notMain)
		}
		if p.Class == Main && p.Hidden == "" {
			p.Tree.site.counted++
		}
	}
	s.pages = all
	slices.SortStableFunc(s.Sites, func(a, b *Site) int { return cmp.Compare(b.counted, a.counted) }) // the largest leads
}

// isReadme reports whether a file is the README of the project, in any language.
func isReadme(file string) bool {
	return path.Dir(file) == "." && compile(`^(?i:readme)(?:[-_.][\w-]{2,10})?\.\w+$`).MatchString(file)
}

// siteOf returns the site of a file: the one with the innermost folder.
func (s *Set) siteOf(file string) *Site {
	best := s.Sites[len(s.Sites)-1]
	for _, site := range s.Sites {
		if root := site.Trees[0].Root; within(root, file) && (len(root) > len(best.Trees[0].Root) || best.Config == "") {
			best = site
		}
	}
	return best
}
