// Package site finds the documents of a project, and understands the links and includes in them.
//
// It reads files of the project, runs nothing, and knows nothing of MCP. A file that a person can read is a document, unless
// somebody said that it is not: guesses order documents, and hide none.
//
//  1. [Find] first lists the files of the project in one walk. What git ignores, hidden names, dependencies, build outputs and other
//     repositories are left out. It reads the static configuration of sites, see [Site], and gives each document a [Class] by its
//     path. [Options] name folders whose documents are served instead.
//  2. It gives each document its language and version, reads its beginning, and puts the documents in order: lists of pages,
//     weights, names. [Set.Pages] returns them, and [Set.Hidden] what is left out, each with the reason.
//  3. [Set.Resolve] says where a link leads.
//  4. [Set.Content] returns the text of a page: it puts the text of included files into a document.
//
// Configuration that is a program is read for one name at most. Everything that a configuration or a document names is opened by
// package docsfs, which refuses what git ignores, and replaces secrets.
package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Tree is the documents of one language and version of a site. Its JSON is in a [DescriptionFile].
type Tree struct {
	Root     string `json:"root"`
	Language string `json:"language,omitempty"` // code in lower case, or ""
	Version  string `json:"version,omitempty"`  // or ""
	Other    bool   `json:"other,omitempty"`    // not the default language or version

	site *Site
}

// nowhere is the tree of files that are not documents.
var nowhere = &Tree{Root: ".", site: &Site{Dir: ".", Root: "."}}

// A Page is one document in one language and version. Its JSON is in a [DescriptionFile].
type Page struct {
	File string `json:"file"`
	// for clients: below the chosen folder or the root of the default tree, or else File
	Path  string `json:"-"`
	Title string `json:"title"`
	Short string `json:"short,omitempty"` // in the navigation, if different
	// Groups are titles of groups in the navigation, the outermost first. nil: the page is in none, and folders say where
	// it belongs.
	Groups []string `json:"groups,omitzero"`
	head
	Hidden string `json:"-"` // "is a draft"; "": it is a document
	Class  Class  `json:"-"`
	// Apart says that a search without a filter leaves the page out: its language or version is not the default one, which
	// has the page too, or may have it.
	Apart bool `json:"-"`
	// PathOnly says that the document is not read for lists and searches: its folder has very many.
	PathOnly bool  `json:"-"`
	Changed  bool  `json:"-"` // maybe, despite equal size and time
	Err      error `json:"-"`
	Size     int64 `json:"-"`
	ModTime  int64 `json:"-"` // nanoseconds since 1970

	Tree *Tree `json:"-"`

	Folder string `json:"folder"` // for documentation, that holds it; ".": none
	Key    string `json:"key"`    // shared by exactly its translations and versions

	wholly   bool
	real     string
	suffix   string // language in the file's name: ".fr", "-ja"
	placed   bool
	order    int
	includes atomic.Bool // read, and may name files to include
	kept     atomic.Pointer[[]byte]

	idsOnce sync.Once // guards ids
	ids     map[string]bool
}

// A head is what the beginning of a document says of it.
type head struct {
	Summary string   `json:"description,omitempty"`
	Aliases []string `json:"aliases,omitempty"`
	// Wrong says where its front matter is not well-formed. nil: it is, or there is none.
	Wrong     *settings.SyntaxError `json:"-"`
	ownTitle  string                // without the title in a list
	lastTitle string
	says      string // "": it is a document
	empty     bool
	front     values
	weight    int
}

// below returns the path of the page below the root of its tree.
func (p *Page) below() string { return relative(p.Tree.Root, p.File) }

// Language returns the language of the page, or "".
func (p *Page) Language() string { return p.Tree.Language }

// Version returns the version of the page, or "".
func (p *Page) Version() string { return p.Tree.Version }

// Take returns the bytes of the page's file that [Find] has read, or nil. They are returned once: the index needs them soon after.
func (p *Page) Take() []byte {
	if p == nil {
		return nil
	}
	if data := p.kept.Swap(nil); data != nil {
		return *data
	}
	return nil
}

// maxKept is how many bytes of pages a [Set] keeps for [Page.Take].
const maxKept = 64 << 20

// A Set is the documents of a project at one moment. It does not change.
type Set struct {
	Sites []*Site // most documents first
	pages []*Page // the default languages and versions first, each in order

	fsys      fs.FS
	docs      *docsfs.FS
	options   Options
	roots     []string // named folders, except the project folder
	wholly    bool
	scattered bool // without a named folder for documentation
	later     bool // documents are missing because of [Options.Quick]
	warnings  []loader.Warning
	left      []*Page // files and folders that are neither documents nor read
	all       []string
	attached  []*Page
	seen      sync.Map // folders given to options.Visit
	kept      atomic.Int64

	files map[string]*Page
	same  map[string][]*Page

	names    Names
	base     string
	endsOnce sync.Once // guards byEnd and byFolder

	labels     map[string][]alike
	labelsOnce sync.Once // guards labels
	byEnd      *ends
	byFolder   *ends // of documents
}

// relative returns the path of a file below dir.
func relative(dir, file string) string { return strings.TrimPrefix(file, dir+"/") }

// join is [path.Join] for folders of the project: "" and "." are the project folder.
func join(parts ...string) string { return cmp.Or(path.Join(parts...), ".") }

