package site

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	maxFolders = 1000 // that are looked into for configuration
	maxDepth   = 5    // of a configuration below the project folder
	maxSites   = 200
)

// notSites are names of folders whose content shows or tests something, or is another program's.
var notSites = map[string]bool{
	"test": true, "tests": true, "__tests__": true, "testdata": true, "fixtures": true, "__fixtures__": true, "example": true, "examples": true,
	"template": true, "templates": true, "themes": true, "vendor": true, "third_party": true, "node_modules": true, "bower_components": true,
	"archive": true, "archived": true, "playground": true, "playgrounds": true, "benchmarks": true, "dist": true, "build": true, "out": true,
	"target": true, "venv": true, "site-packages": true, "spec": true, "e2e": true, "starters": true, "sample": true, "samples": true, "demo": true, "demos": true,
}

func notSite(name string) bool {
	return notSites[strings.ToLower(name)] || strings.HasSuffix(name, "-edition") || strings.HasSuffix(name, "_template") || strings.HasSuffix(name, "-template")
}

// plainFolders are where documents are if no generator says so, the best first.
var plainFolders = []string{"docs", "doc", "documentation", "content", "src/content", "site/content", "website/docs", "guide", "manual", "_content", "wiki"}

// A finding is a configuration file.
type finding struct {
	marker    string
	generator int // in generators
}

// Options say which sites of a project count.
type Options struct {
	// Named are the sites that the project's configuration names. nil: they are detected.
	Named []Named
	// Chosen is a folder of which every document is served. Only sites that publish documents in it count, and their
	// configuration is looked for near it. "": the sites choose the documents.
	Chosen string
	// Quick leaves out the documents of other languages and versions than the default ones.
	Quick  bool
	Refuse func(file string) bool // see [Set.Refuse]
	// Visit is called with each folder whose files decided. nil: nobody wants to know.
	Visit func(dir string)
}

// Find returns the sites of a project, as far as its files tell.
func Find(ctx context.Context, fsys fs.FS, o Options) (*Set, error) {
	visit := o.Visit
	if visit == nil {
		visit = func(string) {}
	}
	s := &Set{fsys: fsys, ignored: newIgnore(fsys), Refuse: o.Refuse, chosen: o.Chosen, quick: o.Quick}
	r := &reader{fsys: fsys}
	visit(".")
	var err error
	if s.description, err = readDescription(fsys); err != nil || s.description != nil {
		return s, err
	}
	found, counts, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(strings.Count(a.marker, "/"), strings.Count(b.marker, "/")), cmp.Compare(a.generator, b.generator), cmp.Compare(a.marker, b.marker))
	})
	for _, f := range found {
		for _, site := range f.open(r) {
			visit(path.Dir(f.marker))
			if r.isDir(f.marker) {
				visit(f.marker)
			}
			s.add(r, site)
		}
	}
	s.mergeLanguages(r)
	switch {
	case o.Named != nil:
		s.name(r, o.Named)
	case o.Chosen != "":
		s.narrow()
	default:
		s.context7(r)
		if site := plainSite(r, counts); len(s.Sites) == 0 && site != nil {
			s.add(r, site)
		}
	}
	return s, nil
}

// open returns the sites of a configuration file.
func (f finding) open(r *reader) []*Site {
	g := generators[f.generator]
	sites := g.Open(r, f.marker)
	for _, site := range sites {
		site.Generator, site.Config = g, f.marker
		if site.Dir == "" {
			site.Dir = path.Dir(f.marker)
		}
	}
	return sites
}

// add keeps a site unless another site has its documents, or it has none.
func (s *Set) add(r *reader, site *Site) {
	site.Trees = slices.DeleteFunc(site.Trees, func(t *Tree) bool {
		t.Root = path.Clean(t.Root)
		return !fs.ValidPath(t.Root) || !r.isDir(t.Root)
	})
	if len(site.Trees) == 0 || len(s.Sites) >= maxSites {
		return
	}
	for _, other := range s.Sites {
		for _, t := range other.Trees {
			if within(t.Root, site.Trees[0].Root) {
				return
			}
		}
	}
	for _, t := range site.Trees {
		t.site = site
	}
	s.Sites = append(s.Sites, site)
}

// look walks the folders that may have a configuration, those nearer to the project folder first. counts has the
// number of documents in each folder.
func (s *Set) look(ctx context.Context) (found []finding, counts map[string]int, err error) {
	counts = make(map[string]int)
	queue := []string{"."}
	for looked := 0; len(queue) > 0 && looked < maxFolders; looked++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		dir := queue[0]
		queue = queue[1:]
		entries, err := fs.ReadDir(s.fsys, dir)
		if err != nil {
			if dir == "." {
				return nil, nil, err
			}
			continue
		}
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" }) {
			s.ignored.without(dir)
		}
		for _, e := range entries {
			for _, i := range markers()[e.Name()] {
				if name := join(dir, e.Name()); !s.ignored.has(name, e.IsDir()) {
					found = append(found, finding{name, i})
				}
			}
			switch {
			case e.IsDir():
				if name := join(dir, e.Name()); s.mayHoldSites(name) && !s.ignored.has(name, true) {
					queue = append(queue, name)
				}
			case plain.documents(e.Name()):
				counts[dir]++
			}
		}
	}
	return found, counts, nil
}

