package firecrawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

// CrawlOptions say which pages of a site are crawled.
type CrawlOptions struct {
	Limit        int            `json:"limit,omitempty"`             // pages; 0: 10,000
	Depth        int            `json:"maxDiscoveryDepth,omitempty"` // links from the start or a sitemap; 0: unlimited
	EntireDomain bool           `json:"crawlEntireDomain,omitempty"`
	Subdomains   bool           `json:"allowSubdomains,omitempty"`
	External     bool           `json:"allowExternalLinks,omitempty"`
	Include      []string       `json:"includePaths,omitempty"` // regular expressions over paths
	Exclude      []string       `json:"excludePaths,omitempty"`
	IgnoreQuery  bool           `json:"ignoreQueryParameters,omitempty"`
	Sitemap      string         `json:"sitemap,omitempty"` // skip, include
	Delay        float64        `json:"delay,omitempty"`   // seconds, at most [MaxDelay]
	Concurrency  int            `json:"maxConcurrency,omitempty"`
	Scrape       *ScrapeOptions `json:"scrapeOptions,omitempty"`
}

// MaxDelay is the longest delay that the service accepts.
const MaxDelay = time.Minute

// maxID bounds the id of a crawl, which the service chooses.
const maxID = 200

// StartCrawl starts a crawl and returns its id. key is a UUID that the caller chose: the service starts one crawl for
// each key, and answers another request with 409. See [MayHaveStarted].
func (c *Client) StartCrawl(ctx context.Context, site, key string, o CrawlOptions) (id string, err error) {
	body := struct {
		URL string `json:"url"`
		CrawlOptions
	}{site, o}
	var answer struct {
		ID string `json:"id"`
	}
	r := apiclient.Request{Method: http.MethodPost, Path: []string{"v2", "crawl"}, Body: body, Once: true, Header: http.Header{"X-Idempotency-Key": {key}}}
	if err := c.service.Do(ctx, r, &answer); err != nil {
		return "", err
	}
	if answer.ID == "" || len(answer.ID) > maxID {
		return "", c.service.Unexpected("id")
	}
	return answer.ID, nil
}

// MayHaveStarted reports whether the service may have started a crawl despite an error of [Client.StartCrawl].
func MayHaveStarted(err error) bool {
	failure, ok := errors.AsType[*apiclient.Error](err)
	return ok && (failure.Uncertain() || failure.Status == http.StatusConflict)
}

