package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	maxPages   = 200_000
	maxEntries = 2_000_000
	maxFiles   = 500_000          // other files that documents may name
	quickTime  = 10 * time.Second // how long [Options.Quick] looks at files
)

var quickFiles = 200_000

// The names of files, in lower case.
var (
	manifests = []string{"package.json", "go.mod", "cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "pom.xml", "build.gradle", "build.gradle.kts",
		"composer.json", "mix.exs", "pubspec.yaml", "package.swift", "gemfile", "cmakelists.txt", "makefile", "build.sbt", "deno.json"}
	sources = []string{".go", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".py", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rb", ".php", ".swift",
		".scala", ".ex", ".exs", ".vue", ".svelte", ".astro", ".dart", ".zig", ".hs", ".jl", ".lua", ".sh"}
	vendorFolders = []string{"vendor", "third_party", "venv", "site-packages", "bower_components"}
	outputFolders = []string{"dist", "build", "out", "target"} // next to a manifest
	// of a project: they are served as what they are
	otherFolders = []string{loader.Resources, "prompts", "skills"}
)

// Names of files that are not documents, although they have the extension of one.
const (
	agentFiles = `^(?i:agents|claude|gemini|skill|copilot-instructions)\.md$`
	otherTexts = `^(?i:requirements.*|robots|cmakelists|llms.*)\.txt$`
)

// isPage reports whether a file of this name may be a document wherever it lies.
func isPage(name string) bool { return isDocument(name) && !strings.EqualFold(path.Ext(name), ".txt") }

// A walked is what one walk of a project has found.
type walked struct {
	*Set
	// documents and texts, which are documents only without source code or in a folder for documentation
	documents []*Page
	pages     int
	configs   []string
	manifests int
	sources   int
	code      map[string]int // by folder: files of source code, less documents
	indexed   map[string]bool
	entries   int
	looked    int // that were opened as they may describe an API
	deadline  time.Time
	partial   bool
}

// around reports whether a folder is named, or has a named folder in it.
func (s *Set) around(dir string) bool {
	return slices.ContainsFunc(s.roots, func(root string) bool { return walk.Holds(dir, root) })
}

