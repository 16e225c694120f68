package webtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
)

// SearXNGVar is the variable with the URL of a SearXNG server.
const SearXNGVar = "SEARXNG_BASE_URL"

// maxPages is how many pages of results a search requests from SearXNG or Brave.
const maxPages = 10

type searxng struct{ service *apiclient.Client }

// NewSearXNG returns a provider for a SearXNG server, whose settings must allow the format json. See
// https://docs.searxng.org/dev/search_api.html.
func NewSearXNG(base, version string) (Provider, error) {
	c, err := apiclient.New(apiclient.Options{Name: "SearXNG", Base: base, BaseVar: SearXNGVar, Version: version})
	if err != nil {
		return nil, err
	}
	return &searxng{c}, nil
}

func (s *searxng) Name() string { return "SearXNG" }
func (s *searxng) Close()       { s.service.Close() }

func (s *searxng) Refuses(q *SearchQuery) string {
	switch {
	case q.Place != "":
		return noLocation
	case q.Within == Hour:
		return "it supports only qdr:d, qdr:w, qdr:m and qdr:y in tbs"
	}
	return ""
}

// searxngCategory returns the category of SearXNG for a source and a category.
func searxngCategory(source Source, category Category) string {
	switch {
	case source == Images:
		return "images"
	case source == News:
		return "news"
	case category == Research:
		return "science"
	}
	return "general"
}

func (s *searxng) Search(ctx context.Context, q *SearchQuery) (*SearchResults, error) {
	ctx, cancel := boundedSearch(ctx, milliseconds(q.Timeout))
	defer cancel()
	results := &SearchResults{Found: make(map[Source][]SearchResult)}
	if q.Country != "" && strings.Contains(q.Language, "-") && !strings.HasSuffix(strings.ToUpper(q.Language), "-"+q.Country) {
		results.Notes = append(results.Notes, fmt.Sprintf("SearXNG takes the country from lang, which is %s: country %s is ignored", q.Language, q.Country))
	}
	return results, results.add(q, func(source Source, part searchPart) ([]SearchResult, error) {
		return s.pages(ctx, q, source, part, results)
	})
}

// add searches for each part of a query.
func (r *SearchResults) add(q *SearchQuery, search func(Source, searchPart) ([]SearchResult, error)) error {
	for _, source := range q.Sources {
		for _, part := range searchParts(source, q) {
			found, err := search(source, part)
			if err != nil {
				return err
			}
			r.Found[source] = append(r.Found[source], found...)
		}
	}
	return nil
}

// pages requests pages of results until it has enough.
func (s *searxng) pages(ctx context.Context, q *SearchQuery, source Source, part searchPart, results *SearchResults) ([]SearchResult, error) {
	var found []SearchResult
	seen := make(map[string]bool)
	text := q.Text
	if part.category != Research {
		text = narrowed(q.Text, part.category)
	}
	for page := 1; page <= maxPages && len(found) < part.limit; page++ {
		query := url.Values{"q": {text}, "format": {"json"}, "pageno": {strconv.Itoa(page)}, "categories": {searxngCategory(source, part.category)}}
		if q.Language != "" {
			language := q.Language
			if q.Country != "" && !strings.Contains(language, "-") {
				language += "-" + q.Country
			}
			query.Set("language", language)
		}
		if q.Within != "" {
			query.Set("time_range", map[Period]string{Day: "day", Week: "week", Month: "month", Year: "year"}[q.Within])
		}
		var answer struct {
			Results []struct {
				URL, Title, Content string
				Published           string `json:"publishedDate"`
				Image               string `json:"img_src"`
			}
			Unresponsive [][]string `json:"unresponsive_engines"`
		}
		err := s.service.Do(ctx, apiclient.Request{Method: http.MethodGet, Path: "search", Query: query, Timeout: milliseconds(q.Timeout)}, &answer)
		if failure, ok := errors.AsType[*apiclient.Error](err); ok && failure.Status == http.StatusForbidden {
			failure.Advice = "The operator of the SearXNG server has to add json to search.formats in its settings.yml"
		}
		if err != nil {
			return nil, err
		}
		before := len(found)
		for _, r := range answer.Results {
			if seen[r.URL] {
				continue
			}
			seen[r.URL] = true
			found = append(found, SearchResult{Title: r.Title, URL: r.URL, Description: r.Content, Date: r.Published, Image: absolute(r.Image), Category: part.category})
		}
		if len(found) == before {
			if page == 1 && len(answer.Unresponsive) > 0 {
				results.Notes = append(results.Notes, "SearXNG: "+unresponsive(answer.Unresponsive))
			}
			break
		}
	}
	return found[:min(len(found), part.limit)], nil
}

