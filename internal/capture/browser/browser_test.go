package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// shared is the browser of most tests, since starting one takes a second.
var shared = sync.OnceValue(func() *Browser { return New(testOptions("127.0.0.1:*", "localhost:*")) })

func TestMain(m *testing.M) {
	if page := os.Getenv(asServer); page != "" {
		beServer(page)
		return
	}
	code := m.Run()
	shared().Close()
	os.Exit(code)
}

func testOptions(allow ...string) Options {
	o := webclient.Options{IgnoreRobots: true, Version: "1.2.3"}
	for _, s := range allow {
		rule, err := webclient.ParseRule(s)
		if err != nil {
			panic(err)
		}
		o.Allow = append(o.Allow, rule)
	}
	return Options{Client: webclient.New(o), NoSandbox: isRoot(), limits: limits{load: 20 * time.Second, quiet: time.Millisecond, appear: 20 * time.Second, chars: 200_000, nodes: 20_000}}
}

// needsBrowser skips a test if this computer has no browser.
func needsBrowser(t *testing.T) {
	t.Helper()
	if _, err := find(); err != nil {
		t.Skip(err)
	}
}

// serve starts a server of pages by path.
func serve(t *testing.T, pages map[string]string) *url.URL {
	t.Helper()
	return handle(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body)
	})
}

func handle(t *testing.T, h http.HandlerFunc) *url.URL {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return must.Get(url.Parse(s.URL + "/"))(t)
}

func render(t *testing.T, u *url.URL, change ...func(*fetch.Request)) (*fetch.Answer, error) {
	t.Helper()
	needsBrowser(t)
	return renderBy(t, shared(), u, change...)
}

func renderBy(t *testing.T, b *Browser, u *url.URL, change ...func(*fetch.Request)) (*fetch.Answer, error) {
	t.Helper()
	r := &fetch.Request{URL: u, Timeout: time.Minute, BlockAds: true}
	for _, f := range change {
		f(r)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	return b.Fetch(ctx, r)
}

func mustRender(t *testing.T, u *url.URL, change ...func(*fetch.Request)) (*fetch.Answer, string) {
	t.Helper()
	a := must.Get(render(t, u, change...))(t)
	return a, string(a.Body)
}

func TestAPageIsRendered(t *testing.T) {
	u := serve(t, map[string]string{"/": `<!DOCTYPE html><html lang="en"><title>A page</title><body><p id="a">one</p>
<script>document.getElementById('a').textContent = 'made by a script'; setTimeout(() => { document.body.append('later') }, 100)</script>`})
	begin := time.Now()
	a, body := mustRender(t, u, func(r *fetch.Request) { r.WaitFor = time.Second })
	t.Log(time.Since(begin))
	if a.Strategy != "browser" || a.URL.String() != u.String() || a.ContentType != "text/html; charset=utf-8" || a.Title != "A page" {
		t.Errorf("%+v", a)
	}
	for _, want := range []string{`<p id="a">made by a script</p>`, "later", `<html lang="en">`} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in\n%s", want, body)
		}
	}
	if strings.Contains(body, "<script") {
		t.Errorf("the page has scripts:\n%s", body)
	}
	begin = time.Now()
	mustRender(t, u)
	t.Log(time.Since(begin))
}