// with returns a list with a name, unless that is "" or in the list.
func with(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// stem returns a file name without its extension.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

var noDocuments = new(Set)

// known returns the set, or one without documents for nil.
func (s *Set) known() *Set { return cmp.Or(s, noDocuments) }

// Pages returns the documents of the default languages and versions of all sites, in order; all of them if all is true.
func (s *Set) Pages(all bool) []*Page {
	return slices.DeleteFunc(slices.Clone(s.known().pages), func(p *Page) bool { return p.Hidden != "" || p.Tree.Other && !all })
}

// Hidden returns the files that are not documents, although they have the extension of one, and folders of such files.
func (s *Set) Hidden() []*Page {
	return slices.DeleteFunc(slices.Concat(s.known().left, s.known().pages), func(p *Page) bool { return p.Hidden == "" })
}

// Unnamed says why a file that may be a document is not one: it is outside of the named folders. It is "" if there are none.
func (s *Set) Unnamed(file string) string {
	if s = s.known(); len(s.roots) == 0 || s.wholly || s.named(file) {
		return ""
	}
	return outside + s.roots[0] + "/"
}

// Notices returns what the user should know about the configuration of the sites.
func (s *Set) Warnings() []loader.Warning { return s.known().warnings }

// Page returns the page of a file below the project folder, or nil.
func (s *Set) Page(file string) *Page { return s.known().files[file] }

// Others returns the same document in other languages and versions.
func (s *Set) Others(p *Page) (others []*Page) {
	for _, o := range s.same[p.Key] {
		if o.Tree != p.Tree && !slices.ContainsFunc(others, func(other *Page) bool { return other.Tree == o.Tree }) {
			others = append(others, o)
		}
	}
	return others
}

// Quick reports whether documents are left out because of [Options.Quick].
func (s *Set) Quick() bool { return s.known().later }

// Scattered reports whether nothing says that the documents, which lie in the project folder itself, are for others: no folder for
// documentation holds them, and the configuration names none.
func (s *Set) Scattered() bool { return s.known().scattered }

// Chosen returns [Options.Chosen].
func (s *Set) Chosen() string { return s.options.Chosen }

// Exclude returns [Options.Exclude].
func (s *Set) Exclude() glob.Set { return s.known().options.Exclude }

// Main returns the default language and version.
func (site *Site) Main() (language, version string) {
	for _, t := range site.Trees {
		if !t.Other {
			language, version = cmp.Or(language, t.Language), cmp.Or(version, t.Version)
		}
	}
	return language, version
}

// Site returns the site that the tree is of.
func (t *Tree) Site() *Site { return t.site }

// Same reports whether an index entry of one page also fits another page with the same bytes: both have the same names, and
// neither has been read with files that it includes, which may differ.
func (p *Page) Same(o *Page) bool {
	return p != nil && o != nil && p.File == o.File && p.Title == o.Title && p.Short == o.Short && p.Class == o.Class && p.Folder == o.Folder && p.Tree.Other == o.Tree.Other && !p.includes.Load() && !o.includes.Load()
}

// Below returns the path of the page below the folder for documentation that holds it.
func (p *Page) Below() string { return relative(cmp.Or(p.Folder, "."), p.File) }

// Roots returns the folders of the documents: those for documentation, or the project folder.
func (s *Set) Roots() (roots []string) {
	for _, p := range s.Pages(true) {
		if len(roots) < maxBases {
			roots = with(roots, cmp.Or(p.Folder, "."))
		}
	}
	return roots
}

// Attached returns the files of the chosen folder that are not documents and that can be read, in byte order.
func (s *Set) Attached() []*Page { return s.known().attached }

// Base returns the deepest folder that holds all main documents of the default languages and versions, but the README of the project;
// ".": it is the project folder.
func (s *Set) Base() string {
	return cmp.Or(s.known().base, ".")
}

// Beside returns how many files that are neither documents nor source code lie in the folders for documentation: they can be read
// where a document links to them, or in the chosen folder.
func (s *Set) Beside() (n int) {
	s = s.known()
	if len(s.attached) > 0 {
		return len(s.attached)
	}
	roots := s.Roots()
	for _, file := range s.all {
		if p := s.files[file]; p == nil && !slices.Contains(sources, strings.ToLower(path.Ext(file))) && kindOf(path.Base(file)) == nil &&
			slices.ContainsFunc(roots, func(root string) bool { return root != "." && walk.Holds(root, file) }) {
			n++
		}
	}
	return n
}

// group finds the translations and versions of each page.
func (s *Set) group() {
	s.same = make(map[string][]*Page)
	for _, p := range s.pages {
		if p.Hidden == "" {
			s.same[p.Key] = append(s.same[p.Key], p)
		}
	}
	for _, same := range s.same {
		shown := slices.IndexFunc(same, func(p *Page) bool { return !p.Tree.Other })
		for i, p := range same {
			p.Apart = p.Tree.Other && (shown >= 0 || i > 0)
		}
	}
}

// index fills in the paths of the pages, and makes the maps with which pages are found.
func (s *Set) index() {
	s.group()
	s.files = make(map[string]*Page, len(s.pages))
	for _, p := range s.pages {
		s.files[p.File], p.Path = p, s.pathOf(p.File)
	}
	s.base = s.mainFolder()
}

// hiddenPath reports whether a part of a path begins with a dot.
func hiddenPath(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > 1 && part[0] == '.' })
}

// pathOf returns how clients name a file: below the chosen folder, or else below the project folder.
func (s *Set) pathOf(file string) string {
	if root := s.options.Chosen; root != "" && walk.Holds(root, file) {
		return relative(root, file)
	}
	return file
}
