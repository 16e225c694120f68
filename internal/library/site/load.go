package site

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/step"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// maxPages bounds the documents of a project.
const maxPages = 200_000

// A loading is the state of [Set.Load].
type loading struct {
	*Set
	old     *Set
	changed func(file string) bool
	real    map[string]string // the files of pages, links resolved; a file is a page of the first site that has it
}

// Load lists the documents of all sites and reads the head of each. old, if not nil, is the set of an earlier moment,
// whose pages are taken over where size and time are the same and changed does not report otherwise.
func (s *Set) Load(ctx context.Context, old *Set, changed func(file string) bool) error {
	if s.description != nil {
		err := s.described(ctx, s.description)
		s.index()
		return err
	}
	l := &loading{s, old, changed, make(map[string]string)}
	s.attachments, s.weights = make(map[string]string), make(map[string]int)
	for _, site := range s.Sites {
		first := len(s.pages)
		for _, t := range site.roots() {
			if s.options.Quick && !slices.ContainsFunc(site.Trees, func(o *Tree) bool { return !o.Other && within(t.Root, o.Root) }) {
				continue
			}
			if err := l.list(ctx, site, t); err != nil {
				return err
			}
		}
		site.vary(s.pages[first:])
	}
	if s.options.Quick {
		s.pages = slices.DeleteFunc(s.pages, func(p *Page) bool { return p.Tree.Other })
	}
	if err := l.heads(ctx); err != nil {
		return err
	}
	l.navigation()
	for _, site := range s.Sites {
		if site.is(hugo) || site.is(plain) {
			site.leave(slices.DeleteFunc(slices.Clone(s.pages), func(p *Page) bool { return p.Tree.site != site }))
		}
	}
	s.Sites = slices.DeleteFunc(s.Sites, func(site *Site) bool {
		return !slices.ContainsFunc(s.pages, func(p *Page) bool { return p.Tree.site == site && p.Hidden == "" })
	})
	for _, file := range s.markdown { // outside of all sites
		if reason := s.Unnamed(file); reason != "" && !s.docs.Ignored(file, false) {
			s.left = append(s.left, &Page{File: file, Hidden: reason, Tree: s.Default()})
		}
	}
	s.classify()
	s.sort()
	s.index()
	return nil
}

// classify gives each page its class.
func (s *Set) classify() {
	c := &classifier{documents: make(map[string]bool), collections: make(map[string]bool)}
	for _, t := range s.trees() {
		c.documents[t.Root], c.collections[t.Root] = t.Root != "." || !t.site.is(plain), t.site.is(jekyll)
	}
	for _, p := range s.pages {
		p.Class = c.class(p.File)
	}
}

