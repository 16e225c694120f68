package firecrawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const key = "fc-0123456789"

// png is the beginning of an image.
const png = "\x89PNG\r\n\x1a\n0000"

// known has the members that the official client knows (@mendable/firecrawl-js 4.42, types ScrapeOptions, MapOptions and
// SearchRequest). lang is only in the API.
var known = map[string]func() any{
	"scrape": func() any {
		return new(struct {
			URL, Proxy                              string
			Formats, Actions                        []any
			Headers                                 map[string]string
			OnlyMainContent, BlockAds, StoreInCache bool
			Timeout, WaitFor, MaxAge                float64
		})
	},
	"map": func() any {
		return new(struct {
			URL, Search, Sitemap                     string
			IncludeSubdomains, IgnoreQueryParameters bool
			Limit, Timeout                           float64
			Location                                 struct {
				Country   string
				Languages []string
			}
		})
	},
	"search": func() any {
		return new(struct {
			Query, TBS, Location, Country, Lang string
			Sources, Categories                 []string
			Limit, Timeout                      float64
		})
	},
}

// serve starts a service that checks requests and has an answer for each method and path.
func serve(t *testing.T, answers map[string]string) (c *Client, bodies map[string]map[string]any, base *url.URL) {
	t.Helper()
	bodies = make(map[string]map[string]any)
	server := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := r.Method + " " + r.RequestURI
		answer, ok := answers[request]
		if !ok {
			t.Errorf("unexpected request %s", request)
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if strings.HasPrefix(request, "GET /pictures/") {
			must.Equal(t, "", r.Header.Get("Authorization"), "the host of the pictures gets the key")
			io.WriteString(w, answer)
			return
		}
		must.Equal(t, "Bearer "+key, r.Header.Get("Authorization"), request)
		if r.Method == http.MethodPost {
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Errorf("%s: %v", request, err)
			}
			bodies[request] = body
			text, _ := json.Marshal(body)
			strict := json.NewDecoder(bytes.NewReader(text))
			strict.DisallowUnknownFields()
			if err := strict.Decode(known[strings.TrimPrefix(r.URL.Path, "/v2/")]()); err != nil {
				t.Errorf("%s: %v", request, err)
			}
		}
		io.WriteString(w, answer)
	}))
	c = must.Get(New(server.URL, key, "1"))(t)
	base, _ = url.Parse(server.URL)
	return c, bodies, base
}

func strategy(t *testing.T, answers map[string]string) (*Strategy, map[string]map[string]any) {
	t.Helper()
	c, bodies, base := serve(t, answers)
	rule := must.Get(webclient.ParseRule(base.Hostname() + ":*"))(t)
	client := webclient.New(webclient.Options{Allow: []webclient.Rule{rule}, IgnoreRobots: true})
	for request, answer := range answers {
		answers[request] = strings.ReplaceAll(answer, "BASE", base.String())
	}
	return &Strategy{Client: c, Rules: client, Pictures: client}, bodies
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	return must.Get(url.Parse(s))(t)
}

func TestStrategy(t *testing.T) {
	files := given.Cases(t, "scrape.txt")[0].Files
	s, bodies := strategy(t, map[string]string{
		"POST /v2/scrape":     files["answer"],
		"GET /pictures/last":  png + "last",
		"GET /pictures/first": png + "first",
		"GET /pictures/none":  "<html>",
	})
	r := &fetch.Request{
		URL: parse(t, "https://93.184.215.14/a?b=c"), Timeout: 90 * time.Second, Header: http.Header{"Referer": {"https://google.com"}},
		Proxy: fetch.StealthProxy, BlockAds: true, WaitFor: 2 * time.Second, Screenshot: true, Formats: []string{"summary", "branding"},
		MaxAge: time.Hour, Actions: []fetch.Action{
			{Type: "wait", Milliseconds: 5}, {Type: "click", Selector: "#a"}, {Type: "write", Selector: "#b", Text: "c"}, {Type: "press", Key: "Enter"},
			{Type: "scroll", Direction: "up", Amount: 30}, {Type: "screenshot", Name: "one"}, {Type: "scrape", Selector: "b"}, {Type: "executeJavascript", Script: "7"},
		},
	}
	a := must.Get(s.Fetch(t.Context(), r))(t)
	var want map[string]any
	must.Do(t, json.Unmarshal([]byte(files["request"]), &want))
	must.Equal(t, want, bodies["POST /v2/scrape"])
	if string(a.Body) != "<h1>A</h1>" || a.ContentType != "text/html; charset=utf-8" || a.URL.String() != "https://example.com/b" || a.Title != "A" || a.Credits != 3 || a.Strategy != "firecrawl" {
		t.Errorf("%+v", a)
	}
	var extras []string
	for _, e := range a.Extras {
		extras = append(extras, strings.Join([]string{e.Name, e.Label, e.MIME, string(e.Data)}, "|"))
	}
	if want := []string{"summary||text/markdown|An A.", `branding||application/json|{"colors":[]}`, "scrape||text/html|<b>", "result||application/json|7", "screenshot|one|image/png|" + png + "first"}; !slices.Equal(extras[:5], want) || len(extras) != 6 {
		t.Errorf("%q", extras)
	}
	notes := strings.Join(a.Notes, "\n")
	must.Contain(t, notes, `Firecrawl warns: "slow"`, "scrolls by a screen", "a screenshot of Firecrawl cannot be fetched: it is 6 bytes of text/html")
}

