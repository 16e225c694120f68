package site

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// configurationFiles are the files that are read for names and orders of documents.
func configurationFiles() (names []string) {
	for _, k := range siteKinds {
		names = append(names, k.files[0])
	}
	return append(names, "SUMMARY.md", "_toc.yml", "meta.json", "_category_.json", "versions.json", "_default")
}

// TestCostOfConfiguration has hostile texts as each configuration file.
func TestCostOfConfiguration(t *testing.T) {
	readers := make(map[string]func(string))
	for _, name := range configurationFiles() {
		readers[name] = readConfiguration(t, name)
	}
	cost.Readers(t, []string{
		"[", "{", "(", "a: ", "\"a\": [", "'a', ", "a = ", "\n", "- a.md\n", "* [a](a.md)\n", "<<: {}\n", "title: 'a\n", "  - ",
		"  * ", "/*", "# ", "&a [*a, *a]", "a.", "/", "{a,b}",
	}, readers)
}

// TestRepeatedNavigation has lists that name pages again and again.
func TestRepeatedNavigation(t *testing.T) {
	repeat := func(text string) string { return strings.Repeat(text, 20_000) }
	for name, test := range map[string]struct {
		files map[string]string
		page  string // has number %d
	}{
		"groups of MkDocs":     {map[string]string{"mkdocs.yml": "nav:\n" + numbered("- G%d: [p1.md, p2.md]\n", 10_000)}, "docs/p%d.md"},
		"folders of Fumadocs":  {map[string]string{"docs/meta.json": `{"pages": [` + repeat(`"...a", "...", ".", `) + `"b"]}`, "docs/a/meta.json": `{"pages": [` + repeat(`".", "..", `) + `"b"]}`}, "docs/p%d.md"},
		"a list":               {map[string]string{"docs/SUMMARY.md": repeat("- [A](p1.md)\n")}, "docs/p%d.md"},
		"references to a file": {map[string]string{"docs/docs.json": `{"navigation": [` + strings.Repeat(`{"$ref": "docs.json"},`, 1000) + `"p1"]}`}, "docs/p%d.md"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 10_000 {
				test.files[fmt.Sprintf(test.page, i)] = "A\n"
			}
			var s *Set
			cost.Check(t, strings.Repeat(" ", 1<<20), func(string) { s = load(t, test.files) })
			if len(s.Pages(true)) < 10_000 || len(s.Warnings()) > maxNotices {
				t.Errorf("%d pages, %d warnings", len(s.Pages(true)), len(s.Warnings()))
			}
		})
	}
}

