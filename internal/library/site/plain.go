package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// plain is what holds for documents without a generator.
var plain = &Generator{
	Name: "none", Extensions: []string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".rest"},
	Index: []string{"index", "readme", "home", "_index"}, Ending: "/", Spell: unnumbered, Names: true, Public: []string{"static", "public"},
	Skip: []string{"**/_[!i]*", "**/_i[!n]*", "**/CODE_OF_CONDUCT.md", "**/SECURITY.md"}, // _index.md is a page
}

// plainFolders are where documents usually are if no generator says so.
var plainFolders = []string{"docs", "doc", "documentation", "content", "src/content", "site/content", "website/docs", "guide", "manual", "_content", "wiki"}

// documentFolders are what folders are named that have documents next to source code, at any depth.
var documentFolders = []string{"docs", "doc", "documentation"}

// Folders that are not part of a project's documentation, by their names.
var (
	otherFolders    = []string{"resources", "prompts", "skills"} // at the top of a project: they are served as what they are
	vendoredFolders = []string{"vendor", "third_party", "subprojects", "target", "dist", "build"}
	testFolders     = []string{"test", "tests", "__tests__", "fixtures", "testdata"} // where there is source code in them
)

// manifests are the files by which a folder is a package.
var manifests = []string{"package.json", "go.mod", "Cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "pom.xml", "build.gradle", "build.gradle.kts",
	"composer.json", "mix.exs", "pubspec.yaml", "Package.swift"}

// sources are the extensions of source code.
var sources = []string{".go", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".py", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rb", ".php", ".swift",
	".scala", ".ex", ".exs", ".vue", ".svelte", ".dart", ".zig", ".hs", ".jl", ".lua", ".sh"}

// Reasons why a document of a project without a generator is not served.
const (
	otherRepository = "is in another repository"
	vendored        = "is vendored"
	ofTests         = "is in a folder of tests"
	ofPackage       = "describes a package: it is the README, licence or changelog next to its manifest"
	ofProject       = "is the README, licence, changelog or guide for contributors of a project of source code"
	ofLicence       = "is the licence or changelog of the project"
	outside         = "is outside of the folders of the documents"
)

// A plainProject is what a walk of a project without a generator has found.
type plainProject struct {
	pages    []*Page
	modules  []string        // folders of packages, which walks do not enter
	packages map[string]bool // folders with a manifest
	tests    map[string]bool // folders of tests with source code
	code     bool            // there is source code
	packaged bool            // and a manifest
}

// LeftWith returns the folder because of whose name the page is not served, or "".
func (p *Page) LeftWith() string {
	if p.Hidden != vendored && p.Hidden != ofTests {
		return ""
	}
	return outermost(path.Dir(p.File), slices.Concat(vendoredFolders, testFolders))
}

// file notes a file that is not a document.
func (p *plainProject) file(name string) {
	switch {
	case slices.Contains(manifests, path.Base(name)):
		p.packages[path.Dir(name)] = true
		p.packaged = p.packaged || !inFolder(path.Dir(name), vendoredFolders)
	case slices.Contains(sources, path.Ext(name)):
		dir := path.Dir(name)
		p.code = p.code || !inFolder(dir, vendoredFolders)
		for ; dir != "."; dir = path.Dir(dir) {
			if slices.Contains(testFolders, path.Base(dir)) {
				p.tests[dir] = true
			}
		}
	}
}

// outermost returns the outermost folder in a path that has one of the names, or "".
func outermost(dir string, names []string) string {
	parts := strings.Split(dir, "/")
	i := slices.IndexFunc(parts, func(name string) bool { return slices.Contains(names, name) })
	return strings.Join(parts[:i+1], "/")
}

// inFolder reports whether a folder in a path has one of the names.
func inFolder(dir string, names []string) bool { return outermost(dir, names) != "" }

