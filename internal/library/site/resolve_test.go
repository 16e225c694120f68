package site

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// shownTarget returns a target as text: "found docs/a.md#x", "undecided [a/x.md b/x.md]". "-" says that a page lacks the id.
func shownTarget(t Target) string {
	text := strings.TrimSpace(t.Certainty.String() + " " + t.String())
	if t.Lacks {
		text += " -"
	}
	if t.Candidates != nil {
		text += fmt.Sprint(" ", t.Candidates)
	}
	return text
}

// TestResolve resolves links as pages have them, whatever publishes the pages.
func TestResolve(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		page  string
		links map[string]string
	}{
		"relative paths": {[]string{"docs/index.md", "docs/a/b.md", "docs/a/c d.md", "docs/a/02-next.md", "docs/x/README.md", "docs/img/x.png", "docs/a/Node.js.md", "docs/a/page.html", ".gitignore", ".github/help.md", "docs/q/notes.ipynb"}, "docs/a/b.md", map[string]string{
			"#own": "found docs/a/b.md#own", "#gone": "found docs/a/b.md#gone -", "../index.md": "found docs/index.md", "c%20d.md#top": "found docs/a/c d.md#top", "c d": "found docs/a/c d.md",
			"next.md": "found docs/a/02-next.md", "./next/": "found docs/a/02-next.md", "../x/": "found docs/x/README.md", "../x": "found docs/x/README.md", "../x/index.html": "found docs/x/README.md",
			"B.MD": "found docs/a/b.md", "../img/x.png": "found docs/img/x.png", "Node.js": "found docs/a/Node.js.md", "page.html": "found docs/a/page.html", "c%20d.html": "found docs/a/c d.md", "../q/notes": "found docs/q/notes.ipynb",
			"../img": "found docs/img", "..": "found docs/index.md", "b.md?x=1#own": "found docs/a/b.md#own", "../../docs/./a/b.md": "found docs/a/b.md",
		}},
		"what is an error": {[]string{"docs/a.md", "docs/b/x.md", ".gitignore", ".github/help.md", "docs/made/y.md"}, "docs/a.md", map[string]string{
			"gone.md": "absent", "img/gone.png": "absent", "../gone.txt": "absent", "gone": "unknown", "/gone.md": "unknown", "gone/": "unknown", "gone.html": "unknown", "v1.2": "unknown",
			"../x.md": "found docs/b/x.md", "c/x.md": "unknown", "../.github/help.md": "elsewhere", "made/y.md": "elsewhere", "made/z.md": "elsewhere", "../../out.md": "unknown",
			"https://x.example/gone.md": "elsewhere", "mailto:x@example.com": "elsewhere", "//x.example/a.md": "elsewhere", "{{ url }}.md": "unknown", "${x}/y.md": "unknown", "<x>.md": "unknown", strings.Repeat("x", 3000) + ".md": "unknown",
		}},
		"ends of paths": {[]string{"web/content/guide/01-start.md", "web/content/guide/index.md", "web/content/api/start.md", "web/static/img/logo.png", "notes/start.md", "web/content/only.mdx"}, "notes/start.md", map[string]string{
			"/guide/start": "found web/content/guide/01-start.md", "/guide/start.html#x": "found web/content/guide/01-start.md#x -", "/guide/": "found web/content/guide/index.md", "/base/v1/api/start/": "found web/content/api/start.md",
			"/only": "found web/content/only.mdx", "../only.md": "found web/content/only.mdx", "/img/logo.png": "found web/static/img/logo.png", "/x/only": "unknown", "/content/v2/only": "found web/content/only.mdx", "/img/logo": "unknown", "/img": "unknown",
			"{{ '/guide/start' | relative_url }}": "found web/content/guide/01-start.md", "{{< ref \"api/start\" >}}": "found web/content/api/start.md", "/docs/{{version}}/only#x": "found web/content/only.mdx#x -", "{% link web/content/only.mdx %}": "found web/content/only.mdx",
			"@site/web/content/only.mdx": "found web/content/only.mdx", "/#/guide/start?id=x": "found web/content/guide/01-start.md#x -", strings.Repeat("/b", 1000): "unknown",
		}},
		"ties": {[]string{"a/x.md", "b/x.md", "b/c/y.md", "d/e/z.md", "d/x.md", "d/f/x.md", "changelog/x.md", "k/CHANGELOG.md", "l/changes.md", "m/changelog.md"}, "d/e/z.md", map[string]string{
			"/x": "undecided [d/f/x.md d/x.md]", "/c/x": "unknown", "../f/x.md": "found d/f/x.md", "/f/x": "found d/f/x.md", "/changelog": "found m/changelog.md",
		}},
		"exact spelling, documents first": {[]string{"a/Setup.md", "b/setup.md", "bin/run", "docs/run.md", "p.md"}, "p.md", map[string]string{"/Setup.md": "found a/Setup.md", "/setup.md": "found b/setup.md", "/run": "found docs/run.md", "bin/run": "found bin/run"}},
		"composed and decomposed names":   {[]string{"docs/" + norm.NFD.String("Über uns") + ".md", "docs/a.md"}, "docs/a.md", map[string]string{"%C3%9Cber%20uns.md": "found docs/" + norm.NFD.String("Über uns") + ".md", "a&amp;b.md": "absent"}},
		"roles of RST": {[]string{"docs/index.rst", "docs/b.rst", "docs/sub/c.rst"}, "docs/sub/c.rst", map[string]string{":doc:`/b`": "found docs/b.rst", ":doc:`T <../b>`": "found docs/b.rst", ":doc:`gone`": "unknown", ":doc:`python:x`": "elsewhere",
			":ref:`own-docs-b.rst`": "found docs/b.rst#own-docs-b.rst", ":ref:`T <Own-docs-b.rst>`": "found docs/b.rst#Own-docs-b.rst", ":ref:`two words`": "found docs/sub/c.rst#two words", ":numref:`gone`": "unknown",
		}},
		"references of AsciiDoc": {[]string{"modules/ROOT/pages/a.adoc", "modules/m/pages/b.adoc", "modules/m/pages/x/c.adoc", "modules/ROOT/attachments/f.pdf"}, "modules/ROOT/pages/a.adoc", map[string]string{
			"xref:m:b.adoc": "found modules/m/pages/b.adoc", "xref:m:x/c.adoc": "found modules/m/pages/x/c.adoc", "xref:attachment$f.pdf": "found modules/ROOT/attachments/f.pdf", "xref:other:m:b.adoc": "unknown", "xref:2.0@m:b.adoc": "unknown", "xref:gone.adoc": "absent", "xref:m:gone.adoc": "unknown",
			"<<own": "found modules/ROOT/pages/a.adoc#own", "<<gone": "found modules/ROOT/pages/a.adoc#gone -", "xref:{x}.adoc": "unknown",
		}},
	} {
		files := make(map[string]string)
		for _, file := range test.files {
			switch files[file] = "# Own\n"; {
			case file == ".gitignore":
				files[file] = "made/\n"
			case strings.HasSuffix(file, ".rst"):
				files[file] = "Own\n===\n\n.. _own-" + strings.ReplaceAll(file, "/", "-") + ":\n\nA\n-\n\n.. _`Two\tWords`:\n\nB\n-\n"
			case strings.HasSuffix(file, ".adoc"):
				files[file] = "= Own\n"
			case strings.HasSuffix(file, ".ipynb"):
				files[file] = `{"cells": [{"cell_type": "markdown", "source": ["# Own"]}]}`
			}
		}
		s := load(t, files)
		p := s.Page(test.page)
		if p == nil {
			t.Fatalf("%s: no page", name)
		}
		for link, want := range test.links {
			if got := shownTarget(s.Resolve(p, link)); got != want {
				t.Errorf("%s: %s: %s, want %s", name, link, got, want)
			}
		}
	}
}

