package site

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
)

// TestCostOfConfiguration has hostile texts as the configuration of each generator.
func TestCostOfConfiguration(t *testing.T) {
	readers := make(map[string]func(string))
	for _, g := range generators {
		readers[g.Name] = readConfiguration(t, g)
	}
	cost.Readers(t, []string{
		"[", "{", "(", "a: ", "\"a\": [", "'a', ", "a = ", "\n", "- a.md\n", "* [a](a.md)\n", "import {a} from './a'\n",
		"xref:a.adoc[]", "  * ", "/*", "# ", "&a [*a, *a]", "a.", "/", "{a,b}",
	}, readers)
}

// TestRepeatedNavigation has navigation that names files, folders and patterns with many pages again and again.
func TestRepeatedNavigation(t *testing.T) {
	repeat := func(text string) string { return strings.Repeat(text, 20_000) }
	for name, test := range map[string]struct {
		files map[string]string
		page  string // has number %d
		warns string
	}{
		"a file of Antora": {map[string]string{
			"antora.yml": "name: x\nnav:\n" + repeat("- modules/ROOT/nav.adoc\n"), "modules/ROOT/nav.adoc": numbered("* xref:p%d.adoc[]\n", 5000),
		}, "modules/ROOT/pages/p%d.adoc", ""},
		"a pattern of Sphinx": {map[string]string{
			"conf.py": "project = 'x'\n", "index.rst": "A\n=\n\n.. toctree::\n   :glob:\n\n" + repeat("   *\n"),
		}, "p%d.rst", ""},
		"patterns of Sphinx that match nothing": {map[string]string{
			"conf.py": "project = 'x'\n", "index.rst": "A\n=\n\n.. toctree::\n   :glob:\n\n" + numbered("   %d*\n", 20_000),
		}, "p%d.rst", "index.rst:"},
		"a folder of Starlight": {map[string]string{
			"astro.config.mjs": "export default {integrations: [starlight({sidebar: [" + repeat("{autogenerate: {directory: 'a'}},") + "]})]}",
		}, "src/content/docs/a/p%d.md", ""},
		"groups of MkDocs": {map[string]string{
			"mkdocs.yml": "plugins: [{literate-nav: {nav_file: N.md}}]\nnav:\n" + numbered("- G%d: a/\n", 10_000), "docs/a/N.md": numbered("- [A](p%d.md)\n", 10_000),
		}, "docs/a/p%d.md", ""},
		"folders of Fumadocs": {map[string]string{
			"source.config.ts": "", "content/meta.json": `{"pages": [` + repeat(`"...a", "...", ".", `) + `"b"]}`, "content/a/meta.json": `{"pages": [` + repeat(`".", "..", `) + `]}`,
		}, "content/p%d.md", "content/meta.json:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 10_000 {
				test.files[fmt.Sprintf(test.page, i)] = "A\n"
			}
			var s *Set
			cost.Check(t, strings.Repeat(" ", 1<<20), func(string) { s = load(t, test.files) })
			entries := 0
			for _, site := range s.Sites {
				for _, t := range site.Trees {
					entries += len(t.order)
				}
			}
			var warnings strings.Builder
			for _, n := range s.Notices() {
				fmt.Fprintf(&warnings, "%s:%d: %s\n", n.Path, n.Line, n.Reason)
			}
			if got := warnings.String(); entries > 20_002 || len(s.Pages(true)) < 10_000 || !strings.HasPrefix(got, test.warns) || strings.Count(got, "\n") != min(1, len(test.warns)) {
				t.Errorf("%d entries, %d pages, warnings:\n%s", entries, len(s.Pages(true)), got)
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

// TestEachFileOfConfigurationIsReadOnce has configuration that names the same files again and again.
func TestEachFileOfConfigurationIsReadOnce(t *testing.T) {
	big := numbered("export const n%d = [{link: '/a'}];\n", 20_000)
	fsys := &counting{MapFS: tree(map[string]string{
		"astro.config.mjs": numbered("import {n%d} from './big'\n", 100) + "export default {site: 'https://a.example', integrations: [starlight({sidebar: n0})]}", "big.ts": big,
		"src/content/docs/a.md": "A\n", "src/content/docs/b.md": "B\n",
		"x/mkdocs.yml": "INHERIT: ../base.yml\n", "base.yml": "INHERIT: base.yml\nsite_url: https://b.example/\n", "x/docs/a.md": "# A\n",
		"y/docs.json": `{"navigation": [` + strings.Repeat(`{"$ref": "docs.json"},`, 1000) + `]}`, "y/a.md": "# A\n",
	}), read: make(map[string]int)}
	cost.Check(t, strings.Repeat(" ", 1<<20), func(string) {
		clear(fsys.read)
		s, err := Find(t.Context(), fsys, Options{})
		if err == nil {
			err = s.Load(t.Context(), nil, nil)
		}
		if err != nil || len(s.Sites) != 3 || s.Sites[0].BaseURL != "https://a.example" || len(s.Sites[0].Trees[0].order) != 1 {
			t.Errorf("%v, %v", err, s)
		}
	})
	for name, times := range fsys.read {
		most := 2 // by Find and by Load
		if name == "y/docs.json" {
			most = 2 * 51
		}
		if times > most {
			t.Errorf("%s is read %d times", name, times)
		}
	}
}

// A counting file system counts how often each file is opened.
type counting struct {
	fstest.MapFS
	read map[string]int
}

func (c *counting) Open(name string) (fs.File, error) {
	if path.Ext(name) != ".md" && path.Ext(name) != "" {
		c.read[name]++
	}
	return c.MapFS.Open(name)
}

// TestNestedConfiguration is reported with the name of the file.
func TestNestedConfiguration(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	for _, name := range []string{"docs.json", "vercel.json", "meta.json"} {
		s := load(t, map[string]string{"source.config.ts": "", "content/a.md": "# A\n", name: deep, "content/" + name: deep, "docs/a.md": "# A\n"})
		if len(s.Pages(true)) == 0 || len(s.Notices()) == 0 || path.Base(s.Notices()[0].Path) != name {
			t.Errorf("%s: %v, %v", name, s, s.Notices())
		}
	}
}

// readConfiguration returns a reader of a text as the configuration of a generator.
func readConfiguration(t *testing.T, g *Generator) func(text string) {
	return func(text string) {
		if _, err := loadAll(t.Context(), configured(g.Markers[0], text)); err != nil {
			t.Error(err)
		}
	}
}

// readPage returns a reader of a text as a page of one of the readersFiles, and as a file that it includes.
func readPage(t *testing.T, i int) func(text string) {
	project := readersFiles[i]
	return func(text string) {
		s, err := loadAll(t.Context(), map[string]string{project.config: project.settings, project.page: text, project.part: text})
		if err != nil {
			t.Fatal(err)
		}
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
	big := numbered("line %d\n", 95_000)
	for name, test := range map[string]struct {
		config, page, text string
		files              map[string]string
		parts              int    // that the page has at least
		left               string // the first include that is left out
	}{
		"lines that do not exist":   {"mkdocs.yml", "docs/a.md", strings.Repeat("--8<-- \"big.txt:900000:900001\"\n", 20_000), map[string]string{"big.txt": big}, 15, "big.txt"},
		"thousands of small files":  {"mkdocs.yml", "docs/a.md", strings.Repeat("--8<-- \"small.txt\"\n", 20_000), map[string]string{"small.txt": "one\n"}, 15_000, "small.txt"},
		"files that do not exist":   {"mkdocs.yml", "docs/a.md", numbered("--8<-- \"no%d.txt\"\n", 70_000), nil, 16_384, "no16384.txt"},
		"too much":                  {"mkdocs.yml", "docs/a.md", "--8<-- \"big.txt\"\n--8<-- \"small.txt\"\n--8<-- \"big.txt\"\n--8<-- \"small.txt\"\n", map[string]string{"big.txt": big, "small.txt": "one\n"}, 3, "big.txt"},
		"a component":               {"docusaurus.config.js", "docs/a.md", "import A from './_p.mdx'\n\n" + strings.Repeat("<A />\n", 20_000), map[string]string{"docs/_p.mdx": strings.Repeat("text\n", 1000)}, 1, "A"},
		"notebooks":                 {"_quarto.yml", "a.qmd", strings.Repeat("{{< include b.ipynb >}}\n", 20_000), map[string]string{"b.ipynb": `{"cells": [{"cell_type": "raw", "source": "", "outputs": ["` + strings.Repeat("x", 900_000) + `"]}]}`}, 7_000, "b.ipynb"},
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
