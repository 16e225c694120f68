package webui

import (
	"html"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

const (
	hostileName = `<img src=x onerror=alert(1)>&"'.txt`
	markup      = "# Title\n\n<script>alert(1)</script>\n\n[bad](javascript:alert(1)) [out](https://example.com/a) [other](guide/setup.md#first-step)\n" +
		"![far](https://example.com/x.png) ![near](near.png) <a href=\"x\" onclick=\"y\">raw</a>\n\n```go\nfunc main() {}\n```\n"
)

var tree = fstest.MapFS{
	"docs/index.md":                     {Data: []byte(markup)},
	"docs/guide/setup.md":               {Data: []byte("---\ntitle: Setting up\n---\n# Set up\n\n## First step\n\nTurn the handle.\n")},
	"docs/guide/broken.md":              {Data: []byte("[gone](none.md)\n")},
	"docs/.draft.md":                    {Data: []byte("draft")},
	"docs/near.png":                     {Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")},
	"prompts/look.md":                   {Data: []byte("# Look\n\n**at** <these> and [nothing](none.md):\n\n[data](x://h/data.json)\n\n[deep](x://h/deep/er/text.md)\n\n![dot](x://h/dot.png)\n\n[bin](x://h/program.bin)\n")},
	"resources/x/h/dot.png":             {Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89")},
	"prompts/review.md":                 {Data: []byte("---\ntitle: Review\nargs:\n  what:\n    required: true\n---\nReview {{what}}.\n")},
	"resources/x/h/" + hostileName:      {Data: []byte("hostile")},
	"resources/x/h/data.json":           {Data: []byte(`{"a": {"b": [1, "<b>"]}}`)},
	"resources/x/h/page.html":           {Data: []byte("<script>alert(1)</script>")},
	"resources/x/h/drawing.svg":         {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)},
	"resources/x/h/paper.pdf":           {Data: []byte("%PDF-1.4\n%\xe2\xe3")},
	"resources/x/h/deep/er/text.md":     {Data: []byte("# Deep\n\n[up](../../data.json) [by uri](x://h/page.html)\n")},
	"resources/x/h/caf\xe9 100%.txt":    {Data: []byte("bytes")},
	"resources/x/h/program.bin":         {Data: []byte{0, 1, 2}},
	"resources/unmatched/h/no-template": {Data: []byte("text")},
}

// newProject returns a site with the tree.
func newProject(t testing.TB, name string, fsys fs.FS, sources ...view.Source) Site {
	t.Helper()
	catalog, library, set := latest.New[loader.Catalog](), latest.New[docs.Library](), latest.New[prompts.Set]()
	s := server.New(server.Options{
		Name: "Test", Named: true, Version: "1.2.3", Package: "test", Catalog: catalog, Documents: library, Prompts: set, Logger: slog.New(slog.DiscardHandler), Sources: sources,
		Limits:   server.Limits{ReadBytes: 64 << 20, FrameBytes: 64 << 20, PageItems: 100},
		Features: server.Features{ResourceTools: true},
	})
	entries, found := templates.Decode("templates.json", []byte(`[
		{"uriTemplate": "x://h/{+path}", "name": "All"}, {"uriTemplate": "x://h/{name}.json", "name": "Data"}, {"uriTemplate": "y://h/{a}{b}", "name": "Bad"}]`))
	if found.Err() != nil {
		t.Fatal(found.Err())
	}
	index, _ := matcher.New("templates.json", entries)
	c := must.Get(loader.Scan(t.Context(), fsys, loader.Options{Templates: index, Describe: true, Mounts: []loader.Mount{skills.Mount()}}))(t)
	catalog.Publish(c)
	always := func(string) bool { return true }
	l := must.Get(docs.Detect(t.Context(), fsys, docs.Reading{Sites: site.Options{Chosen: "docs"}, Changed: always}))(t)
	s.SetNames(l.Sites().Names())
	s.SetLibrary(l)
	p := must.Get(prompts.Scan(t.Context(), fsys, "prompts", nil))(t)
	s.SetPrompts(p)
	t.Cleanup(s.EndListens)
	return Site{Name: name, Title: "Test", Version: "1.2.3", Client: "test", Server: s}
}

// serve serves the web UI of sites with these names. If token is not empty, it is required.
func serve(t *testing.T, token string, names ...string) *httptest.Server {
	t.Helper()
	var o Options
	for _, name := range names {
		o.Sites = append(o.Sites, newProject(t, name, tree))
	}
	return servePage(t, token, hosts.Options{}, o)
}

// servePage serves a web UI.
func servePage(t testing.TB, token string, options hosts.Options, o Options) *httptest.Server {
	t.Helper()
	var h http.Handler
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	options.Listen = web.Listener.Addr().String()
	g := must.Get(hosts.New(options))(t)
	with := auth.Options{PublicURL: g.PublicURL, ClientAddr: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") }}
	if token != "" {
		with.Token = &token
	}
	a := must.Get(auth.New(with))(t)
	o.Auth, o.Hosts, o.Version = a, g, "1.0.0"
	h = g.Handler(New(o))
	return web
}

// get returns the answer to a GET as browsers send it.
func get(t *testing.T, address string, header ...string) (*http.Response, string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	return do(t, r, header...)
}

func do(t *testing.T, r *http.Request, header ...string) (*http.Response, string) {
	t.Helper()
	r.Header.Set("Accept", "text/html")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp := must.Get(client.Do(r))(t)
	defer resp.Body.Close()
	body := must.Get(io.ReadAll(resp.Body))(t)
	return resp, string(body)
}

func post(t *testing.T, address string, form url.Values, header ...string) (*http.Response, string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode())))(t)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return do(t, r, header...)
}

