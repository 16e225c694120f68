package site

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// maxPages bounds the documents of a project.
const maxPages = 200_000

// Load lists the documents of all sites and reads the head of each. old, if not nil, is the set of an earlier moment,
// whose pages are taken over where size and time are the same and changed does not report otherwise. visit is called
// with each folder before it is read.
func (s *Set) Load(ctx context.Context, old *Set, visit func(string), changed func(file string) bool) error {
	if visit == nil {
		visit = func(string) {}
	}
	s.files, s.routes, s.urls, s.names = make(map[string]*Page), make(map[string][]*Page), make(map[string]*Page), make(map[string][]*Page)
	s.numbered, s.suffixes, s.folderRoutes = make(map[string][]*Page), make(map[string][]*Page), make(map[string][]*Page)
	if s.description != nil {
		err := s.described(ctx, s.description, visit)
		s.index()
		return err
	}
	r := &reader{fsys: s.fsys}
	for _, site := range s.Sites {
		for _, t := range site.Trees {
			if site.Order != nil {
				t.order = site.Order(r, site, t)
			}
		}
		if site.Only && site.Generator == plain {
			continue // the README alone, which needs no walk
		}
		for _, t := range site.roots() {
			if err := s.list(ctx, site, t, old, visit, changed); err != nil {
				return err
			}
		}
	}
	s.readme(r)
	s.Sites = slices.DeleteFunc(s.Sites, func(site *Site) bool {
		return !slices.ContainsFunc(s.pages, func(p *Page) bool { return p.Tree.site == site && p.Hidden == "" })
	})
	s.sort()
	s.index()
	return nil
}

// roots returns the trees whose folders are not inside the folder of another tree of the site.
func (site *Site) roots() (roots []*Tree) {
	for _, t := range site.Trees {
		if !slices.ContainsFunc(site.Trees, func(o *Tree) bool { return o != t && within(o.Root, t.Root) && o.Root != t.Root }) &&
			!slices.ContainsFunc(roots, func(o *Tree) bool { return o.Root == t.Root }) {
			roots = append(roots, t)
		}
	}
	return roots
}

// treeOf returns the tree of a file of the site: the one with the longest root, and the language before the extension.
func (site *Site) treeOf(file string) *Tree {
	var best *Tree
	language := ""
	if site.Suffix {
		language = strings.ToLower(strings.TrimPrefix(path.Ext(stem(path.Base(file))), "."))
	}
	for _, t := range site.Trees {
		if !within(t.Root, file) {
			continue
		}
		switch {
		case best == nil || len(t.Root) > len(best.Root):
			best = t
		case language != "" && t.Language == language && len(t.Root) == len(best.Root):
			best = t
		}
	}
	return best
}

