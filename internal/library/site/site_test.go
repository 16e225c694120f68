package site

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// tree is a project in memory: its files, by name.
func tree(files map[string]string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func load(t *testing.T, files map[string]string) *Set {
	t.Helper()
	s, err := loadAll(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func loadAll(ctx context.Context, files map[string]string) (*Set, error) {
	s, err := Find(ctx, tree(files), Options{})
	if err != nil {
		return nil, err
	}
	return s, s.Load(ctx, nil, nil)
}

func content(t testing.TB, s *Set, p *Page, text string) Content {
	t.Helper()
	c, err := s.Content(t.Context(), p, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func uses(t testing.TB, s *Set, p *Page, text string) []string {
	t.Helper()
	files, err := s.Uses(t.Context(), p, text)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// outline returns a line a page: file, title, and what else is known.
func outline(pages []*Page) string {
	var b strings.Builder
	for _, p := range pages {
		b.WriteString(p.Path + " | " + p.Title)
		for _, more := range []string{p.Language(), p.Version()} {
			if more != "" {
				b.WriteString(" | " + more)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestGenerators has a small tree for each generator.
func TestGenerators(t *testing.T) {
	for name, test := range map[string]struct {
		files     map[string]string
		want, all string // all: "" if it is the same
	}{
		"MkDocs": {
			files: map[string]string{
				"mkdocs.yml":       "site_url: https://a.example/x/\nnav:\n  - Start: index.md\n  - More: [b.md, a.md]\nplugins: [search]\nemoji: !!python/name:x.y\n",
				"docs/index.md":    "# Home\n",
				"docs/a.md":        "# First { #first }\n",
				"docs/b.md":        "text\n",
				"docs/c/README.md": "# C\n", "docs/templates/x.md": "no", "docs/.hidden.md": "no",
			},
			want: "index.md | Start\nb.md | B\na.md | First\nc/README.md | C\n",
		},
		"MkDocs in many languages": {
			files: map[string]string{
				"docs/en/mkdocs.yml": "site_url: https://a.example/\n", "docs/en/docs/a.md": "# A\n", "docs/de/docs/a.md": "# Ä\n", "docs/de/mkdocs.yml": "INHERIT: ../en/mkdocs.yml\n",
			},
			want: "a.md | A | en\n",
			all:  "a.md | A | en\ndocs/de/docs/a.md | Ä | de\n",
		},
		"Docusaurus with versions": {
			files: map[string]string{
				"website/docusaurus.config.js": "// url: 'https://no.example'\nmodule.exports = {url: 'https://a.example', baseUrl: '/', presets: [['classic', {docs: {path: '../docs'}}]]}",
				"website/versions.json":        `["2.0", "1.0"]`, "docs/intro.md": "# Next\n", "docs/x/x.md": "# X\n", "docs/_part.md": "no",
				"website/versioned_docs/version-2.0/01-intro.md": "---\nid: start\ntitle: Intro\n---\n", "website/versioned_docs/version-1.0/intro.md": "# Old\n", "website/versioned_docs/version-0.1/intro.md": "gone",
			},
			want: "01-intro.md | Intro | 2.0\n",
			all:  "01-intro.md | Intro | 2.0\nwebsite/versioned_docs/version-1.0/intro.md | Old | 1.0\ndocs/intro.md | Next | next\ndocs/x/x.md | X | next\n",
		},
		"VitePress": {
			files: map[string]string{
				"docs/.vitepress/config.ts": "export default {cleanUrls: true, sitemap: {hostname: 'https://a.example'}, locales: {root: {lang: 'en'}, fr: {label: 'F', lang: 'fr'}}, themeConfig: {sidebar: [{text: 'x', link: '/b'}]}}",
				"docs/a.md":                 "# A\n", "docs/b.md": "# B\n", "docs/fr/a.md": "# À\n", "docs/public/x.md": "no",
			},
			want: "b.md | B | en\na.md | A | en\n",
			all:  "b.md | B | en\na.md | A | en\ndocs/fr/a.md | À | fr\n",
		},
		"VuePress": {
			files: map[string]string{
				"docs/.vuepress/config.js": "module.exports = {themeConfig: {sidebar: {'/guide/': ['', {title: 'X', children: [['c', 'C'], '/guide/b']}]}}}",
				"docs/README.md":           "# Home\n", "docs/guide/a.md": "# A\n", "docs/guide/b.md": "# B\n", "docs/guide/c.md": "# C\n", "docs/guide/README.md": "# Guide\n",
			},
			want: "README.md | Home\nguide/README.md | Guide\nguide/c.md | C\nguide/b.md | B\nguide/a.md | A\n",
		},
		"Starlight": {
			files: map[string]string{
				"astro.config.mjs":           "export default defineConfig({site: 'https://a.example', integrations: [starlight({locales: {root: {lang: 'en'}, 'zh-cn': {lang: 'zh-CN'}}, sidebar: ['b', {autogenerate: {directory: 'g'}}]})]})",
				"src/content/docs/A Page.md": "---\ntitle: A\n---\n", "src/content/docs/b.mdx": "---\ntitle: B\n---\nx", "src/content/docs/g/c.md": "---\ntitle: C\n---\n", "src/content/docs/_x.md": "no",
				"src/content/docs/zh-cn/b.mdx": "---\ntitle: 乙\n---\n",
			},
			want: "b.mdx | B | en\ng/c.md | C | en\nA Page.md | A | en\n",
			all:  "b.mdx | B | en\ng/c.md | C | en\nA Page.md | A | en\nsrc/content/docs/zh-cn/b.mdx | 乙 | zh-cn\n",
		},
		"Starlight with imports": {
			files: map[string]string{
				"astro.config.ts":          "import { sidebar } from './sidebar'\nimport { locales as other } from 'x'\nimport { all } from './config/locales';\nexport default defineConfig({integrations: [starlight({defaultLocale: 'en', locales: all,\n sidebar})]})",
				"sidebar.ts":               "export const sidebar = [group('x', {items: ['b']})] satisfies X;\n",
				"config/locales.ts":        "export const all = {\n\ten: { lang: 'en' },\n\t'pt-br': { lang: 'pt-BR' },\n} satisfies X;\n",
				"src/content/docs/en/a.md": "---\ntitle: A\n---\n", "src/content/docs/en/b.mdx": "---\ntitle: B\n---\nx", "src/content/docs/pt-br/a.md": "---\ntitle: Á\n---\n",
			},
			want: "b.mdx | B | en\na.md | A | en\n",
			all:  "b.mdx | B | en\na.md | A | en\nsrc/content/docs/pt-br/a.md | Á | pt-br\n",
		},
		"Starlight with locales in another file": {
			files: map[string]string{
				"astro.config.ts":          "import { locales } from './locales';\nexport default defineConfig({integrations: [starlight({defaultLocale: 'en', locales})]})",
				"src/content/docs/en/a.md": "---\ntitle: A\n---\n", "src/content/docs/pt-br/a.md": "---\ntitle: Á\n---\n",
			},
			want: "en/a.md | A | en\n",
			all:  "en/a.md | A | en\nsrc/content/docs/pt-br/a.md | Á | pt-br\n",
		},
		"Hugo with versions": {
			files: map[string]string{
				"hugo.toml":         "baseURL = 'https://a.example/'\n[params]\nlatest = 'v2.1'\n",
				"content/_index.md": "---\ntitle: Home\n---\n", "content/docs/v2.1/Page.md": "+++\ntitle = 'New'\n+++\n", "content/docs/v1.0/Page.md": "---\ntitle: Old\n---\n", "content/docs/v1.0/d.md": "---\ndraft: true\n---\n",
				"content/_common/x.md": "part", "content/blog/2025/x.md": "---\ndraft: true\n---\n", "content/blog/2026/x.md": "---\ndraft: true\n---\n",
			},
			want: "_index.md | Home | en\ndocs/v2.1/Page.md | New | en | v2.1\n",
			all:  "_index.md | Home | en\ndocs/v2.1/Page.md | New | en | v2.1\ncontent/docs/v1.0/Page.md | Old | en | v1.0\n",
		},
		"Zola": {
			files: map[string]string{"config.toml": "base_url = 'https://a.example'\n", "content/_index.md": "\n+++\ntitle = 'Home'\n+++\n", "content/Über.md": "+++\ntitle = 'U'\n+++\n"},
			want:  "_index.md | Home | en\nÜber.md | U | en\n",
		},
		"mdBook": {
			files: map[string]string{"book.toml": "[book]\nlanguage = 'en'\n", "src/SUMMARY.md": "# Summary\n\n[Intro](intro.md)\n- [One](one.md)\n- [Draft]()\n", "src/one.md": "## I\n", "src/intro.md": "x", "src/other.md": "no"},
			want:  "intro.md | Intro | en\none.md | One | en\n",
		},
		"Sphinx": {
			files: map[string]string{
				"docs/conf.py":   "extensions = ['myst_parser']\nexclude_patterns = ['drafts']\nhtml_baseurl = 'https://a.example/en/'\n",
				"docs/index.rst": "Welcome\n=======\n\n.. toctree::\n   :maxdepth: 2\n\n   b\n   Named <a>\n", "docs/a.md": "# A\n", "docs/b.rst": "====\n B\n====\n", "docs/drafts/x.rst": "X\n=\n", "docs/notes.txt": "no",
			},
			want: "index.rst | Welcome\nb.rst | B\na.md | A\n",
		},
		"Antora": {
			files: map[string]string{
				"docs/antora.yml": "name: c\nversion: '1'\nnav: [modules/ROOT/nav.adoc]\nasciidoc:\n  attributes:\n    product: P@\n", "docs/modules/ROOT/nav.adoc": "* xref:b.adoc[]\n* xref:a.adoc[]\n",
				"docs/modules/ROOT/pages/a.adoc": "= About {product}\n", "docs/modules/ROOT/pages/b.adoc": "= B\n", "docs/modules/ROOT/pages/_p.adoc": "no", "docs/modules/ROOT/partials/x.adoc": "no", "antora-playbook.yml": "site:\n  url: https://a.example\n",
			},
			want: "ROOT/pages/b.adoc | B\nROOT/pages/a.adoc | About P\n",
		},
		"Jekyll": {
			files: map[string]string{
				"_config.yml": "url: https://a.example\ncollections:\n  docs:\n    output: true\n    permalink: /:collection/:path/\n", "index.md": "---\ntitle: Home\n---\nx", "_docs/a.md": "---\ntitle: A\n---\n", "_drafts/x.md": "---\n---\n", "about.html": "---\ntitle: About\n---\n<p>",
				"plain.md": "no front matter", "_posts/2026-01-02-hi.md": "---\ntitle: Hi\n---\n",
			},
			want: "index.md | Home\nabout.html | About\n_docs/a.md | A\n_posts/2026-01-02-hi.md | Hi\n",
		},
		"Mintlify": {
			files: map[string]string{"docs.json": `{"navigation": {"languages": [{"language": "en", "pages": ["b", "a"]}, {"$ref": "./fr.json"}]}}`, "fr.json": `{"language": "fr", "pages": ["fr/a"]}`, "a.mdx": "---\ntitle: A\n---\n", "b.mdx": "---\ntitle: B\n---\n", "fr/a.mdx": "---\ntitle: À\n---\n", "snippets/x.mdx": "no", "README.md": "no"},
			want:  "b.mdx | B | en\na.mdx | A | en\n", all: "b.mdx | B | en\na.mdx | A | en\nfr/a.mdx | À | fr\n",
		},
		"GitBook": {
			files: map[string]string{"SUMMARY.md": "* [Home](README.md)\n* [One](a/o\\_ne.md)\n", "README.md": "# H\n", "a/o_ne.md": "# O\n", "a/two.md": "no"},
			want:  "README.md | Home\na/o_ne.md | One\n",
		},
		"Docsify": {
			files: map[string]string{"docs/index.html": "<script>window.$docsify = {}</script>", "docs/README.md": "# R\n", "docs/_sidebar.md": "* [B](b.md)\n* [A](a)\n", "docs/a.md": "# A\n", "docs/b.md": "# B\n"},
			want:  "README.md | R\nb.md | B\na.md | A\n",
		},
		"DocFX": {
			files: map[string]string{"x/docfx.json": `{"build": {"content": [{"files": ["**/*.md"], "exclude": ["obj/**"]}]}}`, "x/a.md": "# A\n", "x/includes/p.md": "no", "x/obj/b.md": "no"},
			want:  "a.md | A\n",
		},
		"Quarto": {
			files: map[string]string{"_quarto.yml": "project:\n  type: website\nwebsite:\n  site-url: https://a.example\n", "index.qmd": "---\ntitle: Home\n---\n", "a.ipynb": `{"cells": [{"cell_type": "markdown", "source": ["# A\n", "text"]}]}`, "_p.qmd": "no", "d.qmd": "---\ndraft: true\n---\n", "README.md": "no"},
			want:  "index.qmd | Home\na.ipynb | A\n",
		},
		"Nextra": {
			files: map[string]string{"next.config.mjs": "import nextra from 'nextra'", "app/docs/(group)/x/page.mdx": "# X\n", "app/layout.mdx": "no"},
			want:  "docs/(group)/x/page.mdx | X\n",
		},
		"Fumadocs": {
			files: map[string]string{"source.config.ts": "export const docs = defineDocs({dir: 'content/docs'})", "content/docs/meta.json": `{"pages": ["b", "---X---", "..."]}`, "content/docs/a.mdx": "---\ntitle: A\n---\n", "content/docs/b.mdx": "---\ntitle: B\n---\n"},
			want:  "b.mdx | B\na.mdx | A\n",
		},
		"Antora on this computer": {
			files: map[string]string{"antora.yml": "name: c\n", "antora-playbook.yml": "site: {url: http://localhost:5002}", "modules/m/pages/a.adoc": "= A\n"},
			want:  "m/pages/a.adoc | A\n",
		},
		"Fumadocs with collections and languages": {
			files: map[string]string{"source.config.ts": "export const docs = defineDocs({dir: 'content/docs'})\nexport const blog = defineDocs({dir: 'content/blog'})", "content/docs/a.mdx": "# A\n", "content/docs/b.mdx": "# B\n", "content/docs/a.cn.mdx": "# 甲\n", "content/docs/b.cn.mdx": "# 乙\n", "content/blog/c.mdx": "# C\n"},
			want:  "a.mdx | A | en\nb.mdx | B | en\ncontent/blog/c.mdx | C\n",
			all:   "a.mdx | A | en\nb.mdx | B | en\ncontent/docs/a.cn.mdx | 甲 | cn\ncontent/docs/b.cn.mdx | 乙 | cn\ncontent/blog/c.mdx | C\n",
		},
		"Fumadocs without names of collections": {
			files: map[string]string{"source.config.ts": "", "content/docs/(x)/a.mdx": "# A\n", "content/blog/b.mdx": "# B\n"},
			want:  "(x)/a.mdx | A\ncontent/blog/b.mdx | B\n",
		},
		"releases of one page": {
			files: map[string]string{"_quarto.yml": "project: {type: website}", "log/1.1/index.qmd": "# 1.1\n", "log/1.2/index.qmd": "# 1.2\n"},
			want:  "log/1.1/index.qmd | 1.1\nlog/1.2/index.qmd | 1.2\n",
		},
		"Jupyter Book": {
			files: map[string]string{"_config.yml": "title: X\n", "_toc.yml": "format: jb-book\nroot: intro\nchapters:\n- file: b\n- file: a\n", "intro.md": "# I\n", "a.md": "# A\n", "b.md": "# B\n", "c.md": "no"},
			want:  "intro.md | I\nb.md | B\na.md | A\n",
		},
		"Hexo": {
			files: map[string]string{"_config.yml": "url: https://a.example\nsource_dir: source\npermalink: news/:year/:title/\npretty_urls: {trailing_html: false}\n", "source/a.md": "---\ntitle: A\n---\n", "source/_posts/b.md": "---\ntitle: B\ndate: 2020-01-02 10:00\n---\n", "source/_posts/c.md": "# C\n", "source/_drafts/b.md": "no"},
			want:  "a.md | A\n_posts/b.md | B\n_posts/c.md | C\n",
		},
		"Eleventy": {
			files: map[string]string{"eleventy.config.js": "module.exports = function (eleventyConfig) { return {dir: {input: 'src'}} }", "src/a.md": "# A\n", "src/_includes/x.md": "no"},
			want:  "a.md | A\n",
		},
		"Eleventy with a constant": {
			files: map[string]string{"eleventy.config.js": "export default function (x) { x.add((config) => config.y) }\nexport const config = {dir: {input: 'src'}}", "README.md": "no", "src/a.md": "# A {% added \"1.0\" %}\n", "src/b.md": "---\npermalink: false\n---\nno"},
			want:  "a.md | A\n",
		},
		"Zola next to sites of tests": {
			files: map[string]string{"docs/config.toml": "base_url = 'https://a.example'", "docs/content/a.md": "# A\n", "test_site/config.toml": "base_url = 'https://b.example'", "test_site/content/no.md": "no"},
			want:  "a.md | A | en\n",
		},
		"ExDoc": {
			files: map[string]string{"mix.exs": `docs: [extras: ["README.md", "guides/a.md"]]`, "README.md": "# R\n", "guides/a.md": "# A\n", "guides/b.md": "no"},
			want:  "README.md | R\nguides/a.md | A\n",
		},
		"Documenter": {
			files: map[string]string{"docs/make.jl": `makedocs(pages = ["B" => "b.md", "a.md"])`, "docs/src/a.md": "# A\n", "docs/src/b.md": "# Bee\n"},
			want:  "b.md | B\na.md | A\n",
		},
		"Hugo without pages that are not rendered": {
			files: map[string]string{
				"hugo.toml":         "baseURL = 'https://a.example/'\n[[cascade]]\n[cascade.build]\nrender = 'never'\n[cascade.target]\npath = '{,/**}/parts{,/**}'\n[[cascade]]\n[cascade.build]\nrender = 'never'\n[cascade.target]\nkind = 'page'\n",
				"content/_index.md": "---\ntitle: Home\n---\n", "content/docs/parts/no.md": "no", "content/terms/_index.md": "---\ntitle: Terms\nbuild: {render: always}\ncascade: {build: {render: never}}\n---\n", "content/terms/no.md": "no",
				"content/terms/yes.md": "---\nbuild: {render: always}\n---\n# Yes\n", "content/old.md": "---\nexpiryDate: 2020-01-02 # a comment\n---\nno", "content/shared/index.md": "---\nheadless: true\n---\n", "content/shared/a/no.md": "no",
				"content/bundle/index.md": "# Bundle\n", "content/bundle/part.md": "no",
			},
			want: "_index.md | Home | en\nbundle/index.md | Bundle | en\nterms/_index.md | Terms | en\nterms/yes.md | Yes | en\n",
		},
		"Hugo with languages in folders": {
			files: map[string]string{
				"hugo.toml":       "baseURL = 'https://a.example/'\n[languages.en]\nlabel = 'E'\n[languages.fr]\nlabel = 'F'\n",
				"content/en/a.md": "# A\n", "content/fr/a.md": "# À\n",
			},
			want: "a.md | A | en\n",
			all:  "a.md | A | en\ncontent/fr/a.md | À | fr\n",
		},
		"parts of headless pages without a generator": {
			files: map[string]string{"docs/a.md": "# A\n", "docs/shared/index.md": "---\nheadless: true\n---\n", "docs/shared/x/part.md": "no", "docs/b/index.md": "# B\n", "docs/b/c.md": "# C\n"},
			want:  "a.md | A\nb/index.md | B\nb/c.md | C\n",
		},
		"MkDocs with Material": {
			files: map[string]string{
				"mkdocs.yml":    "theme: {name: material}\nplugins:\n- exclude:\n    glob: ['**/include-*.md', 'drafts/*', '*.tmp.md']\nnav:\n- Home: index.md\n- Nav: a.md\n",
				"docs/index.md": "# Heading\n", "docs/a.md": "---\ntitle: Front\n---\n# Heading\n", "docs/x/include-a.md": "no", "docs/drafts/x/a.md": "no", "docs/y/b.tmp.md": "no",
			},
			want: "index.md | Home\na.md | Front\n",
		},
		"Mintlify with versions": {
			files: map[string]string{
				"docs.json":             `{"navigation": {"tabs": [{"tab": "Docs", "versions": [{"version": "Version 2 (latest)", "default": true, "pages": ["docs/2026-07-28/a", "docs/2026-07-28/b", "examples"]}, {"version": "Version 1", "pages": [{"group": "G", "pages": ["docs/2025-01-02/a"]}, "docs/2025-01-02/old"]}]}, {"tab": "More", "pages": ["more"]}]}}`,
				"docs/2026-07-28/a.mdx": "# A\n", "docs/2026-07-28/b.mdx": "# B\n", "docs/2025-01-02/a.mdx": "# Old A\n", "docs/2025-01-02/old.mdx": "# Old\n", "examples.mdx": "# E\n", "more.mdx": "# M\n",
			},
			want: "docs/2026-07-28/a.mdx | A | Version 2 (latest)\ndocs/2026-07-28/b.mdx | B | Version 2 (latest)\nexamples.mdx | E\nmore.mdx | M\n",
			all:  "docs/2026-07-28/a.mdx | A | Version 2 (latest)\ndocs/2026-07-28/b.mdx | B | Version 2 (latest)\nexamples.mdx | E\nmore.mdx | M\ndocs/2025-01-02/a.mdx | Old A | Version 1\ndocs/2025-01-02/old.mdx | Old | Version 1\n",
		},
		"Docusaurus with a version that a build makes": {
			files: map[string]string{
				"docusaurus.config.js": "module.exports = {url: 'https://a.example', presets: [['classic', {docs: {includeCurrentVersion: false}}]]}",
				"versions.json":        `["2.x", "1.x"]`, "docs/a.md": "# A\n", "versioned_docs/version-1.x/a.md": "# Old\n",
			},
			want: "a.md | A | 2.x\n",
			all:  "a.md | A | 2.x\nversioned_docs/version-1.x/a.md | Old | 1.x\n",
		},
		"Astro without Starlight": {
			files: map[string]string{"astro.config.mjs": "export default {site: 'https://a.example', vite: {resolve: {alias: {'@astrojs/starlight/components': './x'}}}}", "src/content/docs/a.md": "# A\n", "src/content/blog/b.md": "# B\n"},
			want:  "blog/b.md | B\ndocs/a.md | A\n",
		},
		"Docusaurus with presets of a program": {
			files: map[string]string{"docusaurus.config.js": "module.exports = {url: 'https://a.example', presets: make()}", "docs/a.md": "# A\n"},
			want:  "a.md | A\n",
		},
		"Docusaurus with a blog": {
			files: map[string]string{
				"docusaurus.config.js": "module.exports = {url: 'https://a.example', baseUrl: '/', i18n: {defaultLocale: 'en', locales: ['en', 'fr']}, presets: [['classic', {docs: {}, blog: {showReadingTime: true}}]]}",
				"docs/a.md":            "# A\n", "blog/2026-01-02-hi.md": "# Hi\n", "blog/2026/02/03/more/index.md": "---\nslug: other\n---\n# More\n", "i18n/fr/docusaurus-plugin-content-blog/2026-01-02-hi.md": "# Salut\n",
			},
			want: "a.md | A | en\nblog/2026-01-02-hi.md | Hi | en\nblog/2026/02/03/more/index.md | More | en\n",
			all:  "a.md | A | en\nblog/2026-01-02-hi.md | Hi | en\nblog/2026/02/03/more/index.md | More | en\ni18n/fr/docusaurus-plugin-content-blog/2026-01-02-hi.md | Salut | fr\n",
		},
		"a README alone": {
			files: map[string]string{"README.md": "# R\n", "main.go": "package main", "resources/x/h/a.md": "no", "pkg/package.json": "{}", "pkg/README.md": "no", "CHANGELOG.md": "no", "vendor/x/a.md": "no", "tests/a.md": "no", "tests/a.go": ""},
			want:  "README.md | R\n",
		},
		"notes": {
			files: map[string]string{"wifi.md": "# W\n", "CHANGELOG.md": "no", "home/README.md": "# H\n", "_private.md": "no", "work/_index.md": "# Work\n", "work/test/a.md": "# T\n", "work/.git/x": "", "work/sub/.git/x": "", "work/sub/a.md": "no"},
			want:  "wifi.md | W\nhome/README.md | H\n",
		},
		"documents next to code": {
			files: map[string]string{"README.md": "no", "CONTRIBUTING.md": "no", "package.json": "{}", "a.js": "", "guides/test/a.md": "# T\n", "guides/b.md": "# B\n", "packages/x/README.md": "no", "packages/x/package.json": "{}",
				"packages/x/guide.md": "# G\n", "third_party/y/a.md": "no"},
			want: "guides/b.md | B\nguides/test/a.md | T\npackages/x/guide.md | G\n",
		},
		"a README that is the manual": {
			files: map[string]string{"README.md": "# The manual\n", "main.rs": "", "doc/sponsors.md": "# S\n"},
			want:  "README.md | The manual\nsponsors.md | S\n",
		},
		"a folder with most documents": {
			files: map[string]string{"README.md": "no", "a.go": "", "docs/README.md": "# D\n", "docs/build/x.md": "# X\n", "docs/test/a.go": "", "docs/test/y.md": "# Y\n", "notes/salaries.md": "no"},
			want:  "README.md | D\nbuild/x.md | X\ntest/y.md | Y\n",
		},
		"documents next to code and less than half of all": {
			files: map[string]string{"a.go": "", "pkg/x/go.mod": "", "docs/a.md": "# A\n", "notes/salaries.md": "no", "notes/b.md": "no", "todo/c.md": "no", "pkg/x/docs/d.md": "# D\n"},
			want:  "docs/a.md | A\npkg/x/docs/d.md | D\n",
		},
		"notes and a program": {
			files: map[string]string{"scripts/a.py": "", "docs/a.md": "# A\n", "docs/build/b.md": "# B\n", "docs/test/c.md": "# C\n", "docs/test/x.py": "", "n/d.md": "# D\n", "n/e.md": "# E\n", "n/f.md": "# F\n", "n/g.md": "# G\n", "build/h.md": "no"},
			want:  "docs/a.md | A\ndocs/build/b.md | B\ndocs/test/c.md | C\nn/d.md | D\nn/e.md | E\nn/f.md | F\nn/g.md | G\n",
		},
		"a folder with less than half of the documents": {
			files: map[string]string{"README.md": "# R\n", "docs/a.md": "# A\n", "notes/b.md": "# B\n", "more/c.md": "---\nref: x\ntitle: C\n---\n", "more/d.md": "---\nredirect_to: /x\n---\n", "more/e.md": "---\ntitle: E\nredirect: https://x.example/\n---\n", "more/f.md": "---\nredirect_url: /x\n---\n# F\n"},
			want:  "README.md | R\ndocs/a.md | A\nmore/c.md | C\nmore/e.md | E\nnotes/b.md | B\n",
		},
		"a root that is the documentation": {
			files: map[string]string{"README.md": "# R\n", "a.md": "# A\n", "b.md": "# B\n", "more/c.md": "# C\n", "CHANGELOG.md": "no", "prompts/x.md": "no"},
			want:  "README.md | R\na.md | A\nb.md | B\nmore/c.md | C\n",
		},
		"a folder without a generator": {
			files: map[string]string{"documentation/docs/01-b.md": "# B\n", "documentation/docs/2.a.md": "## A\n\ntext", "documentation/docs/index.md": "---\ntitle: x\n---\n", "README.md": "# R\n", "CHANGELOG.md": "no", "documentation/docs/AGENTS.md": "no"},
			want:  "README.md | R\ndocs/01-b.md | B\ndocs/2.a.md | A\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, test.files)
			if diff := cmp.Diff(test.want, outline(s.Pages(false))); diff != "" {
				t.Errorf("default (-want +got):\n%s", diff)
			}
			if test.all == "" {
				test.all = test.want
			}
			if diff := cmp.Diff(test.all, outline(s.Pages(true))); diff != "" {
				t.Errorf("all (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.all+test.want, outline(repacked(t, s, test.files).Pages(true))+outline(repacked(t, s, test.files).Pages(false))); diff != "" {
				t.Errorf("described (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetString(t *testing.T) {
	s := load(t, map[string]string{"docs/en/mkdocs.yml": "", "docs/en/docs/a.md": "# A", "docs/de/docs/a.md": "# A"})
	if got := s.String(); got != "MkDocs in docs/en/docs/: 1 document, en of 2 languages" {
		t.Error(got)
	}
	s = load(t, map[string]string{"docs/v1.0/a.md": "# A", "docs/v2.0/a.md": "# A", "docs/b.md": "# B"}) // b.md has no version
	if got := s.String(); got != "documents in docs/: 2 documents, version v2.0 of 2" {
		t.Error(got)
	}
}

// TestStaticFiles has a link from the root of a site whose generator is not known.
func TestStaticFiles(t *testing.T) {
	s := load(t, map[string]string{"a.md": "# A\n", "static/b.svg": "<svg/>"})
	if got := s.Resolve(s.Page("a.md"), "/b.svg"); got.File != "static/b.svg" {
		t.Errorf("got %+v", got)
	}
}

// TestTags has the tags of AsciiDoc that an include names, and their order in the file.
func TestTags(t *testing.T) {
	text := "0\ntag::a[]\n1\ntag::b[]\n2\nend::b[]\n3\nend::a[]\n4\ntag::c[]\n5\nend::c[]\n"
	for tags, want := range map[string]string{
		"a": "123", "b": "2", "b;c": "25", "a;!b": "13", "!b": "01345", "**": "012345", "**;!b": "01345", "*": "1235", "*;!b": "135", "!*": "04", "**;!*": "04", "gone": text,
	} {
		if got := cutout(text, "tags="+tags, 1<<20); got != want && strings.ReplaceAll(got, "\n", "") != want {
			t.Errorf("%s: %q, want %q", tags, got, want)
		}
	}
	if got := regions("#region a\n1\n#region b\n2\n#endregion\n3\n#endregion\n4\n", []string{"a"}); got != "1\n2\n3\n" {
		t.Errorf("regions in a region: %q", got)
	}
}

// A byte order mark is no fault of a document, of configuration, or of a file that is included.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	s := load(t, map[string]string{
		"mkdocs.yml": mark + "site_url: https://a.example/\nnav: [b.md, a.md]\n", "docs/a.md": mark + "---\ntitle: First\n---\ntext\n", "docs/b.md": mark + "# Second\n--8<-- \"docs/c.txt\"\n", "docs/c.txt": mark + "part\n",
	})
	if got, want := outline(s.Pages(true)), "b.md | Second\na.md | First\n"; got != want {
		t.Error(got)
	}
	if got := content(t, s, s.Page("docs/b.md"), "--8<-- \"docs/c.txt\"\n").Text; got != "part\n" {
		t.Errorf("%q", got)
	}
}