func numbered(line string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// readConfiguration returns a reader of a text as a configuration file.
func readConfiguration(t *testing.T, name string) func(text string) {
	return func(text string) {
		if _, err := loadAll(t.Context(), configured(name, text)); err != nil {
			t.Error(err)
		}
	}
}

// readPage returns a reader of a text as a page of one of the readersFiles, and as a file that it includes.
func readPage(t *testing.T, i int) func(text string) {
	project := readersFiles[i]
	return func(text string) {
		s := must.Get(loadAll(t.Context(), map[string]string{project.config: project.settings, project.page: text, project.part: text}))(t)
		p := s.Page(project.page)
		if p == nil || p.Hidden != "" {
			return
		}
		c := content(t, s, p, text)
		Searchable(p, c.Text)
		for _, link := range s.Links(p, text) {
			s.Resolve(p, link.Link)
		}
		uses(t, s, p, text)
	}
}

// TestCostOfPages has hostile texts as a page in each format, and as a file that the page includes.
func TestCostOfPages(t *testing.T) {
	readers := make(map[string]func(string))
	for i, project := range readersFiles {
		readers[project.page] = readPage(t, i)
	}
	cost.Readers(t, []string{
		"[", "`", "```\n", "# a\n", ":a: {a}{a}\n", "{a}", "a\n", "\n", "[a](b) ", "--8<-- \"part.md\"\n", ".. include:: part.rst\n", "include::part.adoc[]\n", "a_: ", "<a ", "===\n", "---\n", "{% ",
		"{{{%%}", "<a {#a}", "{/*{.a}", "{id=\"a\"", "{{ a('b/c') }}\n", "{{ a(\n", "![[a]]\n", ".. autoclass:: a\n", "::: a.b\n", "include-code::./a[]\n", "[[a]]", "<pre>\n", "$$\n",
	}, readers)
}

// TestIncludesWithoutEnd has pages that look at more than they may, or use a file thousands of times.
func TestIncludesWithoutEnd(t *testing.T) {
	must.SkipUnderRace(t)
	big := numbered("line %d\n", 95_000)
	for name, test := range map[string]struct {
		config, page, text string
		files              map[string]string
		parts              int    // that the page has at least
		left               string // the first include that is left out
	}{
		"lines that do not exist":   {"mkdocs.yml", "docs/a.md", strings.Repeat("--8<-- \"big.txt:900000:900001\"\n", 20_000), map[string]string{"big.txt": big}, 15, "big.txt"},
		"thousands of small files":  {"mkdocs.yml", "docs/a.md", strings.Repeat("--8<-- \"small.txt\"\n", 20_000), map[string]string{"small.txt": "one\n"}, 10_000, "small.txt"},
		"files that do not exist":   {"mkdocs.yml", "docs/a.md", numbered("--8<-- \"no%d.txt\"\n", 70_000), nil, 10_922, "no10922.txt"},
		"too much":                  {"mkdocs.yml", "docs/a.md", "--8<-- \"big.txt\"\n--8<-- \"small.txt\"\n--8<-- \"big.txt\"\n--8<-- \"small.txt\"\n", map[string]string{"big.txt": big, "small.txt": "one\n"}, 3, "big.txt"},
		"a component":               {"docusaurus.config.js", "docs/a.md", "import A from './_p.mdx'\n\n" + strings.Repeat("<A />\n", 20_000), map[string]string{"docs/_p.mdx": strings.Repeat("text\n", 1000)}, 1, "A"},
		"notebooks":                 {"_quarto.yml", "a.qmd", strings.Repeat("{{< include b.ipynb >}}\n", 20_000), map[string]string{"b.ipynb": `{"cells": [{"cell_type": "raw", "source": "", "outputs": ["` + strings.Repeat("x", 900_000) + `"]}]}`}, 5_000, "b.ipynb"},
		"regions":                   {"mkdocs.yml", "docs/a.md", strings.Repeat("--8<-- \"big.txt:none\"\n--8<-- \"big.txt:x\"\n", 10_000), map[string]string{"big.txt": "# --8<-- [start:x]\n# --8<-- [end:x]\n# --8<-- [start:none]\n# --8<-- [end:none]\n" + strings.Repeat("<a>\n", 200_000)}, 20, "big.txt"},
		"indented lines":            {"conf.py", "a.rst", strings.Repeat(" ", 900) + ".. literalinclude:: b.txt\n", map[string]string{"b.txt": strings.Repeat("a\n", 400_000)}, 0, "b.txt"},
		"backticks":                 {"mkdocs.yml", "docs/a.md", "{* b.txt *}\n", map[string]string{"b.txt": strings.Repeat("`", 500_000)}, 0, "b.txt"},
		"values of values":          {"antora.yml", "modules/ROOT/pages/a.adoc", ":a: aaaa\n" + strings.Repeat(":a: {a}{a}\n", 10_000) + "include::{a}.adoc[]\n", nil, 0, ""},
		"lines again and again":     {"conf.py", "a.rst", ".. literalinclude:: b.txt\n   :lines: 1-" + strings.Repeat(",1-", 100_000) + "\n", map[string]string{"b.txt": big}, 0, "b.txt"},
		"a page that includes many": {"mkdocs.yml", "docs/a.md", numbered("--8<-- \"p%d.txt\"\n", 100), nil, 100, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{test.config: "name: x\nproject: {type: website}\n", test.page: test.text}
			if path.Ext(test.config) == ".py" {
				files[test.config] = "project = 'x'\n"
			}
			maps.Copy(files, test.files)
			for i := range 100 {
				files[fmt.Sprintf("p%d.txt", i)] = strings.Repeat("x\n", 1000)
			}
			s := load(t, files)
			p := s.Page(test.page)
			if p == nil {
				t.Fatal(s)
			}
			var c Content
			cost.Check(t, strings.Repeat(" ", 1<<20), func(string) { c = content(t, s, p, test.text) })
			if len(c.Parts) < test.parts || c.Left != test.left || len(c.Text) > len(test.text)+2*maxWork/madeCost {
				t.Errorf("%d parts, %q is left out, %d bytes", len(c.Parts), c.Left, len(c.Text))
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := s.Content(ctx, p, test.text); err != context.Canceled && len(c.Parts) > 0 {
				t.Errorf("a cancelled context: %v", err)
			}
		})
	}
}

// A counted project counts the looks at its files that ask whether something is a link.
type counted struct {
	*rootfs.FS
	looks *atomic.Int64
}

func (c counted) Lstat(name string) (fs.FileInfo, error) {
	c.looks.Add(1)
	return c.FS.Lstat(name)
}

// TestDeepIncludes has thousands of includes that are missing, in a document in 240 folders: no include looks at each of the folders.
func TestDeepIncludes(t *testing.T) {
	must.SkipUnderRace(t)
	dir, page := t.TempDir(), strings.Repeat("d/", 240)+"a.md"
	text := numbered("--8<-- \"no%d.md\"\n{{< include \"x/no%[1]d.md\" >}}\n", 2000)
	must.Do(t, os.MkdirAll(filepath.Join(dir, path.Dir(page)), 0o700))
	must.Write(t, filepath.Join(dir, page), text)
	root := must.Get(rootfs.Open(dir))(t)
	defer root.Close()
	looks := new(atomic.Int64)
	s := must.Get(Find(t.Context(), counted{root, looks}, Options{}, nil, nil))(t)
	looks.Store(0)
	c := content(t, s, s.Page(page), text)
	if n := looks.Load(); n > 2000 || len(c.Parts) != 4000 {
		t.Errorf("%d looks, %d parts", n, len(c.Parts))
	}
}

// readersFiles are a project of each format that has a reader. The text under test is read as the page and as what it includes.
var readersFiles = []struct{ config, settings, page, part string }{
	{"docs/mkdocs.yml", "docs_dir: pages\nsite_url: https://a.example/\n", "docs/pages/a.md", "docs/pages/part.md"},
	{"docs/.vuepress/config.js", "", "docs/a.md", "docs/part.md"},
	{"docs/conf.py", "extensions = ['myst_nb']\n", "docs/a.rst", "docs/part.rst"},
	{"docs/conf.py", "extensions = ['myst_nb']\n", "docs/a.ipynb", "docs/part.ipynb"},
	{"docs/antora.yml", "name: x\nasciidoc:\n  attributes:\n    a: b\n", "docs/modules/ROOT/pages/a.adoc", "docs/modules/ROOT/pages/part.adoc"},
	{"docfx.json", `{"build": {"content": [{"files": ["**/*.md"]}]}}`, "a.md", "part.md"},
}

// FuzzReaders reads a text in each format. A search text has the lines of the page.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{
		"---\ntitle: A\n---\n# H { #id }\n\n--8<-- \"part.md:x\"\n[a](part.md#x) [b](../c)\n```py hl_lines=\"1\"\nx\n```\n",
		"+++\na = 1\n+++\n# T\n{{< include \"part.md\" >}}\n::: mod.name\n!!! note \"T\"\n",
		".. _label:\n\n====\n B\n====\n\n.. literalinclude:: part.rst\n   :lines: 1-3,5-\n   :pyobject: A.b\n\n.. toctree::\n   :glob:\n\n   *\n   T <part>\n\n:ref:`T <label>` :doc:`/part`\n",
		"= T\n:a: {a}\n[[id]]\n== S {a}\n\ninclude::partial$x.adoc[tag=y;z,lines=1..2]\ninclude::part.adoc[leveloffset=+1]\n----\nx\n----\nxref:part.adoc#id[x] <<id>>\n",
		`{"cells": [{"cell_type": "markdown", "source": ["# A\n"]}, {"cell_type": "code", "source": "x", "outputs": [{}]}]}`,
		"<<< @/part.md{1-2}\n<!-- @include: ./part.md#r -->\n#region r\nx\n#endregion\n[!INCLUDE [x](part.md)]\n:::code source=\"part.md\" range=\"1-2\":::\n",
		"{* part.md ln[1:3] *}\n{!part.md!}\n```{include} part.md\n:start-after: x\n```\n// tag::y[]\nx\n// end::y[]\n",
	} {
		for i := range readersFiles {
			f.Add(uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		for _, project := range readersFiles[int(which)%len(readersFiles):][:1] {
			s := load(t, map[string]string{project.config: project.settings, project.page: text, project.part: text, path.Join(path.Dir(project.page), "c.md"): "# C\n"})
			p := s.Page(project.page)
			if p == nil || p.Hidden != "" {
				continue
			}
			c := content(t, s, p, text)
			if len(c.Text) > len(text)+maxWork/madeCost+250*strings.Count(text, "\n")+100*len(c.Parts)+2*len(text)+1000 {
				t.Errorf("%s: %d bytes of %d", project.page, len(c.Text), len(text))
			}
			plain := Searchable(p, c.Text)
			if got, want := strings.Count(plain, "\n"), strings.Count(c.Text, "\n"); got != want {
				t.Errorf("%s: a search text of %d lines for %d", project.page, got, want)
			}
			lines := 1 + strings.Count(text, "\n")
			for _, link := range s.Links(p, text) {
				if to := s.Resolve(p, link.Link); to.File != "" && !fs.ValidPath(to.File) || link.Line < 1 || link.Line > lines {
					t.Errorf("%s: the link %q in line %d leads to %q", project.page, link.Link, link.Line, to.File)
				}
			}
			if strings.ContainsAny(p.Title, "\n\r") || utf8.ValidString(text) && !utf8.ValidString(p.Title) {
				t.Errorf("%s: title %q", project.page, p.Title)
			}
			for _, name := range uses(t, s, p, text) {
				if !fs.ValidPath(name) {
					t.Errorf("%s: uses %q", project.page, name)
				}
			}
		}
	})
}