// list adds the pages below the root of a tree.
func (s *Set) list(ctx context.Context, site *Site, root *Tree, old *Set, visit func(string), changed func(string) bool) error {
	ordered := make(map[string]bool)
	for _, t := range site.Trees {
		for _, e := range t.order {
			ordered[e.File] = true
		}
	}
	real, err := walk.Resolve(s.fsys, root.Root)
	if err != nil {
		return nil // the folder has gone since the configuration was read
	}
	return walk.Folder(ctx, s.fsys, real, walk.Visitor{
		Watch: visit, Infos: true,
		Enter: func(e walk.Entry) error {
			whole := func(globs []string) bool { // all below the folder is left out
				return slices.ContainsFunc(globs, func(g string) bool { return strings.HasSuffix(g, "/**") && matchesAny([]string{g}, e.Loc) })
			}
			dir := join(root.Root, e.Loc)
			reason := ""
			switch {
			case e.Loc == "":
				return nil
			case s.ignored.has(dir, true):
				reason = gitignored
			case whole(site.Generator.Skip), whole(site.Skip):
				reason = site.unpublished()
			case matchesAny(s.excluded, dir):
				reason = inContext7
			default:
				return nil
			}
			s.left = append(s.left, &Page{File: dir, Hidden: reason, Tree: root})
			return fs.SkipDir
		},
		File: func(e walk.Entry) error {
			if len(s.pages) >= maxPages {
				return fs.SkipAll
			}
			if !e.Type.IsRegular() || !site.documents(path.Base(e.Loc)) {
				return nil
			}
			file := join(root.Root, e.Loc)
			p := &Page{File: file, Tree: site.treeOf(file), Size: e.Info.Size(), ModTime: e.Info.ModTime().UnixNano()}
			below := p.below()
			if s.ignored.has(file, false) || e.Real != file && s.ignored.has(e.Real, false) {
				s.left = append(s.left, &Page{File: file, Hidden: gitignored, Tree: root})
				return nil
			}
			switch {
			case matchesAny(s.excluded, file):
				p.Hidden = inContext7
			case matchesAny(never, path.Base(file)), matchesAny(site.Generator.Skip, below), matchesAny(site.Skip, below), site.Keep != nil && !matchesAny(site.Keep, below):
				p.Hidden = site.unpublished()
			case site.Only && !ordered[file]:
				p.Hidden = "is not in the navigation of " + site.Name
			}
			var before *Page
			if old != nil {
				before = old.files[file]
			}
			if before != nil && before.Size == p.Size && before.ModTime == p.ModTime && before.Tree.Root == p.Tree.Root && (changed == nil || !changed(e.Real)) {
				p.Title, p.Summary, p.front, p.weight, p.Aliases, p.includes = before.Title, before.Summary, before.front, before.weight, before.Aliases, before.includes
				if p.Hidden == "" && (before.Hidden == emptyPage || before.Hidden == secret) {
					p.Hidden = before.Hidden
				}
			} else if p.Hidden == "" {
				if s.chosen == "" && s.Refuse != nil && s.Refuse(e.Real) {
					p.Hidden = secret
				} else if data, err := readBounded(s.fsys, file); err == nil {
					text := string(data)
					p.readHead(text, site.Vars(p))
					p.includes = slices.ContainsFunc(site.Includes, func(f include) bool { return strings.Contains(text, f.hint) })
				}
			}
			if p.Hidden == "" && site.Publishes != nil {
				p.Hidden = site.Publishes(site, p)
			}
			s.pages = append(s.pages, p)
			return nil
		},
	})
}

// Vars returns the attributes that a text of the site may use, by name.
func (site *Site) Vars(*Page) map[string]string { return maps.Clone(site.Values) }

// Reasons why a page is hidden; the first two depend on its text.
const (
	emptyPage  = "has front matter and no text"
	secret     = "may hold a secret"
	gitignored = "is named by .gitignore"
	inContext7 = "is left out by context7.json"
)

// unpublished is why a page is hidden whose name says that it is not published.
func (site *Site) unpublished() string {
	if site.Generator == plain {
		return "has the name of a file that is not documentation"
	}
	return "is not published by " + site.Name
}

// never are names of files for contributors' tools. They are not documents.
var never = []string{"{AGENTS,CLAUDE,GEMINI,SKILL,skill,copilot-instructions}.md"}

// readme adds the README of the project where no generator was found.
func (s *Set) readme(r *reader) {
	if len(s.Sites) != 1 || s.Sites[0].Generator != plain || s.Sites[0].Trees[0].Root == "." && !s.Sites[0].Only {
		return
	}
	for _, name := range []string{"README.md", "readme.md", "Readme.md", "README.rst", "README.adoc", "README"} {
		info, ok := s.served(name)
		if !ok {
			continue
		}
		t := s.Sites[0].Trees[0]
		if t.Root != "." {
			t = &Tree{Root: ".", site: s.Sites[0]}
		}
		p := &Page{File: name, Path: name, Tree: t, Size: info.Size(), ModTime: info.ModTime().UnixNano()}
		if text, err := readBounded(s.fsys, name); err == nil {
			p.readHead(string(text), nil)
		}
		s.pages = append(s.pages, p)
		return
	}
}

