package webtools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A Source is a kind of results.
type Source string

// The sources.
const (
	Web    Source = "web"
	Images Source = "images"
	News   Source = "news"
)

// A Category narrows a search for web pages.
type Category string

// The categories.
const (
	GitHub   Category = "github"
	Research Category = "research"
	PDF      Category = "pdf"
)

// A Result is a page, an image or a piece of news. Unknown fields are zero.
type SearchResult struct {
	Title       string   `json:"title"`
	URL         string   `json:"url"`
	Description string   `json:"description,omitempty"`
	Category    Category `json:"category,omitempty"`
	Date        string   `json:"date,omitempty"`  // as the provider writes it
	Image       string   `json:"image,omitempty"` // URL
}

// Results are the results of a provider.
type SearchResults struct {
	Provider string
	Found    map[Source][]SearchResult
	Credits  float64  // price of the search; 0: free, or unknown
	Notes    []string // parts of the query that were not followed, and failures
}

// A Provider is a service that searches the web.
type Provider interface {
	Name() string
	// Refuses returns why the provider does not support a query, or "". It makes no request.
	Refuses(*SearchQuery) string
	// Search returns at most Query.Limit results of each source, the best first.
	Search(context.Context, *SearchQuery) (*SearchResults, error)
	Close()
}

// Bounds of the fields of a result, in bytes.
const (
	maxResultURL   = 4 << 10
	maxResultTitle = 500
	maxResultText  = 2000
)

// noLocation is the reason of providers that do not support [Query.Place].
const noLocation = "it cannot search by location; leave that out, or the operator sets FIRECRAWL_API_KEY"

// search tries the providers in turn.
func search(ctx context.Context, providers []Provider, q *SearchQuery) (*SearchResults, error) {
	var failures []error
	for _, p := range providers {
		if why := p.Refuses(q); why != "" {
			failures = append(failures, fmt.Errorf("%s was not used: %s", p.Name(), why))
			continue
		}
		results, err := p.Search(ctx, q)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		results.Provider = p.Name()
		for source, found := range results.Found {
			results.Found[source] = cleanResults(found, q.Limit)
		}
		for _, failure := range failures {
			results.Notes = append(results.Notes, failure.Error())
		}
		return results, nil
	}
	return nil, errors.Join(failures...)
}

// clean prepares results for an answer: only URLs of web pages, each once, and texts on one line.
func cleanResults(found []SearchResult, limit int) []SearchResult {
	kept := make([]SearchResult, 0, min(len(found), limit))
	seen := make(map[string]bool)
	for _, r := range found {
		if !ofTheWeb(r.URL) || seen[r.URL] {
			continue
		}
		seen[r.URL] = true
		if !ofTheWeb(r.Image) {
			r.Image = ""
		}
		r.Title, r.Description, r.Date = plainLine(r.Title, maxResultTitle), plainLine(r.Description, maxResultText), plainLine(r.Date, maxResultTitle)
		if kept = append(kept, r); len(kept) == limit {
			break
		}
	}
	return kept
}

func ofTheWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= maxResultURL && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// plainLine is [oneLine] for a text with HTML entities.
func plainLine(s string, most int) string { return oneLine(html.UnescapeString(s), most) }

// Bounds on arguments.
const (
	maxQuery = 2000 // bytes
	maxPlace = 200  // bytes
	maxNames = 20   // in a list
)

var searchSchema = sync.OnceValue(func() *Schema { return SchemaOf[SearchQuery]() })

// A Query is the arguments of a call.
type SearchQuery struct {
	Text              string       `json:"query" schema:"required" doc:"What to search for"`
	Limit             int          `json:"limit" schema:"minimum=1 maximum=100 default=5" doc:"Maximum number of results of each source"`
	Sources           []Source     `json:"sources" schema:"enum=web|images|news default=[\"web\"]" doc:"Where to search; a list of results for each"`
	Categories        []Category   `json:"categories" schema:"enum=github|research|pdf" doc:"Search only repositories on GitHub, research papers or PDF files; for the source web"`
	Country           string       `json:"country" doc:"Country of the results, two letters such as US"`
	Language          string       `json:"lang" schema:"default=en" doc:"Language of the results, such as en or pt-BR"`
	Place             string       `json:"location" doc:"Place that the results are for"`
	Timeout           int64        `json:"timeout" schema:"minimum=1 maximum=300000 default=60000" doc:"Milliseconds that the search may take"`
	IgnoreInvalidURLs bool         `json:"ignoreInvalidURLs" schema:"default=false" doc:"Leave out results that cannot be captured"`
	Within            Period       `json:"tbs" schema:"enum=qdr:h|qdr:d|qdr:w|qdr:m|qdr:y" doc:"Only results of the last hour, day, week, month or year"`
	Scrape            *PageOptions `json:"scrapeOptions" doc:"Capture the pages that are found"`
}

