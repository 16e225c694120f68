package site

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Options say which documents of a project are served.
type Options struct {
	// Named are the folders that the project's configuration names under "sites". nil: none.
	Named []Named
	// Chosen is the folder that the user chose, with "docs". All of its documents are served, as [Main], unless it is the project
	// folder. "": all documents of the project are served.
	Chosen string
	// Default leaves out the documents that a search without a filter leaves out, see [Page.Apart].
	Default bool
	// Quick leaves out what a first answer can do without: what Default leaves out, and the documents of the class [Last].
	Quick bool
	// Published leaves out the documents that are not [Main].
	Published bool
	// Exclude covers files and folders, by their paths below the project folder, that are not documents. A document
	// may include such a file all the same.
	Exclude glob.Set
	// Foreign says that authors of other projects wrote the documents, so that they include nothing.
	Foreign bool
	// Find calls Visit with each folder before it reads it. A [Set] calls it with the folder of each file that a document
	// includes, when the document is read, from several goroutines. nil: no call is made.
	Visit func(dir string)
	// Listed is called once by Find, before it reads documents. nil: no call is made.
	Listed func(Names)
}

// A Named is a folder of documents that the configuration names.
type Named struct {
	Root     string
	Language string
	Version  string
}

// Find lists the files of a project, decides which are documents, and reads the head of each. fsys may be a [docsfs.FS]. old, if not
// nil, is the set of an earlier moment, whose heads are taken over where size and time are the same and changed, if not nil, does not
// report otherwise.
func Find(ctx context.Context, fsys fs.FS, o Options, old *Set, changed func(file string) bool) (*Set, error) {
	if o.Visit == nil {
		o.Visit = func(string) {}
	}
	docs := docsfs.Of(fsys)
	s := &Set{fsys: docs.Project(), docs: docs, options: o}
	for _, n := range append(slices.Clone(o.Named), Named{Root: o.Chosen}) {
		if s.wholly = s.wholly || n.Root == "."; n.Root != "." {
			s.roots = with(s.roots, n.Root)
		}
	}
	d, err := readDescription(s.fsys)
	if err != nil {
		return nil, err
	}
	w := &walked{Set: s, code: make(map[string]int), indexed: make(map[string]bool)}
	if err := w.list(ctx); err != nil {
		return nil, err
	}
	if d != nil {
		err = s.described(ctx, d)
		s.name()
	} else {
		err = s.read(ctx, w, old, changed)
	}
	s.index()
	s.attach()
	return s, err
}

// read decides what the documents of a project without a description are, and reads the head of each.
func (s *Set) read(ctx context.Context, w *walked, old *Set, changed func(file string) bool) error {
	r := newReader(s.docs)
	s.configure(r, w.configs)
	s.classify(w)
	s.vary(r)
	s.name()
	s.unread()
	if quick := s.options.Quick; quick || s.options.Default {
		s.group()
		all := len(s.pages)
		s.pages = slices.DeleteFunc(s.pages, func(p *Page) bool { return p.Hidden == "" && (p.Apart || quick && p.Class == Last) })
		s.later = quick && (w.partial || len(s.pages) < all)
	}
	if err := s.heads(ctx, old, changed); err != nil {
		return err
	}
	s.demote()
	s.arrange(r)
	s.warnings = append(s.warnings, r.warnings...)
	return nil
}

// maxLast of the documents in a folder of the class [Last] is how many are read. The others are found by their paths.
const maxLast = 2000

