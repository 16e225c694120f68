// Package firecrawl is a client of the API of Firecrawl, version 2: pages, URLs of sites, searches. Its types
// follow the official client, @mendable/firecrawl-js 4.42.
//
// Callers check the URLs that an agent names before they send them: see [webclient.Client.Check]. All methods return
// the errors of package apiclient.
package firecrawl

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
)

// The environment variables that configure the service, and its default URL.
const (
	KeyVar  = "FIRECRAWL_API_KEY"
	BaseVar = "FIRECRAWL_BASE_URL"
	Hosted  = "https://api.firecrawl.dev"
)

// A Client sends requests to Firecrawl. It is safe for concurrent use.
type Client struct{ service *apiclient.Client }

// New returns a client. base is "" for the hosted service; key may be "" for a server of one's own.
func New(base, key, version string) (*Client, error) {
	c, err := apiclient.New(apiclient.Options{
		Name: "Firecrawl", Base: cmp.Or(base, Hosted), BaseVar: BaseVar, Key: key, KeyVar: KeyVar, Version: version,
	})
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// Name returns the name of the service.
func (c *Client) Name() string { return "Firecrawl" }

// patience is how much longer than the timeout in a request its answer may take.
const patience = 15 * time.Second

func (c *Client) post(ctx context.Context, timeout time.Duration, once bool, body, answer any, name string) error {
	r := apiclient.Request{Method: http.MethodPost, Path: "v2/" + name, Body: body, Once: once}
	if timeout > 0 {
		r.Timeout = timeout + patience
	}
	return c.service.Do(ctx, r, answer)
}

// A Document is a page as the service returns it.
type Document struct {
	Markdown   string          `json:"markdown,omitempty"`
	RawHTML    string          `json:"rawHtml,omitempty"`
	Summary    string          `json:"summary,omitempty"`
	Screenshot string          `json:"screenshot,omitempty"`
	Branding   json.RawMessage `json:"branding,omitempty"`
	Warning    string          `json:"warning,omitempty"`
	Actions    struct {
		Screenshots []string `json:"screenshots"`
		Scrapes     []struct {
			HTML string `json:"html"`
		} `json:"scrapes"`
		Returns []struct {
			Value json.RawMessage `json:"value"`
		} `json:"javascriptReturns"`
	} `json:"actions,omitzero"`
	Metadata Metadata `json:"metadata"`
}

// Metadata describes a page.
type Metadata struct {
	Title       loose[string]  `json:"title"`
	URL         loose[string]  `json:"url"`
	StatusCode  loose[int]     `json:"statusCode"`
	ContentType loose[string]  `json:"contentType"`
	CreditsUsed loose[float64] `json:"creditsUsed"`
}

// loose is a value as pages have it: a name that a page has twice is a list, of which the first item counts. A value of another type
// is zero, which means unknown.
type loose[T any] struct{ value T }

func (l *loose[T]) UnmarshalJSON(data []byte) error {
	var several []T
	if json.Unmarshal(data, &l.value) != nil && json.Unmarshal(data, &several) == nil && len(several) > 0 {
		l.value = several[0]
	}
	return nil
}

// ScrapeOptions say how pages are fetched.
type ScrapeOptions struct {
	URL string `json:"url"`
	// names, or an object for one with options
	Formats         []any             `json:"formats,omitempty"`
	OnlyMainContent *bool             `json:"onlyMainContent,omitempty"`
	Headers         map[string]string `json:"headers,omitempty"`
	WaitFor         int64             `json:"waitFor,omitempty"` // ms
	Timeout         int64             `json:"timeout,omitempty"` // ms
	Actions         []fetch.Action    `json:"actions,omitempty"`
	Proxy           string            `json:"proxy,omitempty"`
	BlockAds        *bool             `json:"blockAds,omitempty"`
	MaxAge          *int64            `json:"maxAge,omitempty"` // ms
	StoreInCache    *bool             `json:"storeInCache,omitempty"`
}

// Scrape fetches one page.
func (c *Client) Scrape(ctx context.Context, o ScrapeOptions) (*Document, error) {
	var answer struct {
		Data *Document `json:"data"`
	}
	// Actions have effects, and if the answer is lost, nobody knows whether they happened.
	err := c.post(ctx, time.Duration(o.Timeout)*time.Millisecond, len(o.Actions) > 0, o, &answer, "scrape")
	if err != nil {
		return nil, err
	}
	if answer.Data == nil {
		return nil, c.service.Unexpected("data")
	}
	return answer.Data, nil
}

// A Link is a page of a site.
type Link struct {
	URL         string `json:"url"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// MapOptions say which URLs of a site Map returns. They are the arguments of the tool map that Firecrawl has too: see
// tools.SchemaOf for the tags doc and schema.
type MapOptions struct {
	URL         string `json:"url" schema:"required" doc:"URL of a page of the site; https:// may be left out"`
	Search      string `json:"search,omitempty" schema:"maxLength=1000" doc:"Only URLs that have one of these words in the URL or the title; URLs with more of the words come first"`
	Limit       int    `json:"limit,omitempty" schema:"minimum=1 maximum=100000 default=5000" doc:"URLs at most, in all answers together"`
	Sitemap     string `json:"sitemap,omitempty" schema:"enum=skip|include|only default=include" doc:"only: URLs of sitemaps alone; skip: URLs of links alone"`
	Subdomains  bool   `json:"includeSubdomains" schema:"default=true" doc:"Include the subdomains of the host"`
	IgnoreQuery bool   `json:"ignoreQueryParameters" schema:"default=true" doc:"Treat URLs that differ only in their queries as one"`
	Timeout     int64  `json:"timeout,omitempty" schema:"minimum=1 maximum=300000 default=60000" doc:"Milliseconds to look for URLs; the answer has the URLs found until then"`
	Location    struct {
		Country   string   `json:"country,omitempty" schema:"default=US" doc:"Two letters such as US"`
		Languages []string `json:"languages,omitempty" schema:"maxItems=9" doc:"Such as en-US, the first is preferred"`
	} `json:"location" doc:"Country and languages that the site is asked for"`
}

// Map returns the URLs of a site.
func (c *Client) Map(ctx context.Context, o *MapOptions) ([]Link, error) {
	var answer struct {
		Links *[]Link `json:"links"`
	}
	if err := c.post(ctx, time.Duration(o.Timeout)*time.Millisecond, false, o, &answer, "map"); err != nil {
		return nil, err
	}
	if answer.Links == nil {
		return nil, c.service.Unexpected("links")
	}
	return *answer.Links, nil
}

// SearchOptions are a search: the arguments of the tool web_search that Firecrawl has too.
type SearchOptions struct {
	Query      string   `json:"query" schema:"required maxLength=2000" doc:"What to search for"`
	Limit      int      `json:"limit,omitempty" schema:"minimum=1 maximum=100 default=5" doc:"Maximum number of results of each source"`
	Sources    []string `json:"sources,omitempty" schema:"enum=web|images|news default=[\"web\"]" doc:"Where to search; a list of results for each"`
	Categories []string `json:"categories,omitempty" schema:"enum=github|research|pdf" doc:"Search only repositories on GitHub, research papers or PDF files; for the source web"`
	Country    string   `json:"country,omitempty" doc:"Country of the results, two letters such as US"`
	Lang       string   `json:"lang,omitempty" schema:"default=en" doc:"Language of the results, such as en or pt-BR"`
	Location   string   `json:"location,omitempty" schema:"maxLength=200" doc:"Place that the results are for"`
	Timeout    int64    `json:"timeout,omitempty" schema:"minimum=1 maximum=300000 default=60000" doc:"Milliseconds that the search may take"`
	TBS        string   `json:"tbs,omitempty" schema:"enum=qdr:h|qdr:d|qdr:w|qdr:m|qdr:y" doc:"Only results of the last hour, day, week, month or year"`
}

// A SearchResult is a page, an image or a piece of news. Unknown fields are zero.
type SearchResult struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
	Category    string `json:"category,omitempty"`
	Date        string `json:"date,omitempty"`
	Image       string `json:"image,omitempty"`
}

// SearchResults are the results of a search by a provider: Firecrawl or another one.
type SearchResults struct {
	Provider string
	Found    map[string][]SearchResult
	Credits  float64 // 0: free, or unknown
	Notes    []string
}

// Search searches the web.
func (c *Client) Search(ctx context.Context, o *SearchOptions) (*SearchResults, error) {
	var answer struct {
		Data    json.RawMessage `json:"data"`
		Warning string          `json:"warning"`
		Credits float64         `json:"creditsUsed"`
	}
	if err := c.post(ctx, time.Duration(o.Timeout)*time.Millisecond, false, o, &answer, "search"); err != nil {
		return nil, err
	}
	type found struct {
		SearchResult
		Snippet  string `json:"snippet"`
		ImageURL string `json:"imageUrl"`
	}
	var data struct{ Web, Images, News []found }
	// Servers of version 1 return the web results as a list.
	if json.Unmarshal(answer.Data, &data.Web) != nil && json.Unmarshal(answer.Data, &data) != nil || len(answer.Data) == 0 {
		return nil, c.service.Unexpected("data")
	}
	results := &SearchResults{Found: make(map[string][]SearchResult), Credits: answer.Credits}
	for source, list := range map[string][]found{"web": data.Web, "images": data.Images, "news": data.News} {
		for _, r := range list {
			r.Description, r.Image = cmp.Or(r.Description, r.Snippet), r.ImageURL
			results.Found[source] = append(results.Found[source], r.SearchResult)
		}
	}
	if answer.Warning != "" {
		results.Notes = []string{"Firecrawl warns: " + answer.Warning}
	}
	return results, nil
}