// list adds the pages below the root of a tree.
func (l *loading) list(ctx context.Context, site *Site, root *Tree) error {
	real, err := walk.Resolve(l.fsys, root.Root)
	if err != nil {
		return nil // the folder has gone since the configuration was read
	}
	leave := func(file, reason string) *Page {
		p := &Page{File: file, Hidden: reason, Tree: root}
		l.left = append(l.left, p)
		return p
	}
	var project *plainProject // where nothing says which documents are meant
	if site.is(plain) && root.Root == "." {
		project = &plainProject{packages: make(map[string]bool), tests: make(map[string]bool)}
	}
	err = walk.Folder(ctx, l.fsys, real, walk.Visitor{
		Watch: l.options.Visit, Infos: project == nil,
		Problem: func(loc string, err error) {
			file := join(root.Root, loc)
			lost := strings.HasPrefix(err.Error(), aLink) && (path.Ext(loc) == "" || site.documents(loc)) && !l.docs.Ignored(file, false) // to a document or a folder
			if lost || errors.Is(err, fs.ErrPermission) {
				leave(file, unreadable(err)).Err = err
			}
		},
		Enter: func(e walk.Entry) error {
			whole := func(g string) bool { return strings.HasSuffix(g, "/**") && matchesAny([]string{g}, e.Loc) } // all below the folder
			dir := join(root.Root, e.Loc)
			switch {
			case e.Loc == "":
				return nil
			case l.docs.Ignored(dir, true):
				leave(dir, Gitignored)
			case slices.ContainsFunc(site.Generator.Skip, whole): // what the site's own configuration leaves out is counted file by file
				leave(dir, site.unpublished())
			case l.excludes(dir):
				leave(dir, InDocsExclude)
			case project != nil && slices.Contains(otherFolders, dir):
			default:
				return nil
			}
			return fs.SkipDir
		},
		Hidden: func(e walk.Entry, name string) error {
			switch hidden := join(root.Root, e.Loc, name); {
			case project == nil:
			case name == ".git" && e.Loc != "":
				leave(join(root.Root, e.Loc), otherRepository)
				return fs.SkipDir
			case name == "node_modules" && !l.docs.Ignored(hidden, true):
				project.modules = append(project.modules, hidden)
			}
			return nil
		},
		File: func(e walk.Entry) error {
			if len(l.pages) >= maxPages {
				return fs.SkipAll
			}
			file := join(root.Root, e.Loc)
			_, again := l.real[file]
			switch name := strings.ToLower(path.Base(file)); {
			case !e.Type.IsRegular() || again:
				return nil
			case !site.documents(name):
				if site.is(plain) && !l.docs.Ignored(file, false) {
					if compile(`(?:\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)|\.(?:pdf|mp[34]|m4a|wav|ogg|flac|webm|ogv|mov|canvas|base))$`).MatchString(name) {
						l.attachments[name] = file
					}
					if project != nil {
						project.file(file)
					}
				}
				return nil
			}
			p := &Page{File: file, Tree: site.treeOf(file)}
			if e.Info != nil {
				p.Size, p.ModTime = e.Info.Size(), e.Info.ModTime().UnixNano()
			}
			below := p.below()
			switch {
			case l.options.Quick && p.Tree.Other:
				return nil
			case l.docs.Ignored(file, false), e.Real != file && l.docs.Ignored(e.Real, false):
				leave(file, Gitignored)
				return nil
			case l.excludes(file):
				p.Hidden = InDocsExclude
			case matchesAny(never, path.Base(file)), matchesAny(site.Generator.Skip, below), matchesAny(site.Skip, below), site.Keep != nil && !matchesAny(site.Keep, below):
				p.Hidden = site.unpublished()
			}
			l.pages, l.real[file] = append(l.pages, p), e.Real
			if project != nil {
				project.pages = append(project.pages, p)
			}
			return nil
		},
	})
	if project != nil {
		for _, packages := range project.modules {
			if len(project.pages) > 0 { // packages alone are not Markdown that is lost
				leave(packages, vendored)
			}
		}
		l.choose(site, project)
	}
	return err
}

// navigation reads the navigation of each tree, and hides the pages that must be in one and are not.
func (l *loading) navigation() {
	r, listed, named := newReader(l.docs), make(map[string]bool, len(l.pages)), make(map[string]string)
	for _, p := range l.pages {
		listed[p.File] = true
		named[join(p.Tree.Root, spelled(join(path.Dir(p.below()), cmp.Or(p.front.Str("id"), p.name())), p.Tree.site.Spell))] = p.File
		for dir := path.Dir(p.File); !listed[dir]; dir = path.Dir(dir) {
			listed[dir] = true
		}
	}
	ordered := make(map[string]bool)
	for _, site := range l.Sites {
		read := make(map[string]bool) // folders of trees
		for _, t := range site.Trees {
			if site.Order == nil || l.options.Quick && t.Other || read[t.Root] { // by another language
				continue
			}
			n := &navigation{reader: r, site: site, tree: t, listed: listed, named: named, weights: l.weights, known: make(map[string]bool)}
			site.Order(n, site, t)
			t.order, read[t.Root] = n.entries, true
			for _, e := range t.order {
				ordered[e.File] = true
			}
		}
		site.settings = nil
	}
	for _, p := range l.pages {
		if site := p.Tree.site; p.Hidden == "" && site.Only && !ordered[p.File] {
			p.Hidden = "is not in the navigation of " + site.Name
		}
	}
	l.notices = append(l.notices, r.notices...)
}

