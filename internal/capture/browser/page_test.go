package browser

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func urlAt(u *url.URL, path string) *url.URL {
	v, err := u.Parse(path)
	if err != nil {
		panic(err)
	}
	return v
}

func TestShadowRootsAndFramesAreRead(t *testing.T) {
	site := pages(t, "shadow roots and frames")
	foreign := strings.Replace(serve(t, map[string]string{"/other": site["/other"]}).String(), "127.0.0.1", "localhost", 1)
	site["/"] = strings.ReplaceAll(site["/"], "FOREIGN/", foreign)
	u := serve(t, site)
	_, body := mustRender(t, u)
	must.Contain(t, body,
		`<h2><slot name="head"><b slot="head">Head</b></slot></h2><p>from the shadow</p><slot>rest</slot>`, `<p>in a frame &lt;b&gt;</p>of a script`,
		`<p>in a frame of another site</p>`, `href="`+foreign+`rel"`, `<p data-a="&quot;&lt;">attributes</p>`, "typed</textarea>", "ld+json")
	must.Equal(t, 1, strings.Count(body, "in a frame &lt;b&gt;"), "frames in the page: hidden frames must be left out")
	for _, no := range []string{"<style", "no script", "template", "onclick", "<iframe"} {
		if strings.Contains(body, no) {
			t.Errorf("%q is in\n%s", no, body)
		}
	}
}

func TestAPageCannotChangeHowItIsRead(t *testing.T) {
	u := serve(t, pages(t, "a page that replaces what reads it"))
	_, body := mustRender(t, u)
	must.Contain(t, body, "<p>text</p>")
}

func TestActions(t *testing.T) {
	u := serve(t, pages(t, "actions"))
	a, body := mustRender(t, u, func(r *fetch.Request) {
		r.Actions = []fetch.Action{
			{Type: "click", Selector: "#late"}, {Type: "write", Selector: "#in", Text: "héllo"}, {Type: "press", Key: "Enter"}, {Type: "press", Key: "x"}, {Type: "click", Selector: "#b"}, {Type: "scroll", Direction: "down", Amount: 700}, {Type: "wait", Milliseconds: 100},
			{Type: "screenshot", Name: "shot"}, {Type: "scrape", Selector: "#out"}, {Type: "scroll", Direction: "up"}, {Type: "click", Selector: "#next"},
			{Type: "scrape", Selector: ".item"}, {Type: "scrape"}, {Type: "click", Selector: "x-a button, button"},
		}
		r.Screenshot = true
	})
	var names []string
	var data []string
	for _, e := range a.Extras {
		names, data = append(names, e.Name+" "+e.Label), append(data, string(e.Data))
	}
	if strings.Join(names, ",") != "screenshot shot,scrape ,scrape ,scrape ,screenshot " {
		t.Fatalf("%q", names)
	}
	if !strings.Contains(data[1], `late [Enter][x]clicked héllox`) || !strings.Contains(data[1], `data-y="700"`) || data[2] != "<p class=\"item\">1</p>\n<p class=\"item\">2</p>\n" || !strings.Contains(data[3], "<html>") {
		t.Errorf("%q", data[1:4])
	}
	if !strings.Contains(body, "deep") || a.URL.Path != "/next" {
		t.Errorf("%s:\n%s", a.URL, body)
	}
	if i, err := png.DecodeConfig(strings.NewReader(data[4])); err != nil || i.Width != width || i.Height != height {
		t.Errorf("%+v, %v", i, err)
	}
	for _, bad := range []struct {
		action fetch.Action
		want   string
	}{
		{fetch.Action{Type: "click", Selector: "#none"}, `action 1, click: nothing on the page matches "#none"`},
		{fetch.Action{Type: "click", Selector: "]"}, "action 1, click: the script fails"},
		{fetch.Action{Type: "write", Selector: "#out", Text: "a"}, "takes no text"},
		{fetch.Action{Type: "press", Key: "Control+a"}, "must be a character"},
		{fetch.Action{Type: "executeJavascript", Script: "1"}, "--browser-scripts"},
	} {
		if _, err := render(t, u, func(r *fetch.Request) {
			r.Actions = []fetch.Action{bad.action}
			if strings.Contains(bad.want, "matches") {
				r.Timeout = 8 * time.Second // half of it to wait for the element
			}
		}); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%+v: %v", bad.action, err)
		}
	}
}

func TestOtherDocumentsAreReturnedUnchanged(t *testing.T) {
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Etag", `"1"`)
			io.WriteString(w, `{"a": "é"}`)
		case "/pdf":
			w.Header().Set("Content-Type", "application/pdf")
			w.Write([]byte("%PDF-1.7\n\xff\x00"))
		case "/download":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Disposition", `attachment; filename="a.html"`)
			io.WriteString(w, "a file")
		case "/large":
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, strings.Repeat("x", 3<<20))
		default:
			w.WriteHeader(404)
		}
	})
	for path, want := range map[string][2]string{
		"/json": {"application/json", `{"a": "é"}`}, "/pdf": {"application/pdf", "%PDF-1.7\n\xff\x00"}, "/download": {"text/html", "a file"},
	} {
		a, body := mustRender(t, urlAt(u, path))
		if a.ContentType != want[0] || body != want[1] || a.URL.Path != path || path == "/json" && a.Validators.ETag != `"1"` {
			t.Errorf("%s: %s %q %+v", path, a.ContentType, body, a.Validators)
		}
	}
	if _, err := render(t, urlAt(u, "/pdf"), func(r *fetch.Request) { r.Screenshot = true }); err == nil || !strings.Contains(err.Error(), "is a file") {
		t.Error(err)
	}
	_, err := render(t, urlAt(u, "/large"), func(r *fetch.Request) { r.MaxBytes = 1 << 20 })
	if !errors.Is(err, webclient.ErrExhausted) {
		t.Error(err)
	}
	_, err = render(t, urlAt(u, "/none"))
	if status, ok := errors.AsType[*webclient.StatusError](err); !ok || status.Status != 404 {
		t.Error(err)
	}
}

