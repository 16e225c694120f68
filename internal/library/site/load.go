package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/step"
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
	// Quick leaves out what a first answer can do without: the documents of other languages and versions than the default ones,
	// and those of the class [Last].
	Quick bool
	// Published leaves out the documents that are not [Main].
	Published bool
	// Exclude covers files and folders, by their paths below the project folder, that are not documents. A document
	// may include such a file all the same.
	Exclude glob.Set
	// Find calls Visit with each folder before it reads it. A [Set] calls it with the folder of each file that a document
	// includes, when the document is read, from several goroutines. nil: no call is made.
	Visit func(dir string)
}

// A Named is a folder of documents that the configuration names.
type Named struct {
	Root     string // below the project folder
	Language string // "": as names of folders tell
	Version  string // "": as names of folders tell
}

// Find lists the files of a project, and decides which are documents. fsys may be a [docsfs.FS].
func Find(ctx context.Context, fsys fs.FS, o Options) (*Set, error) {
	if o.Visit == nil {
		o.Visit = func(string) {}
	}
	docs := docsfs.Of(fsys)
	s := &Set{fsys: docs.Project(), docs: docs, options: o}
	for _, root := range append(namedRoots(o.Named), o.Chosen) {
		if s.wholly = s.wholly || root == "."; root != "" && root != "." {
			s.roots = with(s.roots, root)
		}
	}
	var err error
	if s.description, err = readDescription(s.fsys); err != nil || s.description != nil {
		if err == nil {
			err = (&walked{Set: s, code: make(map[string]bool), indexed: make(map[string]bool)}).list(ctx)
		}
		return s, err
	}
	w := &walked{Set: s, code: make(map[string]bool), indexed: make(map[string]bool)}
	if err := w.list(ctx); err != nil {
		return nil, err
	}
	s.partial = w.partial
	s.reader = newReader(docs)
	s.configure(s.reader, w.configs)
	s.classify(w)
	return s, nil
}

func namedRoots(named []Named) (roots []string) {
	for _, n := range named {
		roots = append(roots, n.Root)
	}
	return roots
}

// A loading is the state of [Set.Load].
type loading struct {
	*Set
	old     *Set
	changed func(file string) bool
}

// Load reads the head of each document. old, if not nil, is the set of an earlier moment, whose pages are taken over where size
// and time are the same and changed does not report otherwise.
func (s *Set) Load(ctx context.Context, old *Set, changed func(file string) bool) error {
	if s.description != nil {
		err := s.described(ctx, s.description)
		s.index()
		s.attach()
		return err
	}
	s.vary()
	if s.options.Quick {
		s.pages = slices.DeleteFunc(s.pages, func(p *Page) bool {
			later := p.Hidden == "" && (p.Tree.Other || p.Class == Last)
			s.later = s.later || later
			return later
		})
	}
	s.unread()
	l := &loading{s, old, changed}
	if err := l.heads(ctx); err != nil {
		return err
	}
	s.demote()
	s.arrange()
	s.attach()
	s.notices = append(s.notices, s.reader.notices...)
	s.reader = nil
	s.index()
	return nil
}

// maxRead of the documents in a folder of the class [Last] is how many are read. The others are found by their paths.
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
	for _, dir := range sortedKeys(counts) {
		if n := counts[dir] - maxLast; n > 0 {
			s.notices = append(s.notices, loader.Notice{Path: dir, Reason: fmt.Sprintf("has %d documents that are parts of pages or examples: %d of them are found by their paths only", counts[dir], n)})
		}
	}
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
	if p.Hidden != "" {
		return
	}
	if p.ModTime == 0 { // the walk did not ask for it
		info, err := fs.Stat(l.fsys, p.real)
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
	p.Changed = l.changed != nil && l.changed(p.real)
	known := before != nil && before.Size == p.Size && before.ModTime == p.ModTime && before.PathOnly == p.PathOnly && !p.Changed
	switch {
	case p.PathOnly:
	case known && (before.Hidden == "" || before.said):
		p.ownTitle, p.lastTitle, p.Summary, p.front, p.Wrong, p.weight, p.Aliases, p.Hidden, p.said, p.empty = before.ownTitle, before.lastTitle, before.Summary, before.front, before.Wrong, before.weight, before.Aliases, before.Hidden, before.said, before.empty
		p.includes.Store(before.includes.Load())
	default:
		data, err := readBounded(l.docs, p.File)
		switch {
		case err == nil:
			p.readHead(string(data))
			p.said = p.Hidden != ""
		case !errors.Is(err, errTooLarge):
			p.Hidden, p.Err = unreadable(err), err
		}
	}
}

// demote puts the documents last that have no text, or that front matter says are parts of others: those in a folder whose index is
// headless, or says that no page below is rendered, as Hugo has it.
func (s *Set) demote() {
	parts := make(map[string]bool) // folders
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
	if chosen == "" || chosen == "." {
		return
	}
	real, err := walk.Resolve(s.fsys, chosen)
	if err != nil {
		return
	}
	first, _ := slices.BinarySearch(s.all, chosen+"/")
	for _, file := range s.all[first:] {
		if !within(chosen, file) {
			break
		}
		if s.files[file] != nil || s.excludes(file) { // a document, or a file that somebody left out
			continue
		}
		target, err := walk.Resolve(s.fsys, file)
		if err == nil {
			err = s.docs.Left(real, file, target, false)
		}
		if err != nil {
			s.notices = append(s.notices, loader.Notice{Path: file, Reason: "is not served: " + fserr.Reason(err)})
			continue
		}
		if info, err := fs.Stat(s.fsys, target); err == nil {
			s.attached = append(s.attached, File{file, relative(chosen, file), info.Size(), info.ModTime().UnixNano()})
		}
	}
}

// compile returns a pattern of this package, which it compiles once.
func compile(pattern string) *regexp.Regexp { return lazyregexp.Compiled(pattern) }
