package firecrawl

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl/testservice"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// crawls returns a client of a service for tests.
func crawls(t *testing.T, s *testservice.Service) *Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		for _, problem := range s.Problems() {
			t.Error(problem)
		}
	})
	c, err := New(server.URL, testservice.Key, "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

const uuid = "0b7e1c52-4d0f-4a6b-9c3e-5f2d8a7b6c1d"

func TestCrawl(t *testing.T) {
	s := &testservice.Service{Part: 2, Errors: []map[string]string{{"id": "1", "url": "https://e.com/x", "code": "SCRAPE_TIMEOUT", "error": "timed out"}}, Forbidden: []string{"https://e.com/y"}}
	for _, page := range []string{"a", "b", "c", "d", "e"} {
		s.Pages = append(s.Pages, testservice.Page{URL: "https://e.com/" + page, HTML: "<h1>" + page + "</h1>", Title: page})
	}
	c := crawls(t, s)
	whole := false
	id, err := c.StartCrawl(t.Context(), "https://e.com/", uuid, CrawlOptions{
		Limit: 4, Depth: 3, EntireDomain: true, Subdomains: true, External: true, Include: []string{"^/a$"}, Exclude: []string{"b"}, IgnoreQuery: true,
		Sitemap: "skip", Delay: 0.5, Concurrency: 2, Scrape: &ScrapeOptions{Formats: []any{"rawHtml"}, OnlyMainContent: &whole},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.StartCrawl(t.Context(), "https://e.com/", uuid, CrawlOptions{}); !MayHaveStarted(err) {
		t.Errorf("a second crawl with the same key: %v", err)
	}
	if list, err := c.ActiveCrawls(t.Context()); err != nil || len(list) != 1 || list[0].ID != id || list[0].URL != "https://e.com/" || list[0].Created.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
	s.Ready(3)
	var titles []string
	skip := 0
	for _, want := range []int{2, 1, 0} {
		status, err := c.CrawlStatus(t.Context(), id, skip)
		if err != nil || status.State != Scraping || !status.More || len(status.Documents) != want || status.Done != 3 || status.Total != 4 || status.Credits != 3 || status.Expires.IsZero() {
			t.Fatalf("%+v, %v, want %d documents", status, err, want)
		}
		for _, d := range status.Documents {
			titles = append(titles, d.Metadata.Title)
		}
		skip = status.Next
	}
	s.Ready(-1)
	status, err := c.CrawlStatus(t.Context(), id, skip)
	if err != nil || status.State != Completed || status.More || len(status.Documents) != 1 || !slices.Equal(titles, []string{"a", "b", "c"}) {
		t.Errorf("%+v, %v, before %v", status, err, titles)
	}
	page, err := status.Documents[0].Page(100)
	if err != nil || page.URL.String() != "https://e.com/d" || string(page.Body) != "<h1>d</h1>" {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := status.Documents[0].Page(3); err == nil {
		t.Error("a page is larger than it may be")
	}
	list, forbidden, err := c.CrawlErrors(t.Context(), id)
	if err != nil || len(list) != 1 || list[0] != (CrawlError{"https://e.com/x", "SCRAPE_TIMEOUT", "timed out"}) || !slices.Equal(forbidden, s.Forbidden) {
		t.Errorf("%+v, %v, %v", list, forbidden, err)
	}
	for _, id := range []string{id, "another"} { // the first has ended, the second does not exist
		if err := c.CancelCrawl(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.CrawlStatus(t.Context(), "..", 0); err == nil {
		t.Error("an id that is a folder is taken")
	}
	d := &Document{Metadata: Metadata{URL: "https://e.com/gone", StatusCode: 404}, RawHTML: "no"}
	if _, err := d.Page(100); err == nil {
		t.Error("a page that was not found is taken")
	} else if status, ok := errors.AsType[*webclient.StatusError](err); !ok || status.Status != 404 {
		t.Error(err)
	}
}

func TestAnswersOfCrawls(t *testing.T) {
	for answer, want := range map[string]string{
		`{"status":"completed","data":[null]}`:                        "completed 0 1 false",
		`{"status":"scraping","total":9,"next":"https://x/?skip=-4"}`: "scraping 0 0 true",
		`{"status":"scraping","total":9,"next":"https://x/?skip=7"}`:  "scraping 0 7 true",
		`{"status":"scraping","total":9,"next":"://"}`:                "scraping 0 0 true",
		`{"status":"scraping","next":"https://x/?skip=70"}`:           "scraping 0 0 true",
		`{"status":"paused"}`:                                         "error", `{}`: "error", `[]`: "error",
	} {
		c := crawls(t, &testservice.Service{Fail: func(*http.Request) (int, string) { return http.StatusOK, answer }})
		status, err := c.CrawlStatus(t.Context(), "id", 0)
		got := "error"
		if err == nil {
			got = status.State + " 0 " + string(rune('0'+status.Next)) + map[bool]string{true: " true", false: " false"}[status.More]
		} else if f, ok := errors.AsType[*apiclient.Error](err); !ok || f.Category != apiclient.Server || f.Retryable() {
			t.Error(err)
		}
		if got != want {
			t.Errorf("%s is %s, want %s", answer, got, want)
		}
	}
}
