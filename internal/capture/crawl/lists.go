package crawl

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/sitemap"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// maxList is the size of an llms.txt that is read.
const maxList = 5 << 20

// lists reads what a site says of its own pages. What cannot be read is not there.
func (c *Crawl) lists(ctx context.Context) error {
	var done bool
	var base *url.URL
	c.ledger.use(func(l *ledger) { done, base = l.listed, l.boundary.start })
	if done || c.options.NoSitemaps {
		return nil
	}
	for _, at := range beside(base, "/llms.txt") {
		if c.options.OnlySitemap {
			break
		}
		if err := c.llms(ctx, at); err != nil {
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

// beside returns the URLs of a file at the root of a site and at the folder of a URL.
func beside(base *url.URL, name string) []*url.URL {
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

// llms reads an llms.txt, whose links are asked first. The file is a page of its own if it is in
// the scope.
func (c *Crawl) llms(ctx context.Context, at *url.URL) error {
	response, err := c.get(ctx, c.request(at, maxList))
	if ctx.Err() != nil {
		return c.why(ctx)
	}
	if err != nil {
		return nil
	}
	leads, err := webpage.ReadLeads(ctx, webpage.Source{URL: at, ContentType: response.ContentType, Body: response.Body}, nil, Agent)
	if err != nil {
		return err
	}
	if kind := response.ContentType; strings.Contains(kind, "html") { // the page that says that there is none
		return nil
	}
	c.ledger.use(func(l *ledger) {
		l.list(at, "", true)
		for _, lead := range leads.Links {
			l.list(lead.URL, lead.Text, true)
		}
	})
	return nil
}

// sitemaps reads the sitemaps that robots.txt names, and those at the usual places.
func (c *Crawl) sitemaps(ctx context.Context, base *url.URL) error {
	key := func(u *url.URL) string {
		if clean, err := Clean(u, false); err == nil {
			return key(clean)
		}
		return u.String()
	}
	places, named := c.places(ctx, base)
	r := &sitemap.Reader{Key: key, Get: func(ctx context.Context, u *url.URL) ([]byte, *url.URL, error) {
		response, err := c.get(ctx, c.request(u, 0))
		if err != nil {
			return nil, nil, err
		}
		c.ledger.use(func(l *ledger) { l.spend(int64(len(response.Body))) })
		return response.Body, response.URL, ctx.Err()
	}}
	faults, _ := r.Read(ctx, places, func(e sitemap.Entry) bool {
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
			if f.Skipped > 0 || !slices.Contains(places[named:], f.Sitemap) { // there may be none at a usual place
				l.stats.Sitemaps = append(l.stats.Sitemaps, f.Error())
			}
		}
	})
	return nil
}

// places returns where the sitemaps of a site may be: where its robots.txt says, which are the first
// ones, and at the usual places.
func (c *Crawl) places(ctx context.Context, base *url.URL) (list []*url.URL, named int) {
	if texts, err := c.site.Sitemaps(ctx, base); err == nil {
		for _, text := range texts {
			if u, err := base.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
				list = append(list, u)
			}
		}
	}
	named = len(list)
	usual := beside(base, "/sitemap.xml")
	if named > 0 {
		return append(list, usual[1:]...), named
	}
	return append(usual, &url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/sitemap_index.xml"}), 0
}
