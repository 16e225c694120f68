package site

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// A Class says how much a document counts among the documents of a project. It orders documents, and hides none.
type Class uint8

const (
	Main  Class = iota // in a folder for documentation, or the README of the project
	Other              // elsewhere, such as the README of a package
	// a changelog, a licence, a part of pages, or the document of a test or example
	Last
)

func (c Class) String() string { return [...]string{"main", "other", "last"}[c] }

// The names of folders, in lower case. In a folder for documentation, outsideFolders are subjects of the documents.
var (
	documentFolderNames = []string{"docs", "doc", "documentation", "content", "contents", "guide", "guides", "manual", "manuals", "handbook", "wiki", "pages", "_docs", "_content", "_posts"}
	// lastFolders also are those that begin with "_".
	lastFolders = []string{"includes", "include", "snippets", "partials", "static", "public", "assets"}
	// of Jekyll
	notCollections = []string{"_includes", "_layouts", "_drafts"}
	outsideFolders = []string{"test", "tests", "__tests__", "testdata", "fixture", "fixtures", "__fixtures__", "e2e", "example", "examples", "sample", "samples", "demo", "demos",
		"template", "templates", "archive", "archives", "archived", "old", "legacy", "deprecated", "playground", "playgrounds", "benchmark", "benchmarks"}
)

// The names of files, in lower case and without extension. In a folder for documentation, outsideFiles are subjects.
const (
	lastFiles    = `^CREDITS$|^(?i:_.*|summary|toc|change[-_ ]?log|changes|history|(?:release[-_ ]?notes|news|licen[cs]es?|copying|notice|authors|contributors)(?:[-_. ].*)?)$`
	outsideFiles = `^(?:contributing|security|code[-_ ]of[-_ ]conduct|support|governance|maintainers)$`
)

// A classifier knows the folders of a project that decide the class of a document.
type classifier struct {
	*walked
	documents map[string]bool
	// subfolders may begin with "_" and have documents, as in Jekyll
	collections map[string]bool
	whole       bool
	excluded    glob.Set
}

// class returns the class of a document by its path below the project folder, and the outermost folder for documentation that holds
// it, or ".".
func (c *classifier) class(file string) (class Class, folder string) {
	inside, dir, folder := c.documents["."], ".", "."
	base := strings.ToLower(stem(path.Base(file)))
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if part == "." {
			break
		}
		above, name := dir, strings.ToLower(part)
		dir = join(dir, part)
		switch {
		case c.documents[dir], slices.Contains(documentFolderNames, name), strings.HasSuffix(name, "versioned_docs"), strings.HasPrefix(name, "docusaurus-plugin-content-"):
			if inside = true; folder == "." {
				folder = dir
			}
		case slices.Contains(lastFolders, name) && !(inside && c.indexed[dir]), name[0] == '_' && (!c.collections[above] || slices.Contains(notCollections, name)),
			// pages of AsciiDoc include their examples
			(!inside || formatOf(file) == asciidoc) && slices.Contains(outsideFolders, name):
			return Last, folder
		case folder == "." && c.code[dir] > 0 && (c.whole || strings.HasPrefix(base, "readme")):
			inside = false
		}
	}
	_, excluded := c.excluded.Covers(file)
	switch {
	case compile(lastFiles).MatchString(stem(path.Base(file))) && !strings.HasPrefix(base+".", "_index."), (!inside || dir == ".") && compile(outsideFiles).MatchString(base):
		return Last, folder
	case excluded, formatOf(file) == asciidoc && strings.HasPrefix(base+"-", "nav-"):
		return Last, folder
	case inside, dir == "." && base == "readme":
		return Main, folder
	}
	return Other, folder
}