// configured returns a project with a text as the configuration of this name, and as other files that its generator reads.
func configured(name, text string) map[string]string {
	files := map[string]string{
		"docs/" + name: text, "docs/docs/a.md": text, "docs/content/a.md": "# A\n", "docs/src/SUMMARY.md": text, "docs/a.md": "# A\n", "docs/fr/a.md": "# A\n", "docs/src/content/docs/a.md": "# A\n",
		"docs/modules/ROOT/pages/a.adoc": "= A\n", "docs/a.rst": "A\n=\n", "docs/versions.json": text, "docs/meta.json": text, "docs/sidebars.js": text, "docs/_config.yml": text,
	}
	if name[0] == '.' && name != ".gitbook.yaml" && name != ".eleventy.js" || name == "_default" {
		delete(files, "docs/"+name)
		files["docs/"+name+"/config.ts"], files["docs/config/_default/hugo.toml"] = text, text
	}
	return files
}

// FuzzConfiguration has a text as the configuration of each generator. No document lies outside of the project.
func FuzzConfiguration(f *testing.F) {
	for _, seed := range []string{
		"docs_dir: ../x\nnav:\n  - A: a.md\nplugins:\n  - i18n: {languages: [{locale: fr}]}\nINHERIT: mkdocs.yml\n",
		"export default {srcDir: '../..', locales: {root: {}, fr: {lang: 'fr'}}, themeConfig: {sidebar: [{link: '/a'}]}}",
		"const x = 'docs'; module.exports = {presets: [['classic', {docs: {path: x, routeBasePath: '/'}}]], i18n: {defaultLocale: 'en', locales: ['en', 'fr']}}",
		"baseURL = 'https://a'\ncontentDir = '/'\n[languages.fr]\ncontentDir = '..'\n[[module.mounts]]\nsource='.'\ntarget='content'\n",
		"extensions = ['myst_parser']\nexclude_patterns = ['[', '**']\nroot_doc = 'a'\n", "name: x\nversion: ~\nnav: [../a.md]\n",
		`{"navigation": {"languages": [{"language": "fr", "pages": ["a"]}, {"$ref": "./docs.json"}]}, "build": {"content": [{"files": ["**"], "src": "../.."}]}}`,
		"collections: {docs: {output: true, permalink: '/:x/:path'}}\nsource: ..\nsource_dir: a\n", "project:\n  type: website\n  render: ['!a', '*']\ntitle: &a [*a]\n",
		"docs: [extras: [\"../a.md\", \"*.md\"]]", "makedocs(pages = [\"A\" => \"a.md\"])", "[A](../../a.md)\n- [B](<a b.md> 'x')\n",
	} {
		for i := range configurationFiles() {
			f.Add(uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		names := configurationFiles()
		files := configured(names[int(which)%len(names)], text)
		s := load(t, files)
		for _, p := range s.Pages(true) {
			if !fs.ValidPath(p.File) || !fs.ValidPath(p.Path) || s.Page(p.File) != p {
				t.Errorf("page %q, path %q", p.File, p.Path)
			}
		}
		_ = s.String()
		loadWith(t, files, Options{Named: []Named{{Root: "."}}})
	})
}
