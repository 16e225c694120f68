package webtools

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// All spellings of a URL become one, which the key of a capture has.
func TestAddress(t *testing.T) {
	read := func(text string) (*url.URL, error) {
		wrong := new(tools.Wrong)
		return address(wrong, text, pageURL), wrong.Err()
	}
	for text, want := range map[string]string{
		"https://example.com":          "https://example.com/",
		" example.com/a?b#c ":          "https://example.com/a?b",
		"example.com:8080/x":           "https://example.com:8080/x",
		"localhost:3000":               "https://localhost:3000/",
		"//example.com/x":              "https://example.com/x",
		"https://example.com/#/route":  "https://example.com/#/route",
		"https://example.com/#!a":      "https://example.com/#!a",
		"http://bücher.example/":       "http://xn--bcher-kva.example/",
		"http://[::1]:8080/":           "http://[::1]:8080/",
		"http://a.b/?q=a b\u2028\"%20": "http://a.b/?q=a%20b%E2%80%A8%22%20",
	} {
		if u, err := read(text); err != nil || u.String() != want {
			t.Errorf("%q: %v %v, want %s", text, u, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "empty", " ": "empty", "ftp://h": `the scheme "ftp"`, "ftp:h": `the scheme "ftp"`, "javascript:alert(1)": "scheme", "data:text/html,x": "scheme", "file:///etc/passwd": "scheme",
		"mailto:a@b": "scheme", "https://": "no host", "http://a b/": "not a URL", "https://e.com/\x00": "control", "https://e.com/\n": "", "http://[::1": "not a URL", "custom:x": "scheme",
	} {
		if u, err := read(text); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v %v, want %q", text, u, err, want)
		}
	}
}

// All mistakes are reported together, with the names of the arguments.
func TestMistakes(t *testing.T) {
	o := local(t)
	s := NewScraper(o)
	for _, test := range []struct {
		tool  tools.Tool
		cases map[string]string
	}{
		{s.Tool(), map[string]string{
			`{}`:           "Invalid arguments: url: is missing",
			``:             "Invalid arguments: url: is missing",
			`[1]`:          "Invalid arguments: they must be an object",
			`{"url":1}`:    "Invalid arguments: url: is a number, must be a string",
			`{"url":""}`:   "Invalid arguments: url: is empty",
			`{"url":null}`: "Invalid arguments: url: is missing",
			`{"url":"a.b","timeout":"x","maxChars":0,"startIndex":-1,"waitFor":1.5}`: "Invalid arguments: maxChars: is 0, must be from 1 to 1000000, " +
				"startIndex: is -1, must be from 0 to 2147483647, timeout: is a string, must be a whole number, waitFor: is 1.5, must be a whole number",
			`{"url":"a.b","resultHandling":"keep","proxy":"x","formats":["pdf"]}`: `Invalid arguments: formats[0]: is "pdf", must be one of markdown, html, rawHtml, links, images, screenshot, summary, branding, ` +
				`proxy: is "x", must be one of basic, stealth, auto, resultHandling: is "keep", must be one of saveOnly, saveAndReturn, returnOnly`,
			`{"url":"a.b","includeTags":["a["],"excludeTags":"b"}`:                       "includeTags[0]: is not a CSS selector",
			`{"url":"a.b","actions":[{"type":"wait"}]}`:                                  "actions[0]: milliseconds: is missing",
			`{"url":"a.b","headers":{"Host":"x","a b":"c","X":"a\nb","user-agent":"z"}}`: `headers.Host: is set by the server, headers.X: has a character that is not allowed in headers, headers: "a b" is not a valid name of a header, headers.User-Agent: is set`,
			`{"url":"a.b","headers":{"a":"1","A":"2"}}`:                                  "headers.A: is given twice",
			`{"url":"a.b","includeTags":["a"` + strings.Repeat(`,"a"`, 100) + `]}`:       "includeTags: has 101 values, must have at most 100",
			`{"url":"a.b","extract":"x"}`:                                                "extract: needs a language model: set LLM_PROVIDER and LLM_API_KEY",
			`{"url":"a.b","maxchar":1}`:                                                  "maxchar: is not an argument; did you mean maxChars?",
			`{"url":"a.b","formats":[]}`:                                                 "formats: is empty",
			`{"url":"a.b","timeout":1e300}`:                                              "timeout: is 1e300",
		}},
		{s.SearchTool(), map[string]string{
			`{}`: "query: is missing", `{"query":" "}`: "query: is missing",
			`{"query":"a","limit":101,"sources":["x"],"categories":["y"]}`:                            `categories[0]: is "y", must be one of github, research, pdf, limit: is 101, must be from 1 to 100, sources[0]: is "x", must be one of web, images, news`,
			`{"query":"a","country":"Germany","lang":"../x"}`:                                         `country: is "GERMANY", must be two letters such as US, lang: is "../x", must be a language such as en or pt-BR`,
			`{"query":"a","timeout":-1,"tbs":"qdr:x"}`:                                                `tbs: is "qdr:x", must be one of qdr:h, qdr:d, qdr:w, qdr:m, qdr:y; did you mean qdr:d?, timeout: is -1, must be from 1 to 300000`,
			`{"query":"a","scrapeOptions":{"removeBase64Images":false,"waitFor":-1,"parsers":["x"]}}`: `scrapeOptions.parsers[0]: is "x", must be one of pdf, scrapeOptions.waitFor: is -1, must be from 0 to 60000, scrapeOptions.removeBase64Images: must be true: images within a page are always left out, since their text says nothing`,
			`{"query":"a","location":"` + strings.Repeat("ä", 201) + `"}`:                             "location: has 201 characters, must have at most 200",
		}},
		{o.Map(), map[string]string{
			`{}`: "url: is missing", `{"url":"x y"}`: "url", `{"url":"ftp://a.example/"}`: "must have http or https", `{"url":"https://u:p@a.example/"}`: "user name",
			`{"url":"a.example","limit":0,"maxResults":5001,"timeout":0,"sitemap":"x","startIndex":-1,"resultHandling":"y","location":{"country":"DEU","languages":["?"]}}`: "limit: is 0, must be from 1 to 100000, maxResults: is 5001, must be from 1 to 5000, resultHandling: is",
			`{"url":"a.example","limits":1}`: "limits: is not an argument; did you mean limit?", `{"url":5}`: "url",
		}},
	} {
		for arguments, want := range test.cases {
			_, _, err := run(t, test.tool, tools.Call{Caller: "me", Arguments: json.RawMessage(arguments)})
			if _, ok := errors.AsType[*tools.Mistake](err); !ok || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v, want %q", test.tool.Name, arguments, err, want)
			}
		}
	}
}