func TestRedirectsLeadToTheFinalURL(t *testing.T) {
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			w.Header().Set("Cache-Control", "private")
			http.Redirect(w, r, "/second", http.StatusMovedPermanently)
		case "/second":
			fmt.Fprint(w, "<script>location.replace('/third#x')</script>")
		case "/third":
			w.Header().Set("Cache-Control", "no-store")
			fmt.Fprint(w, "<script>history.pushState(null, '', '/fourth')</script>the end")
		}
	})
	a, body := mustRender(t, u)
	if a.URL.String() != urlAt(u, "/fourth").String() || !strings.Contains(body, "the end") || *a.Secrecy != (webclient.Secrecy{NoStore: true, Private: true}) {
		t.Errorf("%s %v\n%s", a.URL, a.Secrecy, body)
	}
}

func TestDialogsDownloadsAndWindowsAreRefused(t *testing.T) {
	asked, site := make(chan string, 100), pages(t, "dialogs, downloads and windows")
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.Path:
		default:
		}
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, site["/"])
		case "/sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, site["/sw.js"])
		case "/file":
			w.Header().Set("Content-Disposition", "attachment")
		case "/through":
			fmt.Fprint(w, "of the server")
		}
	})
	_, body := mustRender(t, u, func(r *fetch.Request) { r.WaitFor = 500 * time.Millisecond })
	if !strings.Contains(body, "confirmed false; prompted null; done") || strings.Contains(body, "of the worker") {
		t.Error(body)
	}
	t.Log(body)
}

func TestAdvertisementsAreBlocked(t *testing.T) {
	for host, page := range map[string]string{
		"ad.doubleclick.net": "example.com", "doubleclick.net": "example.com", "www.googletagmanager.com": "docs.example", "static.hotjar.com": "mixpanel.com",
		"notdoubleclick.net": "", "example.com": "", "cdn.mixpanel.com": "", "net": "",
	} {
		blocked := blocker("docs.mixpanel.com")
		if page != "" {
			blocked = blocker(page)
		}
		must.Equal(t, page != "", blocked(host), host, " on ", page)
	}
	u := serve(t, map[string]string{"/": `<body><script src="http://ads.google-analytics.com/a.js" onerror="document.body.append('left out')"></script>`})
	for _, on := range []bool{true, false} {
		_, body := mustRender(t, u, func(r *fetch.Request) { r.BlockAds = on })
		if on && !strings.Contains(body, "left out") {
			t.Error(body)
		}
	}
}

func TestAPageIsBounded(t *testing.T) {
	u := serve(t, pages(t, "pages without bounds"))
	for path, want := range map[string]string{"/nodes": "", "/text": "", "/deep": "bottom", "/scroll": "line"} {
		a, body := mustRender(t, urlAt(u, path), func(r *fetch.Request) {
			if path == "/scroll" {
				r.Screenshot = true
				for range 3 {
					r.Actions = append(r.Actions, fetch.Action{Type: "scroll", Direction: "down", Amount: 100000})
				}
			}
		})
		if len(body) > 201_000 || !strings.Contains(body, want) {
			t.Errorf("%s: %d bytes", path, len(body))
		}
		must.Equal(t, path == "/nodes" || path == "/text", len(a.Notes) > 0 && strings.Contains(a.Notes[0], "larger"), path, " ", a.Notes)
		if !strings.HasSuffix(body, "</html>") {
			t.Errorf("%s: ends with %q", path, body[len(body)-50:])
		}
	}
}

func TestSlowAndEndlessPages(t *testing.T) {
	release := make(chan struct{})
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		hang := func() {
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-release:
			}
		}
		switch r.URL.Path {
		case "/silent", "/hang.png":
			w.Header().Set("Content-Type", "image/png")
			select {
			case <-r.Context().Done():
			case <-release:
			}
		case "/partial":
			fmt.Fprint(w, "<p>beginning")
			hang()
		case "/image":
			fmt.Fprint(w, "<p>text</p><img src=/hang.png>")
		case "/busy":
			fmt.Fprint(w, "<p>text</p><script>for (;;) {}</script>")
		}
	})
	t.Cleanup(func() { close(release) })
	var all sync.WaitGroup
	for path, want := range map[string]string{"/silent": "", "/partial": "", "/busy": "", "/image": "<p>text</p>"} {
		all.Go(func() {
			timeout := 2 * time.Second
			if want != "" {
				timeout = 12 * time.Second // half of it is for the image
			}
			a, err := render(t, urlAt(u, path), func(r *fetch.Request) { r.Timeout = timeout })
			if want == "" && err == nil || want != "" && (err != nil || !strings.Contains(string(a.Body), want)) {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	all.Wait()
	// The browser still works.
	must.Get(render(t, serve(t, map[string]string{"/": "ok"})))(t)
}

func TestACrashEndsOnePage(t *testing.T) {
	u := serve(t, map[string]string{"/": `<p>text`})
	needsBrowser(t)
	b := shared()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := must.Get(b.enter(ctx))(t)
	defer b.leave(e)
	p := must.Get(e.open(ctx, &fetch.Request{URL: u}))(t)
	defer p.close()
	go do(ctx, p.session, cdppage.Crash, cdp.Empty{})
	if _, err := p.until(ctx, time.Minute, func() bool { return false }); err == nil || !strings.Contains(err.Error(), "crashes") {
		t.Error(err)
	}
	must.Get(render(t, u))(t)
}
