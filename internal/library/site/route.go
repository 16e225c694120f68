package site

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
)

// index fills in routes, URLs and paths, and makes the maps with which links are found.
func (s *Set) index() {
	if len(s.pages) == 0 {
		return
	}
	main := s.Default()
	s.files, s.folders = make(map[string]*Page), make(map[string]bool)
	s.same = make(map[Identity][]*Page)
	s.places, s.ends = make(map[string][]*Page), make(map[string][]*Page)
	for _, p := range s.pages {
		site := p.Tree.site
		s.files[p.File] = p
		root := cmp.Or(s.options.Chosen, ".")
		if s.options.Chosen == "" && main != nil && site == s.Sites[0] && !p.Tree.Other {
			root = main.Root
		}
		p.Path = relative(root, p.File)
		if p.Hidden != "" && p.Hidden != redirects {
			continue
		}
		switch {
		case s.description != nil:
		case site.Route != nil:
			p.key = site.Route(site, p)
		default:
			p.key = p.plainRoute()
		}
		p.Route = "/" + p.Tree.Prefix + strings.TrimPrefix(p.key, "/")
		site.redirects(p.front, p.Route)
		if p.Hidden != "" {
			site.Redirects[routeKey(p.Route)] = first(p.front, redirectKeys)
			continue
		}
		if p.URL == "" && strings.Contains(site.BaseURL, "://") && !strings.Contains(p.Route, "/:") {
			p.URL = strings.TrimSuffix(site.BaseURL, "/") + (&url.URL{Path: p.Route}).EscapedPath()
		}
		spellings := with([]string{p.Route}, p.URL)
		for _, alias := range p.Aliases {
			switch {
			case site.Modules:
				alias = "/" + resource(alias, p.below())
			case !strings.HasPrefix(alias, "/") && site.is(hugo):
				alias = path.Join(path.Dir(strings.TrimSuffix(p.Route, "/")), alias)
			}
			spellings = append(spellings, alias)
		}
		for _, spelling := range spellings {
			k := routeKey(spelling)
			s.places[k] = append(s.places[k], p)
		}
		bare := strings.ToLower(spelled(join(path.Dir(p.below()), p.name()), unnumbered))
		ends := with([]string{path.Base(bare)}, strings.ToLower(p.name()))
		for parts := strings.Split(strings.TrimSuffix(bare, "/index"), "/"); len(parts) > 1; parts = parts[1:] {
			ends = append(ends, strings.Join(parts, "/"))
		}
		for _, end := range ends {
			s.ends[end] = append(s.ends[end], p)
		}
		s.folders[routeKey(path.Dir(strings.TrimSuffix(p.Route, "/")))] = true
		id := p.Identity()
		s.same[id] = append(s.same[id], p)
	}
	for _, same := range s.same {
		shown := slices.IndexFunc(same, func(p *Page) bool { return !p.Tree.Other })
		for i, p := range same {
			p.Apart = p.Tree.Other && (shown >= 0 || i > 0 || p.Tree.Translated)
		}
	}
}

// plainRoute returns the path of the file in the site, or what front matter says in its place, as the generator spells it.
func (p *Page) plainRoute() string {
	site, dir := p.Tree.site, path.Dir(p.below())
	if whole := p.front.Str(site.Whole); whole != "" {
		return p.ended("/" + strings.TrimPrefix(whole, "/"))
	}
	r := "/" + join(dir, p.name())
	if p.isIndex() {
		r = strings.TrimSuffix(path.Join("/", dir), "/") + "/"
	}
	if slug := p.front.Str(site.Slug); slug != "" && r != "/" {
		r = path.Join(path.Dir(strings.TrimSuffix(r, "/")), slug)
	}
	return p.ended(spelled(r, site.Spell))
}

// spelled returns a route whose parts are as spell returns them, without those for which it returns "".
func spelled(route string, spell func(part string) string) string {
	if spell == nil {
		return route
	}
	var parts []string
	for part := range strings.SplitSeq(route, "/") {
		if s := spell(part); s != "" || part == "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "/")
}

// ended returns a route with the ending that routes of the site have, unless it has an ending.
func (p *Page) ended(r string) string {
	if strings.HasSuffix(r, "/") || path.Ext(r) == ".html" {
		return r
	}
	return r + p.Tree.site.Ending
}

// routeKey returns what all spellings of a route have in common.
func routeKey(route string) string {
	route = strings.ToLower(unescaped(route))
	for _, end := range []string{"/", "/index.html", ".html", ".md", ".mdx", "/index", "/readme"} {
		route = strings.TrimSuffix(route, end)
	}
	return route
}

// unescaped returns a path without percent-encoding, or as it is if that is wrong.
func unescaped(name string) string {
	if decoded, err := url.PathUnescape(name); err == nil {
		return decoded
	}
	return name
}

// Lookup returns the page with this published URL or route, or nil.
func (s *Set) Lookup(asked string) *Page {
	s = s.known()
	asked, _, _ = strings.Cut(asked, "#")
	asked, _, _ = strings.Cut(asked, "?")
	if !strings.HasPrefix(asked, "/") && !External(asked) {
		return nil // an alias without a slash
	}
	return append(s.places[routeKey(asked)], nil)[0]
}

// Lookups returns the pages that [Set.Lookup] finds, by the part of a URL or route that all its spellings have in
// common. Routes begin with a slash, and URLs do not.
func (s *Set) Lookups() map[string]*Page {
	s = s.known()
	pages := make(map[string]*Page, len(s.places))
	for key, same := range s.places {
		pages[key] = same[0]
	}
	return pages
}
