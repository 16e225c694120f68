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

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
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
		must.Equal(t, want, must.Get(read(text))(t).String(), text)
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
	for _, tool := range []tools.Tool{s.Tool(), s.SearchTool(), o.Map()} {
		for _, c := range append(given.Cases(t, tool.Name+"-mistakes.txt"), map[string][]given.Case{
			"scrape": {
				{Name: "", Text: "Invalid arguments: url: is missing"},
				{Name: `{"url":"a.b","includeTags":["a"` + strings.Repeat(`,"a"`, 100) + `]}`, Text: "includeTags: has 101 values, must have at most 100"},
			},
			"web_search": {{Name: `{"query":"a","location":"` + strings.Repeat("ä", 201) + `"}`, Text: "location: has 201 characters, must have at most 200"}},
		}[tool.Name]...) {
			_, _, err := run(t, tool, tools.Call{Caller: "me", Arguments: json.RawMessage(c.Name)})
			if _, ok := errors.AsType[*tools.Mistake](err); !ok || !strings.Contains(err.Error(), c.Text) {
				t.Errorf("%s, %s: %v, want %q", tool.Name, c.Name, err, c.Text)
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
	if err := json.Unmarshal(scrapeSchema().JSON, &read); err != nil || len(read.Properties) == 0 {
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
