package site

import (
	"io/fs"
	"slices"
)

// plain is what holds for documents without a generator.
var plain = &Generator{
	Name: "none", Extensions: []string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".rest"},
	Index: []string{"index", "readme", "home"}, Numbers: true, Names: true, Loose: true,
	Skip:     []string{"**/_*", "**/CODE_OF_CONDUCT.md", "**/SECURITY.md"},
	Makers:   []maker{liquid, mystDirective, rstDirective, {pattern: `(?m)\{\{[<%]|^\s*\x60{3}@`}, jsx(`(?i)\w*toc`)},
	Includes: []include{plainInclude, asciidocInclude, literalInclude, rstInclude},
}

var plainInclude = include{hint: "@include", pattern: `^@include\s+` + file + `(?:#(?P<part>\S+))?\s*$`, bases: []string{"page"}, outside: true}

// plainFolders are where documents are if no generator says so, the best first.
var plainFolders = []string{"docs", "doc", "documentation", "content", "src/content", "site/content", "website/docs", "guide", "manual", "_content", "wiki"}

// notDocuments are files of a project folder without a generator that are not documents.
var notDocuments = []string{"{resources,prompts,skills}/**", "**/{CHANGELOG,CONTRIBUTING,LICENSE}.*"}

// manifests are files and folders that a folder of code has.
var manifests = []string{"package.json", "go.mod", "Cargo.toml", "pyproject.toml", "setup.py", "requirements.txt", "pom.xml", "build.gradle", "build.gradle.kts",
	"CMakeLists.txt", "Makefile", "composer.json", "Gemfile", "mix.exs", "deno.json", "src"}

// notes returns the documents directly in the project folder, unless that is a folder of code, where other files than the
// README are for its contributors.
func notes(r *reader) (names []string) {
	if slices.ContainsFunc(manifests, r.has) {
		return nil
	}
	entries, _ := fs.ReadDir(r.fsys, ".")
	for _, e := range entries {
		if name := e.Name(); plain.documents(name) && !matchesAny(plain.Skip, name) && !matchesAny(notDocuments, name) && !matchesAny(never, name) {
			names = append(names, name)
		}
	}
	return names
}

// plainSite returns the documents of a repository without a generator: a folder, with the README of the project; the
// project folder, if most of it is documents; or the README alone, with the notes next to it.
func plainSite(r *reader, counts map[string]int) *Site {
	below := func(dir string) (n int) {
		for d, c := range counts {
			if within(dir, d) {
				n += c
			}
		}
		return n
	}
	best, most := "", 0
	for _, dir := range plainFolders {
		if n := below(dir); n > most {
			best, most = dir, n
		}
	}
	site := &Site{Generator: plain, Dir: "."}
	if best != "" {
		for { // a folder with one folder and no documents only adds a name
			folders := r.folders(best)
			if counts[best] > 0 || len(folders) != 1 {
				break
			}
			best = join(best, folders[0])
		}
		site.Trees = []*Tree{{Root: best}}
		return site
	}
	site.Trees = []*Tree{{Root: "."}}
	site.Skip = notDocuments
	if counts["."] < 3 && !r.has("_Sidebar.md") && !r.has("Home.md") || below(".") == counts["."] && counts["."] < 5 {
		site.Only = true // the README alone
	}
	return site
}
