package webtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// find lists the URLs of a site.
func (o *Options) findURLs(ctx context.Context, c *tools.Call, q *mapQuery) (list []mapItem, notes []string, err error) {
	index := make(map[string]int)
	add := func(u *url.URL, title string) {
		title = oneLine(title, maxMapTitle)
		k := crawl.Key(u)
		i, known := index[k]
		if !known {
			if len(list) >= maxMapURLs {
				return
			}
			i = len(list)
			index[k] = i
			list = append(list, mapItem{URL: u.String()})
		}
		if list[i].Title == "" {
			list[i].Title = title
		}
		if len(list)%500 == 0 && !known {
			c.Report(float64(len(list)), 0, "looking for URLs")
		}
	}
	known := q.Limit + 10 // the start and its redirects may not be in the list
	if q.Search != "" {
		known = maxMapURLs
	}
	pages := lookPages
	if q.Sitemap == "only" {
		pages = 1 // its redirects show the host of the site
	}
	look, err := crawl.New(o.Client, crawl.Options{
		Start: q.url, Scope: crawl.Scope{EntireDomain: true, Subdomains: q.Subdomains}, Limit: pages, IgnoreQuery: q.IgnoreQuery, NoSitemaps: q.Sitemap == "skip",
		OnlySitemap: q.Sitemap == "only", Known: known, Bytes: maxMapBytes, Time: milliseconds(q.Timeout), Header: q.header(), Caller: c.Caller, Keeper: discarding{}, Found: add,
	})
	if err != nil {
		return nil, nil, err
	}
	err = look.Run(ctx)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	for _, capture := range o.Store.All(c.Caller) {
		if u, err := url.Parse(capture.Meta.URL); err == nil && ofSite(q, u) {
			if clean, err := crawl.Clean(u, q.IgnoreQuery); err == nil {
				if _, listed := index[crawl.Key(clean)]; listed || q.Sitemap != "only" {
					add(clean, capture.Meta.Title)
				}
			}
		}
	}
	if o.Firecrawl != nil && len(list) <= 1 && firecrawl.Refuses(err) {
		links, failure := o.byFirecrawl(ctx, q)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if failure != nil {
			return nil, nil, errors.Join(err, failure)
		}
		for _, link := range links {
			if u, err := url.Parse(link.URL); err == nil && ofSite(q, u) {
				if clean, err := crawl.Clean(u, q.IgnoreQuery); err == nil {
					add(clean, link.Title)
				}
			}
		}
		notes, err = append(notes, fmt.Sprintf("The list comes from Firecrawl: %v.", err)), nil
	}
	if err != nil && len(list) <= 1 {
		return nil, nil, err
	}
	stats := look.Stats()
	switch {
	case err != nil:
		notes = append(notes, err.Error())
	case strings.HasPrefix(stats.Left, "it took"):
		notes = append(notes, fmt.Sprintf("The search for URLs ended after %v, which is the limit (timeout): there may be more.", milliseconds(q.Timeout)))
	case stats.Left != "" && !strings.Contains(stats.Left, "pages, which") && !strings.HasSuffix(stats.Left, "URLs were found"):
		notes = append(notes, "There may be more URLs: "+stats.Left+".")
	}
	if n := len(stats.Sitemaps); n > 0 {
		note := "There may be more URLs: " + strings.Join(strings.Fields(stats.Sitemaps[0]), " ")
		if n > 1 {
			note += fmt.Sprintf(", and %d others", n-1)
		}
		notes = append(notes, note+".")
	}
	if q.Search != "" {
		list = ranked(list, q.Search)
	}
	if len(list) > q.Limit {
		list = list[:q.Limit]
		notes = append(notes, fmt.Sprintf("The list ends at %d URLs, which is the limit: there are more.", q.Limit))
	}
	return list, notes, nil
}

// byFirecrawl lists the URLs of a site that Firecrawl finds.
func (o *Options) byFirecrawl(ctx context.Context, q *mapQuery) ([]firecrawl.Link, error) {
	if err := o.Firecrawl.Rules.Vet(ctx, q.url); err != nil {
		return nil, err
	}
	return o.Firecrawl.Client.Map(ctx, firecrawl.MapOptions{
		URL: q.url.String(), Search: q.Search, Sitemap: q.Sitemap, IncludeSubdomains: &q.Subdomains, IgnoreQueryParameters: &q.IgnoreQuery, Limit: q.Limit,
		Timeout: q.Timeout, Location: &firecrawl.Location{Country: q.Location.Country, Languages: q.languages},
	})
}

// discarding is a keeper that keeps no pages.
type discarding struct{}

func (discarding) Open(*url.URL) (crawl.Visit, error)                  { return discarding{}, nil }
func (discarding) Known() (v webclient.Validators, modified time.Time) { return }
func (discarding) Keep(context.Context, *crawl.Page) error             { return nil }

// ofSite reports whether a page belongs to the site.
func ofSite(q *mapQuery, u *url.URL) bool {
	host, site := strings.ToLower(u.Host), strings.ToLower(q.url.Host)
	return (u.Scheme == "http" || u.Scheme == "https") && (host == site || q.Subdomains && strings.HasSuffix(host, "."+site))
}

// ranked returns the URLs with a word of a search in URL or title; those with more words come first.
func ranked(list []mapItem, search string) []mapItem {
	words := strings.FieldsFunc(strings.ToLower(search), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return nil
	}
	type match struct {
		mapItem
		words int
	}
	var found []match
	for _, it := range list {
		text, n := strings.ToLower(it.URL+" "+it.Title), 0
		for _, w := range words {
			if strings.Contains(text, w) {
				n++
			}
		}
		if n > 0 {
			found = append(found, match{it, n})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.words, a.words) })
	kept := make([]mapItem, len(found))
	for i, m := range found {
		kept[i] = m.mapItem
	}
	return kept
}
