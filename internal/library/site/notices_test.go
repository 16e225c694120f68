package site

import (
	"fmt"
	"strings"
	"testing"
)

// What configuration says and the program cannot follow is reported once, with its line.
func TestNotices(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a missing file": {
			map[string]string{"mkdocs.yml": "site_name: x\nnav:\n- a.md\n- More:\n  - Gone: guide/gone.md\n  - Again: guide/gone.md\n  - made.md\n  - https://a.example/x.md\n", "docs/a.md": "# A\n", ".gitignore": "made.md\n"},
			"mkdocs.yml:5: the navigation names docs/guide/gone.md, which is not there",
		},
		"a name without extension": {
			map[string]string{"docs.json": `{"navigation": {"pages": ["a", "GET /users",` + "\n" + `"gone"]}}`, "a.mdx": "# A\n"},
			"docs.json:2: the navigation names gone, which is not there",
		},
		"sections and comments": {
			map[string]string{"_quarto.yml": "project: {type: website}\nwebsite:\n  sidebar:\n    contents:\n    - section: Guide\n      contents: [a.qmd, ---, gone.qmd]\n", "a.qmd": "# A\n",
				"docs/make.jl": "makedocs(pages = [\"b.md\",\n  #=\n # \"x\"\n\"old.md\"\n  =#\n # \"older.md\",\n])", "docs/src/b.md": "# B\n"},
			"_quarto.yml:6: the navigation names gone.qmd, which is not there",
		},
		"a list": {
			map[string]string{"book.toml": "", "src/SUMMARY.md": "- [A](a.md)\n- [Gone](gone.md)\n- [Draft]()\n", "src/a.md": "# A\n"},
			"src/SUMMARY.md:2: the navigation names src/gone.md, which is not there",
		},
		"another language": {
			map[string]string{"docs/en/mkdocs.yml": "nav: [a.md, b.md]\n", "docs/en/docs/a.md": "# A\n", "docs/en/docs/b.md": "# B\n", "docs/de/docs/a.md": "# A\n"},
			"",
		},
		"settings that are not understood": {
			map[string]string{"mkdocs.yml": "plugins:\n- search\n- awesome-pages\n- gen-files:\n    scripts: [x.py]\n", "docs/a.md": "# A\n"},
			"mkdocs.yml:3: plugins.awesome-pages is not understood: its order of the pages is lost\nmkdocs.yml:4: plugins.gen-files is not understood: the pages that it makes are missing",
		},
		"a value of a program": {
			map[string]string{".vitepress/config.ts": "export default {\n themeConfig: {\n  sidebar: make(x).y\n }\n}", "a.md": "# A\n"},
			".vitepress/config.ts:3: themeConfig.sidebar is known only when the program runs: pages are in the order of their names",
		},
		"modules of other repositories": {
			map[string]string{"hugo.toml": "[[module.imports]]\npath = 'a.example/theme'\n[[module.imports]]\npath = 'a.example/docs'\n[[module.imports.mounts]]\nsource = 'x'\ntarget = 'content/x'\n", "content/a.md": "# A\n"},
			"hugo.toml:4: module.imports is not understood: the documents of a.example/docs are missing",
		},
		"a toctree": {
			map[string]string{"conf.py": "project = 'x'\n", "index.rst": "A\n=\n\n.. toctree::\n\n   self\n   genindex\n   b\n   gone\n   O <https://a.example>\n", "b.rst": "B\n=\n"},
			"index.rst:9: the navigation names gone, which is not there",
		},
		"configuration that names what is missing": {
			map[string]string{"antora.yml": "name: c\nnav:\n- modules/ROOT/gone.adoc\n", "modules/ROOT/pages/a.adoc": "= A\n", "book/book.toml": "", "book/src/a.md": "# A\n"},
			"book/book.toml:0: needs book/src/SUMMARY.md, which is not there: the book has no pages\nantora.yml:3: the navigation names modules/ROOT/gone.adoc, which is not there",
		},
		"a sidebar of Starlight": {
			map[string]string{"astro.config.mjs": "export default {integrations: [starlight({sidebar: [\n'a', 'gone', help('Not a page'),\n{label: 'X', autogenerate: {directory: 'none'}}]})]}", "src/content/docs/a.md": "# A\n"},
			"astro.config.mjs:2: the navigation names src/content/docs/gone, which is not there\nastro.config.mjs:3: the navigation names src/content/docs/none, which is not there",
		},
		"files of Docusaurus": {
			map[string]string{"docusaurus.config.js": "export default {url: 'http://localhost:3000',\npresets: [['classic', {docs: {sidebarPath: './gone.js'}}]]}", "versions.json": "[", "docs/a.md": "# A\n"},
			"versions.json:0: cannot be parsed: versions are missing\ndocusaurus.config.js:2: the navigation names gone.js, which is not there\ndocusaurus.config.js:1: http://localhost:3000 is not an address of a published site: pages have no URLs",
		},
		"YAML": {
			map[string]string{"mkdocs.yml": "site_name: x\nnav: [a.md\nx: y\n", "docs/a.md": "# A\n"},
			"mkdocs.yml:3: cannot be parsed: there must be ',' or ']': its settings are not read",
		},
		"TOML": {
			map[string]string{"hugo.toml": "title = 'x'\nbaseURL = \n", "content/a.md": "# A\n"},
			"hugo.toml:2: cannot be parsed: toml: unexpected character U+000A at start of value: its settings are not read",
		},
		"JSON": {
			map[string]string{"docs.json": "{\n\"navigation\": {x}\n}", "docs/a.md": "# A\n"},
			"docs.json:2: cannot be parsed: invalid character 'x' looking for beginning of object key string: its settings are not read",
		},
	} {
		s := load(t, test.files)
		var lines []string
		for _, n := range s.Notices() {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", n.Path, n.Line, n.Reason))
		}
		if got := strings.Join(lines, "\n"); got != test.want || len(s.Pages(true)) == 0 {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}