// An answer of the service is a page of one of several types, or an error.
func TestAnswers(t *testing.T) {
	for _, test := range []struct{ answer, body, kind, err string }{
		{`{"data":{"markdown":"# P","rawHtml":"%PDF","metadata":{"statusCode":200,"contentType":"application/pdf"}}}`, "# P", "text/markdown; charset=utf-8", ""},
		{`{"data":{"rawHtml":"{}","metadata":{"contentType":"application/ld+json"}}}`, "{}", "application/ld+json; charset=utf-8", ""},
		{`{"data":{"rawHtml":"<p>","metadata":{}}}`, "<p>", "text/html; charset=utf-8", ""},
		{`{"data":{"metadata":{}}}`, "", "", "the page that Firecrawl returned has no content"},
		{`{"data":{"rawHtml":"gone","metadata":{"statusCode":404}}}`, "", "", "https://93.184.215.14/: answers 404 Not Found"},
		{`{"success":false}`, "", "", `its answer has no "data"`},
		{`{"data":{"rawHtml":"0123456789","metadata":{}}}`, "", "", "has more than 9 bytes"},
	} {
		s, bodies := strategy(t, map[string]string{"POST /v2/scrape": test.answer})
		a, err := s.Fetch(t.Context(), &fetch.Request{URL: parse(t, "https://93.184.215.14/"), MaxBytes: 9, MaxAge: time.Minute})
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v, want %s", test.answer, err, test.err)
			}
		case err != nil || string(a.Body) != test.body || a.ContentType != test.kind:
			t.Errorf("%s: %+v, %v", test.answer, a, err)
		}
		if body := bodies["POST /v2/scrape"]; body["maxAge"] != 60000.0 || body["storeInCache"] != nil {
			t.Errorf("asked for %v", body)
		}
	}
}

// The service is not asked for a page that the rules refuse, and gets no secrets.
func TestRules(t *testing.T) {
	s, _ := strategy(t, nil)
	s.Rules = webclient.New(webclient.Options{IgnoreRobots: true})
	if _, err := s.Fetch(t.Context(), &fetch.Request{URL: parse(t, "http://10.0.0.1/")}); !errors.Is(err, webclient.ErrRefused) {
		t.Error(err)
	}
	must.Contain(t, s.Refuses(&fetch.Request{Header: http.Header{"Authorization": {"x"}}}), `the header "Authorization" may be a secret`)
	must.Equal(t, "", s.Refuses(&fetch.Request{Header: http.Header{"Referer": {"x"}}, Screenshot: true, Proxy: fetch.StealthProxy}))
}

// Screenshots are fetched by the same rules, and their bytes decide their type.
func TestPictures(t *testing.T) {
	s, _ := strategy(t, nil)
	s.Pictures = webclient.New(webclient.Options{IgnoreRobots: true})
	for location, want := range map[string]string{
		"http://127.0.0.1/x.png":           "loopback",
		"file:///etc/passwd":               "the scheme",
		"data:image/png;base64,%%":         "its data is not base64",
		"data:image/png;base64,PHNjcmlwdD": "its data is not base64",
		"data:image/png;base64,PGh0bWw+":   "not an image",
		"":                                 "does not contain it",
	} {
		if _, err := s.picture(t.Context(), location); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", location, err, want)
		}
	}
	if image, err := s.picture(t.Context(), "data:image/jpeg;base64,iVBORw0KGgowMDAw"); err != nil || image.MIME != "image/png" || string(image.Data) != png {
		t.Errorf("%+v, %v", image, err)
	}
}

