package webtools

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// other is a strategy after native, whose pages all have the same text.
type other struct {
	name    string
	secrecy *webclient.Secrecy
}

func (o *other) Name() string                  { return o.name }
func (o *other) Refuses(*fetch.Request) string { return "" }
func (o *other) Close() error                  { return nil }
func (o *other) Fetch(_ context.Context, r *fetch.Request) (*fetch.Answer, error) {
	return &fetch.Answer{URL: r.URL, ContentType: "text/html", Body: []byte(pageText), Secrecy: o.secrecy, Extras: []fetch.Extra{{Name: "summary", MIME: "text/markdown", Data: []byte("a summary")}}}, nil
}

// seen returns the callers that see captures: "all", "alice", "bob", or "" for none.
func seen(s *store.Store) string {
	var list []string
	for _, owner := range []string{"", "alice", "bob"} {
		n := 0
		for range s.All(owner) {
			n++
		}
		if n > 0 {
			list = append(list, map[bool]string{true: "all", false: owner}[owner == ""])
		}
	}
	return strings.Join(list, " ")
}

const shell = `<html><body><div id="root"></div><script src="a.js"></script></body></html>`

// Whichever way a capture replaces another, only the callers that the server allows see it. When the
// server makes a page private, other callers lose its capture.
func TestSecrecyOfSuccessors(t *testing.T) {
	type answer struct {
		status  int
		control string // Cache-Control
		to      string // Location
		body    string
	}
	ok := func(control string) answer { return answer{200, control, "", pageText} }
	same := func(control string) answer { return answer{304, control, "", ""} }
	browser, service := &other{name: fetch.BrowserName, secrecy: &webclient.Secrecy{}}, &other{name: fetch.FirecrawlName}
	for _, test := range []struct {
		name      string
		strategy  *other
		arguments map[string]any // of the second call
		first     map[string]answer
		second    map[string]answer
		before    string // callers that see captures after the first call
		after     string
	}{
		{name: "304 without the field, private before", first: map[string]answer{"/a": ok("private")}, second: map[string]answer{"/a": same("")}, before: "alice", after: "alice"},
		{name: "304 public, private before", first: map[string]answer{"/a": ok("private")}, second: map[string]answer{"/a": same("public, max-age=60")}, before: "alice", after: "alice"},
		{name: "304 without the field, for all before", first: map[string]answer{"/a": ok("")}, second: map[string]answer{"/a": same("")}, before: "all", after: "all"},
		{name: "304 private, for all before", first: map[string]answer{"/a": ok("")}, second: map[string]answer{"/a": same("private")}, before: "all", after: "alice"},
		{name: "304 private, for all before, returnOnly", arguments: map[string]any{"resultHandling": "returnOnly"},
			first: map[string]answer{"/a": ok("")}, second: map[string]answer{"/a": same("private")}, before: "all", after: ""},
		{name: "304 no-store, for all before", first: map[string]answer{"/a": ok("")}, second: map[string]answer{"/a": same("No-Store")}, before: "all", after: ""},
		{name: "304 no-store, private before", first: map[string]answer{"/a": ok("private")}, second: map[string]answer{"/a": same("no-store")}, before: "alice", after: ""},
		{name: "200 private, for all before", first: map[string]answer{"/a": ok("")}, second: map[string]answer{"/a": ok(`private="x"`)}, before: "all", after: "alice"},
		{name: "200 no-store, private before", first: map[string]answer{"/a": ok("private")}, second: map[string]answer{"/a": ok("no-store")}, before: "alice", after: ""},
		{name: "200 without the field, private before", first: map[string]answer{"/a": ok("private")}, second: map[string]answer{"/a": ok("")}, before: "alice", after: "all alice"},
		{name: "304 behind a redirect", first: map[string]answer{"/a": {302, "", "/b", ""}, "/b": ok("private")},
			second: map[string]answer{"/a": {302, "", "/b", ""}, "/b": same("")}, before: "alice", after: "alice"},
		{name: "a private redirect", first: map[string]answer{"/a": {302, "private", "/b", ""}, "/b": ok("")},
			second: map[string]answer{"/a": {302, "", "/b", ""}, "/b": same("")}, before: "alice", after: "alice"},
		{name: "a redirect becomes private", first: map[string]answer{"/a": {302, "", "/b", ""}, "/b": ok("")},
			second: map[string]answer{"/a": {302, "private", "/b", ""}, "/b": same("")}, before: "all", after: "alice"},
		{name: "a redirect with no-store", first: map[string]answer{"/a": {302, "no-store", "/b", ""}, "/b": ok("")},
			second: map[string]answer{"/a": ok("")}, before: "", after: "all"},
		{name: "a private shell, then the browser", strategy: browser, first: map[string]answer{"/a": {200, "private", "", shell}},
			second: map[string]answer{"/a": {200, "private", "", shell}}, before: "alice", after: "alice"},
		{name: "a private shell, then Firecrawl", strategy: service, first: map[string]answer{"/a": {200, "private", "", shell}},
			second: map[string]answer{"/a": {200, "no-store", "", shell}}, before: "alice", after: ""},
		{name: "private before, native fails, then Firecrawl", strategy: service, first: map[string]answer{"/a": ok("private")},
			second: map[string]answer{"/a": {403, "", "", ""}}, before: "alice", after: "alice"},
		{name: "private before, Firecrawl by force", strategy: service, arguments: map[string]any{"forceRescrape": true}, first: map[string]answer{"/a": ok("private")},
			second: map[string]answer{"/a": {403, "", "", ""}}, before: "alice", after: "alice"},
		{name: "private before, native fails, then the browser", strategy: browser, first: map[string]answer{"/a": ok("private")},
			second: map[string]answer{"/a": {403, "", "", ""}}, before: "alice", after: "all alice"}, // the server says so
		{name: "for all before, native fails, then Firecrawl", strategy: service, first: map[string]answer{"/a": ok("")},
			second: map[string]answer{"/a": {403, "", "", ""}}, before: "all", after: "all"},
	} {
		for _, elsewhere := range []bool{false, true} { // true: another process makes the second call
			t.Run(fmt.Sprintf("%s, another process %v", test.name, elsewhere), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "captures")
				change := func(b *bench, o *Options) {
					settings := store.DefaultSettings()
					settings.Kind, settings.Folder = store.Files, dir
					var err error
					if b.store, err = store.Open(t.Context(), settings, slog.New(slog.DiscardHandler)); err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { b.store.Close() })
					o.Store = b.store
					rule := must.Get(webclient.ParseRule("127.0.0.1:*"))(t)
					strategies := []fetch.Strategy{&fetch.Native{Client: webclient.New(webclient.Options{Allow: []webclient.Rule{rule}, IgnoreRobots: true})}}
					if test.strategy != nil {
						strategies = append(strategies, test.strategy)
					}
					o.Chain = fetch.NewChain(strategies...)
				}
				answers := test.first
				b := startScraper(t, func(w http.ResponseWriter, r *http.Request) {
					a := answers[r.URL.Path]
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Cache-Control", a.control)
					w.Header().Set("Etag", `"1"`)
					w.Header().Set("Location", a.to)
					if a.status == 304 && r.Header.Get("If-None-Match") != `"1"` {
						t.Errorf("%s is asked without the condition", r.URL)
					}
					w.WriteHeader(a.status)
					fmt.Fprint(w, a.body)
				}, change)
				b.callAs("alice", map[string]any{})
				if got := seen(b.store); got != test.before {
					t.Errorf("at first it is seen by %q, want %q", got, test.before)
				}
				second := b
				if elsewhere {
					second = startScraper(t, nil, change)
				}
				answers = test.second
				second.now = b.now.Add(time.Hour)
				arguments := map[string]any{"maxAge": 1, "url": b.url + "/a"}
				for name, value := range test.arguments {
					arguments[name] = value
				}
				second.callAs("alice", arguments)
				if got := seen(second.store); got != test.after {
					t.Errorf("then it is seen by %q, want %q", got, test.after)
				}
			})
		}
	}
}

