package webui

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
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

// A file is sent as a whole and in ranges.
func TestRawOfLargeFiles(t *testing.T) {
	data := make([]byte, 3_012_345)
	for i := range data {
		data[i] = byte(i) ^ byte(i>>8) ^ byte(i>>16)
	}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", fstest.MapFS{
		"resources/x/h/large.bin": {Data: data, ModTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	})}})
	address := web.URL + "/raw/x/h/large.bin"
	resp, body := get(t, address)
	tag := resp.Header.Get("ETag")
	if resp.StatusCode != 200 || resp.ContentLength != int64(len(data)) || sha256.Sum256([]byte(body)) != sha256.Sum256(data) || !strings.HasPrefix(tag, `"`) ||
		resp.Header.Get("Accept-Ranges") != "bytes" || resp.Header.Get("Content-Disposition") != "attachment; filename=large.bin" {
		t.Fatalf("the file: %d, %d bytes, %v", resp.StatusCode, len(body), resp.Header)
	}
	end := len(data)
	for _, test := range []struct {
		header []string
		status int
		from   int
		to     int // after the last byte
	}{
		{[]string{"Range", "bytes=0-9"}, 206, 0, 10},
		{[]string{"Range", "bytes=262139-262149"}, 206, 262_139, 262_150},
		{[]string{"Range", "bytes=-7"}, 206, end - 7, end},
		{[]string{"Range", "bytes=5-6", "If-Range", tag}, 206, 5, 7},
		{[]string{"Range", "bytes=5-6", "If-Range", `"another"`}, 200, 0, end},
		{[]string{"Range", fmt.Sprintf("bytes=%d-", end)}, 416, 0, 0},
		{[]string{"If-None-Match", tag}, 304, 0, 0},
		{[]string{"If-Match", `"another"`}, 412, 0, 0},
	} {
		resp, body := get(t, address, test.header...)
		if resp.StatusCode != test.status || test.status < 300 && body != string(data[test.from:test.to]) {
			t.Errorf("%v: %d, %d bytes, want %d, %d", test.header, resp.StatusCode, len(body), test.status, test.to-test.from)
		}
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodHead, address, nil)
	if resp, body := do(t, r); resp.StatusCode != 200 || resp.ContentLength != int64(len(data)) || body != "" || resp.Header.Get("ETag") != tag {
		t.Errorf("HEAD: %d, %d bytes of %d", resp.StatusCode, len(body), resp.ContentLength)
	}
}

// If a file changes while it is sent, the connection ends, so that no client takes parts of two
// versions for one file.
func TestRawOfFileThatChanges(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "resources/x/h/large.bin")
	must.Write(t, file, "")
	if err := os.Truncate(file, 60<<20); err != nil { // more than buffers hold
		t.Fatal(err)
	}
	for _, folder := range []string{"docs", "prompts"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	files, err := rootfs.Open(dir)
	must.Do(t, err)
	t.Cleanup(func() { files.Close() })
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", files)}})
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/raw/x/h/large.bin", nil)
	resp := must.Get(http.DefaultClient.Do(r))(t)
	defer resp.Body.Close()
	must.Get(io.CopyN(io.Discard, resp.Body, 1<<20))(t)
	must.Do(t, os.Truncate(file, 1<<20))
	rest, err := io.ReadAll(resp.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(bytes.Trim(rest, "\x00")) > 0 {
		t.Errorf("%d bytes more, of which %q are not of the file, %v", len(rest), bytes.Trim(rest, "\x00"), err)
	}
}

// /llms-full.txt has the documents that fit, and counts the others.
func TestLLMSFullIsBounded(t *testing.T) {
	page := func(name string, n int) *fstest.MapFile {
		return &fstest.MapFile{Data: append([]byte("# "+name+"\n"), bytes.Repeat([]byte("text "), n/5)...)}
	}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", fstest.MapFS{
		"docs/a.md": page("first", 7<<20), "docs/b.md": page("second", 7<<20), "docs/c.md": page("third", 7<<20), "docs/d.md": page("fourth", 1000), "docs/e.md": page("fifth", 9<<20),
	})}})
	resp, body := get(t, web.URL+"/llms-full.txt")
	if resp.StatusCode != 200 || len(body) > maxFull+10_000 || len(body) < 14<<20 {
		t.Errorf("%d, %d bytes", resp.StatusCode, len(body))
	}
	for name, there := range map[string]bool{"first": true, "second": true, "third": false, "fourth": true, "fifth": false} {
		if strings.Contains(body, "# "+name+"\n") != there {
			t.Errorf("the %s document is there: %v", name, !there)
		}
	}
	if last := body[len(body)-300:]; !strings.Contains(last, "2 documents are left out") || !strings.Contains(last, "at most 16 MiB. "+web.URL+"/llms.txt names them") {
		t.Errorf("it ends with %q", last)
	}
}