func TestMapAndSearch(t *testing.T) {
	c, bodies, _ := serve(t, map[string]string{
		"POST /v2/map":    `{"success":true,"links":[{"url":"https://e.com/1"},{"url":"https://e.com/2","title":"Two"}]}`,
		"POST /v2/search": `{"success":true,"warning":"w","creditsUsed":2,"data":{"web":[{"url":"u","title":"t","description":"d","position":1}],"images":[{"imageUrl":"i","imageWidth":3}],"news":[{"url":"n","date":"today"}]}}`,
	})
	links, err := c.Map(t.Context(), &MapOptions{URL: "https://e.com", Search: "s", Sitemap: "only", Subdomains: true, Limit: 7, Timeout: 1000})
	if err != nil || len(links) != 2 || links[0].URL != "https://e.com/1" || links[1].Title != "Two" || bodies["POST /v2/map"]["includeSubdomains"] != true {
		t.Errorf("%v, %v", links, err)
	}
	found, err := c.Search(t.Context(), &SearchOptions{Query: "q", Limit: 5, Sources: []string{"web"}, Categories: []string{"pdf"}, TBS: "qdr:d", Location: "x", Country: "DE", Lang: "de", Timeout: 1})
	if err != nil || found.Found["web"][0].URL != "u" || found.Found["images"][0].Image != "i" || found.Found["news"][0].Date != "today" || found.Credits != 2 || found.Notes[0] != "Firecrawl warns: w" {
		t.Errorf("%+v, %v", found, err)
	}
	c, _, _ = serve(t, map[string]string{"POST /v2/search": `{"data":[{"url":"u"}]}`, "POST /v2/map": `{}`})
	must.Equal(t, "u", must.Get(c.Search(t.Context(), &SearchOptions{Query: "q"}))(t).Found["web"][0].URL)
	if _, err := c.Map(t.Context(), &MapOptions{URL: "https://e.com"}); err == nil {
		t.Error("a map without links is accepted")
	}
}

// Only pages that their server refuses come from Firecrawl.
func TestSite(t *testing.T) {
	page := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			w.WriteHeader(http.StatusForbidden)
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "native")
	}))
	answers := map[string]string{"POST /v2/scrape": `{"data":{"rawHtml":"by the service","metadata":{"url":"` + page.URL + `/refused"}}}`}
	s, bodies := strategy(t, answers)
	site := &Site{Client: s.Rules, Strategy: s}
	get := func(path string, stay bool, header http.Header) (string, error) {
		clear(bodies)
		response, err := site.Get(t.Context(), webclient.Request{URL: parse(t, page.URL+path), Stay: stay, Header: header})
		if err != nil {
			return "", err
		}
		return string(response.Body), nil
	}
	for _, test := range []struct {
		path   string
		stay   bool
		header http.Header
		body   string
		status int
		asked  int
	}{
		{"/", true, nil, "native", 0, 0},
		{"/refused", true, nil, "by the service", 0, 1},
		{"/refused", false, nil, "", 403, 0},
		{"/refused", true, http.Header{"Authorization": {"secret"}}, "", 403, 0},
		{"/gone", true, nil, "", 404, 0},
	} {
		body, err := get(test.path, test.stay, test.header)
		status, _ := errors.AsType[*webclient.StatusError](err)
		if body != test.body || (status == nil) != (test.status == 0) || status != nil && status.Status != test.status || len(bodies) != test.asked {
			t.Errorf("%+v: %q, %v, asked for %v", test, body, err, bodies)
		}
	}
	answers["POST /v2/scrape"] = `{"data":{"rawHtml":"x","metadata":{"url":"https://elsewhere.example/"}}}`
	must.Equal(t, "elsewhere.example", must.Get(site.Get(t.Context(), webclient.Request{URL: parse(t, page.URL+"/refused"), Stay: true}))(t).Redirect.Host)
	answers["POST /v2/scrape"] = `{"success":false}`
	if _, err := get("/refused", true, nil); !Refuses(err) || !strings.Contains(err.Error(), "Firecrawl API error") {
		t.Error(err)
	}
}