// heads reads the beginnings of all pages, or takes over what is known of them.
func (l *loading) heads(ctx context.Context) error {
	read := step.Begin(ctx, "reading", "documents", len(l.pages))
	defer read.End()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range l.pages {
		group.Go(func() error {
			if ctx.Err() == nil {
				l.head(p)
				read.Add(1)
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

func (l *loading) head(p *Page) {
	site, real := p.Tree.site, l.real[p.File]
	if p.Hidden != "" {
		return
	}
	if p.ModTime == 0 { // the walk did not ask for it: most files of the folder may be other versions
		info, err := fs.Stat(l.fsys, real)
		if err != nil { // it has gone
			p.Hidden = unreadable(err)
			return
		}
		p.Size, p.ModTime = info.Size(), info.ModTime().UnixNano()
	}
	var before *Page
	if l.old != nil {
		before = l.old.files[p.File]
	}
	known := before != nil && before.Size == p.Size && before.ModTime == p.ModTime && before.Tree.Root == p.Tree.Root && (l.changed == nil || !l.changed(real))
	switch {
	case known && (before.Hidden == "" || before.Hidden == redirects || before.Hidden == folderTitle):
		p.ownTitle, p.Summary, p.front, p.Wrong, p.weight, p.Aliases, p.Hidden = before.ownTitle, before.Summary, before.front, before.Wrong, before.weight, before.Aliases, before.Hidden
		p.includes.Store(before.includes.Load())
	default:
		data, err := readBounded(l.docs, p.File)
		switch {
		case err == nil:
			p.readHead(string(data))
		case !errors.Is(err, errTooLarge):
			p.Hidden, p.Err = unreadable(err), err
		}
	}
	switch {
	case p.Hidden != "":
	case formatOf(p.File) == html && p.front == nil:
		p.Hidden = "has no front matter" // a file that the site has as it is
	case site.Drafts && p.front.Is("draft"):
		p.Hidden = "is a draft"
	case site.Drafts && p.front.Str("permalink") == "false":
		p.Hidden = "is not published: its permalink is false"
	case site.Publishes != nil:
		p.Hidden = site.Publishes(site, p)
	}
}

// attributes returns the attributes that a text of the site may use, by name.
func (site *Site) attributes() map[string]string {
	return maps.Collect(maps.All(site.Values))
}

// Reasons why a page is hidden; the first one depends on its text.
const (
	redirects   = "leads to another page"
	folderTitle = "has the title of its folder and no text"

	aLink = "is a link" // begins the errors of links in package walk

	// Gitignored: git ignores it.
	Gitignored = "is named by .gitignore"
	// InDocsExclude: [Options.Exclude] covers it.
	InDocsExclude = "a pattern of docsExclude matches it"
)

// kinds are what pages are called that are not documents, one and several, by the beginning of the reason.
var kinds = []struct{ reason, one, many string }{
	{InDocsExclude, "by docsExclude", "by docsExclude"},
	{redirects, "redirect", "redirects"},
	{folderTitle, "title of a folder", "titles of folders"},
	{otherRepository, "other repository", "other repositories"},
	{vendored, "vendored", "vendored"},
	{ofTests, "test", "tests"},
	{ofPackage, "of a package", "of packages"},
	{ofProject, "of the source code", "of the source code"},
	{ofLicence, "licence or changelog", "licences or changelogs"},
	{"is outside of ", "elsewhere", "elsewhere"},
	{"is a draft", "draft", "drafts"},
	{"is not in the navigation", "outside of the navigation", "outside of the navigation"},
	{"is not published", "unpublished", "unpublished"},
	{"has the name", "by name", "by name"},
	{"holds ", "with a secret", "with secrets"},
	{walk.ErrEscapes.Error(), "link that leads outside", "links that lead outside"},
	{walk.ErrBroken.Error(), "link to nothing", "links to nothing"},
	{aLink, "link that is not followed", "links that are not followed"},
	{"may not be read", "unreadable", "unreadable"},
}

// Kind returns what a page that is not a document is called, one and several of its kind.
func (p *Page) Kind() [2]string {
	for _, k := range kinds {
		if strings.HasPrefix(p.Hidden, k.reason) {
			return [2]string{k.one, k.many}
		}
	}
	return [2]string{"other", "others"}
}

// unreadable is why a page is hidden that cannot be opened.
func unreadable(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "may not be read (permission denied)"
	}
	return fserr.Reason(err)
}

// excludes reports whether [Options.Exclude] covers a file or folder.
func (s *Set) excludes(name string) bool {
	_, ok := s.options.Exclude.Covers(name)
	return ok
}

// unpublished is why a page is hidden whose name says that it is not published.
func (site *Site) unpublished() string {
	if site.is(plain) {
		return "has the name of a file that is not documentation"
	}
	return "is not published by " + site.Name
}

// never are names of files for contributors' tools. They are not documents.
var never = []string{"{AGENTS,CLAUDE,GEMINI,SKILL,skill,copilot-instructions}.md"}
