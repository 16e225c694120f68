package site

import (
	"maps"
	"testing"
)

// TestIDs resolves ids of one page of each generator: ids that it has, an id that it certainly lacks, and the same id
// where something that makes ids leaves that open.
func TestIDs(t *testing.T) {
	antora := map[string]string{"antora.yml": "name: c\nversion: ~\nasciidoc:\n  attributes:\n    name: Product\n", "modules/ROOT/partials/p.adoc": "== In a part\n"}
	hugo := map[string]string{"hugo.toml": ""}
	docusaurus := map[string]string{"docusaurus.config.js": ""}
	sphinx := map[string]string{"conf.py": "extensions = ['myst_parser']\n"}
	for name, test := range map[string]struct {
		site  map[string]string
		page  string
		text  string
		found []string
		lacks Certainty // of "#gone"
	}{
		"Antora":                           {antora, "modules/ROOT/pages/a.adoc", "= A\n:mine: Own\n\n== About {name}\n\n== {mine} parts\n\n[#set]\ntext {unknown}[x]\n\n[[[book]]] [source#code]\n\ninclude::partial$p.adoc[]\n\n----\ninclude::none.adoc[]\n----\n", []string{"about-product", "_own_parts", "set", "book", "in-a-part", "Own parts"}, Absent},
		"Hexo":                             {map[string]string{"_config.yml": "source_dir: source\ntheme: x\n"}, "source/a.md", "## A & B\n\n## C {% added 1 %}\n\n## `d` <sup><a href=\"x\"><Icon /></a></sup>\n\n## E {data-link=\"E\"}\n", []string{"A-amp-B", "c", "d", "e"}, Absent},
		"Antora: a heading that is open":   {antora, "modules/ROOT/pages/a.adoc", "== {unknown}\n", nil, Unknown},
		"Antora: an include that is open":  {antora, "modules/ROOT/pages/a.adoc", "== A\n\ninclude::{unknown}/x.adoc[]\n", nil, Unknown},
		"Antora: an id that is open":       {antora, "modules/ROOT/pages/a.adoc", "[[{unknown}]]\n== A\n", nil, Unknown},
		"Antora: a prefix":                 {antora, "modules/ROOT/pages/a.adoc", ":idprefix: id-\n\n== A\n", nil, Unknown},
		"Hugo":                             {hugo, "content/a.md", "## A\n\nA\n: text\n\n{{< youtube x >}}\n`{{< none >}}`\n", []string{"a", "a-1"}, Absent},
		"Hugo: a shortcode with ids":       {hugo, "content/a.md", "{{< list x >}}\n", nil, Unknown},
		"Hugo: an unknown shortcode":       {hugo, "content/a.md", "{{% none %}}\n", nil, Unknown},
		"Docusaurus":                       {docusaurus, "docs/a.md", "import Box from '@site/src/components/Box';\n\n# A\n\n<Tabs>\n<TOCInline toc={toc} />\n</Tabs>\n\n<Own>\ntext\n</Own>\n\n```jsx\n<None />\n```\n", []string{"a"}, Absent},
		"Starlight: entities":              {map[string]string{"astro.config.mjs": "starlight()"}, "src/content/docs/a.md", "## Soft&shy;hyphen\n", []string{"softhyphen"}, Absent},
		"Docusaurus: fences":               {docusaurus, "docs/a.mdx", "<Tabs>\n    ```js\n    x\n  ```\n</Tabs>\n\n# A\n", []string{"a"}, Absent},
		"Docusaurus: a component with ids": {docusaurus, "docs/a.md", "import {Box, Api} from '../src/components/Api';\n\n<Api name=\"x\" />\n", nil, Unknown},
		"Docusaurus: an unknown component": {docusaurus, "docs/a.md", "<None />\n", nil, Unknown},
		"VitePress":                        {map[string]string{".vitepress/config.ts": ""}, "a.md", "# A <Badge type=\"tip\" text=\"x\" />\n\n::: tip\n{{ value }}\n:::\n", []string{"a"}, Absent},
		"Mintlify":                         {map[string]string{"docs.json": `{"navigation": {"pages": ["a"]}}`}, "a.mdx", "## What's `a/b`?\n\n## Same\n\n## Same\n\n### `x` - <Badge>required</Badge>\n\n<Accordion title=\"Some more\">\n<ParamField body=\"api.key\" />\n<ResponseField name=\"data\" type=\"x\" />\n<Step id=\"own\" title=\"One\" />\n</Accordion>\n", []string{"what’s-a%2Fb", "same-2", "x", "some-more", "param-api-key", "response-data", "own", "one"}, Absent},
		"Mintlify: an unknown component":   {map[string]string{"docs.json": `{"navigation": {"pages": ["a"]}}`}, "a.mdx", "<Own />\n", nil, Unknown},
		"Docsify":                          {map[string]string{"index.html": "$docsify"}, "a.md", "## A b :id=own\n\n{{ message }}\n", []string{"own", "a-b"}, Absent},
		"Sphinx with MyST":                 {sphinx, "a.md", "# A\n\n(own/label)=\n\n:::{note}\n:name: the-note\n:::\n\n```{figure-md} a-figure\n```\n\n```{eval-rst}\n.. figure:: x.png\n   :name: a-name\n```\n\n$$\na\n$$ (sum)\n", []string{"a", "own/label", "the-note", "a-figure", "a-name", "sum"}, Absent},
		"Sphinx with MyST: API":            {sphinx, "a.md", "```{py:class} a.B\n```\n", nil, Unknown},
		"MkDocs: notices and entities":     {map[string]string{"mkdocs.yml": ""}, "docs/a.md", "!!! note\n\n    ## A\n\n<p id=\"b&#x5F;c\">\n", []string{"a", "b_c"}, Absent},
		"MkDocs":                           {map[string]string{"mkdocs.yml": ""}, "docs/a.md", "# A\n\n{{ x }}\n", []string{"a"}, Absent},
		"MkDocs with macros":               {map[string]string{"mkdocs.yml": "plugins: [macros]"}, "docs/a.md", "{{ macro() }}\n", nil, Unknown},
		"Jekyll":                           {map[string]string{"_config.yml": "url: x"}, "a.md", "---\n---\n# A\n\n{% include x.html %}\n", []string{"a"}, Unknown},
		"Jekyll: an include with ids":      {map[string]string{"_config.yml": "url: x", "_includes/y.html": "<p id=\"x\">"}, "a.md", "---\n---\n{% include y.html %}\n", nil, Unknown},
		"Zola: a shortcode with ids":       {map[string]string{"config.toml": "base_url = 'x'", "templates/shortcodes/x.html": "<p>", "templates/shortcodes/y.html": "<p id=x>"}, "content/a.md", "{{ x() }}\n{{ y() }}\n", nil, Unknown},
		"no generator":                     {map[string]string{"docs/b.md": "# B\n"}, "docs/a.md", "# A\n\n<InlineToc />\n\n<Member permalink=\"me\">\nx\n</Member>\n", []string{"a", "me"}, Absent},
	} {
		files := maps.Clone(test.site)
		files[test.page] = test.text
		s := load(t, files)
		p := s.Page(test.page)
		link := func(id string) string {
			if formatOf(test.page) == asciidoc {
				return "<<" + id
			}
			return "#" + id
		}
		for _, id := range test.found {
			if to := s.Resolve(p, link(id)); to.Certainty != Found {
				t.Errorf("%s: %q is %s", name, id, to.Certainty)
			}
		}
		if to := s.Resolve(p, link("gone")); to.Certainty != test.lacks {
			t.Errorf("%s: a missing id is %s, want %s", name, to.Certainty, test.lacks)
		}
	}
}
