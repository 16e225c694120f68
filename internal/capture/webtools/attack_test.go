package webtools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

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
	if n := len(p.Crawler.jobs); n != maxJobs {
		t.Errorf("%d jobs are remembered", n)
	}
}

// Answers are bounded, whatever the URLs and texts of a site contain.
func TestLongAnswers(t *testing.T) {
	long := strings.Repeat("x", 1480)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	defer site.Close()
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
	if len(seen) != 151 {
		t.Errorf("%d pages", len(seen))
	}
	errors := 0
	for from := 0; ; {
		text, _, _ := p.call(t, "me", fmt.Sprintf(`{"jobId":%q,"command":"errors","startIndex":%d,"maxResults":1000}`, id, from))
		n := strings.Count(text, "\n- ")
		errors += n
		if from += n; n == 0 || !strings.Contains(text, fmt.Sprintf("startIndex: %d to", from)) {
			break
		}
	}
	if errors != 150 {
		t.Errorf("%d errors", errors)
	}
}
