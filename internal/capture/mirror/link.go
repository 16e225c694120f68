package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/folder"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// link returns the relative link from a file to a page that is there, or "".
func (m *Mirror) link(from string, to *url.URL) string {
	u, err := crawl.Clean(to, m.options.Crawl.IgnoreQuery)
	if err != nil {
		return ""
	}
	page, kept := m.crawl.Resolve(u)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !kept {
		if page = m.aliases[u.String()]; page == "" {
			page = u.String()
		}
	}
	target, err := url.Parse(page)
	if err != nil {
		return ""
	}
	name, there := m.there[crawl.Key(target)]
	if !there {
		if !kept {
			return ""
		}
		name = folder.PageName(target)
	}
	link := ""
	if name != from {
		link = folder.Relative(from, name)
	}
	fragment := to.Fragment
	if fragment == "" {
		if link == "" {
			link = folder.Relative(from, name)
		}
		return link
	}
	anchors, known := m.anchors[page]
	if !known && !m.whole {
		return "" // until they are known
	}
	if slug, known := anchor(anchors, fragment); known {
		fragment = slug
	} else if strings.EqualFold(fragment, "top") { // browsers take it for the beginning of any page
		fragment = ""
	}
	if fragment == "" {
		return folder.Relative(from, name)
	}
	return link + "#" + (&url.URL{Fragment: fragment}).EscapedFragment()
}

// Links returns what [folder.Options.Link] is for a folder in which sites are kept: it gives the
// links of their pages the targets that they had.
func Links(ctx context.Context, files *rootfs.FS) (func(from string, to *url.URL) string, error) {
	there, err := folder.Captured(ctx, files)
	if err != nil {
		return nil, err
	}
	sites := make(map[string]*Mirror)
	mirrors := make(map[string]*Mirror)
	for _, t := range there {
		if t.Site == "" {
			continue
		}
		m, known := sites[t.Site]
		if start, err := url.Parse(t.Site); !known && err == nil {
			if m, err = New(nil, files, Options{Crawl: crawl.Options{Start: start}}); err != nil {
				return nil, err
			}
			if _, _, _, err := m.load(there); err != nil {
				return nil, err
			}
			m.whole = true
			sites[t.Site] = m
		}
		if m != nil {
			mirrors[t.File] = m
		}
	}
	return func(from string, to *url.URL) string {
		if m := mirrors[from]; m != nil {
			return m.link(from, to)
		}
		return ""
	}, nil
}

// A Site is a site with pages in a folder.
type Site struct {
	Start  *url.URL // where its crawl began
	Folder string   // the folder below that folder that its names begin at; "": that folder itself
}

// Sites returns the sites with pages in a folder. One that was captured into two folders below it,
// such as v1 and v2, is there twice. A folder of a site is one that has its state file or its start,
// or, if there is none, the one with most of its pages: an author may have moved some elsewhere.
func Sites(ctx context.Context, files *rootfs.FS) ([]Site, error) {
	there, err := folder.Captured(ctx, files)
	if err != nil {
		return nil, err
	}
	var starts []string
	pages := make(map[string]map[string]int) // by site and folder, how many there are
	own := make(map[string]map[string]bool)  // by site, its folders
	for _, t := range there {
		if t.Site == "" {
			continue
		}
		if pages[t.Site] == nil {
			pages[t.Site], own[t.Site] = make(map[string]int), make(map[string]bool)
			starts = append(starts, t.Site)
		}
		in, ok := strings.CutSuffix("/"+t.File, "/"+folder.PageName(t.URL))
		if !ok {
			continue
		}
		in = strings.TrimPrefix(in, "/")
		if pages[t.Site][in]++; pages[t.Site][in] == 1 || t.URL.String() == t.Site {
			_, err := files.Lstat(path.Join(in, stateName(t.Site)))
			own[t.Site][in] = own[t.Site][in] || err == nil || t.URL.String() == t.Site
		}
	}
	var list []Site
	for _, start := range starts {
		u, err := url.Parse(start)
		if err != nil {
			continue
		}
		most, found := "", false
		for _, in := range slices.Sorted(maps.Keys(pages[start])) {
			if own[start][in] {
				list, found = append(list, Site{u, in}), true
			}
			if pages[start][in] > pages[start][most] {
				most = in
			}
		}
		if !found {
			list = append(list, Site{u, most})
		}
	}
	return list, nil
}

// stateName returns the name of the state file of a site.
func stateName(site string) string {
	sum := sha256.Sum256([]byte(site))
	return ".crawl-" + hex.EncodeToString(sum[:8]) + ".jsonl"
}

// anchor looks up an id among the anchors of a page.
func anchor(anchors, id string) (slug string, known bool) {
	if strings.Contains(id, "\x00") {
		return "", false
	}
	_, rest, found := strings.Cut(anchors, "\x00"+id+"\x01")
	if !found {
		return "", false
	}
	slug, _, _ = strings.Cut(rest, "\x00")
	return slug, true
}

// rendered returns what records the anchors of a page: those whose heading has another name in
// links, or none.
func (m *Mirror) rendered(page string) func(*webpage.Page, string) {
	return func(p *webpage.Page, markdown string) {
		anchors := ""
		if headings := excerpt.Headings(markdown); len(headings) == p.Headings && len(p.Anchors) > 0 {
			var b strings.Builder
			for _, a := range p.Anchors {
				slug := ""
				if a.Heading >= 0 {
					slug = headings[a.Heading].Slug
				}
				if slug != a.ID && !strings.ContainsAny(a.ID+slug, "\x00\x01") {
					b.WriteString("\x00" + a.ID + "\x01" + slug)
				}
			}
			if b.Len() > 0 {
				anchors = b.String() + "\x00"
			}
		}
		m.mu.Lock()
		fresh := m.setAnchors(page, anchors)
		m.mu.Unlock()
		if fresh {
			m.record(note{page, anchors})
		}
	}
}
