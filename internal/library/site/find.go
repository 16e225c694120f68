package site

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
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
	return notSites[strings.ToLower(name)] || compile(`^tests?[-_]|-edition$|[-_]template$`).MatchString(name)
}

// A finding is a configuration file.
type finding struct {
	marker    string
	generator int // in generators
}

// Options say which sites of a project count.
type Options struct {
	// Named are the sites that the project's configuration names. nil: they are detected.
	Named []Named
	// Chosen is a folder that the user chose: all of its documents are served. Only sites that publish documents of this
	// folder count, and Find looks for their configuration near it. "": the sites choose the documents.
	Chosen string
	// Quick leaves out the documents of other languages and versions than the default ones.
	Quick bool
	// Exclude covers files and folders, by their paths below the project folder, that are not documents. A document
	// may include such a file all the same.
	Exclude glob.Set
	// Find calls Visit with each folder whose files it used, and Load with each folder before it reads it. A [Set] calls it with the folder of each file that a document
	// includes, when the document is read, from several goroutines. nil: no call is made.
	Visit func(dir string)
}

// Find returns the sites of a project, as far as its files tell. fsys may be a [docsfs.FS].
func Find(ctx context.Context, fsys fs.FS, o Options) (*Set, error) {
	if o.Visit == nil {
		o.Visit = func(string) {}
	}
	docs := docsfs.Of(fsys)
	s := &Set{fsys: docs.Project(), docs: docs, options: o}
	r := newReader(docs)
	defer func() { s.notices = r.notices }()
	o.Visit(".")
	var err error
	if s.description, err = readDescription(s.fsys); err != nil || s.description != nil {
		return s, err
	}
	found, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(strings.Count(a.marker, "/"), strings.Count(b.marker, "/")), cmp.Compare(a.generator, b.generator), cmp.Compare(a.marker, b.marker))
	})
	for _, f := range found {
		for _, site := range f.open(r) {
			o.Visit(path.Dir(f.marker))
			if r.isDir(f.marker) {
				o.Visit(f.marker)
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
	case len(s.Sites) == 0:
		site := plain.site("", ".")
		site.read(r, nil)
		s.add(r, site)
	}
	return s, nil
}

// is reports whether a site is of a generator.
func (site *Site) is(g *Generator) bool { return site.Name == g.Name }

// site returns a site of which only the folder is known.
func (g *Generator) site(config, dir string) *Site {
	own := *g
	return &Site{Generator: &own, Config: config, Redirects: make(map[string]string), Facts: Facts{Dir: dir, Trees: []*Tree{{Root: join(dir, g.Folder)}}}}
}

// open returns the sites of a configuration file.
func (f finding) open(r *reader) []*Site {
	g := generators[f.generator]
	s := g.site(f.marker, path.Dir(f.marker))
	var v values
	if slices.Contains([]string{".yml", ".yaml", ".toml", ".json"}, path.Ext(f.marker)) {
		v = r.config(f.marker)
	}
	s.read(r, v)
	if !g.Open(r, s) {
		return nil
	}
	sites := []*Site{s}
	if g.Sites != nil {
		sites = g.Sites(r, s)
	}
	if u := first(s.settings, g.Keys.URL); strings.Contains(u, "://") && !public(u) {
		r.notice(cmp.Or(s.from, f.marker), u, u+" is not an address of a published site: pages have no URLs")
	}
	for _, key := range slices.Sorted(maps.Keys(g.Unread)) {
		keys := strings.Fields(strings.TrimPrefix(key, "?"))
		from := cmp.Or(s.from, f.marker)
		if v, name := s.settings, strings.Join(keys, "."); v.Unknown(keys...) {
			r.notice(from, keys[len(keys)-1], name+" is known only when the program runs: "+g.Unread[key])
		} else if key[0] != '?' && v.Has(keys...) {
			r.notice(from, keys[len(keys)-1], name+" is not understood: "+g.Unread[key])
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
	if len(site.Trees) == 0 || len(s.Sites) >= maxSites || slices.ContainsFunc(s.trees(), func(t *Tree) bool { return within(t.Root, site.Trees[0].Root) }) {
		return
	}
	for _, t := range site.Trees {
		t.site = site
	}
	for _, name := range []string{"vercel.json", ".openpublishing.redirection.json"} {
		site.redirects(r.config(join(site.Dir, name)), "")
	}
	s.Sites = append(s.Sites, site)
}

// look walks the folders that may have a configuration, those nearer to the project folder first.
func (s *Set) look(ctx context.Context) (found []finding, err error) {
	queue := []string{"."}
	for looked := 0; len(queue) > 0 && looked < maxFolders; looked++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir := queue[0]
		queue = queue[1:]
		entries, err := fs.ReadDir(s.fsys, dir)
		if err != nil {
			if dir == "." {
				return nil, err
			}
			continue
		}
		for _, e := range entries {
			for _, i := range markers()[e.Name()] {
				if name := join(dir, e.Name()); !s.docs.Ignored(name, e.IsDir()) {
					found = append(found, finding{name, i})
				}
			}
			switch name := join(dir, e.Name()); {
			case e.IsDir() && s.mayHoldSites(name) && !s.docs.Ignored(name, true):
				queue = append(queue, name)
			case e.Type().IsRegular() && formatOf(name) == markdown && plain.documents(name) && !slices.Contains(otherFolders, strings.Split(name, "/")[0]):
				s.markdown = append(s.markdown, name)
			}
		}
	}
	return found, nil
}

// mayHoldSites reports whether Find looks for configuration in a folder. If the user chose a folder, Find looks in it, in
// the folders above it, and in the direct subfolders of all these; in folders that are named and those above them, whatever their names.
func (s *Set) mayHoldSites(dir string) bool {
	if slices.ContainsFunc(s.options.Named, func(n Named) bool { return within(dir, n.Root) }) || s.options.Chosen != "" && within(dir, s.options.Chosen) {
		return true
	}
	if s.options.Chosen != "" && !within(path.Dir(dir), s.options.Chosen) {
		return false
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
	return slices.Contains(g.Extensions, strings.ToLower(path.Ext(name)))
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