// The pages of a folder together list each of its folders and files once, and each page is small.
func TestPagesOfFolders(t *testing.T) {
	files := fstest.MapFS{}
	const n = 400
	long := strings.Repeat("long-", 30)
	for i := range n {
		for _, folder := range []string{"docs", "resources/x/h"} {
			files[fmt.Sprintf("%s/%s%03d.md", folder, long, i*7%n)] = &fstest.MapFile{Data: []byte("---\ndescription: " + long + long + "\n---\n# " + long)}
			files[fmt.Sprintf("%s/dir-%s%03d/a b.md", folder, long, i*7%n)] = &fstest.MapFile{Data: []byte("# A")}
		}
	}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", files)}})
	for _, folder := range []string{"/docs/", "/r/x/h/"} {
		if seen := allPages(t, web.URL, folder); len(seen) != 2*n {
			t.Errorf("%s: %d of %d", folder, len(seen), 2*n)
		}
	}
}

var (
	nextPage = regexp.MustCompile(`<a class="button" href="(\?[^"]+)">Next page`)
	listed   = regexp.MustCompile(`<li><a href="([^"]+)">(?:<svg|<span class="name">)`)
)

// allPages returns the entries that the pages of a folder list. Pages are small and share no entry.
func allPages(t *testing.T, base, folder string) map[string]bool {
	t.Helper()
	seen := make(map[string]bool)
	query := ""
	for pages := 0; ; pages++ {
		_, body := get(t, base+folder+query)
		if len(body) > 150_000 || pages > 50 {
			t.Fatalf("%s%s: %d bytes, page %d", folder, query, len(body), pages)
		}
		_, main, _ := strings.Cut(body, `<main id="main"`)
		for _, found := range listed.FindAllStringSubmatch(main, -1) {
			if seen[found[1]] {
				t.Errorf("%s: %s is listed twice", folder, found[1])
			}
			seen[found[1]] = true
		}
		found := nextPage.FindStringSubmatch(body)
		if found == nil {
			return seen
		}
		query = html.UnescapeString(found[1])
	}
}

// A source provides resources that are not files.
type source struct{ *view.List }

func (s source) Name() string                                   { return "the test" }
func (s source) Snapshot(*loader.Catalog, string) view.Snapshot { return s.List }
func (s source) Notify(func(view.Change))                       {}
func made(uri, title, kind, text string) *view.Resource {
	return &view.Resource{URI: uri, Name: uri, Title: title, MIMEType: kind, Size: int64(len(text)), Read: view.Bytes([]byte(text))}
}

