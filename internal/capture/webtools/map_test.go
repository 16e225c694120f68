package webtools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

func callMap(t *testing.T, o Options, arguments string) ([]content, bool, error) {
	t.Helper()
	return run(t, o.Map(), tools.Call{Caller: "me", Arguments: json.RawMessage(arguments)})
}

func TestMap(t *testing.T) {
	var mu sync.Mutex
	languages := make(map[string]bool) // guarded by mu
	server := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		languages[r.Header.Get("Accept-Language")] = true
		mu.Unlock()
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<!doctype html><title>Home</title><a href="/linked?utm_source=x">A linked page</a><a href="/x?a=1">X</a><a href="/x?a=2">X</a><a href=/private/y>P</a>`)
		case "/sitemap.xml":
			fmt.Fprint(w, `<urlset>`)
			for i := range 30 {
				fmt.Fprintf(w, `<url><loc>/page/%d</loc></url>`, i)
			}
			fmt.Fprint(w, `<url><loc>/news</loc><news:news><news:title>The news</news:title></news:news></url></urlset>`)
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		case "/private/y":
			t.Error("what robots.txt does not allow was asked")
		case "/linked", "/x", "/news", "/page/0", "/page/1", "/page/2", "/page/3", "/page/4", "/page/5", "/page/6", "/page/7", "/page/8", "/page/9":
			fmt.Fprintf(w, "<!doctype html><title>Page %s</title>", r.URL.Path)
		default:
			http.NotFound(w, r)
		}
	}))
	o := local(t)
	must.Get(o.Store.Put(t.Context(), store.Meta{Key: store.Request{URL: must.Get(url.Parse(server.URL + "/captured"))(t), Owner: "me"}.Key(), Owner: "me", URL: server.URL + "/captured", Title: "Captured"},
		store.Contents{store.Raw: []byte("x")}))(t)
	content, isError, err := callMap(t, o, fmt.Sprintf(`{"url":%q,"maxResults":20,"location":{"country":"de","languages":["de","en"]}}`, server.URL))
	if err != nil || isError || len(content) != 2 {
		t.Fatalf("%v %v %v", content, isError, err)
	}
	summary := content[0].Text
	must.Contain(t, summary, "Map Results for "+server.URL+"/\n━━━", "Total URLs discovered: 36\n", "Showing: 1-20 of 36\n\n[More results available. Use startIndex: 20 to continue]")
	if !languages["de-DE, de;q=0.9, en-DE;q=0.8, en;q=0.7"] {
		t.Errorf("%v", languages)
	}
	resource := content[1].Resource
	read := func(uri string) string {
		t.Helper()
		key := uri[strings.LastIndex(uri, "/")+1:]
		text := must.Get(must.Get(o.Store.Get(t.Context(), key))(t).Content(t.Context(), store.Raw))(t)
		return string(text)
	}
	must.Equal(t, resource.Text, read(resource.URI), "a resource that is read again")
	server.Close() // the next part comes from the stored list
	content, _, err = callMap(t, o, fmt.Sprintf(`{"url":%q,"maxResults":20,"startIndex":20,"location":{"country":"de","languages":["de","en"]},"resultHandling":"saveOnly"}`, server.URL))
	if err != nil || len(content) != 2 || content[1].Type != "resource_link" || !strings.Contains(content[1].Description, "URLs 21-36 from "+server.URL) {
		t.Fatalf("%v %v", content, err)
	}
	all := resource.Text + read(content[1].URI)
	for _, want := range []string{`{"url":"` + server.URL + `/linked","title":"A linked page"}`, `{"url":"` + server.URL + `/news","title":"The news"}`, `"title":"Captured"`, `"title":"Home"`, `/x"`} {
		must.Equal(t, 1, strings.Count(all, want), want)
	}
	if strings.Contains(all, "utm_") || strings.Contains(all, "?a=") {
		t.Error(all)
	}
}

func TestMapOfALargeSite(t *testing.T) {
	const urls = 20_000
	server := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sitemap.xml" {
			fmt.Fprint(w, "<!doctype html><title>Home</title><a href=/other>O</a>")
			return
		}
		for i := range urls {
			fmt.Fprintf(w, "http://%s/part/%d/asyncio-%d\n", r.Host, i%100, i)
		}
	}))
	o := local(t)
	for arguments, want := range map[string]string{
		`"sitemap":"only","limit":100000,"maxResults":5000`:                 "Total URLs discovered: 20000\n",
		`"sitemap":"only","limit":3000`:                                     "Showing: 1-200 of 3000\nNote: The list ends at 3000 URLs, which is the limit: there are more.\n",
		`"search":"asyncio-777 nothing","limit":5`:                          "Total URLs discovered: 5\n",
		`"search":"nowhere","resultHandling":"returnOnly"`:                  "Showing: none",
		`"sitemap":"skip","startIndex":7`:                                   "Showing: none: startIndex 7 is after the last of 2",
		`"sitemap":"only","limit":7000,"startIndex":6990,"maxResults":5000`: "Showing: 6991-7000 of 7000",
	} {
		content, isError, err := callMap(t, o, fmt.Sprintf(`{"url":%q,%s}`, server.URL, arguments))
		if err != nil || isError || !strings.Contains(content[0].Text, want) {
			t.Errorf("%s: %v %v, want %q", arguments, content[0].Text, err, want)
		}
		for _, block := range content {
			if text := must.Get(json.Marshal(block))(t); len(text) > 2*maxMapPage {
				t.Errorf("%s: a block has %d bytes", arguments, len(text))
			}
		}
	}
}

func TestMapRefuses(t *testing.T) {
	o := local(t)
	o.Client = webclient.New(webclient.Options{})
	for _, address := range []string{"http://127.0.0.1:8080/", "http://169.254.169.254/", "http://localhost:8080/", "http://a.example:22/"} {
		content, isError, err := callMap(t, o, fmt.Sprintf(`{"url":%q}`, address))
		if err != nil || !isError || !strings.Contains(content[0].Text, "Map error: ") {
			t.Errorf("%s: %v %v", address, content, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Map().Run(ctx, tools.Call{Arguments: json.RawMessage(`{"url":"https://a.example/"}`)}); err == nil {
		t.Error("a call that was ended has an answer")
	}
}

// If a site refuses programs and Firecrawl is configured, Firecrawl lists the URLs.
func TestRefusingSite(t *testing.T) {
	site := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	asked := ""
	service := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.URL.Path + " " + string(body)
		fmt.Fprintf(w, `{"links":[{"url":"%s/a?x=1","title":"A"},{"url":"https://other.example/"},{"url":"javascript:x"}]}`, site.URL)
	}))
	o := local(t)
	arguments := fmt.Sprintf(`{"url":%q,"location":{"country":"DE","languages":["de"]}}`, site.URL)
	if content, isError, err := callMap(t, o, arguments); err != nil || !isError || !strings.Contains(fmt.Sprint(content), "403") {
		t.Errorf("without Firecrawl: %v, %v", content, err)
	}
	client, err := firecrawl.New(service.URL, "key", "1")
	must.Do(t, err)
	o.Firecrawl = &firecrawl.Strategy{Client: client, Rules: o.Client}
	content, isError, err := callMap(t, o, arguments)
	if err != nil || isError {
		t.Fatal(content, err)
	}
	text := fmt.Sprint(content)
	if !strings.Contains(text, site.URL+"/a") || !strings.Contains(text, "The list comes from Firecrawl") || strings.Contains(text, "other.example") || strings.Contains(text, "javascript") {
		t.Errorf("the list is %s", text)
	}
	if !strings.HasPrefix(asked, "/v2/map {") || !strings.Contains(asked, `"location":{"country":"DE","languages":["de-DE","de"]}`) {
		t.Errorf("asked for %s", asked)
	}
	o.Firecrawl.Rules = webclient.New(webclient.Options{})
	asked = ""
	if content, isError, err := callMap(t, o, arguments); err != nil || !isError || asked != "" {
		t.Errorf("a site that may not be asked for: %v, %v, asked for %s", content, err, asked)
	}
}
