package site

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

var noSites = new(Set)

// known returns the set, or one without sites for nil.
func (s *Set) known() *Set { return cmp.Or(s, noSites) }

// Default returns the tree that clients see when they name neither a language nor a version, or nil.
func (s *Set) Default() *Tree {
	if s == nil || len(s.Sites) == 0 {
		return nil
	}
	return s.Sites[0].Trees[0]
}

// Promising reports whether the sites probably have documents, before they are loaded.
func (s *Set) Promising() bool {
	return len(s.markdown) > 0 || slices.ContainsFunc(s.Sites, func(site *Site) bool { return site.Name != plain.Name })
}

// trees returns the trees of all sites.
func (s *Set) trees() (all []*Tree) {
	for _, site := range s.known().Sites {
		all = append(all, site.Trees...)
	}
	return all
}

// Pages returns the documents of the default languages and versions of all sites, in order; all of them if all is true.
func (s *Set) Pages(all bool) (pages []*Page) {
	for _, p := range s.known().pages {
		if p.Hidden == "" && (all || !p.Tree.Other) {
			pages = append(pages, p)
		}
	}
	return pages
}

// Hidden returns the files that are not documents, although they have the extension of one, and folders of such files.
func (s *Set) Hidden() (pages []*Page) {
	s = s.known()
	pages = slices.Clone(s.left)
	for _, p := range s.pages {
		if p.Hidden != "" {
			pages = append(pages, p)
		}
	}
	return pages
}

// aboutName matches the names of files that describe a project or a package.
const aboutName = `(?i)^(?:(licen[cs]e|copying|changelog|changes|history)|readme|(contributing))\.[^.]*$`

// Unnamed says why a file that may be a document is in no site: the folders that a configuration names do not hold it. It is
// "" if no site has such files.
func (s *Set) Unnamed(file string) string {
	var first *Site
	var folders []string
	if c := s.known().options.Chosen; c != "" && !within(c, file) && path.Dir(file) != "." && !compile(aboutName).MatchString(path.Base(file)) {
		return "is outside of " + c + "/"
	}
	for _, site := range s.known().Sites {
		if slices.ContainsFunc(site.Trees, func(t *Tree) bool { return within(t.Root, file) }) {
			return ""
		}
		if site.Config == "" || !site.documents(file) || first != nil && site.Config != first.Config {
			continue
		}
		first = cmp.Or(first, site)
		for _, t := range site.Trees {
			if !t.Other {
				folders = with(folders, t.Root+"/")
			}
		}
	}
	if first == nil {
		return ""
	}
	return fmt.Sprintf("is not published by %s: %s publishes %s", first.Name, first.Config, strings.Join(folders, ", "))
}

// Notices returns what the user should know about the configuration of the sites.
func (s *Set) Notices() []loader.Notice { return s.known().notices }

// Page returns the page of a file below the project folder, or nil.
func (s *Set) Page(file string) *Page { return s.known().files[file] }

// Others returns the same document in other languages and versions.
func (s *Set) Others(p *Page) (others []*Page) {
	for _, o := range s.same[p.Identity()] {
		if o.Tree != p.Tree && !slices.ContainsFunc(others, func(other *Page) bool { return other.Tree == o.Tree }) {
			others = append(others, o)
		}
	}
	return others
}

// An Identity is what a document has in common with its translations and its other versions.
type Identity struct {
	site *Site
	key  string
}

// Identity returns what the page has in common with its translations and its other versions, and with no other page.
func (p *Page) Identity() Identity {
	t, key := p.Tree, strings.TrimPrefix(p.key, "/")
	if len(key) >= len(t.Folder) && strings.EqualFold(key[:len(t.Folder)], t.Folder) {
		key = t.Pattern + key[len(t.Folder):]
	}
	return Identity{t.site, routeKey(key)}
}

// Quick reports whether documents are left out because of [Options.Quick].
func (s *Set) Quick() bool {
	return s != nil && s.options.Quick && slices.ContainsFunc(s.trees(), func(t *Tree) bool { return t.Other })
}

// Chosen returns [Options.Chosen].
func (s *Set) Chosen() string { return s.options.Chosen }

// Exclude returns [Options.Exclude].
func (s *Set) Exclude() glob.Set { return s.known().options.Exclude }

// Main returns the default language and version.
func (site *Site) Main() (language, version string) {
	for _, t := range site.Trees {
		if !t.Other {
			language, version = cmp.Or(language, t.Language), cmp.Or(version, t.Version)
		}
	}
	return language, version
}

// Variants returns the languages and versions of the sites, the default ones first.
func (s *Set) Variants() (languages, versions []string) {
	for _, other := range []bool{false, true} {
		for _, t := range s.trees() {
			if t.Other == other {
				languages, versions = with(languages, t.Language), with(versions, t.Version)
			}
		}
	}
	return languages, versions
}

// Site returns the site that the tree is of.
func (t *Tree) Site() *Site { return t.site }

// Same reports whether an index entry of one page also fits another page with the same bytes: both have the same names, and
// neither has been read with files that it includes, which may differ.
func (p *Page) Same(o *Page) bool {
	return p != nil && o != nil && p.File == o.File && p.Title == o.Title && p.Tree.Other == o.Tree.Other && !p.includes.Load() && !o.includes.Load()
}

// String describes the sites in one line: "MkDocs in docs/: 155 documents, en of 13 languages". It is "" if there are none.
func (s *Set) String() string {
	var sites []string
	for i, site := range s.known().Sites {
		if i == 3 {
			sites = append(sites, fmt.Sprintf("and %d more", len(s.Sites)-i))
			break
		}
		sites = append(sites, s.describe(site))
	}
	return strings.Join(sites, "; ")
}

func (s *Set) describe(site *Site) string {
	documents, languages, versions := 0, make(map[string]bool), make(map[string]bool)
	for _, p := range s.Pages(true) {
		if p.Tree.site != site {
			continue
		}
		languages[p.Language()], versions[p.Version()] = true, true
		if !p.Tree.Other {
			documents++
		}
	}
	delete(languages, "")
	delete(versions, "")
	main := site.Trees[0]
	name, folder := site.Name, main.Root+"/"
	if site.is(plain) {
		name = "documents"
	}
	if main.Root == "." {
		folder = "the project folder"
	}
	line := fmt.Sprintf("%s in %s: %d documents", name, folder, documents)
	if documents == 1 {
		line = strings.TrimSuffix(line, "s")
	}
	language, version := site.Main()
	if len(languages) > 1 && language != "" {
		line += fmt.Sprintf(", %s of %d languages", language, len(languages))
	}
	if len(versions) > 1 && version != "" {
		line += fmt.Sprintf(", version %s of %d", version, len(versions))
	}
	return line
}
