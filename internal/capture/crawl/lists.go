package crawl

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/weburl"
)

// maxList is the maximum size of an llms.txt.
const maxList = 5 << 20

// lists reads llms.txt and the sitemaps of a site. Files that cannot be read count as missing.
func (c *Crawl) lists(ctx context.Context) error {
	var done bool
	var base *url.URL
	c.ledger.use(func(l *ledger) { done, base = l.listed, l.boundary.start })
	if done || c.options.NoSitemaps {
		return nil
	}
	for _, file := range rootAndFolder(base, "/llms.txt") {
		if c.options.OnlySitemap {
			break
		}
		if err := c.llms(ctx, file); err != nil {
			return err
		}
	}
	if err := c.sitemaps(ctx, base); err != nil {
		return err
	}
	c.ledger.use(func(l *ledger) {
		l.listed = true
		l.log(record{Lists: true})
	})
	return nil
}

// rootAndFolder returns the URLs of a file at the root of a site and in the folder of a URL.
func rootAndFolder(base *url.URL, name string) []*url.URL {
	list := []*url.URL{{Scheme: base.Scheme, Host: base.Host, Path: name}}
	folder := base.Path
	if !strings.HasSuffix(folder, "/") && path.Ext(folder) != "" {
		folder = path.Dir(folder)
	}
	if folder = strings.Trim(folder, "/"); folder != "" {
		list = append(list, &url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/" + folder + name})
	}
	return list
}

// llms reads an llms.txt, whose links are requested first. The file itself is a page if it is in the scope.
func (c *Crawl) llms(ctx context.Context, file *url.URL) error {
	response, err := c.get(ctx, c.request(file, maxList))
	if ctx.Err() != nil {
		return c.why(ctx)
	}
	if err != nil {
		return nil
	}
	leads := webpage.ReadLeads(webpage.Source{URL: file, ContentType: response.ContentType, Body: response.Body}, nil, Agent)
	// such as a "not found" page
	if kind := response.ContentType; strings.Contains(kind, "html") {
		return nil
	}
	c.ledger.use(func(l *ledger) {
		l.list(file, "", true)
		for _, lead := range leads.Links {
			l.list(lead.URL, lead.Text, true)
		}
	})
	return nil
}

// sitemaps reads the sitemaps that robots.txt names, and those in the usual places.
func (c *Crawl) sitemaps(ctx context.Context, base *url.URL) error {
	places, named := c.sitemapPlaces(ctx, base)
	r := &SitemapReader{Get: func(ctx context.Context, u *url.URL) ([]byte, *url.URL, error) {
		response, err := c.get(ctx, c.request(u, 0))
		if err != nil {
			return nil, nil, err
		}
		c.ledger.use(func(l *ledger) { l.spend(int64(len(response.Body))) })
		return response.Body, response.URL, ctx.Err()
	}}
	faults, _ := r.Read(ctx, places, func(e SitemapEntry) bool {
		return ask(&c.ledger, func(l *ledger) bool {
			index := l.list(e.URL, e.Title, false)
			if index >= 0 && l.frontier.nodes[index].old && !e.Modified.IsZero() {
				l.modified[index] = e.Modified
			}
			return !l.frontier.full && l.stopped == nil
		})
	})
	if ctx.Err() != nil {
		return c.why(ctx)
	}
	c.ledger.use(func(l *ledger) {
		for _, f := range faults {
			// A usual place may be empty.
			if f.Names || !slices.Contains(places[named:], f.Sitemap) {
				l.stats.Sitemaps = append(l.stats.Sitemaps, f.Error())
			}
		}
	})
	return nil
}

// sitemapPlaces returns where the sitemaps of a site may be: first the URLs in its robots.txt, whose number is named,
// then the usual places.
func (c *Crawl) sitemapPlaces(ctx context.Context, base *url.URL) (list []*url.URL, named int) {
	if texts, err := c.site.Sitemaps(ctx, base); err == nil {
		for _, text := range texts {
			if u, err := weburl.Resolve(base, text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
				list = append(list, u)
			}
		}
	}
	named = len(list)
	usual := rootAndFolder(base, "/sitemap.xml")
	if named > 0 {
		return append(list, usual[1:]...), named
	}
	return append(usual, &url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/sitemap_index.xml"}), 0
}