// classify decides what the documents are, and the class of each.
func (s *Set) classify(w *walked) {
	code := w.manifests > 0 && w.sources >= w.pages
	c, stated, here := s.classifier(w, code)
	all := slices.DeleteFunc(w.documents, func(p *Page) bool {
		if text := IsPDF(p.File) || strings.EqualFold(path.Ext(p.File), ".txt"); w.sources == 0 || !text || s.named(p.File) {
			return false
		}
		class, _ := c.class(p.File)
		return class != Main
	})
	slices.SortFunc(all, func(a, b *Page) int { return strings.Compare(a.File, b.File) })
	for _, p := range all {
		p.Tree = s.siteOf(p.File).Trees[0]
	}
	if best := s.leading(c, all); best != nil && !stated {
		c.documents[best.Dir] = true
	}
	numbers, pdfs := make(map[Class]int), 0
	for _, p := range all {
		if class, _ := c.class(p.File); IsPDF(p.File) {
			pdfs++
		} else if !isReadme(p.File) && docusaurusParts(p.File) == nil {
			// each document once
			numbers[class]++
		}
	}
	c.whole = here || c.documents["."]
	if (here || numbers[Main] < numbers[Other] || numbers[Main] == 0 && pdfs > 0) && !code && !stated {
		c.documents["."] = true // notes, manuals, or a site whose folder is the project's
	}
	s.scattered = c.documents["."] && !s.wholly && len(s.roots) == 0
	s.pages = all
	for _, p := range all {
		s.place(c, p)
	}
	slices.SortStableFunc(s.Sites, func(a, b *Site) int { return cmp.Compare(b.counted, a.counted) })
}

// classifier returns a classifier with the folders that configuration names. stated reports whether the project's own configuration names
// one, and here whether the folder of a configuration is the project's. code says that the project is source code.
func (s *Set) classifier(w *walked, code bool) (c *classifier, stated, here bool) {
	c = &classifier{walked: w, documents: make(map[string]bool), collections: make(map[string]bool)}
	var excluded []string
	for _, site := range s.Sites[:len(s.Sites)-1] {
		here = here || site.Dir == "." && path.Ext(site.Config) != ".yml"
		if site.Root != "" && (site.Root != "." || !code) && (!stated || site.Dir == ".") {
			// the nearest to the project folder
			c.documents[site.Root] = true
			stated = stated || site.Dir == "."
		}
		root := site.Trees[0].Root
		c.collections[root] = c.collections[root] || strings.HasPrefix(path.Base(site.Config), "_config.")
		for _, pattern := range site.excluded() {
			excluded = append(excluded, join(root, "**", pattern))
		}
	}
	c.excluded, _ = glob.ParseSet(excluded)
	return c, stated, here
}

// leading returns the site below the project folder whose folder has the documents: the one at the top, or else the largest; nil: there is
// none. It notes which sites are parts of tests or examples.
func (s *Set) leading(c *classifier, all []*Page) (best *Site) {
	counted := make(map[*Site]int)
	for _, p := range all {
		counted[p.Tree.site]++
	}
	for _, site := range s.Sites[:len(s.Sites)-1] {
		class, _ := c.class(join(site.Dir, "x.md"))
		site.part = class == Last
		larger := best == nil || strings.Count(site.Dir, "/") == strings.Count(best.Dir, "/") && counted[site] > counted[best]
		if !site.part && site.Dir != "." && counted[site] > 0 && larger {
			best = site
		}
	}
	return best
}

// place gives a document its class and its folder, or the reason why it is not served.
func (s *Set) place(c *classifier, p *Page) {
	var folder string
	p.Class, folder = c.class(p.File)
	if p.Folder = p.Tree.Root; p.Folder == "." {
		p.Folder = cmp.Or(s.rootOf(p.File), folder)
	}
	switch named := s.named(p.File); {
	case named:
		p.Class, p.wholly = Main, true
	case len(s.roots) > 0 && !s.wholly:
		p.Hidden = cmp.Or(p.Hidden, outside+s.roots[0]+"/")
	}
	if s.options.Published && (p.Class != Main || IsPDF(p.File) && !p.wholly && !s.wholly) {
		p.Hidden = cmp.Or(p.Hidden, notMain)
	}
	if IsPDF(p.File) {
		p.Class = max(p.Class, Other)
	}
	if p.Class == Main && p.Hidden == "" {
		p.Tree.site.counted++
	}
}

// isReadme reports whether a file is the README of the project, in any language.
func isReadme(file string) bool {
	return path.Dir(file) == "." && compile(`^(?i:readme)(?:[-_.][\w-]{2,10})?\.\w+$`).MatchString(file)
}

// siteOf returns the site of a file: the one with the innermost folder.
func (s *Set) siteOf(file string) *Site {
	best := s.Sites[len(s.Sites)-1]
	for _, site := range s.Sites {
		if root := site.Trees[0].Root; walk.Holds(root, file) && (len(root) > len(best.Trees[0].Root) || best.Config == "") {
			best = site
		}
	}
	return best
}