// Resources that are not files are in the table of contents, in folders, on pages and at /raw/, also
// in a folder with files.
func TestResourcesThatAreNotFiles(t *testing.T) {
	madeSource := source{view.NewList([]*view.Resource{
		made("made://summary", "Summary <b>", "text/markdown", "# Made\n\n[data](x://h/data.json) <script>alert(1)</script>\n"),
		made("made://deep/er/stats.json", "", "application/json", `{"n": 1}`),
		made("made://deep/page%20one.html", "", "text/html", "<script>alert(1)</script>"),
		made("x://h/next.txt", "", "text/plain", "next"),
	})}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", tree, madeSource)}})
	for _, test := range []struct {
		path string
		has  []string
	}{
		{"/", []string{`href="/r/made/"`, "made://"}},
		{"/r/", []string{`href="/r/made/"`, `href="/r/x/"`}},
		{"/r/made/", []string{"<h1>made://</h1>", `href="/r/made/deep/"`, `href="/r/made/summary"`, "Summary &lt;b&gt;"}},
		{"/r/made/?part=tree", []string{`href="/r/made/deep/"`, `href="/r/made/summary"`}},
		{"/r/made/deep/", []string{`href="/r/made/deep/er/"`, "page one.html"}},
		{"/r/made/summary", []string{`<h1 id="made">Made<a class="anchor" href="#made"`, `href="/r/x/h/data.json"`, "not a file of the project"}},
		{"/r/made/deep/er/stats.json", []string{`<span class="na">`, `href="/r/made/deep/er/">er</a>`}},
		{"/r/x/h/", []string{`href="/r/x/h/next.txt"`, `href="/r/x/h/data.json"`}},
		{"/r/x/h/next.txt", []string{"next"}},
		{"/r/MADE/summary", nil},
		{"/llms.txt", []string{"[Summary <b>](http://", "/raw/made/summary)"}},
	} {
		resp, body := get(t, web.URL+test.path)
		if test.has == nil && resp.Header.Get("Location") != "/r/made/summary" || test.has != nil && resp.StatusCode != 200 {
			t.Errorf("%s: %d, to %q", test.path, resp.StatusCode, resp.Header.Get("Location"))
		}
		for _, s := range test.has {
			if !strings.Contains(body, s) {
				t.Errorf("%s: %q is missing in\n%s", test.path, s, body)
			}
		}
		if strings.Contains(body, "<script>alert") {
			t.Errorf("%s: has a script", test.path)
		}
	}
	resp, body := get(t, web.URL+"/raw/made/deep/page%20one.html")
	if h := resp.Header; resp.StatusCode != 200 || body != "<script>alert(1)</script>" || h.Get("ETag") == "" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox;") ||
		h.Get("Content-Disposition") != `attachment; filename="page one.html"` {
		t.Errorf("as it is: %d %q %v", resp.StatusCode, body, h)
	}
	if resp, body := get(t, web.URL+"/raw/made/summary", "Range", "bytes=2-5"); resp.StatusCode != 206 || body != "Made" {
		t.Errorf("a part: %d %q", resp.StatusCode, body)
	}
	for _, path := range []string{"/r/made/none", "/r/made/deep/none/", "/raw/made/none", "/r/none/"} {
		if resp, _ := get(t, web.URL+path); resp.StatusCode != 404 {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}

// TestFiles shows files of each kind that is not Markdown or code.
func TestFiles(t *testing.T) {
	tree := fstest.MapFS{"docs/index.md": {}, "docs/part.mdx": {Data: []byte("# Part\n")}}
	for name, text := range map[string]string{
		"minified.json": `{"z":1.50e3,"a":[{"c":"<b>"},[],null]}`,
		"broken.json":   `{"a": `,
		"deep.json":     strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2),
		"table.csv":     "a;b\n\"1;2\";<i>\n3\n",
		"rows.csv":      strings.Repeat("a,b\n", maxRows+1),
		"latin.txt":     "caf\xe9\n",
		"wide.txt":      "\xff\xfeh\x00i\x00",
		"page.mdx":      "import A from 'a'\n\n<A>\n\n*b*\n\n</A>\n",
	} {
		tree["resources/x/h/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	for i := range 9 {
		tree[fmt.Sprintf("resources/scheme%d/h/a.txt", i)] = &fstest.MapFile{Data: []byte("a")}
	}
	tree["skills/pdf/SKILL.md"] = &fstest.MapFile{Data: []byte("---\nname: pdf\ndescription: Reads portable documents\n---\n# PDF\n")}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", tree)}})
	for path, want := range map[string]string{
		"/r/x/h/minified.json":      `<span class="na">&#34;z&#34;</span>: <span class="s">1.50e3</span>`,
		"/r/x/h/broken.json":        `<pre class="code" tabindex="0">`,
		"/r/x/h/deep.json":          "has more than 1 MB, 20,000 values or 100 levels, so it is not shown as a tree",
		"/r/x/h/table.csv":          "<tr><th>a</th><th>b</th></tr><tr><td>1;2</td><td>&lt;i&gt;</td></tr><tr><td>3</td></tr>",
		"/r/x/h/rows.csv":           "The first 500 rows are shown.",
		"/r/x/h/latin.txt":          "café",
		"/r/x/h/wide.txt":           "<code>hi</code>",
		"/r/x/h/page.mdx":           `<div class="prose markdown" dir="auto"><p><em>b</em></p>`,
		"/":                         `<a href="/r/scheme8/">scheme8://</a>`,
		"/docs/index":               "The document is empty",
		"/search?q=SKILL.md":        `<span class="kind">Skill</span>`,
		"/prompts":                  "is a prompt",
		"/search?q=nothing+at+all+": "Nothing was found",
	} {
		resp, body := get(t, web.URL+path)
		if resp.StatusCode != http.StatusOK || !strings.Contains(strings.ReplaceAll(body, "\n<p>", "<p>"), want) {
			t.Errorf("%s: %d, %q is missing in\n%s", path, resp.StatusCode, want, body)
		}
	}
	if resp, _ := get(t, web.URL+"/docs/part"); resp.Header.Get("Location") != "/docs/part.mdx" {
		t.Errorf("/docs/part leads to %q", resp.Header.Get("Location"))
	}
}

// TestLargeTree opens the beginning of a large tree: a browser lays out all of what is open.
func TestLargeTree(t *testing.T) {
	small, large := string(jsonTree(`[{"a": [1]}]`)), string(jsonTree("["+strings.Repeat("[1],", maxNodes/2-10)+"1]"))
	if strings.Count(small, "<details open>") != 3 || strings.Contains(small, "<details>") {
		t.Errorf("got %s", small)
	}
	if open := strings.Count(large, "<details open>"); open < 100 || open > maxOpen || strings.Count(large, "<details>") < maxNodes/2-maxOpen {
		t.Errorf("%d are open", open)
	}
}

// TestTreeBounds has JSON beyond each bound.
func TestTreeBounds(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2),
		"[" + strings.Repeat("1,", maxNodes) + "1]",
		`"` + strings.Repeat("a", maxTree) + `"`,
		"[1] 2",
	} {
		if got := jsonTree(text); got != "" {
			t.Errorf("%.20s has a tree of %d bytes", text, len(got))
		}
	}
}