// Every argument that changes a capture changes its key, and no other argument does.
func TestKey(t *testing.T) {
	key := func(raw string) string {
		t.Helper()
		q := must.Get(parseScrape(json.RawMessage(`{"url":"https://e.com/a?b=c"`+raw+`}`), true))(t)
		return q.request("").Key()
	}
	base := key("")
	seen := map[string]string{base: ""}
	for _, raw := range []string{
		`,"proxy":"stealth"`, `,"blockAds":false`, `,"waitFor":1`, `,"waitFor":2`, `,"includeTags":["a"]`, `,"includeTags":["a","b"]`, `,"excludeTags":["a"]`,
		`,"onlyMainContent":false`, `,"headers":{"a":"b"}`, `,"headers":{"a":"c"}`, `,"actions":[{"type":"scrape"}]`, `,"actions":[{"type":"scrape","selector":"a"}]`,
		`,"extract":"x"`, `,"extract":"y"`, `,"formats":["screenshot"]`, `,"formats":["summary"]`, `,"formats":["branding"]`,
	} {
		k := key(raw)
		if other, twice := seen[k]; twice {
			t.Errorf("%s and %s have one key", raw, other)
		}
		seen[k] = raw
	}
	for _, raw := range []string{
		`,"timeout":5`, `,"maxChars":5`, `,"startIndex":5`, `,"resultHandling":"saveOnly"`, `,"forceRescrape":true`, `,"cleanScrape":false`, `,"maxAge":5`, `,"proxy":"basic"`,
		`,"formats":["markdown","html"]`, `,"blockAds":true`, `,"headers":{}`, `,"actions":[]`, `,"includeTags":[]`,
	} {
		must.Equal(t, base, key(raw), raw)
	}
	q, err := parseScrape(json.RawMessage(`{"url":"e.com","actions":[{"type":"write","selector":"#p","text":"password123"}]}`), false)
	if err != nil || strings.Contains(strings.Join([]string{q.parameters["actions"], q.request("").Key()}, ""), "password") || len(q.parameters["actions"]) != 66 {
		t.Errorf("%v %v", q.parameters, err)
	}
}

