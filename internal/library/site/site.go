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

// A Generator is what one documentation generator does. All fields but Name, Markers and Open are optional.
type Generator struct {
	Name    string   // as its authors write it: "MkDocs"
	Markers []string // names of files or folders that mark a site
	Lacks   string   // what this package does not understand, for the table of generators in docs/
	// Unread has settings that change what is served and that this package does not understand, with what is lost: keys with
	// spaces between them, of which the last may be the end of the name of a plugin. With "?" in front of them, they are
	// understood unless their value is known only when a program runs.
	Unread map[string]string
	Keys   Keys
	Folder string   // of the documents, in the folder of the configuration, if that does not say; "": that folder
	Public []string // folders whose files are below the base URL, in the folder of the configuration or of the documents
	Ending string   // what routes end with: a slash, ".html" or nothing
	// Open completes the site whose configuration a marker names: what the keys name is read if that is data. It reports whether
	// the configuration belongs to the generator.
	Open func(r *reader, s *Site) bool
	// Sites returns the sites of a configuration that may have several. nil: it has one.
	Sites func(r *reader, s *Site) []*Site
	Only  bool // only pages of the navigation are documents

	Extensions []string // of documents, with the dot, in lower case
	Index      []string // names without extension that stand for their folder
	Skip       []string // globs below a root: files that are never documents
	Built      []string // globs below a root: files that the generator makes or brings, or the configuration takes from elsewhere
	// Route returns the path of a page below the base URL. nil: it is the path of the file without its extension, each part
	// of it as Spell spells it, and Ending. Slug is the key in front matter of another last part, and Whole that of all of it.
	Route       func(s *Site, p *Page) string
	Spell       func(part string) string
	Slug, Whole string
	// Order adds the pages of a tree to its navigation, in order. nil: files are ordered by weight, then by name.
	Order func(n *navigation, s *Site, t *Tree)
	// NavTitles says that titles in the navigation win over titles in pages.
	NavTitles bool
	Drafts    bool // pages with "draft: true" or "permalink: false" in front matter are not published
	// Publishes returns why the generator does not publish a page, or "".
	Publishes func(s *Site, p *Page) string
	// FromRoot says that relative links may begin at the root, Hash that links are written "/#/page?id=x", Labels that they
	// may be labels, Names that site-absolute links may end with the name of a page alone, and Modules that the folders in a root are modules of Antora.
	FromRoot, Hash, Labels, Names, Modules bool
}

// Keys are where a configuration has the facts that most sites have: keys with spaces between them, and of several with "|"
// between them, the first that has a value.
type Keys struct{ Title, URL, Base, Language, Folder string }

// Facts are what a [DescriptionFile] has of a site.
type Facts struct {
	Title    string   `json:"title,omitempty"`    // "": the configuration does not say
	Dir      string   `json:"dir"`                // folder of the configuration
	BaseURL  string   `json:"url,omitempty"`      // where it is published; "": the repository does not say
	Static   []string `json:"static,omitempty"`   // folders whose files are below the base URL
	Snippets []string `json:"snippets,omitempty"` // folders of files to include, below the folder of the configuration
	Appended []string `json:"appended,omitempty"` // files that each page includes at its end
	// Values are the attributes of AsciiDoc, and what the configuration says otherwise, by generator.
	Values map[string]string `json:"attributes,omitempty"`
	Trees  []*Tree           `json:"trees"` // the first is a default one
}

// A Site is one folder of documents as its generator publishes it.
type Site struct {
	*Generator // a copy, which the configuration may change
	Facts
	Config string   // the file by which it was recognised
	Skip   []string // globs below a root: files that this site leaves out
	Keep   []string // globs below a root: the only files that are documents; nil: all
	Alone  bool     // without a generator: the README of the project is the only document
	Latest string   // folder of the default version; "": the newest release
	// Versions are the names of versions, by the folders that have their documents. nil: names of folders tell.
	Versions    map[string]string
	Cascades    []cascade         // what the configuration of Hugo says about pages
	Suffix      bool              // the language stands before the extension: page.fr.md
	Hooked      bool              // templates of the site decide what a link with the name of no file means
	FrontTitles bool              // titles in front matter win over titles in the navigation
	settings    values            // as the configuration has them, until the documents are known
	from        string            // the file that has them; "": Config
	Posts       map[string]string // by name of a collection, its permalink
	// Redirects has paths of the site and where they lead. A path may end with "*" for all paths that begin so.
	Redirects map[string]string
}

