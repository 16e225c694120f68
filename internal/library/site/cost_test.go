package site

import (
	"fmt"
	"io/fs"
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
		readers[g.Name] = func(text string) {
			if _, err := loadAll(t.Context(), configured(g.Markers[0], text)); err != nil {
				t.Error(err)
			}
		}
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
		}, "p%d.rst", "index.rst: line "},
		"a folder of Starlight": {map[string]string{
			"astro.config.mjs": "export default {integrations: [starlight({sidebar: [" + repeat("{autogenerate: {directory: 'a'}},") + "]})]}",
		}, "src/content/docs/a/p%d.md", ""},
		"groups of MkDocs": {map[string]string{
			"mkdocs.yml": "plugins: [{literate-nav: {nav_file: N.md}}]\nnav:\n" + numbered("- G%d: a/\n", 10_000), "docs/a/N.md": numbered("- [A](p%d.md)\n", 10_000),
		}, "docs/a/p%d.md", "docs/a/N.md: line 1: "},
		"folders of Fumadocs": {map[string]string{
			"source.config.ts": "", "content/meta.json": `{"pages": [` + repeat(`"...a", "...", ".", `) + `"b"]}`, "content/a/meta.json": `{"pages": [` + repeat(`".", "..", `) + `]}`,
		}, "content/p%d.md", ""},
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
				warnings.WriteString(n.Path + ": " + n.Reason + "\n")
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
	for _, name := range []string{"docs.json", "vercel.json", "context7.json", "meta.json"} {
		s := load(t, map[string]string{"source.config.ts": "", "content/a.md": "# A\n", name: deep, "content/" + name: deep, "docs/a.md": "# A\n"})
		if len(s.Pages(true)) == 0 || len(s.Notices()) == 0 || path.Base(s.Notices()[0].Path) != name {
			t.Errorf("%s: %v, %v", name, s, s.Notices())
		}
	}
}