// unresponsive names engines that did not answer, and why.
func unresponsive(engines [][]string) string {
	var names []string
	for _, e := range engines {
		names = append(names, plainLine(strings.Join(e, ": "), 100))
		if len(names) == 5 {
			break
		}
	}
	return fmt.Sprintf("%d of its engines did not answer (%s)", len(engines), strings.Join(names, "; "))
}

// absolute adds https to a URL without a scheme.
func absolute(s string) string {
	if strings.HasPrefix(s, "//") {
		return "https:" + s
	}
	return s
}

// bounded returns a context with the timeout of a search, for all its requests together.
func boundedSearch(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, cmp.Or(d, time.Minute), errors.New("the search took longer than its timeout"))
}

// A part asks for the results of one category, which are a share of the results of a source.
type searchPart struct {
	category Category // "": any
	limit    int
}

// parts shares the results of a source equally among the categories.
func searchParts(source Source, q *SearchQuery) (list []searchPart) {
	if source != Web || len(q.Categories) == 0 {
		return []searchPart{{limit: q.Limit}}
	}
	for i, category := range q.Categories {
		if limit := (q.Limit + len(q.Categories) - 1 - i) / len(q.Categories); limit > 0 {
			list = append(list, searchPart{category, limit})
		}
	}
	return list
}

// researchSites narrows a query to sites with papers, for providers without such a category.
const researchSites = "(site:arxiv.org OR site:pubmed.ncbi.nlm.nih.gov OR site:nature.com OR site:ieee.org OR site:acm.org)"

// narrowed adds operators for a category, which all search engines know, to a query.
func narrowed(text string, category Category) string {
	switch category {
	case GitHub:
		return text + " site:github.com"
	case PDF:
		return text + " filetype:pdf"
	case Research:
		return text + " " + researchSites
	}
	return text
}

type viaFirecrawl struct{ client *firecrawl.Client }

// NewFirecrawl returns a provider for the search of Firecrawl.
func NewFirecrawl(c *firecrawl.Client) Provider { return viaFirecrawl{c} }

func (f viaFirecrawl) Name() string                { return "Firecrawl" }
func (f viaFirecrawl) Close()                      { f.client.Close() }
func (f viaFirecrawl) Refuses(*SearchQuery) string { return "" }

func (f viaFirecrawl) Search(ctx context.Context, q *SearchQuery) (*SearchResults, error) {
	o := firecrawl.SearchOptions{
		Query: q.Text, Limit: q.Limit, TBS: string(q.Within), Location: q.Place, Country: q.Country, Lang: q.Language, Timeout: q.Timeout,
	}
	for _, s := range q.Sources {
		o.Sources = append(o.Sources, string(s))
	}
	for _, c := range q.Categories {
		o.Categories = append(o.Categories, string(c))
	}
	answer, err := f.client.Search(ctx, o)
	if err != nil {
		return nil, err
	}
	results := &SearchResults{Found: make(map[Source][]SearchResult), Credits: answer.Credits}

	for _, r := range answer.Web {
		results.Found[Web] = append(results.Found[Web], SearchResult{Title: r.Title, URL: r.URL, Description: r.Description, Category: Category(r.Category)})
	}
	for _, r := range answer.Images {
		results.Found[Images] = append(results.Found[Images], SearchResult{Title: r.Title, URL: r.URL, Image: r.ImageURL})
	}
	for _, r := range answer.News {
		results.Found[News] = append(results.Found[News], SearchResult{Title: r.Title, URL: r.URL, Description: r.Snippet, Date: r.Date, Image: r.ImageURL})
	}

	maps.DeleteFunc(results.Found, func(s Source, _ []SearchResult) bool { return !slices.Contains(q.Sources, s) })
	if answer.Warning != "" {
		results.Notes = append(results.Notes, "Firecrawl warns: "+plainLine(answer.Warning, maxResultTitle))
	}
	return results, nil
}