// The tool accepts the arguments in docs/serve/agents.md, which lists all of them with their defaults.
func TestDocs(t *testing.T) {
	text := must.Get(os.ReadFile("../../../docs/serve/agents.md"))(t)
	_, section, _ := strings.Cut(string(text), "\n## scrape\n")
	section, _, _ = strings.Cut(section, "\n## ")
	shown := regexp.MustCompile("(?s)```json\n(\\{\"url\".*?)```").FindAllStringSubmatch(section, -1)
	if len(shown) == 0 {
		t.Error("no arguments are shown")
	}
	for _, m := range shown {
		if _, err := parseScrape(json.RawMessage(m[1]), true); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-zA-Z`, ]+`) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range strings.Split(row[1], ", ") {
			documented = append(documented, strings.Trim(name, "`"))
		}
	}
	var read struct{ Properties map[string]any }
	if err := json.Unmarshal(scrapeSchema().JSON(), &read); err != nil || len(read.Properties) == 0 {
		t.Fatal(err)
	}
	for name := range read.Properties {
		if !slices.Contains(documented, name) {
			t.Errorf("%s is not documented", name)
		}
	}
	must.Contain(t, section, "| 60000 |", "| 100000, 0 |", "| 172800000 |", "| `saveAndReturn` |")
}

// Jobs of callers with few jobs are remembered, however many jobs others start.
func TestANeighbourWithManyJobs(t *testing.T) {
	p := beginProcess(t, "")
	q := must.Get(parseCrawl(json.RawMessage(`{"url":"127.0.0.1:9"}`)))(t)
	add := func(owner string) string {
		j := &job{m: p.Crawler, id: newID(), owner: owner, query: q}
		j.doc.status = status{ID: j.id, Owner: owner, State: completed, Ended: time.Now()}
		p.Crawler.mu.Lock()
		defer p.Crawler.mu.Unlock()
		p.remember(j)
		return j.id
	}
	for range 2 * maxJobs {
		add("mallory")
	}
	var mine []string
	for range 5 {
		mine = append(mine, add("me"))
		add("mallory")
	}
	for _, id := range mine {
		if _, err := p.find(t.Context(), "me", id); err != nil {
			t.Errorf("%s is forgotten for another caller", id)
		}
	}
	must.Equal(t, maxJobs, len(p.Crawler.jobs), "jobs")
}

// Answers are bounded, whatever the URLs and texts of a site contain.
func TestLongAnswers(t *testing.T) {
	long := strings.Repeat("x", 1480)
	site := must.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, number, page := strings.Cut(r.URL.Path, "/"+long)
		switch {
		case r.URL.Path == "/":
			for i := range 150 {
				fmt.Fprintf(w, "<a href=/%s%d>a</a><a href=/%s-gone-%d>b</a>", long, i, long, i)
			}
		case !page || strings.HasPrefix(number, "-"):
			http.NotFound(w, r)
		default:
			fmt.Fprintf(w, "<!doctype html><title>%s</title><pre>%s%s", number, number, strings.Repeat("&lt;\x01\"", 1000))
		}
	}))
	p := beginProcess(t, "")
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"limit":1000,"sitemap":"skip"}`, site.URL))
	p.await(t, id)
	p.await(t, id)
	seen := make(map[string]bool)
	for from := 0; ; {
		text, pages, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"startIndex":%d,"maxResults":1000}`, id, from))
		for _, page := range pages {
			seen[page.URL] = true
		}
		if from += len(pages); len(pages) == 0 || !strings.Contains(text, fmt.Sprintf("startIndex: %d to", from)) {
			break
		}
	}
	must.Equal(t, 151, len(seen), "pages")
	errors := 0
	for from := 0; ; {
		text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":"errors","startIndex":%d,"maxResults":1000}`, id, from))
		n := strings.Count(text, "\n- ")
		errors += n
		if from += n; n == 0 || !strings.Contains(text, fmt.Sprintf("startIndex: %d to", from)) {
			break
		}
	}
	must.Equal(t, 150, errors, "errors")
}
