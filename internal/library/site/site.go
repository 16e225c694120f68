package site

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Tree is the documents of one language and version of a site. Its JSON is in a [DescriptionFile].
type Tree struct {
	Root     string `json:"root"`               // folder, below the project
	Language string `json:"language,omitempty"` // code, in lower case; "": it is not said
	Version  string `json:"version,omitempty"`  // "": there is one version
	Other    bool   `json:"other,omitempty"`    // it is not the default language or version
	// Translated says that names of files are translated too: nothing tells which document is which.
	Translated bool `json:"translated,omitempty"`

	site *Site
}

// nowhere is the tree of files that are not documents.
var nowhere = &Tree{Root: ".", site: &Site{Dir: ".", Root: "."}}

// A Page is one document in one language and version. Its JSON is in a [DescriptionFile].
type Page struct {
	File  string `json:"file"`            // below the project folder
	Path  string `json:"-"`               // how clients name it: below the chosen folder or the default tree's root, or else the same as File
	Title string `json:"title"`           // one line
	Short string `json:"short,omitempty"` // the title in the navigation, if it differs
	// Groups are titles of groups in the navigation, the outermost first. nil: the page is in none, and folders say where
	// it belongs.
	Groups []string `json:"groups,omitzero"`
	head
	Hidden string `json:"-"` // why it is not a document: "is a draft"; "": it is one
	Class  Class  `json:"-"` // how much it counts
	// Apart says that a search without a filter leaves the page out: its language or version is not the default one, which
	// has the page too, or may have it.
	Apart bool `json:"-"`
	// PathOnly says that the document is not read for lists and searches: its folder has very many.
	PathOnly bool  `json:"-"`
	Changed  bool  `json:"-"` // it may have other bytes than before, although its size and time are the same
	Err      error `json:"-"` // why it cannot be opened; nil: it can, or it was not tried
	Size     int64 `json:"-"` // bytes
	ModTime  int64 `json:"-"` // nanoseconds since 1970

	Tree *Tree `json:"-"`

	Folder string `json:"folder"` // for documentation, that holds it; ".": none
	Key    string `json:"key"`    // what it has in common with its translations and its other versions, and with no other page

	wholly   bool   // it is in a named folder
	real     string // its file with links resolved
	suffix   string // the language in the name of its file: ".fr", "-ja"
	placed   bool   // a list has it
	order    int
	includes atomic.Bool // it has been read, and may name files to include

	idsOnce sync.Once       // guards ids
	ids     map[string]bool // see [Set.ids]
}

// A head is what the beginning of a document says of it.
type head struct {
	Summary string   `json:"description,omitempty"` // in front matter
	Aliases []string `json:"aliases,omitempty"`     // other names of the page
	// Wrong says where its front matter is not well-formed. nil: it is, or there is none.
	Wrong     *settings.SyntaxError `json:"-"`
	ownTitle  string                // as the page has it, not a list
	lastTitle string                // if nothing else gives it a title
	says      string                // why it is not a document; "": nothing
	empty     bool                  // it has no text
	front     values
	weight    int
}

// below returns the path of the page below the root of its tree.
func (p *Page) below() string { return relative(p.Tree.Root, p.File) }

// Language returns the language of the page, or "".
func (p *Page) Language() string { return p.Tree.Language }

// Version returns the version of the page, or "".
func (p *Page) Version() string { return p.Tree.Version }

// A Set is the documents of a project at one moment. It does not change.
type Set struct {
	Sites []*Site // the one with most documents first
	pages []*Page // the default languages and versions first, each in order

	fsys      fs.FS
	docs      *docsfs.FS // opens pages, and what they include and show
	options   Options
	roots     []string // folders that are named, but not the project folder
	wholly    bool     // the project folder is named
	scattered bool     // nothing names a folder for documentation
	later     bool     // documents are left out because of [Options.Quick]
	notices   []loader.Notice
	left      []*Page // files and folders that are not documents, and that nothing looked into
	all       []string
	attached  []*Page  // see [Set.Attached]
	seen      sync.Map // folders of pages and included files that options.Visit was called with

	files map[string]*Page
	same  map[string][]*Page // by key

	base     string    // see [Set.Base]
	endsOnce sync.Once // guards byEnd and byFolder
	byEnd    *ends     // see [Set.ending]
	byFolder *ends     // folders of documents
}

// relative returns the path of a file below dir.
func relative(dir, file string) string {
	if dir == "." {
		return file
	}
	return strings.TrimPrefix(file, dir+"/")
}

// join is [path.Join] for folders of the project: "" and "." are the project folder.
func join(parts ...string) string {
	if p := path.Join(parts...); p != "" {
		return p
	}
	return "."
}

// with returns a list with a name, unless that is "" or in the list.
func with(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// within reports whether file is dir or lies in it.
func within(dir, file string) bool {
	return dir == "." || file == dir || strings.HasPrefix(file, dir+"/")
}

// stem returns a file name without its extension.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }
