package webtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A backend is a fake service for a provider, which records requests.
type backend struct {
	url      string
	requests []string // path and query, decoded and sorted
}

func serve(t *testing.T, answer func(r *http.Request) (status int, body string)) *backend {
	t.Helper()
	b := new(backend)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, _ := url.QueryUnescape(r.URL.Query().Encode())
		b.requests = append(b.requests, r.URL.Path+"?"+query)
		status, body := answer(r)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *backend) asked(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(b.requests, want) {
		t.Errorf("asked for\n%s\nwant\n%s", strings.Join(b.requests, "\n"), strings.Join(want, "\n"))
	}
}

func provided(t *testing.T, p Provider, err error) Provider {
	t.Helper()
	must.Do(t, err)
	t.Cleanup(p.Close)
	return p
}

func resultURLs(found []SearchResult) (list []string) {
	for _, r := range found {
		list = append(list, r.URL)
	}
	return list
}

func TestSearXNG(t *testing.T) {
	b := serve(t, func(r *http.Request) (int, string) {
		q := r.URL.Query()
		switch q.Get("categories") + q.Get("pageno") {
		case "general1":
			return 200, `{"results":[{"url":"https://a.example/1","title":"One","content":"first","engines":["x"],"score":1},{"url":"https://a.example/2","title":"Two","publishedDate":null}]}`
		case "general2":
			return 200, `{"results":[{"url":"https://a.example/2","title":"Two"},{"url":"https://a.example/3","title":"Three"}]}`
		case "images1":
			return 200, `{"results":[{"url":"https://a.example/p","title":"P","img_src":"//i.example/p.png"}]}`
		case "news1":
			return 200, `{"results":[],"unresponsive_engines":[["bing news","timeout"],["x","CAPTCHA"]]}`
		}
		return 200, `{"results":[]}`
	})
	p, err := NewSearXNG(b.url+"/", "1")
	p = provided(t, p, err)
	q := &SearchQuery{Text: "a b", Limit: 3, Sources: []Source{Web, Images, News}, Country: "DE", Language: "de", Within: Week, Timeout: 60_000}
	got := must.Get(search(t.Context(), []Provider{p}, q))(t)
	rest := "&format=json&language=de-DE&pageno=%d&q=a b&time_range=week"
	b.asked(t, fmt.Sprintf("/search?categories=general"+rest, 1), fmt.Sprintf("/search?categories=general"+rest, 2),
		fmt.Sprintf("/search?categories=images"+rest, 1), fmt.Sprintf("/search?categories=images"+rest, 2), fmt.Sprintf("/search?categories=news"+rest, 1))
	if list := resultURLs(got.Found[Web]); !slices.Equal(list, []string{"https://a.example/1", "https://a.example/2", "https://a.example/3"}) || got.Found[Web][0].Description != "first" {
		t.Errorf("%v", got.Found[Web])
	}
	if image := got.Found[Images][0]; image.Image != "https://i.example/p.png" {
		t.Errorf("%+v", image)
	}
	if got.Provider != "SearXNG" || !slices.Equal(got.Notes, []string{"SearXNG: 2 of its engines did not answer (bing news: timeout; x: CAPTCHA)"}) {
		t.Errorf("%+v", got)
	}
}

// SearXNG has one parameter for language and country: a note says which one is ignored.
func TestSearXNGCountry(t *testing.T) {
	b := serve(t, func(*http.Request) (int, string) { return 200, `{"results":[]}` })
	p, err := NewSearXNG(b.url, "1")
	p = provided(t, p, err)
	for _, test := range []struct{ language, country, note string }{
		{"pt-BR", "DE", "SearXNG takes the country from lang, which is pt-BR: country DE is ignored"}, {"pt-BR", "BR", ""}, {"zh-Hant-TW", "TW", ""}, {"pt", "DE", ""}, {"pt-BR", "", ""},
	} {
		got, err := search(t.Context(), []Provider{p}, &SearchQuery{Text: "a", Limit: 1, Sources: []Source{Web}, Language: test.language, Country: test.country})
		if err != nil || strings.Join(got.Notes, "") != test.note {
			t.Errorf("%+v: %v, %v", test, got, err)
		}
	}
}

func TestSearXNGWithoutJSON(t *testing.T) {
	b := serve(t, func(*http.Request) (int, string) { return 403, "<html>" })
	p, err := NewSearXNG(b.url, "1")
	p = provided(t, p, err)
	_, err = search(t.Context(), []Provider{p}, &SearchQuery{Text: "a", Limit: 1, Sources: []Source{Web}})
	if err == nil || !strings.Contains(err.Error(), "add json to search.formats in its settings.yml") {
		t.Error(err)
	}
}

func TestCategories(t *testing.T) {
	b := serve(t, func(r *http.Request) (int, string) {
		q := r.URL.Query()
		return 200, fmt.Sprintf(`{"results":[{"url":"https://a.example/%s/1"},{"url":"https://a.example/%[1]s/2"}]}`, url.PathEscape(q.Get("categories")+q.Get("q")))
	})
	p, err := NewSearXNG(b.url, "1")
	p = provided(t, p, err)
	got, err := search(t.Context(), []Provider{p}, &SearchQuery{Text: "a", Limit: 3, Sources: []Source{Web}, Categories: []Category{GitHub, PDF, Research}})
	must.Do(t, err)
	if list := resultURLs(got.Found[Web]); len(list) != 3 || got.Found[Web][0].Category != GitHub || got.Found[Web][2].Category != Research {
		t.Errorf("%v", got.Found)
	}
	b.asked(t, "/search?categories=general&format=json&pageno=1&q=a site:github.com", "/search?categories=general&format=json&pageno=1&q=a filetype:pdf",
		"/search?categories=science&format=json&pageno=1&q=a")
}

func TestBrave(t *testing.T) {
	b := serve(t, func(r *http.Request) (int, string) {
		if r.Header.Get("X-Subscription-Token") != "BSA-key" || r.Header.Get("Authorization") != "" {
			t.Errorf("headers are %v", r.Header)
		}
		switch r.URL.Path {
		case "/res/v1/web/search":
			var results []string
			for i := range 20 {
				results = append(results, fmt.Sprintf(`{"title":"T &amp; t","url":"https://a.example/%s-%d","description":"a\n&lt;b&gt;","page_age":"2026-01-02T00:00:00"}`, r.URL.Query().Get("offset"), i))
			}
			return 200, `{"query":{"more_results_available":true},"web":{"results":[` + strings.Join(results, ",") + `]}}`
		case "/res/v1/news/search":
			return 200, `{"results":[{"title":"N","url":"https://n.example/","age":"2 days ago","thumbnail":{"src":"https://n.example/t.jpg"}}]}`
		}
		return 200, `{"results":[{"title":"I","url":"https://i.example/","properties":{"url":"https://i.example/i.png","width":3,"height":4}}]}`
	})
	p, err := NewBrave(b.url, "BSA-key", "1")
	p = provided(t, p, err)
	got, err := search(t.Context(), []Provider{p}, &SearchQuery{Text: "a", Limit: 25, Sources: []Source{Web, News, Images}, Country: "BR", Language: "pt-BR", Within: Month})
	must.Do(t, err)
	rest := "country=BR&freshness=pm"
	b.asked(t, "/res/v1/web/search?count=20&"+rest+"&q=a&result_filter=web&search_lang=pt-br&text_decorations=false",
		"/res/v1/web/search?count=20&"+rest+"&offset=1&q=a&result_filter=web&search_lang=pt-br&text_decorations=false",
		"/res/v1/news/search?count=25&"+rest+"&q=a&search_lang=pt-br",
		"/res/v1/images/search?count=25&country=BR&q=a&search_lang=pt-br")
	if web := got.Found[Web]; len(web) != 25 || web[0].Title != "T & t" || web[0].Description != "a <b>" || web[0].Date != "2026-01-02T00:00:00" {
		t.Errorf("%d: %+v", len(web), web[0])
	}
	if got.Found[News][0].Image != "https://n.example/t.jpg" || got.Found[Images][0].Image != "https://i.example/i.png" || len(got.Notes) != 1 {
		t.Errorf("%+v", got)
	}
	for language, want := range map[string]string{"ja": "jp", "zh": "zh-hans", "zh-TW": "zh-hant", "en-US": "en", "en-GB": "en-gb", "de": "de", "no": "nb", "nn-NO": "nb", "nb-NO": "nb", "pt": "pt-pt", "pt-BR": "pt-br"} {
		if got := braveLanguage(language); got != want {
			t.Errorf("%s is %s, want %s", language, got, want)
		}
	}
	if d := braveDelay(http.Header{"X-Ratelimit-Remaining": {"0, 14"}, "X-Ratelimit-Reset": {"1, 1419704"}}); d != time.Second {
		t.Errorf("the limit of a second takes %v", d)
	}
}