// mayHoldSites reports whether configuration is looked for in a folder. Where a folder is chosen, that is in it and in the
// folders above it, and in the folders in these.
func (s *Set) mayHoldSites(dir string) bool {
	if s.chosen != "" {
		if within(dir, s.chosen) {
			return true
		}
		if !within(path.Dir(dir), s.chosen) {
			return false
		}
	}
	return strings.Count(dir, "/") < maxDepth && !strings.HasPrefix(path.Base(dir), ".") && !notSite(path.Base(dir)) && dir != loader.Resources
}

// markers returns the generators that each marker may belong to.
var markers = sync.OnceValue(func() map[string][]int {
	m := make(map[string][]int)
	for i, g := range generators {
		for _, name := range g.Markers {
			m[name] = append(m[name], i)
		}
	}
	return m
})

// documents reports whether a file of this name can be a document.
func (g *Generator) documents(name string) bool {
	return slices.Contains(g.extensions(), strings.ToLower(path.Ext(name)))
}

func (g *Generator) extensions() []string {
	if g.Extensions == nil {
		return []string{".md"}
	}
	return g.Extensions
}

// languageName matches the codes of languages that documents are often in.
const languageName = `^(?:a[fmrsz]|b[eegns]|bn|ca|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ga|gl|gu|he|hi|hr|hu|hy|id|is|it|ja|jp|ka|kk|km|kn|ko|kr|lt|lv|mk|ml|mn|mr|ms|my|nb|ne|nl|nn|no|pa|pl|pt|ro|ru|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|zh)(?:[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}|hans|hant|419))?$`

// isLanguage reports whether a folder is named after a language.
func isLanguage(name string) bool { return compile(languageName).MatchString(name) }

// mergeLanguages adds trees to each site in a folder that is named after a language: one for each sibling folder with
// the name of a language and the same subfolder. Sites of the generator in those folders go.
func (s *Set) mergeLanguages(r *reader) {
	for i := 0; i < len(s.Sites); i++ {
		site := s.Sites[i]
		parts := strings.Split(site.Trees[0].Root, "/")
		at := slices.IndexFunc(parts, isLanguage)
		if at < 0 || len(site.Trees) > 1 {
			continue
		}
		dir, rest := join(parts[:at]...), join(parts[at+1:]...)
		site.Trees[0].Language = strings.ToLower(parts[at])
		others := make(map[string]bool)
		for _, name := range r.folders(dir) {
			root := join(dir, name, rest)
			if name != parts[at] && isLanguage(name) && r.isDir(root) {
				others[root] = true
				site.Trees = append(site.Trees, &Tree{Root: root, Language: strings.ToLower(name), Prefix: name + "/", Other: true, site: site})
			}
		}
		s.Sites = slices.DeleteFunc(s.Sites, func(o *Site) bool { return o != site && others[o.Trees[0].Root] })
		if english := slices.IndexFunc(site.Trees, func(t *Tree) bool { return t.Language == "en" }); english > 0 {
			site.Trees[0].Prefix, site.Trees[0].Other = site.Trees[0].Language+"/", true
			site.Trees[english].Prefix, site.Trees[english].Other = "", false
			site.Trees[0], site.Trees[english] = site.Trees[english], site.Trees[0]
		}
	}
}

// plain is what holds for documents without a generator.
var plain = &Generator{
	Name: "none", Extensions: []string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".rest"},
	Index: []string{"index", "readme", "home"}, Numbers: true,
	Skip:     []string{"**/_*", "**/CODE_OF_CONDUCT.md", "**/SECURITY.md"},
	Includes: []include{plainInclude, asciidocInclude, literalInclude, rstInclude},
}

// notDocuments are files of a project folder without a generator that are not documents.
var notDocuments = []string{"{resources,prompts,skills}/**", "**/{CHANGELOG,CONTRIBUTING,LICENSE}.*"}

// plainSite returns the documents of a repository without a generator: a folder, with the README of the project; the
// project folder, if most of it is documents; or the README alone.
func plainSite(r *reader, counts map[string]int) *Site {
	below := func(dir string) (n int) {
		for d, c := range counts {
			if within(dir, d) {
				n += c
			}
		}
		return n
	}
	best, most := "", 0
	for _, dir := range plainFolders {
		if n := below(dir); n > most {
			best, most = dir, n
		}
	}
	site := &Site{Generator: plain, Dir: "."}
	if best != "" {
		for { // a folder with one folder and no documents only adds a name
			folders := r.folders(best)
			if counts[best] > 0 || len(folders) != 1 {
				break
			}
			best = join(best, folders[0])
		}
		site.Trees = []*Tree{{Root: best}}
		return site
	}
	site.Trees = []*Tree{{Root: "."}}
	site.Skip = notDocuments
	if counts["."] < 3 && !r.has("_Sidebar.md") && !r.has("Home.md") || below(".") == counts["."] && counts["."] < 5 {
		site.Only = true // the README alone
	}
	return site
}

var compiled sync.Map // of regexp.Regexp, by pattern

// compile returns a pattern of this package, which it compiles once.
func compile(pattern string) *regexp.Regexp {
	if re, ok := compiled.Load(pattern); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(pattern)
	compiled.Store(pattern, re)
	return re
}