// sort orders the pages and fills in what depends on all of them.
func (s *Set) sort() {
	type place struct {
		order int
		title string
	}
	places := make(map[string]place)
	for _, site := range s.Sites {
		for _, t := range site.Trees {
			for i, e := range t.order {
				if _, again := places[e.File]; !again {
					places[e.File] = place{i + 1, e.Title}
				}
			}
		}
	}
	sites := make(map[*Site]int)
	trees := make(map[*Tree]int)
	for i, site := range s.Sites {
		sites[site] = i
		for j, t := range site.Trees {
			trees[t] = j
		}
	}
	for _, p := range s.pages {
		at, ok := places[p.File]
		p.order = at.order
		if !ok {
			p.order = maxPages
		}
		if at.title != "" && at.title != p.Title {
			p.Short = at.title
			if p.Title == "" || p.Tree.site.NavTitles {
				p.Title, p.Short = at.title, ""
			}
		}
		if p.Title == "" {
			p.Title = nameTitle(p)
		}
	}
	slices.SortStableFunc(s.pages, func(a, b *Page) int {
		return cmp.Or(cmp.Compare(sites[a.Tree.site], sites[b.Tree.site]), cmp.Compare(trees[a.Tree], trees[b.Tree]),
			cmp.Compare(a.order, b.order), cmp.Compare(path.Dir(a.File), path.Dir(b.File)), compareWeights(a.weight, b.weight),
			cmp.Compare(natural(a), natural(b)), cmp.Compare(a.File, b.File))
	})
}

// compareWeights puts pages without a weight last.
func compareWeights(a, b int) int {
	if a == 0 || b == 0 {
		a, b = -min(1, a*a), -min(1, b*b)
	}
	return cmp.Compare(a, b)
}

// natural returns a name for sorting: the index of a folder comes first, and 2 before 10.
func natural(p *Page) string {
	name := path.Base(p.File)
	if p.isIndex() {
		return ""
	}
	if m := compile(`^\d{1,6}`).FindString(name); m != "" {
		name = strings.Repeat("0", 6-len(m)) + name
	}
	return " " + name
}

// isIndex reports whether the page stands for its folder.
func (p *Page) isIndex() bool {
	index := p.Tree.site.Index
	if index == nil {
		index = []string{"index"}
	}
	return slices.Contains(index, strings.ToLower(p.name()))
}

// name returns the name of the page's file, without its extension and language.
func (p *Page) name() string {
	name := stem(path.Base(p.File))
	if p.Tree.site.Suffix {
		if language := path.Ext(name); strings.EqualFold(strings.TrimPrefix(language, "."), p.Tree.Language) && p.Tree.Language != "" {
			name = strings.TrimSuffix(name, language)
		}
	}
	return name
}

// nameTitle returns a title made of the name of a file.
func nameTitle(p *Page) string {
	name := p.name()
	if p.isIndex() && path.Dir(p.File) != "." {
		name = path.Base(path.Dir(p.File))
	}
	name = compile(`^\d+[-_. ]+`).ReplaceAllString(name, "")
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	if len(words) > 0 && strings.ToLower(words[0]) == words[0] {
		words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	}
	return strings.Join(words, " ")
}

