package site

import (
	"cmp"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A Certainty says what is known of the target of a link.
type Certainty uint8

const (
	Found     Certainty = iota // it is a file of the project, with the id, if one is named
	Absent                     // it is not there, and nothing else makes it
	Elsewhere                  // it is not a part of the repository: another site, or a part of this one that is generated
	Unknown                    // only the site's program knows
)

func (c Certainty) String() string {
	return [...]string{"found", "absent", "elsewhere", "unknown"}[c]
}

// A Target is where a link leads.
type Target struct {
	Certainty Certainty
	File      string // below the project folder, if the file was found
	ID        string // as the link has it, decoded
	Page      *Page  // nil: File is not a document
}

// String returns FILE or FILE#id, or "" if no file was found.
func (t Target) String() string {
	if t.File == "" || t.ID == "" {
		return t.File
	}
	return t.File + "#" + t.ID
}

// Resolve says where a link of a page leads.
func (s *Set) Resolve(p *Page, link string) Target {
	switch formatOf(p.File) {
	case rst:
		return s.resolveRole(p, link)
	case asciidoc:
		return s.resolveXref(p, link)
	}
	if target, ok := strings.CutPrefix(link, "[["); ok {
		return s.resolveWiki(p, strings.TrimSuffix(target, "]]"))
	}
	site := p.Tree.site
	link = s.untagged(p, link)
	if plain := compile(`/\{\{\s*\$?[\w.]*[vV]ersion\s*\}\}/`).ReplaceAllString(link, "/"); plain != link { // in any version
		if t := s.Resolve(p, plain); t.Certainty == Found {
			return t
		}
	}
	if compile(`\{\{|\{%|<%|\$\{|[<>]|^@(?:ref|id)\b|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`).MatchString(link) {
		return Target{Certainty: Unknown}
	}
	if u, err := url.Parse(link); err == nil && (u.Scheme != "" || strings.HasPrefix(link, "//")) && len(u.Scheme) != 1 {
		return s.resolveURL(u)
	}
	if site.Hash {
		link = strings.Replace(compile(`^/#/`).ReplaceAllString(link, "/"), "?id=", "#", 1)
	}
	target, id, _ := strings.Cut(link, "#")
	target, _, _ = strings.Cut(target, "?")
	target, id = unescaped(target), strings.TrimPrefix(unescaped(id), ":~:")
	if strings.HasPrefix(id, "tab/") || strings.HasPrefix(id, "text=") || strings.HasPrefix(id, "/") && !site.Labels {
		id = ""
	}
	if target == "" {
		if t, ok := s.label(id); ok && site.Labels {
			return t
		}
		t := s.withID(p, p.File, id)
		if t.Certainty == Absent && site.Labels && strings.ContainsAny(id, "/. ") {
			t.Certainty = Unknown // it may be a label of another project
		}
		return t
	}
	return s.target(p, target, id)
}

// target says where a decoded path with an id leads.
func (s *Set) target(p *Page, target, id string) Target {
	site := p.Tree.site
	if file := s.file(p, target); file != "" {
		t := s.withID(s.files[file], file, id)
		if t.Certainty == Absent { // the translation may have it
			for _, o := range s.Others(t.Page) {
				if own := s.withID(o, o.File, id); o.Language() == p.Language() && own.Certainty == Found {
					return own
				}
			}
		}
		return t
	}
	if t, ok := s.label(target); ok && site.Labels {
		return t
	}
	if to, ok := p.redirected(target); ok {
		if file := s.file(p, to); file != "" {
			return s.withID(s.files[file], file, id)
		}
		if strings.HasPrefix(to, "/") {
			return Target{Certainty: s.missing(p, to)}
		}
		return Target{Certainty: Elsewhere}
	}
	if site.Hooked && !strings.ContainsAny(target, "./") {
		return Target{Certainty: Unknown}
	}
	return Target{Certainty: s.missing(p, target)}
}

// withID returns the target for a file that was found.
func (s *Set) withID(to *Page, file, id string) Target {
	t := Target{File: file, ID: id, Page: to}
	if to == nil || id == "" {
		return t
	}
	names, open := s.ids(to)
	switch {
	case names[squeezed(compile(`^(?:user-content-|param-|response-|fn:)`).ReplaceAllString(id, ""))], names[squeezed(id)]:
	case open:
		t.Certainty = Unknown
	default:
		t.Certainty = Absent
	}
	return t
}

// resolveURL resolves a URL: one of the pages of the project, or not.
func (s *Set) resolveURL(u *url.URL) Target {
	id := u.Fragment
	u.Fragment, u.RawFragment, u.RawQuery = "", "", ""
	u.Scheme = cmp.Or(u.Scheme, "https")
	if page := s.Lookup(u.String()); page != nil {
		return s.withID(page, page.File, id)
	}
	return Target{Certainty: Elsewhere}
}

// missing says what is known of a target that no file has.
func (s *Set) missing(p *Page, target string) Certainty {
	site := p.Tree.site
	if strings.HasPrefix(target, "/") {
		// A page in a folder that the site has is absent; a page in any other folder is elsewhere.
		base, err := url.Parse(site.BaseURL)
		inside := err == nil && site.BaseURL != "" && within(base.Path, target) // else another site of the host may have it
		if inside {
			target = join("/", target[len(base.Path):])
		}
		dir := path.Dir(strings.TrimSuffix(target, "/"))
		below := strings.Trim(strings.TrimPrefix(target, "/"+p.Tree.Prefix), "/")
		ignored := func(ext string) bool {
			return s.docs.Ignored(join(p.Tree.Root, below)+ext, false) || s.docs.Ignored(join(site.Trees[0].Root, below)+ext, false)
		}
		begins := func(o *Site) bool { return o.Trees[0].Prefix == below+"/" }
		switch {
		case s.lacks(site, target):
			return Absent
		case matchesAny(site.Built, below), slices.ContainsFunc(site.Extensions, ignored), s.templated(p.Tree, below):
		case path.Ext(target) == ".xml", dir == "/" && (!inside || compile(listName).MatchString(target) || site.Names || slices.ContainsFunc(s.Sites, begins)): // a feed, a list of pages
		case s.folders[routeKey(dir)], s.folders[routeKey("/"+p.Tree.Prefix+strings.TrimPrefix(dir, "/"))]:
			return Absent
		}
		return Elsewhere
	}
	name := clean(path.Dir(p.File), target)
	if name == "" || !within(p.Tree.Root, name) && !within(site.Dir, name) || matchesAny(site.Built, relative(p.Tree.Root, name)) {
		return Elsewhere
	}
	if site.is(plain) && strings.HasPrefix(target, "../") && path.Ext(target) == "" && spelled(p.File, site.Spell) != p.File {
		return Elsewhere // the folders of the site are others
	}
	if s.docs.Ignored(name, false) || s.docs.Ignored(name, true) || hiddenPath(name) {
		return Elsewhere
	}
	if info, err := fs.Stat(s.fsys, path.Dir(name)); err == nil && info.IsDir() || slices.Contains(site.Extensions, path.Ext(target)) {
		return Absent
	}
	return Unknown
}

// listName matches the paths of files, and of pages that themes make.
const listName = `\.\w+$|^/(?:tags|categories|archives?|authors|series|search|feed)/?$`

// lacks reports whether a path of the site names an image in a static folder, or a document in a folder of sources, that
// is not there and that git does not ignore.
func (s *Set) lacks(site *Site, target string) bool {
	dirs := append(slices.Clip(site.Static), site.Trees[0].Root)
	if slices.Contains(site.Extensions, path.Ext(target)) {
		dirs = []string{site.Dir, site.Trees[0].Root}
	} else if !compile(`^` + imageName + `$`).MatchString(target) {
		return false
	}
	lacks := false
	for _, dir := range dirs {
		if _, err := fs.Stat(s.fsys, join(dir, target)); err == nil || s.docs.Ignored(join(dir, target), false) {
			return false // a hidden file is there and is not served
		}
		info, err := fs.Stat(s.fsys, join(dir, path.Dir(target)))
		lacks = lacks || err == nil && info.IsDir()
	}
	return lacks
}

// External reports whether a link is a URL, so that it may lead out of the site.
func External(link string) bool { return compile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)`).MatchString(link) }