func TestFirecrawl(t *testing.T) {
	var body map[string]any
	b := serve(t, func(r *http.Request) (int, string) {
		json.NewDecoder(r.Body).Decode(&body)
		return 200, `{"creditsUsed":2,"warning":"few","data":{"web":[{"url":"https://w.example/","title":"W","category":"pdf"}],"images":[{"url":"https://i.example/","imageUrl":"https://i.example/i.png","imageWidth":7}],
			"news":[{"url":"https://n.example/","snippet":"s","date":"1 hour ago"}]}}`
	})
	c := must.Get(firecrawl.New(b.url, "k", "1"))(t)
	p := provided(t, NewFirecrawl(c), nil)
	got, err := search(t.Context(), []Provider{p}, &SearchQuery{Text: "a", Limit: 5, Sources: []Source{Web, News}, Categories: []Category{PDF}, Country: "DE", Language: "de", Place: "Berlin", Within: Year, Timeout: 2000})
	must.Do(t, err)
	want := map[string]any{"query": "a", "limit": 5.0, "sources": []any{"web", "news"}, "categories": []any{"pdf"}, "country": "DE", "lang": "de", "location": "Berlin", "tbs": "qdr:y", "timeout": 2000.0}
	if fmt.Sprint(body) != fmt.Sprint(want) {
		t.Errorf("asked for %v, want %v", body, want)
	}
	if len(got.Found) != 2 || got.Found[Web][0].Category != PDF || got.Found[News][0].Date != "1 hour ago" || got.Credits != 2 || got.Notes[0] != "Firecrawl warns: few" {
		t.Errorf("%+v", got)
	}
}

// After a provider that fails, or does not support a query, the next one is tried, and a note says why.
func TestTurns(t *testing.T) {
	failing := serve(t, func(*http.Request) (int, string) { return 401, `{"detail":"no"}` })
	searx := serve(t, func(*http.Request) (int, string) { return 200, `{"results":[{"url":"https://a.example/"}]}` })
	b, err := NewBrave(failing.url, "k", "1")
	b = provided(t, b, err)
	s, err := NewSearXNG(searx.url, "1")
	s = provided(t, s, err)
	q := &SearchQuery{Text: "a", Limit: 1, Sources: []Source{Web}}
	got, err := search(t.Context(), []Provider{b, s}, q)
	if err != nil || got.Provider != "SearXNG" || len(got.Notes) != 1 || !strings.HasPrefix(got.Notes[0], "Brave API error: 401 Unauthorized - no. The operator of this server has to set BRAVE_API_KEY") {
		t.Errorf("%+v, %v", got, err)
	}
	q.Place = "Berlin"
	_, err = search(t.Context(), []Provider{b, s}, q)
	if err == nil || err.Error() != "Brave was not used: it cannot search by location; leave that out, or the operator sets FIRECRAWL_API_KEY\n"+
		"SearXNG was not used: it cannot search by location; leave that out, or the operator sets FIRECRAWL_API_KEY" {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := search(ended, []Provider{s}, &SearchQuery{Text: "a", Limit: 1, Sources: []Source{Web}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	hour := &SearchQuery{Text: "a", Within: Hour}
	if b.Refuses(&SearchQuery{Text: strings.Repeat("a ", 51)}) == "" || b.Refuses(hour) == "" || s.Refuses(hour) == "" {
		t.Error("a query is taken that cannot be served")
	}
}

func TestClean(t *testing.T) {
	found := cleanResults([]SearchResult{
		{URL: "javascript:alert(1)"}, {URL: "file:///etc/passwd"}, {URL: "https://u:p@a.example/"}, {URL: "https://" + strings.Repeat("a", maxResultURL)}, {URL: "//a.example/"},
		{URL: "https://a.example/", Title: "a\u202eb\x00c\n d", Image: "data:x", Description: strings.Repeat("ä", maxResultText)}, {URL: "https://a.example/"},
		{URL: "https://b.example/"}, {URL: "https://c.example/"},
	}, 2)
	if !slices.Equal(resultURLs(found), []string{"https://a.example/", "https://b.example/"}) || found[0].Title != "ab c d" || found[0].Image != "" {
		t.Errorf("%+v", found)
	}
	if d := found[0].Description; len(d) > maxResultText || !strings.HasSuffix(d, "ä…") {
		t.Errorf("%d bytes, ends in %q", len(d), d[len(d)-8:])
	}
}