// list walks the project. A named folder may be hidden, or be in a folder that is left out.
func (w *walked) list(ctx context.Context) error {
	if w.options.Quick {
		w.deadline = time.Now().Add(quickTime)
	}
	if err := w.folder(ctx, ".", "."); err != nil {
		return err
	}
	for _, root := range w.roots {
		if hiddenPath(root) {
			for above := path.Dir(root); above != "."; above = path.Dir(above) {
				w.options.Visit(above)
			}
			if real, err := walk.Resolve(w.fsys, root); err == nil {
				if err := w.folder(ctx, root, real); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
	}
	if w.entries > quickFiles || w.partial {
		reason := fmt.Sprintf(`has more than %d files: write the folder of its documents into the configuration file, as "docs": "FOLDER"`, quickFiles)
		w.warnings = append(w.warnings, loader.Warning{Path: ".", Reason: reason})
	}
	slices.Sort(w.all)
	return nil
}

func (w *walked) folder(ctx context.Context, dir, real string) error {
	return walk.Folder(ctx, w.fsys, real, walk.Visitor{
		Watch: func(dir string) { w.visit(dir) },
		Problem: func(loc string, err error) {
			file := join(dir, loc)
			lost := strings.HasPrefix(err.Error(), aLink) && (path.Ext(loc) == "" || isPage(loc))
			if (lost || errors.Is(err, walk.ErrTooDeep) || errors.Is(err, fs.ErrPermission) || w.named(file)) && !w.docs.Ignored(file, false) {
				w.leave(file, loader.Reason(err)).Err = err
			}
		},
		Enter: func(e walk.Entry) error { return w.enter(join(dir, e.Loc), e.Loc == "") },
		Listed: func(e walk.Entry, entries []fs.DirEntry) error {
			return w.listed(join(dir, e.Loc), entries, e.Loc == "")
		},
		File: func(e walk.Entry) error {
			if e.Type.IsRegular() {
				w.file(join(dir, e.Loc), e)
			}
			return w.count()
		},
	})
}

// count counts a file or folder, and ends the walk if there are too many.
func (w *walked) count() error {
	if w.entries++; w.entries >= maxEntries || !w.deadline.IsZero() && (w.entries > quickFiles || w.entries%256 == 0 && time.Now().After(w.deadline)) {
		w.partial = true
		return fs.SkipAll
	}
	return nil
}

// leave notes a file or folder that is not served.
func (w *walked) leave(file, reason string) *Page {
	p := &Page{File: file, Hidden: reason, Tree: nowhere}
	w.left = append(w.left, p)
	return p
}

// enter decides whether the walk enters a folder.
func (w *walked) enter(dir string, top bool) error {
	name := strings.ToLower(path.Base(dir))
	switch {
	case top || w.around(dir):
	case w.docs.Ignored(dir, true):
		w.leave(dir, Gitignored)
		return fs.SkipDir
	case w.excludes(dir):
		w.leave(dir, InDocsExclude)
		return fs.SkipDir
	case w.named(dir):
	case slices.Contains(otherFolders, dir):
		return fs.SkipDir
	case slices.Contains(vendorFolders, name), slices.Contains(outputFolders, name) && w.packaged(path.Dir(dir)):
		w.leave(dir, vendored)
		return fs.SkipDir
	}
	return w.count()
}

// packaged reports whether a folder has a manifest.
func (w *walked) packaged(dir string) bool {
	entries, _ := fs.ReadDir(w.fsys, dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return slices.Contains(manifests, strings.ToLower(e.Name())) })
}

// listed notes hidden names in a folder. It leaves the folder of another repository, and a package that this program has made.
func (w *walked) listed(dir string, entries []fs.DirEntry, top bool) error {
	w.docs.Listed(dir, entries)
	top = top || w.around(dir)
	for _, e := range entries {
		name, hidden := e.Name(), join(dir, e.Name())
		switch {
		case name == DescriptionFile && !top && !w.named(dir):
			w.leave(dir, vendored)
			return fs.SkipDir
		case !walk.Hidden(name):
		case name == ".git" && !top:
			w.leave(dir, otherRepository)
			return fs.SkipDir
		case name == "node_modules" && !w.docs.Ignored(hidden, true):
			w.leave(hidden, vendored)
		case kindOf(name) != nil && !w.docs.Ignored(hidden, false):
			w.configs = append(w.configs, hidden)
		}
	}
	return nil
}

// file notes a file.
func (w *walked) file(file string, e walk.Entry) {
	name := path.Base(file)
	lower := strings.ToLower(name)
	text := IsPDF(name) || strings.HasSuffix(lower, ".txt") && !compile(otherTexts).MatchString(name)
	document := isPage(name) || text
	if w.docs.Ignored(file, false) || e.Real != file && w.docs.Ignored(e.Real, false) {
		if document {
			w.leave(file, Gitignored)
		}
		return
	}
	document = document || formatOf(name) == openapi && w.describesAPI(e.Real)
	if len(w.all) < maxFiles {
		w.all = append(w.all, file)
	}
	if kindOf(name) != nil {
		w.configs = append(w.configs, file)
	}
	switch {
	case slices.Contains(manifests, lower):
		w.manifests++
		w.code[path.Dir(file)] += maxPages
	case slices.Contains(sources, path.Ext(lower)):
		w.sources++
		w.code[path.Dir(file)]++
	case document && len(w.documents) < maxPages:
		p := &Page{File: file, real: e.Real, Tree: nowhere}
		if base := stem(lower); base == "index" || base == "_index" {
			w.indexed[path.Dir(file)] = true
		}
		if e.Info != nil {
			p.Size, p.ModTime = e.Info.Size(), e.Info.ModTime().UnixNano()
		}
		switch {
		case w.excludes(file):
			p.Hidden = InDocsExclude
		case compile(agentFiles).MatchString(name) && !w.named(file):
			p.Hidden = ofAgents
		}
		if w.pages += number(!text); !strings.HasPrefix(lower, "readme") {
			w.code[path.Dir(file)]--
		}
		w.documents = append(w.documents, p)
	}
}

// Files returns the paths of all files of the project below its folder, documents or not, in byte order: what a document may
// include, show or lead to. Hidden names, what git ignores, dependencies and build outputs are not among them. Callers must not
// change the slice.
func (s *Set) Files() []string { return s.known().all }

// Reasons why a file is not a document.
const (
	otherRepository = "is in another repository"
	vendored        = "is vendored or built"
	ofAgents        = "has the name of a file for coding agents"
	outside         = "is outside of " // the named folders

	notMain = "is not published: it is in no folder for documentation"

	redirects   = "leads to another page"
	folderTitle = "has no text and no title"
	draft       = "is a draft"
	unpublished = "is not published: its front matter says so"

	aLink = "is a link" // begins the errors of links in package walk

	// Gitignored: git ignores it.
	Gitignored = "is named by .gitignore"
	// InDocsExclude: [Options.Exclude] covers it.
	InDocsExclude = "a pattern of docsExclude matches it"
)

// kinds are what files are that are not documents, by the beginning of the reason.
var kinds = []struct{ reason, kind string }{
	{InDocsExclude, "by docsExclude"},
	{redirects, "redirecting"},
	{folderTitle, "without text"},
	{otherRepository, "in other repositories"},
	{vendored, "vendored or built"},
	{ofAgents, "for coding agents"},
	{outside, "elsewhere"},
	{notMain, "not published"},
	{draft, "draft"},
	{unpublished, "unpublished"},
	{"holds ", "with secrets"},
	{walk.ErrEscapes.Error(), "leading outside"},
	{walk.ErrBroken.Error(), "leading to nothing"},
	{aLink, "not followed"},
	{walk.ErrTooDeep.Error(), "too deep"},
	{"may not be read", "unreadable"},
}

// Kind returns what a page that is not a document is, as "draft".
func (p *Page) Kind() string {
	for _, k := range kinds {
		if strings.HasPrefix(p.Hidden, k.reason) {
			return k.kind
		}
	}
	return "other"
}

// excludes reports whether [Options.Exclude] covers a file or folder.
func (s *Set) excludes(name string) bool {
	_, ok := s.options.Exclude.Covers(name)
	return ok
}

// named reports whether a file or folder is in a named folder.
func (s *Set) named(name string) bool {
	return s.rootOf(name) != ""
}

// rootOf returns the innermost named folder of a file, or "".
func (s *Set) rootOf(file string) (best string) {
	for _, root := range s.roots {
		if walk.Holds(root, file) && len(root) > len(best) {
			best = root
		}
	}
	return best
}