func TestPages(t *testing.T) {
	web := serve(t, "", "test")
	spelled, _ := get(t, web.URL+"/r/x/h/"+url.PathEscape(hostileName))
	encoded := spelled.Header.Get("Location") // the canonical spelling
	for _, c := range given.Cases(t, "pages.txt") {
		status, path, _ := strings.Cut(strings.ReplaceAll(c.Name, "$ENCODED", encoded), " ")
		resp, body := get(t, web.URL+path)
		must.Equal(t, status, strconv.Itoa(resp.StatusCode), path)
		for text := range strings.FieldsFuncSeq(c.Text, func(r rune) bool { return r == '\n' }) {
			text, unwanted := strings.CutPrefix(strings.ReplaceAll(text, "⏎", "\n"), "not: ")
			if strings.Contains(body, text) == unwanted {
				t.Errorf("%s: has %q: %v, in\n%s", path, text, unwanted, body)
			}
		}
		if got := resp.Header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s: policy %q", path, got)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: is sniffed", path)
		}
		if strings.Contains(resp.Header.Get("Content-Type"), "html") && strings.Contains(body, " style=") {
			t.Errorf("%s: has styles, which the policy refuses", path)
		}
	}
}

func TestRaw(t *testing.T) {
	web := serve(t, "", "test")
	for path, want := range map[string][3]string{ // type, disposition, policy
		"/raw/x/h/page.html":   {"text/html; charset=utf-8", "attachment", "sandbox;"},
		"/raw/x/h/drawing.svg": {"image/svg+xml", "inline", "sandbox;"},
		"/raw/x/h/paper.pdf":   {"application/pdf", "inline", "default-src 'none'"},
		"/raw/x/h/program.bin": {"application/octet-stream", "attachment", "sandbox;"},
		"/docs/index.md":       {"text/markdown; charset=utf-8", "inline", "sandbox;"},
		"/docs/near.png":       {"image/png", "inline", "sandbox;"},
	} {
		resp, _ := get(t, web.URL+path)
		h := resp.Header
		if resp.StatusCode != 200 || h.Get("Content-Type") != want[0] || !strings.HasPrefix(h.Get("Content-Disposition"), want[1]) ||
			!strings.HasPrefix(h.Get("Content-Security-Policy"), want[2]) || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, resp.StatusCode, h)
		}
	}
	resp, body := get(t, web.URL+"/raw/x/h/data.json")
	must.Equal(t, string(tree["resources/x/h/data.json"].Data), body, "data.json")
	if vary := strings.Join(resp.Header.Values("Vary"), ", "); !strings.Contains(vary, "Cookie, Authorization") || resp.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("data.json: Vary %q, %q", vary, resp.Header.Get("Cache-Control"))
	}
	if resp, _ := get(t, web.URL+"/raw/x/h/none"); resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a file that is not there: %d", resp.StatusCode)
	}
}

