package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// file returns the file that a decoded target without fragment names, or "".
func (s *Set) file(p *Page, target string) string {
	site := p.Tree.site
	if target = strings.TrimPrefix(target, "pathname://"); strings.HasPrefix(target, "/") {
		if page := s.route(p, target); page != nil {
			return page.File
		}
	}
	folders := []string{path.Dir(p.File)}
	if site.FromRoot {
		folders = append(folders, p.Tree.Root)
	}
	own := strings.TrimSuffix(join(path.Dir(p.below()), p.name()), "/_index")
	for _, t := range []*Tree{p.Tree, site.Trees[0]} {
		folders = append(folders, join(t.Root, path.Dir(p.below())))
		switch byURL := join(t.Root, own); {
		case !strings.HasSuffix(p.Route, "/"):
		case strings.HasSuffix(target, "/") && t == p.Tree: // as published, no file is named
			folders = slices.Insert(folders, 0, byURL)
		default:
			folders = append(folders, byURL)
		}
	}
	for _, base := range p.candidates(target, folders) {
		if file := s.spelled(p, base); file != "" {
			return file
		}
	}
	if !strings.HasPrefix(target, "/") {
		// By URL: as if the page were a folder, and in the folder of the page.
		for _, from := range []string{p.Route, path.Dir(strings.TrimSuffix(p.Route, "/"))} {
			if page := s.route(p, path.Join("/", from, target)); page != nil {
				return page.File
			}
		}
		name := strings.ToLower(strings.Trim(target, "/"))
		if page := only(s.ends[name], p); page != nil && !strings.Contains(name, "/") {
			return page.File
		}
	}
	return s.bySuffix(p, target)
}

// only returns the page in the tree of p, or nil if there are several or none.
func only(pages []*Page, p *Page) (page *Page) {
	for _, o := range pages {
		if o.Tree == p.Tree {
			if page != nil {
				return nil
			}
			page = o
		}
	}
	return page
}

// candidates returns the files that a name in a page may mean, below the project folder, the best first. folders are those
// in which a relative name may begin; other names begin at the root of the documents, a static folder or the project
// folder. A name that leaves the project has no candidates.
func (p *Page) candidates(name string, folders []string) (files []string) {
	site, root := p.Tree.site, p.Tree.Root
	if alias := compile(`^(?:@site|@|~@?)/`).FindString(name); alias != "" { // the folder of the site
		name, folders = name[len(alias):], []string{site.Dir, root}
	} else if strings.HasPrefix(name, "/") {
		folders = slices.Concat([]string{root}, site.Static, []string{site.Trees[0].Root, "."})
	}
	for _, dir := range folders {
		if file := clean(dir, name); file != "" {
			files = append(files, file)
		}
	}
	return files
}

// clean joins a folder and a relative target, and returns "" for one that leaves the project.
func clean(dir, target string) string {
	j := path.Join(dir, target)
	if j == ".." || strings.HasPrefix(j, "../") {
		return ""
	}
	return join(j)
}

// spellings returns the files that a path means which may lack its extension or name a folder, the best first.
func (g *Generator) spellings(base string) (names []string) {
	names = append(names, base)
	for _, ext := range g.Extensions {
		names = append(names, base+ext)
	}
	for _, ext := range g.Extensions {
		for _, index := range []string{"index", "README", "_index", "readme"} {
			names = append(names, join(base, index+ext))
		}
	}
	return names
}

// spelled returns the file of a path that may lack its extension or name a folder.
func (s *Set) spelled(p *Page, base string) string {
	for _, name := range p.Tree.site.spellings(base) {
		if s.files[name] != nil {
			return name
		}
	}
	if info, err := fs.Stat(s.fsys, base); err == nil && !s.docs.Ignored(base, info.IsDir()) && !hiddenPath(base) {
		return base
	}
	return ""
}

func hiddenPath(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > 1 && part[0] == '.' })
}

// route returns the page that a path on the site leads to, in the language and version of p if it is there, or else in the
// default one.
func (s *Set) route(p *Page, target string) *Page {
	site := p.Tree.site
	routes := []string{target, "/" + p.Tree.Prefix + strings.TrimPrefix(target, "/")}
	for _, t := range site.Trees {
		if rest, ok := strings.CutPrefix(target, "/"+t.Prefix); ok && t.Prefix != "" {
			routes = append(routes, "/"+site.Trees[0].Prefix+rest)
		}
	}
	for _, route := range routes {
		if page := best(s.places[routeKey(route)], p); page != nil {
			return page
		}
	}
	return nil
}

// best returns the first page in the tree of p, or else in its site, or else in a default language and version, or else the first
// one, or nil.
func best(pages []*Page, p *Page) *Page {
	if len(pages) == 0 {
		return nil
	}
	return slices.MinFunc(pages, func(a, b *Page) int {
		return cmp.Or(compareBool(b.Tree == p.Tree, a.Tree == p.Tree), compareBool(b.Tree.site == p.Tree.site, a.Tree.site == p.Tree.site), compareBool(a.Tree.Other, b.Tree.Other))
	})
}

// bySuffix returns the one page whose path ends as a site-absolute path does.
func (s *Set) bySuffix(p *Page, target string) string {
	if !strings.HasPrefix(target, "/") {
		return ""
	}
	parts := strings.Split(strings.Trim(strings.ToLower(routeKey(target)), "/"), "/")
	for i := range parts {
		if i+1 == len(parts) && (i == 0 || !p.Tree.site.Names) {
			break // one segment may be any page's
		}
		if page := only(s.ends[strings.Join(parts[i:], "/")], p); page != nil {
			return page.File
		}
	}
	return ""
}