// TestSeek finds what clients ask for: links as pages have them, and URLs.
func TestSeek(t *testing.T) {
	s := load(t, map[string]string{"docs/guide/start.md": "# S\n", "docs/x.md": "# X\n", "docs/a/y.md": "# Y\n", "docs/b/y.md": "# Y\n", "docs/old.md": "---\naliases: [/first/name, Second name]\n---\n# O\n", "book.toml": "[book]\ntitle = \"Redux Book\"\n", "docs/rules/no-x/a.md": "# X\n", "docs/rules/no-x/README.md": "---\ndraft: true\n---\n# X\n", "docs/use/CodeSplitting.md": "---\nid: code-splitting\n---\n# C\n", "post/2019-5-15-news.md": "# N\n", "README.md": "# P\n", "docs/v1.md": "# V\n", "docs/v1.2.md": "# V\n", "docs/My Notes.md": "# N\n", "site/_tutorials/_part/_index.md": "# T\n"})
	for asked, want := range map[string]string{
		"../x.md#y": "found docs/x.md#y", "/guide/start.html": "found docs/guide/start.md", "guide/start/": "found docs/guide/start.md", "https://p.example/v2/guide/start/#z": "found docs/guide/start.md#z", "https://p.example/x": "elsewhere",
		"mailto:x/y": "elsewhere", "y": "undecided [docs/a/y.md docs/b/y.md]", "b/y": "found docs/b/y.md", "[[Second name]]": "found docs/old.md", "first/name": "found docs/old.md", "![[x|y]]": "found docs/x.md", ":doc:`T </x>`": "found docs/x.md", ":ref:`gone`": "unknown", "../../etc/passwd": "unknown", "/": "found README.md",
		"../code-splitting": "found docs/use/CodeSplitting.md", "https://p.example/use/code-splitting": "found docs/use/CodeSplitting.md", "https://p.example/2019/05/15/news.html": "found post/2019-5-15-news.md",
		"https://redux.js.org/CodeSplitting": "found docs/use/CodeSplitting.md", "https://redux.js.org": "elsewhere", "/v2/rules/no-x/": "found docs/rules/no-x", "no-x/README.md": "found docs/rules/no-x", "v1.2": "found docs/v1.2.md", "my-notes": "found docs/My Notes.md", "/tutorials/part/": "found site/_tutorials/_part/_index.md", "otes": "unknown",
	} {
		if got := shownTarget(s.Seek(asked)); got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
}

// TestLinks lists the links of a text, and none in code, comments and formulas.
func TestLinks(t *testing.T) {
	for file, test := range map[string]struct{ text, want string }{
		"docs/a.rst":  {".. note::\n\n   :doc:`b`\n\nSo::\n\n    :doc:`c`\n\n.. code-block:: rst\n\n   :doc:`c`\n", "3 :doc:`b`\n"},
		"docs/a.adoc": {"ifdef::none[]\nxref:c[]\nendif::none[]\nNOTE: xref:b[]\n\n----\nxref:c[]\n----\n// xref:c[]\n\\xref:c[]\n", "4 xref:b\n"},
		"docs/a.md":   {"---\nx: y\n---\n[b](b.md) [[c]]\n\n```\n[x](x)\n```\n\n    [[x]]\n\n`[[x]]` {/* [x](x.md) */} [d]({{< ref \"d e\" >}})\n\n$$\nf[x](y)\n$$\n\n<pre>\n[[x]]\n</pre>\n{% comment %}\n[x](x)\n{% endcomment %}\n> ```\n> [[x]]\n> ```\n[e](e)\n", "4 b.md\n4 [[c]]\n12 {{< ref \"d e\" >}}\n27 e\n"},
	} {
		s := load(t, map[string]string{file: test.text})
		var got strings.Builder
		for _, l := range s.Links(s.Page(file), test.text) {
			fmt.Fprintln(&got, l.Line, l.Link)
		}
		must.Equal(t, test.want, got.String(), file)
	}
}

// TestManyEnds has 200,000 files with one name: one of them is found by its folder, and a look returns few of them.
func TestManyEnds(t *testing.T) {
	var e ends
	for i := range 200_000 {
		file := fmt.Sprintf("a/%d/x.md", i)
		e.add(file, file)
	}
	e.sort()
	for range 10_000 {
		if files, more := e.find("x"); len(files) != maxAlike || !more {
			t.Fatalf("%d files, more: %t", len(files), more)
		}
	}
	if files, more := e.find("a/4711/x.md"); len(files) != 1 || more || files[0].file != "a/4711/x.md" {
		t.Errorf("%v, more: %t", files, more)
	}
	long := strings.Repeat("/b", 1<<20)
	if files, _ := e.find(long); files != nil {
		t.Errorf("a long path is found: %v", files)
	}
}

// FuzzEnds finds each file by each end of its path.
func FuzzEnds(f *testing.F) {
	f.Add("a/b/01-c.md", 1)
	f.Add("a/index.md", 1)
	f.Add("İ/ǅ.TXT", 0)
	f.Fuzz(func(t *testing.T, file string, from int) {
		parts := strings.Split(strings.Trim(file, "/"), "/")
		if !utf8.ValidString(file) || strings.Contains(file, "//") || strings.Contains(file, "\x00") || len(parts) > maxEnd || from < 0 || from >= len(parts) {
			t.Skip("is not a path that a walk finds")
		}
		var e ends
		e.add(file, file)
		e.sort()
		name := strings.Join(parts[from:], "/")
		if key, _ := endKey(name, true); key == "" || isIndexName(strings.ToLower(stem(name))) {
			return
		}
		if files, _ := e.find(name); len(files) != 1 || files[0].file != file {
			t.Errorf("%q is not found by %q", file, name)
		}
	})
}