// States of a crawl.
const (
	Scraping  = "scraping"
	Completed = "completed"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// A CrawlStatus is the progress of a crawl.
type CrawlStatus struct {
	State     string // one of [Scraping], [Completed], [Failed], [Cancelled]
	Done      int    // pages
	Total     int    // pages found so far
	Credits   float64
	Expires   time.Time // when the service deletes the crawl; zero: unknown
	Error     string    // why the crawl failed
	Documents []*Document
	Next      int  // documents to skip in the next request
	More      bool // there are more documents, now or later
}

// CrawlStatus returns the progress of a crawl, with documents after the first skip ones.
func (c *Client) CrawlStatus(ctx context.Context, id string, skip int) (*CrawlStatus, error) {
	r := apiclient.Request{Method: http.MethodGet, Path: []string{"v2", "crawl", id}}
	if skip > 0 {
		r.Query = url.Values{"skip": {strconv.Itoa(skip)}}
	}
	var answer struct {
		Status    string      `json:"status"`
		Completed int         `json:"completed"`
		Total     int         `json:"total"`
		Credits   float64     `json:"creditsUsed"`
		Expires   string      `json:"expiresAt"`
		Next      string      `json:"next"`
		Error     string      `json:"error"`
		Data      []*Document `json:"data"`
	}
	if err := c.service.Do(ctx, r, &answer); err != nil {
		return nil, err
	}
	s := &CrawlStatus{State: answer.Status, Done: answer.Completed, Total: answer.Total, Credits: answer.Credits, Error: answer.Error, Documents: answer.Data}
	switch s.State {
	case Scraping, Completed, Failed, Cancelled:
	default:
		return nil, c.service.Unexpected("status")
	}
	s.Expires, _ = time.Parse(time.RFC3339, answer.Expires)
	// Only the number is taken from the URL of the next part, since the key must reach no other host.
	s.Next, s.More = skip+len(s.Documents), answer.Next != "" || s.State == Scraping
	if next, err := url.Parse(answer.Next); err == nil {
		if n, err := strconv.Atoi(next.Query().Get("skip")); err == nil && n > skip && n <= s.Next+s.Total {
			s.Next = n
		}
	}
	return s, nil
}

// CancelCrawl cancels a crawl. It is not an error if the crawl has ended or the service does not know it.
func (c *Client) CancelCrawl(ctx context.Context, id string) error {
	err := c.service.Do(ctx, apiclient.Request{Method: http.MethodDelete, Path: []string{"v2", "crawl", id}}, nil)
	if failure, ok := errors.AsType[*apiclient.Error](err); ok && (failure.Status == http.StatusNotFound || failure.Status == http.StatusConflict) {
		return nil
	}
	return err
}

// A CrawlError is a page that the service could not fetch.
type CrawlError struct {
	URL   string `json:"url"`
	Code  string `json:"code"`
	Error string `json:"error"`
}

// CrawlErrors returns the pages that the service could not fetch, and those that robots.txt forbids.
func (c *Client) CrawlErrors(ctx context.Context, id string) (list []CrawlError, forbidden []string, err error) {
	var answer struct {
		Errors    []CrawlError `json:"errors"`
		Forbidden []string     `json:"robotsBlocked"`
	}
	err = c.service.Do(ctx, apiclient.Request{Method: http.MethodGet, Path: []string{"v2", "crawl", id, "errors"}}, &answer)
	return answer.Errors, answer.Forbidden, err
}

// An ActiveCrawl is a crawl that has not ended.
type ActiveCrawl struct {
	ID      string
	URL     string
	Created time.Time // zero: unknown
}

// ActiveCrawls returns the active crawls of the account.
func (c *Client) ActiveCrawls(ctx context.Context) ([]ActiveCrawl, error) {
	var answer struct {
		Crawls []struct {
			ID      string `json:"id"`
			URL     string `json:"url"`
			Created string `json:"created_at"`
		} `json:"crawls"`
	}
	if err := c.service.Do(ctx, apiclient.Request{Method: http.MethodGet, Path: []string{"v2", "crawl", "active"}}, &answer); err != nil {
		return nil, err
	}
	var list []ActiveCrawl
	for _, one := range answer.Crawls {
		if one.ID == "" || len(one.ID) > maxID {
			continue
		}
		crawl := ActiveCrawl{ID: one.ID, URL: one.URL}
		crawl.Created, _ = time.Parse(time.RFC3339, one.Created)
		list = append(list, crawl)
	}
	return list, nil
}

// PageOptions returns what a request means for each page of a crawl.
func PageOptions(r *fetch.Request) *ScrapeOptions {
	o := options(r)
	return &o
}

// Asked returns the URL at which the service requested a document.
func (d *Document) Asked() string {
	if d.Metadata.SourceURL != "" {
		return d.Metadata.SourceURL
	}
	return d.Metadata.URL
}

// Page returns a document of a crawl as a response of its site.
func (d *Document) Page(maxBytes int64) (*webclient.Response, error) {
	u, err := url.Parse(d.Metadata.URL)
	if err != nil || u.Host == "" {
		if u, err = url.Parse(d.Metadata.SourceURL); err != nil || u.Host == "" {
			return nil, errors.New("a page of Firecrawl has no URL")
		}
	}
	u.RawQuery = webclient.EscapeQuery(u.RawQuery)
	a, err := answer(d, &fetch.Request{URL: u, MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	return &webclient.Response{URL: u, ContentType: a.ContentType, Header: http.Header{}, Body: a.Body}, nil
}
