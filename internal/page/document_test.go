package page

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
)

// siteOf returns the address of a web UI that shows the documents of the sites in a project.
func siteOf(t *testing.T, files map[string]string) string {
	t.Helper()
	fsys := given.Texts(files)
	project := newProject(t, "test", fsys)
	library := must.Get(docs.Detect(t.Context(), fsys, docs.Reading{}))(t)
	project.Server.SetLibrary(library)
	return servePage(t, "", hosts.Options{}, Options{Sites: []Site{project}}).URL
}

// has reports the texts that a page lacks, and those after "-" that it has.
func has(t *testing.T, address string, texts ...string) {
	t.Helper()
	_, body := get(t, address)
	want := true
	for _, text := range texts {
		if text == "-" {
			want = false
		} else if strings.Contains(body, text) != want {
			t.Errorf("%s: has %q is %v in\n%s", address, text, !want, body)
		}
	}
}

// A document of a site shows the images that a package has for it, also images in raw HTML and outside of the folder of
// documents, and no others.
func TestImagesOfSites(t *testing.T) {
	const image = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	base := siteOf(t, map[string]string{
		"docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {}}]]}", ".gitignore": "built.png\n",
		"docs/guide/a.md": "# A\n\n![one](../img/one.png)\n\n<p><img src=\"/img/two.png\" alt=\"<2>\" onerror=\"x()\"></p>\n\n" +
			"![built](/built.png) ![hidden](/.secret.png) ![token](/token.png) ![none](none.png) <img src=\"https://far.example/x.png\"> ![up](../../../up.png) ![text](/plain.txt)\n",
		"docs/img/one.png": image, "static/img/two.png": image, "built.png": image, ".secret.png": image, "token.png": image + " npm_" + "8fK2mQ7xW4vN9tR1yB6cZ3hJ5dL0sPaGeUoI", "other.png": image, "plain.txt": "secret", "docs/b.md": "# B\n",
	})
	has(t, base+"/docs/docs/guide/a", `<img src="/docs/docs/img/one.png?of=docs%2Fguide%2Fa.md" alt="one"`, `<img src="/docs/static/img/two.png?of=docs%2Fguide%2Fa.md" alt="&lt;2&gt;"`,
		"-", "built.png?of", "secret.png?of", "token.png?of", "none.png?of", "far.example/x.png\"/", "up.png?of", "plain.txt?of", "onerror")
	for path, want := range map[string]int{
		"docs/img/one.png?of=docs/guide/a.md": 200, "static/img/two.png?of=docs/guide/a.md": 200, "docs/img/one.png?of=docs/b.md": 404, "docs/img/one.png?of=none.md": 404, "docs/img/one.png": 404,
		"built.png?of=docs/guide/a.md": 404, ".secret.png?of=docs/guide/a.md": 404, "token.png?of=docs/guide/a.md": 404, "other.png?of=docs/guide/a.md": 404, "plain.txt?of=docs/guide/a.md": 404,
		"docusaurus.config.js?of=docs/guide/a.md": 404, "..%2Fx.png?of=docs/guide/a.md": 404,
	} {
		resp, body := get(t, base+"/docs/"+path)
		if resp.StatusCode != want || want == 200 && (body != image || resp.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "sandbox;")) {
			t.Errorf("%s: %d %v", path, resp.StatusCode, resp.Header)
		}
	}
}

// The title of a document is on its page once, whatever has it.
func TestTitleOnce(t *testing.T) {
	base := siteOf(t, map[string]string{
		"mkdocs.yml":      "nav:\n- Front: front.md\n- Group:\n  - low.md\n  - Named: none.md\n",
		"docs/front.md":   "---\ntitle: Front\n---\nText.\n\n## Part\n",
		"docs/low.md":     "## Low\n\nText.\n\n### Part\n",
		"docs/none.md":    "Text.\n",
		"docs/both.md":    "---\ntitle: Other\n---\n# Both `code`\n\nText.\n",
		"docs/two.md":     "# One\n\n# Two\n",
		"docs/sub/img.md": "# Image\n",
	})
	for path, want := range map[string]string{"front": "<h1>Front</h1>", "low": `<h1 id="low">Low<a`, "none": "<h1>Named</h1>", "both": `<h1 id="both-code">Both <code>code</code><a`} {
		has(t, base+"/docs/docs/"+path, want)
		if _, body := get(t, base+"/docs/docs/"+path); strings.Count(body, "<h1") != 1 {
			t.Errorf("%s has %d titles", path, strings.Count(body, "<h1"))
		}
	}
	has(t, base+"/docs/docs/low", `<ul class="tree">`, `<li class="folder"><a href="/docs/docs/low"><span class="name">Group</span></a><ul class="tree">`, `<a href="/docs/docs/low" aria-current="page"><span class="name">Low`,
		`<a href="/docs/docs/front" rel="prev"><small>Previous</small>Front</a>`, `<a href="/docs/docs/none" rel="next"><small>Next</small>Named</a>`, "-", `class="folder"><a href="/docs/docs/low" aria-current`)
}

// The overview shows the document to begin with, or its description and the contents.
func TestOverview(t *testing.T) {
	base := siteOf(t, map[string]string{"mkdocs.yml": "site_name: x\n", "docs/index.md": "# Hello\n\nRead [on](sub/a.md).\n\n" + strings.Repeat("A paragraph.\n\n", 1000) + "The end.\n", "docs/sub/a.md": "# A\n"})
	has(t, base, `<h1 id="hello">Hello`, `<a href="/docs/docs/sub/a">on</a>`, `This is the beginning of <a href="/docs/docs/index">docs/index.md</a>`, "-", "The end.")
	if _, body := get(t, base); len(body) > 40_000 {
		t.Errorf("the overview has %d bytes", len(body))
	}
	base = siteOf(t, map[string]string{"mkdocs.yml": "site_name: x\n", "docs/index.md": "---\ntitle: Home\ndescription: What it is\nhero:\n  text: a long text of a hero\n---\n<Hero />\n",
		"docs/sub/a.md": "# A\n", "docs/b.md": "---\ndescription: All of B\n---\n# Bee\n"})
	has(t, base, "<h1>Test</h1>", `<p class="lead">What it is</p>`, `<a href="/docs/docs/b">Bee</a>`, `<a href="/docs/docs/sub/">sub</a> <span class="count">1`, "-", "Hero")
}

// The page of a PDF file has its text, and leads to the file.
func TestPDFs(t *testing.T) {
	base := siteOf(t, map[string]string{"docs/a.md": "# A\n\n[m](m.pdf)\n", "docs/m.pdf": "%PDF-1.4\n"})
	has(t, base+"/docs/docs/a", `href="/docs/docs/m.pdf"`)
	has(t, base+"/docs/docs/m.pdf", "The text of PDF files is not made here.", `<a href="/docs/docs/m.pdf.md">PDF file</a>`)
	if resp, body := get(t, base+"/docs/docs/m.pdf.md"); resp.Header.Get("Content-Type") != "application/pdf" || body != "%PDF-1.4\n" {
		t.Errorf("%v %q", resp.Header, body)
	}
}
