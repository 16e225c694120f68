package webtools

import (
	"context"
	"maps"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
)

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