// reason returns why a document outside of the documents folder is not served, or "".
func (p *plainProject) reason(file string) string {
	dir := path.Dir(file)
	if inFolder(dir, vendoredFolders) {
		return vendored
	}
	for d := dir; d != "."; d = path.Dir(d) {
		if p.tests[d] {
			return ofTests
		}
	}
	switch m := compile(aboutName).FindStringSubmatch(path.Base(file)); {
	case m == nil:
	case dir == "." && m[1] != "":
		return ofLicence
	case dir == "." && p.code:
		return ofProject
	case dir != "." && p.packages[dir] && m[2] == "":
		return ofPackage
	}
	return ""
}

// choose decides which documents of a project without a generator are served: those in a folder that usually has them, if
// that has at least half of all, or else all; in a package of source code with such a folder, only those in folders for
// documents: notes between packages are not for readers. The README of the project is one if there is no source code, or if it
// is larger than all others together; its path must be free.
func (l *loading) choose(site *Site, p *plainProject) {
	counts := make(map[string]int) // documents in folders that usually have them
	var readme *Page
	all := 0
	for _, page := range p.pages {
		if path.Dir(page.File) == "." && strings.EqualFold(stem(page.File), "readme") && (readme == nil || page.Hidden == "") {
			readme = page
		}
		if page.Hidden != "" {
			continue
		}
		usual := false
		for _, dir := range plainFolders {
			if within(dir, page.File) {
				counts[dir]++
				usual = true
			}
		}
		if usual || p.reason(page.File) == "" {
			all++
		}
	}
	root := slices.MaxFunc(plainFolders, func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
	if counts[root] == 0 {
		root = ""
	}
	tree, written := site.Trees[0], func(string) bool { return true } // written for readers
	switch {
	case root == "":
	case counts[root]*2 >= all:
		tree.Root, written = root, func(file string) bool { return within(root, file) }
	case p.code && p.packaged:
		written = func(file string) bool { return inFolder(path.Dir(file), documentFolders) }
	}
	var served []*Page
	for _, page := range p.pages {
		reason := p.reason(page.File)
		switch {
		case page.Hidden != "", root != "" && within(root, page.File):
		case reason == "" && page != readme && !written(page.File):
			page.Hidden = outside
		default:
			page.Hidden = reason
		}
		if page.Hidden == "" && page != readme {
			served = append(served, page)
		}
	}
	switch {
	case readme == nil || readme.Hidden != "" && (readme.Hidden != ofProject || !l.larger(readme, served)):
	case slices.ContainsFunc(served, func(o *Page) bool { return strings.EqualFold(o.below(), readme.File) }):
		readme.Hidden = "has the path of another document"
	default:
		readme.Hidden = ""
	}
	site.Alone = len(served) == 0 && readme != nil && readme.Hidden == ""
}

// larger reports whether a page has more bytes than all others together.
func (l *loading) larger(p *Page, others []*Page) bool {
	size := func(p *Page) int64 {
		info, err := fs.Stat(l.fsys, l.real[p.File])
		if err != nil {
			return 0
		}
		return info.Size()
	}
	rest := size(p)
	for _, o := range others {
		if rest -= size(o); rest <= 0 {
			return false
		}
	}
	return true
}

// Scattered returns the folders of the documents, and their number, where nothing says which documents are meant: no
// generator, no configuration, and no folder docs. The program then serves all Markdown of a project, which
// is right for its user, and not for others.
func (s *Set) Scattered() (documents int, folders []string) {
	if s = s.known(); !s.Unchosen() {
		return 0, nil
	}
	for _, p := range s.Pages(true) {
		documents++
		folder, _, below := strings.Cut(p.File, "/")
		if folder += "/"; !below {
			folder = "the project folder"
		}
		folders = with(folders, folder)
	}
	slices.Sort(folders)
	return documents, folders
}

// Unchosen reports whether any documents are [Set.Scattered]. It is known before they are read.
func (s *Set) Unchosen() bool {
	if len(s.Sites) != 1 || s.options.Named != nil || s.options.Chosen != "" || s.description != nil {
		return false
	}
	site := s.Sites[0]
	return site.is(plain) && !site.Alone && site.Trees[0].Root != "docs"
}