// A Tree is the documents of one language and version below one folder. Its JSON is in a [DescriptionFile].
type Tree struct {
	Root     string `json:"root"`               // folder, below the project
	Language string `json:"language,omitempty"` // code as in the configuration, in lower case; "": it is not said
	Version  string `json:"version,omitempty"`  // "": there is one version
	Prefix   string `json:"prefix,omitempty"`   // what routes begin with: "fr/", "v2/"; "": nothing
	Other    bool   `json:"other,omitempty"`    // it is not the default language or version
	// Folder has the documents of the language and version, below Root: "docs/v2/". Pattern has "*" in place of their names.
	Folder  string `json:"folder,omitempty"`
	Pattern string `json:"pattern,omitempty"`
	// Translated says that names of files are translated too: nothing tells which document is which.
	Translated bool `json:"translated,omitempty"`

	site  *Site
	order []Entry
}

// An Entry is a place in the navigation.
type Entry struct {
	File   string   // of the page, below the project folder
	Title  string   // "": the page's own
	Groups []string // titles of the groups that hold the entry, the outermost first
}

// A Page is one document in one language and version. Its JSON is in a [DescriptionFile].
type Page struct {
	File  string `json:"file"`            // below the project folder
	Path  string `json:"-"`               // how clients name it: below the chosen folder or the default tree's root, or else the same as File
	Title string `json:"title"`           // one line
	Short string `json:"short,omitempty"` // the title in the navigation, if it differs
	// Groups are titles of groups in the navigation, the outermost first. nil: the page is in none, and folders say where
	// it belongs.
	Groups  []string `json:"groups,omitzero"`
	Summary string   `json:"description,omitempty"` // in front matter
	Hidden  string   `json:"-"`                     // why it is not a document: "is a draft"; "": it is one
	Class   Class    `json:"-"`                     // how much it counts
	// Apart says that a search without a filter leaves the page out: its language or version is not the default one, which
	// has the page too, or may have it.
	Apart bool  `json:"-"`
	Err   error `json:"-"` // why it cannot be opened; nil: it can, or it was not tried
	// Wrong says where its front matter is not well-formed. nil: it is, or there is none.
	Wrong   *settings.SyntaxError `json:"-"`
	Aliases []string              `json:"aliases,omitempty"`
	Size    int64                 `json:"-"` // bytes
	ModTime int64                 `json:"-"` // nanoseconds since 1970

	Tree *Tree `json:"-"`

	ownTitle string // as the page has it, not the navigation
	key      string // route without the prefix of its tree: equal for translations
	front    values
	weight   int
	order    int
	ids      map[string]bool // of headings and anchors; nil: not read yet
	includes atomic.Bool     // it has been read, and may name files to include
}

// below returns the path of the page below the root of its tree.
func (p *Page) below() string { return relative(p.Tree.Root, p.File) }

// Language returns the language of the page, or "".
func (p *Page) Language() string { return p.Tree.Language }

// Version returns the version of the page, or "".
func (p *Page) Version() string { return p.Tree.Version }

// A Set is the sites of a project at one moment. It does not change.
type Set struct {
	Sites []*Site
	pages []*Page // the default tree's first, each tree in its order

	fsys        fs.FS
	options     Options
	seen        sync.Map // folders of pages and included files that options.Visit was called with
	parts       sync.Map // by folder, the partFolders in it
	markdown    []string // files in the folders that may have configuration
	left        []*Page  // see [Set.Hidden]
	notices     []loader.Notice
	files       map[string]*Page
	same        map[Identity][]*Page
	attachments map[string]string // images and other media by their names in lower case, where there is no generator
	weights     map[string]int    // of folders that a file in them gives one
	docs        *docsfs.FS        // opens pages, and what they include and show; configuration is read from fsys

	description *description // nil: the project has none

	allOnce sync.Once // guards all
	all     []string  // see [Set.Files]

	endsOnce sync.Once // guards byEnd
	byEnd    *ends     // see [Set.ending]

	idsMu      sync.Mutex // guards ids of pages
	labelsOnce sync.Once
	labels     map[string]Target // by name, in lower case
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
		alike := best != nil && len(t.Root) == len(best.Root) && t.Language == language && language != ""
		if within(t.Root, file) && (best == nil || len(t.Root) > len(best.Root) || alike) {
			best = t
		}
	}
	return best
}