// PageOptions say how the found pages are captured; see [PageOptions.Arguments].
type PageOptions struct {
	Formats         []string `json:"formats,omitempty" doc:"As for scrape, such as markdown"`
	OnlyMainContent *bool    `json:"onlyMainContent,omitempty" schema:"default=true"`
	RemoveBase64    *bool    `json:"removeBase64Images,omitempty" schema:"default=true" doc:"Images within pages are always left out"`
	BlockAds        *bool    `json:"blockAds,omitempty" schema:"default=true"`
	WaitFor         int      `json:"waitFor,omitempty" schema:"minimum=0 maximum=60000" doc:"Milliseconds to wait before a page is captured"`
	Parsers         []string `json:"parsers,omitempty" schema:"enum=pdf" doc:"An empty list leaves out PDF files"`
}

// A Period is a length of time that ends now, as Google's search writes it.
type Period string

// The periods.
const (
	Hour  Period = "qdr:h"
	Day   Period = "qdr:d"
	Week  Period = "qdr:w"
	Month Period = "qdr:m"
	Year  Period = "qdr:y"
)

func (q *SearchQuery) options() map[string]string {
	return map[string]string{
		"limit": fmt.Sprint(q.Limit), "categories": fmt.Sprint(q.Categories), "country": q.Country, "language": q.Language, "location": q.Place, "tbs": string(q.Within),
	}
}

// parse returns the query of a call. The error is a [*tools.Mistake] with all mistakes.
func parseSearch(raw json.RawMessage) (*SearchQuery, error) {
	q := new(SearchQuery)
	wrong := searchSchema().Read(raw, q)
	switch q.Text = strings.TrimSpace(q.Text); {
	case q.Text == "" && wrong.Err() == nil:
		wrong.Add("query", "is missing")
	case len(q.Text) > maxQuery:
		wrong.Add("query", "has %d bytes, must have at most %d", len(q.Text), maxQuery)
	}
	if len(q.Sources) > maxNames {
		wrong.Add("sources", "are %d, must be at most %d", len(q.Sources), maxNames)
	}
	if len(q.Categories) > maxNames {
		wrong.Add("categories", "are %d, must be at most %d", len(q.Categories), maxNames)
	}
	q.Sources, q.Categories = unique(q.Sources), unique(q.Categories)
	if len(q.Sources) == 0 {
		q.Sources = []Source{Web}
	}
	if q.Country = strings.ToUpper(q.Country); q.Country != "" && !Countries().MatchString(q.Country) {
		wrong.Add("country", "%.50q must be two letters, such as US", q.Country)
	}
	if q.Language = cmp.Or(q.Language, "en"); !languageTags().MatchString(q.Language) {
		wrong.Add("lang", "%.50q is not a language, such as en or pt-BR", q.Language)
	}
	if q.Place = strings.TrimSpace(q.Place); len(q.Place) > maxPlace {
		wrong.Add("location", "has %d bytes, must have at most %d", len(q.Place), maxPlace)
	}
	if o := q.Scrape; o != nil && o.RemoveBase64 != nil && !*o.RemoveBase64 {
		wrong.Add("scrapeOptions.removeBase64Images", "must be true: images within a page are always left out, since their text says nothing")
	}
	return q, wrong.Err()
}

// Arguments returns the arguments of the tool scrape for a page.
func (o PageOptions) Arguments(page string) json.RawMessage {
	o.RemoveBase64, o.Parsers = nil, nil // scrape does not have them
	text, _ := json.Marshal(struct {     // does not fail for strings, numbers and booleans
		URL string `json:"url"`
		PageOptions
	}{page, o})
	return text
}

func unique[T ~string](list []T) []T {
	var kept []T
	for _, v := range list {
		if !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}

var languageTags = lazyregexp.New(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)