// A 304 updates the validators of the stored version, and says nothing about other versions.
func TestValidatorsAfter304(t *testing.T) {
	var etag, modified, asked string
	b := startScraper(t, func(w http.ResponseWriter, r *http.Request) {
		asked += r.Header.Get("If-None-Match") + " " + r.Header.Get("If-Modified-Since") + ";"
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", etag)
		w.Header().Set("Last-Modified", modified)
		if r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, "version "+etag+modified)
	})
	for i, step := range []struct{ etag, modified, asked, text string }{
		{"", "Monday", " ;", "version Monday"},
		{`W/"1"`, "Tuesday", " Monday;", "version Monday"},
		{`"1"`, "", `W/"1" Tuesday;`, "version Monday"},
		{"", "", `"1" Tuesday;`, "version Monday"},
		{`"2"`, "", `"1" Tuesday; ;`, `version "2"`}, // a 304 of another version: the page is fetched again
		{`"2"`, "", `"2" ;`, `version "2"`},
	} {
		etag, modified, asked = step.etag, step.modified, ""
		b.now = b.now.Add(time.Minute)
		if got := b.callAs("alice", map[string]any{"maxAge": 1})[0].Resource.Text; asked != step.asked || !strings.Contains(got, step.text) {
			t.Errorf("step %d: asked %q, got %q", i, asked, got)
		}
	}
}
