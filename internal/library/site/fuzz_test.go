package site

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
)

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

// FuzzCost repeats two texts after a third one, as the tests of cost do with tokens.
func FuzzCost(f *testing.F) {
	for which := range uint8(len(configurationFiles()) + len(readersFiles)) {
		f.Add(which, "", "[", "{")
		f.Add(which, "a: ", "- a.md\n", "# a\n")
		f.Add(which, ":a: b\n", "{a}", "include::part.adoc[]\n")
	}
	f.Fuzz(func(t *testing.T, which uint8, first, a, b string) {
		if i := int(which) % (len(configurationFiles()) + len(readersFiles)); i < len(configurationFiles()) {
			cost.Repeated(t, first, a+b, readConfiguration(t, configurationFiles()[i]))
		} else {
			cost.Repeated(t, first, a+b, readPage(t, i-len(configurationFiles())))
		}
	})
}