// A browser that revalidates its copy gets the file again if the type has changed. Otherwise it
// would show the old type under the policy of the new one.
func TestTagsDependOnTheType(t *testing.T) {
	same := &fstest.MapFile{Data: []byte("%PDF-1.4 <p>hello</p>")}
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{newProject(t, "test", fstest.MapFS{
		"resources/x/h/a.html": same, "resources/x/h/a.pdf": same, "docs/index.md": {}, "docs/a.html": same, "docs/a.pdf": same,
	})}})
	for _, path := range []string{"/raw/x/h/a", "/docs/a"} {
		page, _ := get(t, web.URL+path+".html")
		paper, _ := get(t, web.URL+path+".pdf")
		if page.StatusCode != 200 || paper.StatusCode != 200 {
			t.Fatalf("%s: %d, %d", path, page.StatusCode, paper.StatusCode)
		}
		if tag := page.Header.Get("ETag"); tag == "" || tag == paper.Header.Get("ETag") {
			t.Errorf("%s: both types have the ETag %s", path, tag)
		}
	}
}

func TestForms(t *testing.T) {
	web := serve(t, "", "test")
	form := url.Values{"arg.uri": {"x://h/data.json"}, "arg.limit": {"5"}}
	for _, origin := range []string{"", "null", "https://evil.example", "http://127.0.0.1:1"} {
		if resp, _ := post(t, web.URL+"/tools/read_resource", form, "Origin", origin); resp.StatusCode != http.StatusForbidden {
			t.Errorf("origin %q: %d", origin, resp.StatusCode)
		}
	}
	for _, path := range []string{"/", "/message", "/tools/read_resource"} { // of a client that was given a wrong URL
		resp := must.Get(http.Post(web.URL+path, "application/json", strings.NewReader("{}")))(t)
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound || !strings.Contains(string(said), "the endpoint of MCP is /mcp") {
			t.Errorf("%s: JSON is answered with %d, %s", path, resp.StatusCode, said)
		}
	}
	resp, body := post(t, web.URL+"/tools/read_resource", form, "Origin", web.URL)
	if resp.StatusCode != 200 || !strings.Contains(body, `class="answer"`) || !strings.Contains(body, "tools/call") {
		t.Errorf("a tool: %d\n%s", resp.StatusCode, body)
	}
	if _, body := post(t, web.URL+"/tools/read_resource", url.Values{"arg.uri": {"x://h/none"}}, "Origin", web.URL); !strings.Contains(body, "The tool reports an error") {
		t.Errorf("a mistake:\n%s", body)
	}
	if _, body := post(t, web.URL+"/prompts/review", url.Values{"arg.what": {"<b>this</b>"}}, "Origin", web.URL); !strings.Contains(body, "Review &lt;b&gt;this&lt;/b&gt;.") {
		t.Errorf("a prompt:\n%s", body)
	}
	_, body = post(t, web.URL+"/prompts/look", nil, "Origin", web.URL)
	for _, want := range []string{
		`<h3 class="role">user</h3>`, "# Look", "**at** &lt;these&gt;",
		`<a href="/r/x/h/data.json"><code>x://h/data.json</code></a>`, "{&#34;a&#34;: {&#34;b&#34;", "As a model gets it: about ",
		`<a href="/r/x/h/deep/er/text.md"><code>x://h/deep/er/text.md</code></a>`, "<code># Deep\n\n[up](../../data.json)",
		`<img src="data:image/png;base64,iVBORw0K`, `<a href="/r/x/h/program.bin">`, "application/octet-stream, 3 B",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("a prompt with resources: %q is missing in\n%s", want, body)
		}
	}
	if resp, _ := post(t, web.URL+"/", nil, "Origin", web.URL); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /: %d", resp.StatusCode)
	}
}