// index fills in routes, URLs and paths, and makes the maps with which links are found.
func (s *Set) index() {
	if len(s.pages) == 0 {
		return
	}
	main := s.Default()
	for _, p := range s.pages {
		site := p.Tree.site
		s.files[p.File] = p
		p.Path = p.File
		switch {
		case s.chosen != "":
			if within(s.chosen, p.File) {
				p.Path = relative(s.chosen, p.File)
			}
		case main != nil && site == s.Sites[0] && !p.Tree.Other && within(main.Root, p.File):
			p.Path = relative(main.Root, p.File)
		}
		if p.Hidden != "" {
			continue
		}
		if s.description == nil {
			p.key = p.route()
		}
		p.Route = "/" + p.Tree.Prefix + strings.TrimPrefix(p.key, "/")
		if p.URL == "" && strings.Contains(site.BaseURL, "://") {
			p.URL = strings.TrimSuffix(site.BaseURL, "/") + escapeRoute(p.Route)
		}
		for _, spelling := range append([]string{p.Route}, p.Aliases...) {
			k := routeKey(spelling)
			s.routes[k] = append(s.routes[k], p)
		}
		if p.URL != "" {
			s.urls[routeKey(p.URL)] = p
		}
		k := strings.ToLower(p.name())
		s.names[k] = append(s.names[k], p)
		bare := strings.ToLower(compile(`(^|/)\d+[-_.]`).ReplaceAllString(join(path.Dir(p.below()), p.name()), "$1"))
		s.numbered[path.Base(bare)] = append(s.numbered[path.Base(bare)], p)
		for parts := strings.Split(strings.TrimSuffix(bare, "/index"), "/"); len(parts) > 1; parts = parts[1:] {
			end := strings.Join(parts, "/")
			s.suffixes[end] = append(s.suffixes[end], p)
		}
		if dir := path.Dir(strings.TrimSuffix(p.Route, "/")); len(s.folderRoutes[routeKey(dir)]) == 0 {
			s.folderRoutes[routeKey(dir)] = []*Page{p}
		}
	}
}

// route returns the path of the page below the prefix of its tree, with a slash at the start.
func (p *Page) route() string {
	site := p.Tree.site
	if site.Route != nil {
		return site.Route(site, p)
	}
	return p.plainRoute()
}

// plainRoute returns the path of the file in the site, spelled as the site's settings say.
func (p *Page) plainRoute() string {
	site := p.Tree.site
	dir := path.Dir(p.below())
	r := "/" + join(dir, p.name())
	if p.isIndex() {
		r = "/"
		if dir != "." {
			r += dir + "/"
		}
	}
	if site.Numbers {
		r = compile(`/\d+[-_.]`).ReplaceAllString(r, "/")
	}
	if site.Lower {
		r = strings.ToLower(r)
	}
	return p.ended(r)
}

// ended returns a route with the ending that routes of the site have.
func (p *Page) ended(r string) string {
	site := p.Tree.site
	if strings.HasSuffix(r, "/") {
		return r
	}
	switch {
	case site.HTML:
		return r + ".html"
	case site.Bare:
		return r
	}
	return r + "/"
}

// routeKey returns what all spellings of a route have in common.
func routeKey(route string) string {
	if u, err := url.PathUnescape(route); err == nil {
		route = u
	}
	route = strings.ToLower(strings.TrimSuffix(route, "/"))
	route = strings.TrimSuffix(route, "/index.html")
	for _, ext := range []string{".html", ".md", ".mdx"} {
		route = strings.TrimSuffix(route, ext)
	}
	for _, index := range []string{"/index", "/readme"} {
		route = strings.TrimSuffix(route, index)
	}
	return route
}

func escapeRoute(route string) string { return (&url.URL{Path: route}).EscapedPath() }

// Default returns the tree that clients see when they name neither a language nor a version, or nil.
func (s *Set) Default() *Tree {
	if s == nil || len(s.Sites) == 0 {
		return nil
	}
	return s.Sites[0].Trees[0]
}

// Pages returns the documents of the default languages and versions of all sites, in order; all of them if all is true.
func (s *Set) Pages(all bool) (pages []*Page) {
	if s == nil {
		return nil
	}
	for _, p := range s.pages {
		if p.Hidden == "" && (all || !p.Tree.Other) {
			pages = append(pages, p)
		}
	}
	return pages
}

