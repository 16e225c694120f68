package site

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
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
	special := strings.NewReplacer("$LONG", strings.Repeat("x", 3000), "$DEEP", strings.Repeat("/b", 1000), "$NFD", norm.NFD.String("Über uns"))
	for _, c := range given.Cases(t, "resolve.txt") {
		lines := strings.Split(special.Replace(c.Text), "\n")
		files := make(map[string]string)
		for _, file := range strings.Split(strings.TrimPrefix(lines[0], "files: "), ", ") {
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
		p := s.Page(strings.TrimPrefix(lines[1], "page: "))
		if p == nil {
			t.Fatalf("%s: no page", c.Name)
		}
		for _, line := range lines[2:] {
			link, want, _ := strings.Cut(line, " → ")
			must.Equal(t, want, shownTarget(s.Resolve(p, link)), c.Name, ", ", link)
		}
	}
}

// TestSeek finds what clients ask for: links as pages have them, and URLs.
func TestSeek(t *testing.T) {
	c := given.Cases(t, "seek.txt")[0]
	s := load(t, c.Files)
	for line := range strings.SplitSeq(c.Text, "\n") {
		asked, want, _ := strings.Cut(line, " → ")
		must.Equal(t, want, shownTarget(s.Seek(asked)), asked)
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
