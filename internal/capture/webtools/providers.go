package webtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
)

// The environment variables for SearXNG and Brave, and the URL of Brave's API.
const (
	SearXNGVar   = "SEARXNG_BASE_URL"
	BraveKeyVar  = "BRAVE_API_KEY"
	BraveBaseVar = "BRAVE_BASE_URL"
	braveHosted  = "https://api.search.brave.com"
)

// A Provider is a service that searches the web.
type Provider interface {
	Name() string
	// Search returns results of each source, the best first.
	Search(context.Context, *firecrawl.SearchOptions) (*firecrawl.SearchResults, error)
}

// Bounds of the fields of a result, in bytes.
const (
	maxResultURL   = 4 << 10
	maxResultTitle = 500
	maxResultText  = 2000
)

// search tries the providers in turn.
func search(ctx context.Context, providers []Provider, q *searchQuery) (*firecrawl.SearchResults, error) {
	var failures []error
	for _, p := range providers {
		results, err := p.Search(ctx, &q.SearchOptions)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		results.Provider = p.Name()
		for i, note := range results.Notes {
			results.Notes[i] = plainLine(note, maxResultTitle)
		}
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

// cleanResults prepares results for an answer: only URLs of web pages, each once, and texts on one line.
func cleanResults(found []firecrawl.SearchResult, limit int) []firecrawl.SearchResult {
	kept := make([]firecrawl.SearchResult, 0, min(len(found), limit))
	for _, r := range found {
		if !ofTheWeb(r.URL) || slices.ContainsFunc(kept, func(k firecrawl.SearchResult) bool { return k.URL == r.URL }) {
			continue
		}
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

// maxPages is how many pages of results a search requests from an engine.
const maxPages = 10

// An engine is a search engine that returns results in pages: SearXNG or Brave.
type engine struct {
	*apiclient.Client
	// page returns the results on a page, from 0, and how many a page has that is not the last. It may add notes.
	page func(ctx context.Context, q *firecrawl.SearchOptions, source string, page int, notes *[]string) (found []firecrawl.SearchResult, full int, err error)
}

// Search requests pages of results until it has enough.
func (e *engine) Search(ctx context.Context, q *firecrawl.SearchOptions) (*firecrawl.SearchResults, error) {
	if q.Location != "" || q.TBS == "qdr:h" {
		return nil, fmt.Errorf("%s cannot search by location, nor for the last hour (tbs): leave that out, or the operator sets %s", e.Name(), firecrawl.KeyVar)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, milliseconds(q.Timeout), errors.New("the search took longer than its timeout"))
	defer cancel()
	results := &firecrawl.SearchResults{Found: make(map[string][]firecrawl.SearchResult)}
	for _, source := range q.Sources {
		seen := make(map[string]bool)
		for page := 0; page < maxPages && len(seen) < q.Limit; page++ {
			found, full, err := e.page(ctx, q, source, page, &results.Notes)
			if err != nil {
				return nil, err
			}
			before := len(seen)
			for _, r := range found {
				seen[r.URL] = true
			}
			results.Found[source] = append(results.Found[source], found...)
			if len(seen) == before || len(found) < full {
				break
			}
		}
	}
	return results, nil
}

// NewSearXNG returns a provider for a SearXNG server, whose settings must allow the format json. See
// https://docs.searxng.org/dev/search_api.html.
func NewSearXNG(base, version string) (Provider, error) {
	c, err := apiclient.New(apiclient.Options{Name: "SearXNG", Base: base, BaseVar: SearXNGVar, Version: version})
	if err != nil {
		return nil, err
	}
	return &engine{c, func(ctx context.Context, q *firecrawl.SearchOptions, source string, page int, notes *[]string) ([]firecrawl.SearchResult, int, error) {
		query := url.Values{"q": {narrowed(source, q)}, "format": {"json"}, "pageno": {strconv.Itoa(page + 1)}, "categories": {cmp.Or(strings.TrimPrefix(source, "web"), "general")}}
		if source == "web" && slices.Equal(q.Categories, []string{"research"}) {
			query.Set("q", q.Query)
			query.Set("categories", "science")
		}
		if language := q.Lang; q.Country != "" && !strings.Contains(language, "-") {
			query.Set("language", language+"-"+q.Country)
		} else {
			query.Set("language", language)
		}
		if q.TBS != "" {
			query.Set("time_range", map[string]string{"qdr:d": "day", "qdr:w": "week", "qdr:m": "month", "qdr:y": "year"}[q.TBS])
		}
		var answer struct {
			Results []struct {
				URL, Title, Content string
				Published           string `json:"publishedDate"`
				Image               string `json:"img_src"`
			}
			Unresponsive [][]string `json:"unresponsive_engines"`
		}
		err := c.Do(ctx, apiclient.Request{Method: http.MethodGet, Path: "search", Query: query, Timeout: milliseconds(q.Timeout)}, &answer)
		if failure, ok := errors.AsType[*apiclient.Error](err); ok && failure.Status == http.StatusForbidden {
			failure.Advice = "The operator of the SearXNG server has to add json to search.formats in its settings.yml"
		}
		var found []firecrawl.SearchResult
		for _, r := range answer.Results {
			image := r.Image
			if strings.HasPrefix(image, "//") {
				image = "https:" + image
			}
			found = append(found, firecrawl.SearchResult{Title: r.Title, URL: r.URL, Description: r.Content, Date: r.Published, Image: image})
		}
		if page == 0 && len(found) == 0 && len(answer.Unresponsive) > 0 {
			*notes = append(*notes, fmt.Sprintf("SearXNG: %d of its engines did not answer: %v", len(answer.Unresponsive), answer.Unresponsive))
		}
		return found, 0, err
	}}, nil
}

type braveResult struct {
	Title, URL, Description, Age string
	PageAge                      string `json:"page_age"`
	Thumbnail                    struct {
		Source string `json:"src"`
	}
	Properties struct{ URL string }
}

// NewBrave returns a provider for the search API of Brave. See
// https://api-dashboard.search.brave.com/api-reference.
func NewBrave(base, key, version string) (Provider, error) {
	c, err := apiclient.New(apiclient.Options{
		Name: "Brave", Base: cmp.Or(base, braveHosted), BaseVar: BraveBaseVar, Key: key, KeyVar: BraveKeyVar, Header: "X-Subscription-Token", Version: version,
	})
	if err != nil {
		return nil, err
	}
	return &engine{c, func(ctx context.Context, q *firecrawl.SearchOptions, source string, page int, notes *[]string) ([]firecrawl.SearchResult, int, error) {
		full := min(q.Limit, map[string]int{"web": 20, "news": 50, "images": 100}[source])
		query := url.Values{"q": {narrowed(source, q)}, "search_lang": {braveLanguage(q.Lang)}, "count": {strconv.Itoa(full)}}
		if q.Country != "" {
			query.Set("country", q.Country)
		}
		switch {
		case q.TBS != "" && source != "images":
			query.Set("freshness", map[string]string{"qdr:d": "pd", "qdr:w": "pw", "qdr:m": "pm", "qdr:y": "py"}[q.TBS])
		case q.TBS != "":
			*notes = append(*notes, "Brave has no time filter for images: tbs is left out for them")
		}
		if source == "web" {
			query.Set("text_decorations", "false")
			query.Set("result_filter", "web")
		}
		if page > 0 {
			query.Set("offset", strconv.Itoa(page))
		}
		var answer struct {
			Web     struct{ Results []braveResult }
			Results []braveResult
		}
		err := c.Do(ctx, apiclient.Request{Method: http.MethodGet, Path: "res/v1/" + source + "/search", Query: query, Timeout: milliseconds(q.Timeout)}, &answer)
		var found []firecrawl.SearchResult
		for _, r := range append(answer.Web.Results, answer.Results...) {
			found = append(found, firecrawl.SearchResult{
				Title: r.Title, URL: r.URL, Description: r.Description, Date: cmp.Or(r.PageAge, r.Age), Image: cmp.Or(r.Properties.URL, r.Thumbnail.Source),
			})
		}
		return found, full, err
	}}, nil
}

// braveLanguages are the codes of Brave that are neither the codes of languages (ISO 639-1) nor their first parts.
var braveLanguages = map[string]string{
	"ja": "jp", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-hans": "zh-hans", "zh-hant": "zh-hant",
	"pt": "pt-pt", "pt-br": "pt-br", "pt-pt": "pt-pt", "no": "nb", "no-no": "nb", "nn": "nb", "nn-no": "nb", "en-gb": "en-gb",
}

// braveLanguage returns Brave's code of a language.
func braveLanguage(language string) string {
	language = strings.ToLower(language)
	first, _, _ := strings.Cut(language, "-")
	return cmp.Or(braveLanguages[language], first)
}

// narrowed returns the text of a query, with operators for its categories, which all search engines know.
func narrowed(source string, q *firecrawl.SearchOptions) string {
	if source != "web" || len(q.Categories) == 0 {
		return q.Query
	}
	operators := map[string]string{
		"github": "site:github.com", "pdf": "filetype:pdf",
		"research": "site:arxiv.org OR site:pubmed.ncbi.nlm.nih.gov OR site:nature.com OR site:ieee.org OR site:acm.org",
	}
	var list []string
	for _, category := range q.Categories {
		list = append(list, operators[category])
	}
	return q.Query + " (" + strings.Join(list, " OR ") + ")"
}