// unread leaves out of reading the documents of a folder at the top of the project with very many parts of pages.
func (s *Set) unread() {
	counts := make(map[string]int)
	for _, p := range s.pages {
		if p.Class != Last || p.Hidden != "" {
			continue
		}
		dir, _, _ := strings.Cut(p.File, "/")
		if counts[dir]++; counts[dir] > maxLast {
			p.PathOnly = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[dir] - maxLast; n > 0 {
			s.warnings = append(s.warnings, loader.Warning{Path: dir, Reason: fmt.Sprintf("has %d documents that are parts of pages or examples: %d of them are found by their paths only", counts[dir], n)})
		}
	}
}

// heads reads the beginnings of all pages, or takes over what is known of them.
func (s *Set) heads(ctx context.Context, old *Set, changed func(file string) bool) error {
	read := progress.Begin(ctx, "reading", "documents", len(s.pages))
	defer read.End()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range s.pages {
		group.Go(func() error {
			if ctx.Err() == nil && p.Hidden == "" {
				p.Changed = changed != nil && changed(p.real)
				s.head(p, old.Page(p.File))
			}
			read.Add(1)
			return ctx.Err()
		})
	}
	return group.Wait()
}

// head reads the beginning of a page. before is the page in an earlier set, or nil.
func (s *Set) head(p, before *Page) {
	unread := p.PathOnly || IsPDF(p.File)
	fresh := before == nil && !unread
	if fresh {
		s.readPage(p)
	}
	if p.ModTime == 0 {
		info, err := fs.Stat(s.fsys, p.real)
		if err != nil {
			p.Hidden, p.Err = loader.Reason(err), nil
			return
		}
		p.Size, p.ModTime = info.Size(), info.ModTime().UnixNano()
	}
	known := before != nil && before.Size == p.Size && before.ModTime == p.ModTime && before.PathOnly == p.PathOnly && !p.Changed
	switch {
	case fresh, unread:
	case known && before.Hidden == before.says:
		p.head = before.head
		p.includes.Store(before.includes.Load())
	default:
		s.readPage(p)
	}
	p.Hidden = cmp.Or(p.Hidden, p.says)
}

// readPage opens a page, and reads its beginning.
func (s *Set) readPage(p *Page) {
	file, err := s.docs.Open(p.File)
	var data []byte
	if err == nil {
		defer file.Close()
		var info fs.FileInfo
		if data, info, err = rootfs.ReadOpen(s.docs, p.File, file, maxRead); info != nil {
			info = docsfs.OnDisk(info)
			p.Size, p.ModTime = info.Size(), info.ModTime().UnixNano()
		}
	}
	switch {
	case err == nil:
		if s.kept.Add(int64(len(data))) <= maxKept {
			p.kept.Store(&data)
		}
		p.readHead(string(decoded(p.File, data)))
	case !errors.Is(err, rootfs.ErrTooLarge):
		p.Hidden, p.Err = loader.Reason(err), err
	}
}

// demote puts the documents last that have no text, or that front matter says are parts of others: those in a folder whose index is
// headless, or says that no page below is rendered, as Hugo has it.
func (s *Set) demote() {
	parts := make(map[string]bool)
	for _, p := range s.pages {
		if p.isIndex() && (p.Hidden == unpublished && p.front.Is("headless") || p.front.Str("cascade build render|cascade _build render") == "never") {
			parts[path.Dir(p.File)] = true
		}
	}
	for _, p := range s.pages {
		if s.named(p.File) {
			continue
		}
		if p.empty && p.isIndex() {
			p.Class = Last
		}
		for dir := path.Dir(p.File); len(parts) > 0 && dir != "."; dir = path.Dir(dir) {
			if parts[dir] && !(p.isIndex() && path.Dir(p.File) == dir) {
				p.Class = Last
			}
		}
	}
}

// attach finds the other files of the chosen folder.
func (s *Set) attach() {
	chosen := s.options.Chosen
	real, err := walk.Resolve(s.fsys, chosen)
	if chosen == "" || chosen == "." || err != nil {
		return
	}
	for _, file := range s.all {
		if !walk.Holds(chosen, file) || s.files[file] != nil || s.excludes(file) {
			continue
		}
		target, err := walk.Resolve(s.fsys, file)
		if err == nil {
			err = s.docs.Left(real, file, target, false)
		}
		if err != nil {
			s.warnings = append(s.warnings, loader.Warning{Path: file, Reason: "is not served: " + fserr.Reason(err)})
			continue
		}
		if info, err := fs.Stat(s.fsys, target); err == nil {
			s.attached = append(s.attached, &Page{File: file, Path: relative(chosen, file), Size: info.Size(), ModTime: info.ModTime().UnixNano()})
		}
	}
}

// compile returns a pattern of this package, which it compiles once.
func compile(pattern string) *regexp.Regexp { return lazyregexp.Compiled(pattern) }

// DescriptionFile is the file of a package that describes the sites of its project. [Find] reads it instead of looking
// for configuration, which a package does not have.
const DescriptionFile = "mcp-docs-sites.json"

// maxDescription is the number of bytes of a description that are read: 200 for each of [maxPages].
const maxDescription = 200 * maxPages

// A description is the content of a description file.
type description struct {
	Sites []describedSite `json:"sites"`
}

type describedSite struct {
	*Site
	Pages []describedPage `json:"pages"`
}

type describedPage struct {
	*Page
	Tree int `json:"tree,omitempty"`
}

// Describe returns the content of a [DescriptionFile] for the documents of the set: a set that is found in a folder with
// this file, the documents and what they include has the same pages.
func (s *Set) Describe() ([]byte, error) {
	var d description
	for _, site := range s.Sites {
		out := describedSite{Site: site}
		for _, p := range s.pages {
			if p.Tree.site == site && p.Hidden == "" && (p.Class == Main || IsPDF(p.File)) {
				out.Pages = append(out.Pages, describedPage{p, slices.Index(site.Trees, p.Tree)})
			}
		}
		if len(out.Pages) > 0 {
			d.Sites = append(d.Sites, out)
		}
	}
	return json.MarshalIndent(d, "", " ")
}

// readDescription returns the description of the project, or nil if it has none.
func readDescription(fsys fs.FS) (*description, error) {
	data, err := readAtMost(fsys, DescriptionFile, maxDescription)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, rootfs.ErrTooLarge) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	d := new(description)
	if json.Unmarshal(data, d) != nil {
		return nil, nil
	}
	return d, nil
}