// Hidden returns the files that are not documents, although they have the extension of one, and folders of such files.
func (s *Set) Hidden() (pages []*Page) {
	if s == nil {
		return nil
	}
	pages = slices.Clone(s.left)
	for _, p := range s.pages {
		if p.Hidden != "" {
			pages = append(pages, p)
		}
	}
	return pages
}

// Page returns the page of a file below the project folder, or nil.
func (s *Set) Page(file string) *Page {
	if s == nil {
		return nil
	}
	return s.files[file]
}

// Others returns the same document in other languages and versions.
func (s *Set) Others(p *Page) (others []*Page) {
	for _, t := range p.Tree.site.Trees {
		if t == p.Tree {
			continue
		}
		for _, o := range s.routes[routeKey("/"+t.Prefix+strings.TrimPrefix(p.key, "/"))] {
			if o.Tree == t {
				others = append(others, o)
				break
			}
		}
	}
	return others
}

// Chosen returns [Options.Chosen].
func (s *Set) Chosen() string { return s.chosen }

// FS returns the project folder.
func (s *Set) FS() fs.FS { return s.fsys }

// Site returns the site that the tree is of.
func (t *Tree) Site() *Site { return t.site }

// Same reports whether an index entry of one page also fits another page with the same bytes: both have the same names, and
// neither includes files, which may differ.
func (p *Page) Same(o *Page) bool {
	return p != nil && o != nil && p.File == o.File && p.Title == o.Title && p.Tree.Other == o.Tree.Other && !p.includes && !o.includes
}

// Lookup returns the page with this published URL or route, or nil.
func (s *Set) Lookup(asked string) *Page {
	if s == nil {
		return nil
	}
	asked, _, _ = strings.Cut(asked, "#")
	asked, _, _ = strings.Cut(asked, "?")
	if page := s.urls[routeKey(asked)]; page != nil {
		return page
	}
	if pages := s.routes[routeKey(asked)]; len(pages) > 0 && strings.HasPrefix(asked, "/") {
		return pages[0]
	}
	return nil
}

// Lookups returns the pages that [Set.Lookup] finds, by the part of a URL or route that all its spellings have in
// common. Routes begin with a slash, and URLs do not.
func (s *Set) Lookups() map[string]*Page {
	if s == nil {
		return nil
	}
	pages := make(map[string]*Page, len(s.urls)+len(s.routes))
	for key, of := range s.routes {
		pages[key] = of[0]
	}
	maps.Copy(pages, s.urls)
	return pages
}

// String describes the sites in one line: "MkDocs in docs/: 155 documents, en of 13 languages". It is "" if there are none.
func (s *Set) String() string {
	if s == nil {
		return ""
	}
	var sites []string
	for i, site := range s.Sites {
		if i == 3 {
			sites = append(sites, fmt.Sprintf("and %d more", len(s.Sites)-i))
			break
		}
		sites = append(sites, s.describe(site))
	}
	return strings.Join(sites, "; ")
}

func (s *Set) describe(site *Site) string {
	documents, languages, versions := 0, make(map[string]bool), make(map[string]bool)
	for _, p := range s.Pages(true) {
		if p.Tree.site != site {
			continue
		}
		languages[p.Language()], versions[p.Version()] = true, true
		if !p.Tree.Other {
			documents++
		}
	}
	main := site.Trees[0]
	name, folder := site.Name, main.Root+"/"
	if site.Generator == plain {
		name = "documents"
	}
	if main.Root == "." {
		folder = "the project folder"
	}
	line := fmt.Sprintf("%s in %s: %d documents", name, folder, documents)
	if documents == 1 {
		line = strings.TrimSuffix(line, "s")
	}
	if len(languages) > 1 {
		line += fmt.Sprintf(", %s of %d languages", main.Language, len(languages))
	}
	if len(versions) > 1 {
		for _, t := range site.Trees {
			if !t.Other && t.Version != "" {
				line += fmt.Sprintf(", version %s of %d", t.Version, len(versions))
				break
			}
		}
	}
	return line
}
