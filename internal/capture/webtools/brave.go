package webtools

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/apiclient"
)

// The environment variables for Brave, and the URL of its API.
const (
	BraveKeyVar  = "BRAVE_API_KEY"
	BraveBaseVar = "BRAVE_BASE_URL"
	braveHosted  = "https://api.search.brave.com"
)

// Bounds of Brave's API.
const (
	braveChars, braveWords = 400, 50
	braveWebPage           = 20 // results of a page
	braveNews, braveImages = 50, 100
)

type brave struct{ service *apiclient.Client }

// NewBrave returns a provider for the search API of Brave. See
// https://api-dashboard.search.brave.com/api-reference.
func NewBrave(base, key, version string) (Provider, error) {
	c, err := apiclient.New(apiclient.Options{
		Name: "Brave", Base: cmp.Or(base, braveHosted), BaseVar: BraveBaseVar, Key: key, KeyVar: BraveKeyVar, Header: "X-Subscription-Token", Version: version,
		Delay: braveDelay,
	})
	if err != nil {
		return nil, err
	}
	return &brave{c}, nil
}

// braveDelay returns the time until all used-up limits are reset. The header fields have a number for
// each limit: one per second, and one per month.
func braveDelay(h http.Header) time.Duration {
	remaining, reset := strings.Split(h.Get("X-RateLimit-Remaining"), ","), strings.Split(h.Get("X-RateLimit-Reset"), ",")
	var longest time.Duration
	for i := range min(len(remaining), len(reset)) {
		seconds, err := strconv.ParseUint(strings.TrimSpace(reset[i]), 10, 31)
		if err == nil && strings.TrimSpace(remaining[i]) == "0" {
			longest = max(longest, time.Duration(seconds)*time.Second)
		}
	}
	return longest
}

func (b *brave) Name() string { return "Brave" }
func (b *brave) Close()       { b.service.Close() }

func (b *brave) Refuses(q *SearchQuery) string {
	switch {
	case q.Place != "":
		return noLocation
	case q.Within == Hour:
		return "it supports days and longer periods in tbs, not qdr:h"
	case len([]rune(q.Text)) > braveChars || len(strings.Fields(q.Text)) > braveWords:
		return fmt.Sprintf("it allows at most %d characters and %d words in a query", braveChars, braveWords)
	}
	return ""
}

// braveLanguage returns Brave's code of a language.
func braveLanguage(language string) string {
	switch l := strings.ToLower(language); l {
	case "ja":
		return "jp"
	case "zh", "zh-cn":
		return "zh-hans"
	case "zh-tw", "zh-hk":
		return "zh-hant"
	case "pt":
		return "pt-pt"
	case "no", "no-no", "nn", "nn-no":
		return "nb"
	case "en-gb", "pt-br", "pt-pt", "zh-hans", "zh-hant":
		return l
	default:
		l, _, _ = strings.Cut(l, "-")
		return l
	}
}

func (b *brave) Search(ctx context.Context, q *SearchQuery) (*SearchResults, error) {
	ctx, cancel := boundedSearch(ctx, milliseconds(q.Timeout))
	defer cancel()
	results := &SearchResults{Found: make(map[Source][]SearchResult)}
	if slices.Contains(q.Sources, Images) && q.Within != "" {
		results.Notes = append(results.Notes, "Brave has no time filter for images: tbs is left out for them")
	}
	return results, results.add(q, func(source Source, part searchPart) ([]SearchResult, error) { return b.source(ctx, q, source, part) })
}

type braveResult struct {
	Title, URL, Description, Age string
	PageAge                      string `json:"page_age"`
	Thumbnail                    struct {
		Source string `json:"src"`
	}
	Properties struct{ URL string }
}

func (r *braveResult) result(category Category) SearchResult {
	return SearchResult{
		Title: r.Title, URL: r.URL, Description: r.Description, Category: category, Date: cmp.Or(r.PageAge, r.Age),
		Image: cmp.Or(r.Properties.URL, r.Thumbnail.Source),
	}
}

func (b *brave) source(ctx context.Context, q *SearchQuery, source Source, part searchPart) ([]SearchResult, error) {
	query := url.Values{"q": {narrowed(q.Text, part.category)}}
	if q.Country != "" {
		query.Set("country", q.Country)
	}
	if q.Language != "" {
		query.Set("search_lang", braveLanguage(q.Language))
	}
	if q.Within != "" && source != Images {
		query.Set("freshness", map[Period]string{Day: "pd", Week: "pw", Month: "pm", Year: "py"}[q.Within])
	}
	size := map[Source]int{Web: braveWebPage, News: braveNews, Images: braveImages}[source]
	pages := min((part.limit+size-1)/size, maxPages)
	switch source {
	case Web:
		query.Set("text_decorations", "false")
		query.Set("result_filter", "web")
	case Images:
		pages = 1
	}
	query.Set("count", strconv.Itoa(min(part.limit, size)))
	var found []SearchResult
	for page := range pages {
		if page > 0 {
			query.Set("offset", strconv.Itoa(page))
		}
		var answer struct {
			Web     struct{ Results []braveResult }
			Results []braveResult
			Query   struct {
				More *bool `json:"more_results_available"`
			}
		}
		err := b.service.Do(ctx, apiclient.Request{Method: http.MethodGet, Path: "res/v1/" + string(source) + "/search", Query: query, Timeout: milliseconds(q.Timeout)}, &answer)
		if err != nil {
			return nil, err
		}
		here := answer.Results
		if source == Web {
			here = answer.Web.Results
		}
		for i := range here {
			found = append(found, here[i].result(part.category))
		}
		if len(here) == 0 || len(found) >= part.limit || answer.Query.More != nil && !*answer.Query.More {
			break
		}
	}
	return found[:min(len(found), part.limit)], nil
}
