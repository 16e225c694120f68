package page

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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
