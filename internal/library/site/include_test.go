package site

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// included returns the text of docs/a.md, or of another document, of a project.
func includedIn(t *testing.T, files map[string]string, page, text string) Content {
	t.Helper()
	files[page] = text
	s := load(t, files)
	p := s.Page(page)
	if p == nil {
		t.Fatalf("%s is not served", page)
	}
	return content(t, s, p, text)
}

// samples reads texts and what becomes of them. A text of one line is the name of its case.
func samples(t *testing.T, file string) (pairs [][2]string) {
	t.Helper()
	for _, c := range given.Cases(t, file) {
		pair := [2]string{c.Name, c.Text + "\n"}
		if text, ok := c.Files["text"]; ok {
			pair = [2]string{strings.TrimSuffix(text, "\n"), c.Files["becomes"]}
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

const includedCode = "# all\n# --8<-- [start:part]\nb = 2\n# --8<-- [end:part]\n"

// All forms of includes are read, whatever the generator.
func TestFormsOfIncludes(t *testing.T) {
	for _, form := range samples(t, "includes.txt") {
		files := map[string]string{"docs/_q.md": "q\n", "docs/p.md": "a\nb\nc\n", "docs/i.png": "\x89PNG\x00", "src/x.py": includedCode}
		must.Equal(t, form[1], includedIn(t, files, "docs/a.md", form[0]+"\n").Text, form[0])
	}
	for _, c := range given.Cases(t, "include-formats.txt") {
		page, text := c.Name, c.Text+"\n"

		files := map[string]string{"docs/_q.md": "q\n", "docs/p.md": "a\nb\nc\n", "src/x.py": includedCode, "docs/index.md": "# I\n"}
		files[page] = text
		s := load(t, files)
		p := s.Page(page)
		if p == nil { // a format that this folder does not have yet
			p = &Page{File: page, Tree: s.Sites[0].Trees[0]}
		}
		must.Equal(t, c.Files["becomes"], content(t, s, p, text).Text, text)
	}
}

// A macro shows the files that its arguments name.
func TestMacros(t *testing.T) {
	const rest = "func main() {} // in a folder of its own\n"
	files := func() map[string]string {
		return map[string]string{
			"docs/src/python/io/csv.py": "# --8<-- [start:read]\nread()\n# --8<-- [end:read]\n# --8<-- [start:write]\nwrite()\n# --8<-- [end:write]\n",
			"docs/src/rust/io/csv.rs":   "// --8<-- [start:read]\nread();\n// --8<-- [end:read]\n// --8<-- [start:write]\nwrite();\n// --8<-- [end:write]\n",
			"docs/io/csv.md":            "# CSV\n", "docs/one.sql": "SELECT 1\n", "x/two.go": rest, "y/two.go": rest, "crates/df.rs": "df\n", "docs/deep/x/y.json": "{}\n", "docs/pic/a.svg": "<svg/>\n",
		}
	}
	for _, form := range samples(t, "macros.txt") {
		must.Equal(t, form[1], includedIn(t, files(), "docs/a.md", form[0]+"\n").Text, form[0])
	}
	spring := map[string]string{
		"java/docs/test/method/setup/UserTests.java": "class A { // tag::a[]\n  int x;\n  // end::a[]\n}\n", "kotlin/docs/kt/test/method/setup/UserTests.kt": "class A { // tag::a[]\n  val x\n  // end::a[]\n}\n",
		"java/docs/test/method/other/UserTests.java": "no\n", "java/core/UserTests.java": "no\n", "docs/index.adoc": "= I\n",
	}
	text := "= M\n\n[[set-up]]\n== Set up\n\ninclude-code::./UserTests[tag=a,indent=0]\n"
	want := "= M\n\n[[set-up]]\n== Set up\n\n[source,java]\n----\n  int x;\n----\n[source,kt]\n----\n  val x\n----\n"
	must.Equal(t, want, includedIn(t, spring, "docs/test/method.adoc", text).Text, "include-code")
}

// Files are included within the project and its rules.
func TestIncludesKeepTheRules(t *testing.T) {
	files := map[string]string{
		".gitignore": "made.txt\n", "made.txt": "generated", ".env": "TOKEN=x", ".parts/a.txt": "hidden", "docs/.shared.md": "shared\n", "docs/.ssh/id_rsa": "key", "docs/.pass.txt": "key", "docs/.x/secrets.yml": "key", "docs/loop.md": "--8<-- \"docs/loop.md\"\n",
		"key.py": "token = 'npm_" + "8fK2mQ7xW4vN9tR1yB6cZ3hJ5dL0sPaGeUoI'\n",
	}
	text := ""
	for _, name := range []string{".env", "made.txt", ".parts/a.txt", "../../etc/passwd", "/etc/passwd", "docs/.ssh/id_rsa", "docs/.pass.txt", "docs/.x/secrets.yml", "docs/.shared.md", "key.py"} {
		text += "--8<-- \"" + name + "\"\n"
	}
	c := includedIn(t, files, "docs/index.md", text)
	want := "[text not included: .env]\n[text not included: made.txt]\n[text not included: .parts/a.txt]\n[text not included: ../../etc/passwd]\n[text not included: /etc/passwd]\n[text not included: docs/.ssh/id_rsa]\n[text not included: docs/.pass.txt]\n[text not included: docs/.x/secrets.yml]\nshared\n" +
		"```py\ntoken = '[removed: looks like an npm token (npm_…)]'\n```\n"
	must.Equal(t, want, c.Text)
	missing := ""
	for _, p := range c.Parts {
		if p.Missing {
			missing += p.File + " "
		}
	}
	if want := ".env made.txt .parts/a.txt docs/.pass.txt docs/.x/secrets.yml "; missing != want {
		t.Errorf("missing: %q, want %q", missing, want)
	}
	s := load(t, files)
	if text := content(t, s, s.Page("docs/loop.md"), files["docs/loop.md"]).Text; strings.Count(text, "\n") > 10 {
		t.Errorf("a file that includes itself: %q", text)
	}
}

// The links of a wiki are not rewritten in code.
func TestCodeStays(t *testing.T) {
	code := "> ```toml\n> [[tool]]\n> ```\n\n    [[tool]]\n\n<pre>\n[[tool]]\n</pre>\n\n$$\n[[tool]]\n$$\n\n- a\n\n  ```\n  [[tool]]\n  ```\n\n`[[tool]]`\n"
	got := includedIn(t, map[string]string{"tool.md": "# Tool\n"}, "n.md", code+"[[tool]]\n").Text
	must.Equal(t, code+"[tool](tool.md)\n", got)
}

// A search reads the text of all formats as Markdown, with the same lines.
func TestSearchable(t *testing.T) {
	tree := &Tree{Root: ".", site: &Site{}}
	for _, c := range given.Cases(t, "searchable.txt") {
		must.Equal(t, c.Files["becomes"], Searchable(&Page{File: c.Name, Tree: tree}, c.Text+"\n"), c.Name)
	}
}

// A description of an API is a document whose headings are its operations, whatever its name. Other data is not.
func TestOpenAPI(t *testing.T) {
	files := map[string]string{
		"docs/pets.yaml":          "openapi: 3.1.0\ninfo: {title: Pets API}\npaths:\n  /pets:\n    get: {summary: List pets, responses: {\"200\": {$ref: 'parts/answers.yaml#/ok'}, \"404\": {$ref: '../.secret.yaml#/ok'}}}\n",
		"docs/parts/answers.yaml": "ok: {description: All pets}\n", ".secret.yaml": "ok: {description: HIDDEN}\n", "docs/other.yaml": "a: b\n", "docs/x.json": "{\"openapi\": \"3.0.0\", \"info\": {\"title\": \"X\"}}\n", "docs/a.md": "# A\n",
	}
	s := load(t, files)
	if p := s.Page("docs/other.yaml"); p != nil {
		t.Errorf("data is a document: %+v", p)
	}
	if p := s.Page("docs/x.json"); p == nil || p.Title != "X" {
		t.Errorf("JSON: %+v", p)
	}
	p := s.Page("docs/pets.yaml")
	if p == nil || p.Title != "Pets API" || p.Class != Main {
		t.Fatalf("%+v", p)
	}
	got := content(t, s, p, files["docs/pets.yaml"]).Text
	if want := "# Pets API\n\n\n## GET /pets\n\nList pets\n\n\nResponses:\n\n- `200`: All pets\n- `404`: \n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCutOut(t *testing.T) {
	const text = "1\n// tag::a[]\n2\n// tag::b[]\n3\n// end::b[]\n// end::a[]\n4\n"
	for part, want := range map[string]string{
		"": text, "1": "1\n", "8-": "4\n", "1,8": "1\n4\n", ":1": "1\n", "3:3": "2\n", "a": "2\n3\n", "tag=b": "3\n", "tags=a;!b": "2\n", "tags=**": "1\n2\n3\n4\n", "none": text,
		"\n:lines: 3": "2\n", "\n:start-after: 3\n:end-before: 4": "// end::b[]\n// end::a[]\n", "start=\"3\" end=\"4\"": "// end::b[]\n// end::a[]\n", "\n:start-line: 7": "4\n", "ln[8:8]": "4\n",
	} {
		must.Equal(t, want, cutOut(text, part, len(text)), part)
	}
}

// TestTagsOfRegions has the tags of AsciiDoc that an include names, and their order in the file.
func TestTagsOfRegions(t *testing.T) {
	text := "0\ntag::a[]\n1\ntag::b[]\n2\nend::b[]\n3\nend::a[]\n4\ntag::c[]\n5\nend::c[]\n"
	for tags, want := range map[string]string{
		"a": "123", "b": "2", "b;c": "25", "a;!b": "13", "!b": "01345", "**": "012345", "**;!b": "01345", "*": "1235", "*;!b": "135", "!*": "04", "**;!*": "04", "gone": text,
	} {
		if got := cutOut(text, "tags="+tags, 1<<20); got != want && strings.ReplaceAll(got, "\n", "") != want {
			t.Errorf("%s: %q, want %q", tags, got, want)
		}
	}
	must.Equal(t, "1\n2\n3\n", regionsOf("#region a\n1\n#region b\n2\n#endregion\n3\n#endregion\n4\n", []string{"a"}), "regions in a region")
}

const capturedFront = "---\nurl: \"https://a.example/x\"\ntitle: \"X\"\nfetched: \"2026-11-22T01:02:03Z\"\nsha256: \"9c56\"\nassets:\n  - \"ab12 a.example/own.png\"\n---\n\n"

func capturedFiles() map[string]string {
	return map[string]string{"docs/p.md": "# P\n\nPRIVATE\n", "src/x.py": "PRIVATE = 1\n", "docs/private.png": "png", "docs/web/a.example/own.png": "png", "docs/web/b.example/other.png": "png"}
}

// A page that was captured from the web includes nothing, in its own text and as a part of another document.
func TestCapturedIncludesNothing(t *testing.T) {
	all := ".. include:: p.md\n\ninclude::p.md[]\n\n#+include: p.md\n\n"
	for _, form := range samples(t, "includes.txt") {
		all += form[0] + "\n\n"
	}
	all += "\n\n[[p]] ![](private.png) ![](web/a.example/own.png) ![[private.png]] ![](other.png)\n"
	for _, page := range []string{"docs/web/a.example/x.md", "docs/x.md", "x.md", "docs/x.rst", "docs/x.adoc", "docs/x.org"} {
		for _, front := range []string{capturedFront, strings.ReplaceAll(capturedFront, "\n", "\r\n"), "\ufeff" + strings.Replace(capturedFront, "---\nurl", "---\nnote: [not YAML\n\"url\"", 1)} {
			files := capturedFiles()
			files[page] = front + all
			files["docs/author.md"] = "# Author\n\n--8<-- \"" + page + "\"\n"
			s := load(t, files)
			p := pageOf(t, s, page)
			if got, want := content(t, s, p, files[page]).Text, strings.TrimPrefix(files[page], "\ufeff"); got != want {
				t.Errorf("%s: -want +got:\n%s", page, cmp.Diff(want, got))
			}
			for _, name := range uses(t, s, p, files[page]) {
				if name != "docs/web/a.example/own.png" {
					t.Errorf("%s uses %s", page, name)
				}
			}
			if got := content(t, s, s.Page("docs/author.md"), files["docs/author.md"]).Text; strings.Contains(got, "PRIVATE") || !strings.Contains(got, "{!p.md!}") {
				t.Errorf("a page that includes %s has %s", page, got)
			}
			for _, l := range s.Links(p, files[page]) {
				if strings.HasPrefix(l.Link, "[[") {
					t.Errorf("%s links to %s", page, l.Link)
				}
			}
		}
	}
}

func pageOf(t *testing.T, s *Set, file string) *Page {
	t.Helper()
	p := s.files[file]
	if p == nil {
		p = &Page{File: file, Folder: "docs", Tree: s.Page("docs/p.md").Tree}
	}
	return p
}

// Of the images that a captured page names, it has its own.
func TestCaptureOf(t *testing.T) {
	for text, want := range map[string]bool{
		capturedFront: true, "": false, "---\nurl: x\n---\nsha256: y\n": false, "---\nurl: x\nbinary:\n  sha256: y\n---\n": false,
		"---\n'url' : x\nsha256: y\n---": true, "+++\nurl: x\nsha256: y\n+++\n": false,
	} {
		must.Equal(t, want, CaptureOf(text) != nil, text)
	}
	files := capturedFiles()
	files["docs/web/a.example/x.md"] = capturedFront + "![](own.png) ![](private.png) `b.example/other.png`\n"
	s := load(t, files)
	got := uses(t, s, s.Page("docs/web/a.example/x.md"), files["docs/web/a.example/x.md"])
	if !slices.Equal(got, []string{"docs/web/a.example/own.png"}) {
		t.Errorf("uses %v", got)
	}
}