func TestLogin(t *testing.T) {
	const token = "correct-horse-battery"
	web := serve(t, token, "test")
	resp, body := get(t, web.URL+"/docs/index")
	if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(body, `name="token"`) || !strings.Contains(body, `value="/docs/index"`) || strings.Contains(body, "Title") {
		t.Errorf("without a token: %d\n%s", resp.StatusCode, body)
	}
	if resp, _ := get(t, web.URL+assetPaths()["page.css"]); resp.StatusCode != 200 {
		t.Errorf("the style: %d", resp.StatusCode)
	}
	if resp, body := post(t, web.URL+"/login", url.Values{"token": {"wrong-horse-battery"}}, "Origin", web.URL); resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("Set-Cookie") != "" || !strings.Contains(body, "not known") {
		t.Errorf("a wrong token: %d", resp.StatusCode)
	}
	if resp, _ := post(t, web.URL+"/login", url.Values{"token": {token}}, "Origin", "https://evil.example"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %d", resp.StatusCode)
	}
	for to, want := range map[string]string{"/docs/index": "/docs/index", "//evil.example": "/", "https://evil.example": "/", `/\evil.example`: "/"} {
		resp, _ = post(t, web.URL+"/login", url.Values{"token": {token}, "to": {to}}, "Origin", web.URL)
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != want {
			t.Errorf("to %q: %d %q", to, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	pair, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if resp, _ := get(t, web.URL+"/docs/index", "Cookie", pair); resp.StatusCode != 200 {
		t.Errorf("with the cookie: %d", resp.StatusCode)
	}
	if resp, _ := get(t, web.URL+"/docs/index", "Cookie", pair+"x"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("with another cookie: %d", resp.StatusCode)
	}
	if resp, _ := get(t, web.URL+"/", "Authorization", "Bearer "+token); resp.StatusCode != 200 {
		t.Errorf("with the token in the header: %d", resp.StatusCode)
	}
}

// Each client names the variable with the token in its own syntax.
func TestConnectWithToken(t *testing.T) {
	const token = "correct-horse-battery"
	web := serve(t, token, "test")
	_, body := get(t, web.URL+"/connect", "Authorization", "Bearer "+token)
	for _, want := range []string{"environment variable <code>DOCS_TOKEN</code>", "Bearer ${DOCS_TOKEN}", "Bearer ${env:DOCS_TOKEN}", "bearer_token_env_var"} {
		if !strings.Contains(html.UnescapeString(regexp.MustCompile("<[^c/][^>]*>|</span>").ReplaceAllString(body, "")), want) {
			t.Errorf("%q is missing in\n%s", want, body)
		}
	}
	if strings.Contains(body, token) {
		t.Error("the page has the token of the viewer")
	}
	open := serve(t, "", "test")
	if _, body := get(t, open.URL+"/connect"); strings.Contains(body, "DOCS_TOKEN") {
		t.Error("a server without tokens asks for one")
	}
}

func TestProjects(t *testing.T) {
	web := serve(t, "", "one", "two")
	if _, body := get(t, web.URL+"/"); !strings.Contains(body, `href="/one/"`) || !strings.Contains(body, "/two/mcp") {
		t.Errorf("the list:\n%s", body)
	}
	if _, body := get(t, web.URL+"/two/docs/index"); !strings.Contains(body, `href="/two/docs/guide/setup#first-step"`) {
		t.Errorf("a document:\n%s", body)
	}
	if resp, _ := get(t, web.URL+"/two"); resp.Header.Get("Location") != "/two/" {
		t.Errorf("without a slash: %d %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	if resp, _ := get(t, web.URL+"/three/"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("another project: %d", resp.StatusCode)
	}
}

// While documents are read, a search answers at once, and says how many are.
func TestReading(t *testing.T) {
	var begun *progress.Step
	read := progress.Begin(progress.Watch(t.Context(), func(s *progress.Step) { begun = s }), "reading", "documents", 2000)
	read.Add(1234)
	s := server.New(server.Options{Name: "Test", Catalog: latest.New[loader.Catalog](), Logger: slog.New(slog.DiscardHandler), Limits: server.Limits{ReadBytes: 1 << 20, FrameBytes: 1 << 20, PageItems: 10}, Reading: func() *progress.Step { return begun }})
	web := servePage(t, "", hosts.Options{}, Options{Sites: []Site{{Name: "test", Title: "Test", Server: s}}})
	for path, texts := range map[string][]string{
		"/search?q=x":           {"1,234 of 2,000 documents. This page", "-", "Nothing was found"},
		"/search?q=x&part=hits": {"1,234 of 2,000 documents.", "-", "Nothing was found", "<html"},
		"/":                     {"1,234 of 2,000 documents. This page"},
	} {
		has(t, web.URL+path, texts...)
	}
	read.End()
}

func TestToolForm(t *testing.T) {
	web := serve(t, "", "test")
	_, body := get(t, web.URL+"/tools/searchTest")
	last := 0
	for _, part := range []string{ // in this order
		"Search and read the documentation of &#34;Test&#34;.", "<details class=\"help\"><summary>More</summary>",
		`name="arg.query"`, `name="arg.alternatives"`, "<summary>More arguments</summary>", `name="arg.limit"`, "Call the tool",
	} {
		i := strings.Index(body[last:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or before the part above it, in\n%s", part, body)
		}
		last += i
	}
}
