package folder

import (
	"context"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// link returns the relative link from a file to a page in the folder, or "".
func (s *Site) link(from string, to *url.URL) string {
	u, err := crawl.Clean(to, s.options.Crawl.IgnoreQuery)
	if err != nil {
		return ""
	}
	page, kept := s.crawl.Resolve(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !kept {
		if page = s.aliases[u.String()]; page == "" {
			page = u.String()
		}
	}
	target, err := url.Parse(page)
	if err != nil {
		return ""
	}
	name, known := s.files[crawl.Key(target)]
	if !known {
		if !kept {
			return ""
		}
		name = PageName(target)
	}
	fragment := to.Fragment
	if fragment != "" {
		anchors, known := s.anchors[page]
		if !known && !s.complete {
			return "" // until the crawl is complete
		}
		if slug, known := anchor(anchors, fragment); known {
			fragment = slug
		} else if strings.EqualFold(fragment, "top") {
			// Browsers scroll to the top of the page.
			fragment = ""
		}
	}
	link := Relative(from, name)
	if fragment == "" {
		return link
	}
	if name == from {
		link = ""
	}
	return link + "#" + (&url.URL{Fragment: fragment}).EscapedFragment()
}

// Links returns a function for [Options.Link] in a folder with sites: it makes the same links between their pages as
// the crawls did.
func Links(ctx context.Context, files *rootfs.FS) (func(from string, to *url.URL) string, error) {
	captured, err := Captured(ctx, files)
	if err != nil {
		return nil, err
	}
	byStart := make(map[string]*Site)
	byFile := make(map[string]*Site)
	for _, t := range captured {
		if t.Site == "" {
			continue
		}
		s, known := byStart[t.Site]
		if start, err := url.Parse(t.Site); !known && err == nil {
			if s, err = NewSite(Capturer{Folder: files}, SiteOptions{Crawl: crawl.Options{Start: start}}); err != nil {
				return nil, err
			}
			if _, _, _, err := s.load(captured); err != nil {
				return nil, err
			}
			s.complete = true
			byStart[t.Site] = s
		}
		if s != nil {
			byFile[t.File] = s
		}
	}
	return func(from string, to *url.URL) string {
		if s := byFile[from]; s != nil {
			return s.link(from, to)
		}
		return ""
	}, nil
}

// A SiteFolder is a site with pages in a folder.
type SiteFolder struct {
	Start  *url.URL
	Folder string // to which its pages' names are relative; "": the folder itself
}

// Sites returns the sites with pages in a folder. A site that was captured into two subfolders, such as v1 and v2, is
// in the list twice. A subfolder belongs to a site if it has its state file or its start page; if none has, the folder itself does.
func Sites(ctx context.Context, files *rootfs.FS) (list []SiteFolder, err error) {
	captured, err := Captured(ctx, files)
	if err != nil {
		return nil, err
	}
	sites := make(map[string]map[string]bool) // by start URL and subfolder
	for _, t := range captured {
		if t.Site == "" {
			continue
		}
		if sites[t.Site] == nil {
			sites[t.Site] = make(map[string]bool)
		}
		if dir, ok := strings.CutSuffix("/"+t.File, "/"+PageName(t.URL)); ok {
			dir = strings.TrimPrefix(dir, "/")
			belongs, known := sites[t.Site][dir]
			if !known {
				_, err := files.Lstat(path.Join(dir, stateName(t.Site)))
				belongs = err == nil
			}
			sites[t.Site][dir] = belongs || t.URL.String() == t.Site
		}
	}
	for _, start := range slices.Sorted(maps.Keys(sites)) {
		maps.DeleteFunc(sites[start], func(_ string, belongs bool) bool { return !belongs })
		if len(sites[start]) == 0 {
			sites[start][""] = true
		}
		for _, dir := range slices.Sorted(maps.Keys(sites[start])) {
			if u, err := url.Parse(start); err == nil {
				list = append(list, SiteFolder{u, dir})
			}
		}
	}
	return list, nil
}

// anchor looks up the slug for an id in the anchors of a page, see [Site].
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

// keepAnchors records the anchors of a page whose id differs from the slug of their heading, also in the journal.
func (s *Site) keepAnchors(page *crawl.Page, p *webpage.Page, markdown string) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.setAnchors(page.URL.String(), anchors) {
		page.Note = &anchors
	}
}