// described fills in the sites and pages of a description. Pages whose files are missing, hidden, refused or named by
// .gitignore are left out.
func (s *Set) described(ctx context.Context, d *description) error {
	for _, from := range d.Sites {
		site := from.Site
		if site == nil {
			continue
		}
		site.Trees = slices.DeleteFunc(site.Trees, func(t *Tree) bool { return t == nil || !fs.ValidPath(t.Root) })
		for _, t := range site.Trees {
			t.site = site
		}
		for _, p := range from.Pages {
			if err := ctx.Err(); err != nil {
				return err
			}
			if p.Page == nil || p.Tree < 0 || p.Tree >= len(site.Trees) || !fs.ValidPath(p.File) || !isDocument(p.File) && formatOf(p.File) != openapi && !IsPDF(p.File) || len(s.pages) >= maxPages {
				continue
			}
			s.visit(path.Dir(p.File))
			info, ok := s.served(p.File)
			if !ok || s.excludes(p.File) {
				continue
			}
			page := p.Page
			if IsPDF(p.File) {
				page.Class = Other
			}
			page.ownTitle, page.Size, page.ModTime = p.Title, info.Size(), info.ModTime().UnixNano()
			page.Tree, page.Folder = site.Trees[p.Tree], cmp.Or(p.Folder, ".")
			s.pages = append(s.pages, page)
		}
		if len(site.Trees) > 0 {
			s.Sites = append(s.Sites, site)
		}
	}
	return nil
}

// served returns what is known of a regular file of the project that may be in an answer: no part of its name is hidden,
// and it can be opened. Links are followed.
func (s *Set) served(file string) (fs.FileInfo, bool) {
	_, ok := s.docs.Named("", file)
	info, err := fs.Stat(s.docs, file)
	if !ok || err != nil {
		return nil, false
	}
	info = docsfs.OnDisk(info)
	return info, info.Mode().IsRegular()
}

// Configures reports whether a file is the configuration of a site.
func (s *Set) Configures(file string) bool {
	return s != nil && slices.ContainsFunc(s.Sites, func(site *Site) bool { return site.Config == file })
}
