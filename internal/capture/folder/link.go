package folder

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
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

// link returns the relative link from a file to a page that is there, or "".
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
	name, there := s.there[crawl.Key(target)]
	if !there {
		if !kept {
			return ""
		}
		name = PageName(target)
	}
	link := ""
	if name != from {
		link = Relative(from, name)
	}
	fragment := to.Fragment
	if fragment == "" {
		if link == "" {
			link = Relative(from, name)
		}
		return link
	}
	anchors, known := s.anchors[page]
	if !known && !s.whole {
		return "" // until they are known
	}
	if slug, known := anchor(anchors, fragment); known {
		fragment = slug
	} else if strings.EqualFold(fragment, "top") { // browsers take it for the beginning of any page
		fragment = ""
	}
	if fragment == "" {
		return Relative(from, name)
	}
	return link + "#" + (&url.URL{Fragment: fragment}).EscapedFragment()
}

// Links returns what [Options.Link] is for a folder in which sites are kept: it gives the
// links of their pages the targets that they had.
func Links(ctx context.Context, files *rootfs.FS) (func(from string, to *url.URL) string, error) {
	there, err := Captured(ctx, files)
	if err != nil {
		return nil, err
	}
	byStart := make(map[string]*Site)
	byFile := make(map[string]*Site)
	for _, t := range there {
		if t.Site == "" {
			continue
		}
		s, known := byStart[t.Site]
		if start, err := url.Parse(t.Site); !known && err == nil {
			if s, err = NewSite(Capturer{Folder: files}, SiteOptions{Crawl: crawl.Options{Start: start}}); err != nil {
				return nil, err
			}
			if _, _, _, err := s.load(there); err != nil {
				return nil, err
			}
			s.whole = true
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
	Start  *url.URL // where its crawl began
	Folder string   // the folder below that folder that its names begin at; "": that folder itself
}

// Sites returns the sites with pages in a folder. One that was captured into two folders below it,
// such as v1 and v2, is there twice. A folder of a site is one that has its state file or its start,
// or, if there is none, the one with most of its pages: an author may have moved some elsewhere.
func Sites(ctx context.Context, files *rootfs.FS) ([]SiteFolder, error) {
	there, err := Captured(ctx, files)
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
		in, ok := strings.CutSuffix("/"+t.File, "/"+PageName(t.URL))
		if !ok {
			continue
		}
		in = strings.TrimPrefix(in, "/")
		if pages[t.Site][in]++; pages[t.Site][in] == 1 || t.URL.String() == t.Site {
			_, err := files.Lstat(path.Join(in, stateName(t.Site)))
			own[t.Site][in] = own[t.Site][in] || err == nil || t.URL.String() == t.Site
		}
	}
	var list []SiteFolder
	for _, start := range starts {
		u, err := url.Parse(start)
		if err != nil {
			continue
		}
		most, found := "", false
		for _, in := range slices.Sorted(maps.Keys(pages[start])) {
			if own[start][in] {
				list, found = append(list, SiteFolder{u, in}), true
			}
			if pages[start][in] > pages[start][most] {
				most = in
			}
		}
		if !found {
			list = append(list, SiteFolder{u, most})
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

// keepAnchors records the anchors of a page: those whose heading has another name in links, or none.
func (s *Site) keepAnchors(page string, p *webpage.Page, markdown string) {
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
	fresh := s.setAnchors(page, anchors)
	s.mu.Unlock()
	if fresh {
		s.log.Note(note{page, anchors})
	}
}
