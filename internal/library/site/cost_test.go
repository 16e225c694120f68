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
