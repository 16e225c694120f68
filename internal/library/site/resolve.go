package site

import (
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
	if compile(`\{\{|\{%|<%|\$\{|[<>]|^g$`).MatchString(link) || strings.HasPrefix(link, "/broken/pages/") {
		return Target{Certainty: Unknown}
	}
	if u, err := url.Parse(link); err == nil && (u.Scheme != "" || strings.HasPrefix(link, "//")) && len(u.Scheme) != 1 {
		return s.resolveURL(p, u)
	}
	target, id, _ := strings.Cut(link, "#")
	if p.Tree.site.Name == "Docsify" {
		if rest, ok := strings.CutPrefix(link, "/#/"); ok {
			target, id, _ = strings.Cut("/"+rest, "?id=")
		} else if before, after, ok := strings.Cut(target, "?id="); ok {
			target, id = before, after
		}
	}
	target, _, _ = strings.Cut(target, "?")
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	if decoded, err := url.PathUnescape(id); err == nil {
		id = decoded
	}
	id = strings.TrimPrefix(id, ":~:")
	if strings.HasPrefix(id, "tab/") || strings.HasPrefix(id, "text=") || strings.HasPrefix(id, "/") && p.Tree.site.Name != "Sphinx" {
		id = ""
	}
	if target == "" {
		if t, ok := s.label(id); ok && p.Tree.site.Name == "Sphinx" {
			return t
		}
		return s.withID(p, p.File, id)
	}
	if file := s.file(p, target); file != "" {
		return s.withID(s.files[file], file, id)
	}
	if t, ok := s.label(target); ok && p.Tree.site.Slug == Docutils {
		return t
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
	case names[strings.ToLower(id)], names[strings.ToLower(strings.TrimPrefix(id, "user-content-"))]:
	case open:
		t.Certainty = Unknown
	default:
		t.Certainty = Absent
	}
	return t
}

// resolveURL resolves a URL: one of the pages of the project, or not.
func (s *Set) resolveURL(p *Page, u *url.URL) Target {
	id := u.Fragment
	u.Fragment, u.RawFragment, u.RawQuery = "", "", ""
	if u.Scheme == "" {
		u.Scheme = "https"
	}
	if page := s.urls[routeKey(u.String())]; page != nil {
		return s.withID(page, page.File, id)
	}
	return Target{Certainty: Elsewhere}
}

// file returns the file that a decoded target without fragment names, or "".
func (s *Set) file(p *Page, target string) string {
	site, root := p.Tree.site, p.Tree.Root
	var bases []string
	switch {
	case strings.HasPrefix(target, "@site/"):
		bases = []string{join(site.Dir, target[6:])}
	case strings.HasPrefix(target, "@/"), strings.HasPrefix(target, "~/"):
		bases = []string{join(root, target[2:]), join(site.Dir, target[2:])}
	case strings.HasPrefix(target, "pathname://"):
		target = strings.TrimPrefix(target, "pathname://")
		fallthrough
	case strings.HasPrefix(target, "/"):
		if page := s.route(p, target); page != nil {
			return page.File
		}
		bases = append(bases, join(root, target))
		for _, dir := range site.Static {
			bases = append(bases, join(dir, target))
		}
		bases = append(bases, join(site.Trees[0].Root, target), join(".", target))
	default:
		dir := path.Dir(p.File)
		bases = append(bases, clean(dir, target))
		if site.Name == "Docsify" || site.Name == "Docusaurus" {
			bases = append(bases, clean(root, target))
		}
	}
	for _, base := range bases {
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
		if named := s.names[strings.ToLower(strings.TrimSuffix(path.Base(target), "/"))]; len(named) > 0 && !strings.Contains(strings.Trim(target, "/"), "/") && path.Ext(target) == "" {
			if page := only(named, p); page != nil {
				return page.File
			}
		}
		for name, pages := range s.numbered {
			if name == strings.ToLower(target) {
				if page := only(pages, p); page != nil {
					return page.File
				}
			}
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

// clean joins a folder and a relative target, and returns "" for one that leaves the project.
func clean(dir, target string) string {
	j := path.Join(dir, target)
	if j == ".." || strings.HasPrefix(j, "../") {
		return ""
	}
	return join(j)
}

// spelled returns the file of a path that may lack its extension, have the extension of the published page, or name a folder.
func (s *Set) spelled(p *Page, base string) string {
	if base == "" {
		return ""
	}
	site := p.Tree.site
	names := []string{base}
	for _, ext := range site.extensions() {
		names = append(names, base+ext)
	}
	if ext := path.Ext(base); ext == ".html" || ext == ".htm" || ext == ".md" && site.Generator != plain {
		for _, e := range site.extensions() {
			names = append(names, strings.TrimSuffix(base, ext)+e)
		}
	}
	for _, ext := range site.extensions() {
		for _, index := range []string{"index", "README", "_index", "readme"} {
			names = append(names, join(base, index+ext))
		}
	}
	if site.Suffix && p.Tree.Language != "" {
		names = append(names, stem(base)+"."+p.Tree.Language+path.Ext(base), base+"."+p.Tree.Language+".md")
	}
	for _, name := range names {
		if s.files[name] != nil {
			return name
		}
	}
	if info, err := fs.Stat(s.fsys, base); err == nil && !s.ignored.has(base, info.IsDir()) && !hiddenPath(base) {
		return base
	}
	return ""
}

func hiddenPath(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > 1 && part[0] == '.' })
}

// route returns the page that a path on the site leads to, in the language and version of p if it is there.
func (s *Set) route(p *Page, target string) *Page {
	site := p.Tree.site
	candidates := []string{target}
	if u, err := url.Parse(site.BaseURL); err == nil && len(strings.Trim(u.Path, "/")) > 0 {
		if rest, ok := strings.CutPrefix(target, strings.TrimSuffix(u.Path, "/")); ok {
			candidates = append(candidates, rest)
		}
	}
	for _, c := range candidates {
		if page := pick(s.routes[routeKey(c)], p); page != nil {
			return page
		}
		// In the language of the page, or in the default one for a page that is not translated.
		if page := pick(s.routes[routeKey("/"+p.Tree.Prefix+strings.TrimPrefix(c, "/"))], p); page != nil {
			return page
		}
		for _, t := range site.Trees {
			if rest, ok := strings.CutPrefix(c, "/"+t.Prefix); ok && t.Prefix != "" {
				if page := pick(s.routes[routeKey("/"+site.Trees[0].Prefix+rest)], p); page != nil {
					return page
				}
			}
		}
	}
	return nil
}

// pick returns the page of the same tree, else of the same site, else the first.
func pick(pages []*Page, p *Page) *Page {
	if len(pages) == 0 {
		return nil
	}
	for _, o := range pages {
		if o.Tree == p.Tree {
			return o
		}
	}
	for _, o := range pages {
		if o.Tree.site == p.Tree.site {
			return o
		}
	}
	return pages[0]
}

// bySuffix returns the one page whose route ends as a site-absolute path does, with two segments or more.
func (s *Set) bySuffix(p *Page, target string) string {
	if !strings.HasPrefix(target, "/") {
		return ""
	}
	parts := strings.Split(strings.Trim(strings.ToLower(routeKey(target)), "/"), "/")
	for i := 0; i+1 < len(parts); i++ {
		if pages := s.suffixes[strings.Join(parts[i:], "/")]; len(pages) > 0 {
			if page := only(pages, p); page != nil {
				return page.File
			}
		}
	}
	// With one segment, the prefix must be one that other pages of the site do not have.
	if named := s.numbered[parts[len(parts)-1]]; len(parts) > 1 && len(named) > 0 && (p.Tree.site.Generator == plain || p.Tree.site.Generator == docfx) {
		if page := only(named, p); page != nil {
			return page.File
		}
	}
	return ""
}

// missing says what is known of a target that no file has.
func (s *Set) missing(p *Page, target string) Certainty {
	site := p.Tree.site
	if strings.HasPrefix(target, "/") {
		// A page in a folder that the site has is absent; a page in any other folder is elsewhere.
		dir := path.Dir(strings.TrimSuffix(target, "/"))
		if dir == "/" {
			if len(s.folderRoutes["/"]) > 0 && site.Generator != plain && path.Ext(target) == "" && site.BaseURL != "" {
				return Unknown
			}
			return Elsewhere
		}
		for _, d := range []string{dir, "/" + p.Tree.Prefix + strings.TrimPrefix(dir, "/")} {
			if len(s.folderRoutes[routeKey(d)]) > 0 {
				return Absent
			}
		}
		return Elsewhere
	}
	name := clean(path.Dir(p.File), target)
	if name == "" || !within(p.Tree.Root, name) && !within(site.Dir, name) {
		return Elsewhere
	}
	if s.ignored.has(name, false) || s.ignored.has(name, true) || hiddenPath(name) {
		return Elsewhere
	}
	if info, err := fs.Stat(s.fsys, path.Dir(name)); err == nil && info.IsDir() {
		return Absent
	}
	if len(s.folderRoutes[routeKey(path.Join("/", p.Route, "..", path.Dir(target)))]) > 0 {
		return Absent
	}
	// A folder that is not there, in one that is.
	if info, err := fs.Stat(s.fsys, path.Dir(path.Dir(name))); err == nil && info.IsDir() && slices.Contains(site.extensions(), path.Ext(target)) {
		return Absent
	}
	return Unknown
}

// label returns the place of a label of RST or MyST.
func (s *Set) label(name string) (Target, bool) {
	s.labelsOnce.Do(s.readLabels)
	t, ok := s.labels[strings.ToLower(strings.Join(strings.Fields(name), " "))]
	return t, ok
}

// readLabels reads the labels of all documents of Sphinx.
func (s *Set) readLabels() {
	s.labels = make(map[string]Target)
	for _, p := range s.pages {
		if p.Hidden != "" || p.Tree.site.Slug != Docutils && p.Tree.site.Name != "Jupyter Book" {
			continue
		}
		data, err := readBounded(s.fsys, p.File)
		if err != nil {
			continue
		}
		text, _ := s.Expand(p, string(data))
		add := func(name, id string) {
			if _, again := s.labels[strings.ToLower(name)]; !again {
				s.labels[strings.ToLower(name)] = Target{File: p.File, ID: id, Page: p}
			}
		}
		if formatOf(p.File) == rst {
			rstSections(text, func(name string, _ *section, _ int) { add(name, Docutils.of(name)) })
			continue
		}
		for _, m := range compile(`(?m)^\(([^)\n]+)\)=\s*$|^:(?:name|label):\s*(\S+)\s*$|\{[^}\n]*#([\w:./-]+)[^}\n]*\}`).FindAllStringSubmatch(text, 5000) {
			add(m[1]+m[2]+m[3], m[1]+m[2]+m[3])
		}
	}
}

// resolveRole resolves a role of RST, such as :doc:`Title <file>`.
func (s *Set) resolveRole(p *Page, link string) Target {
	m := compile("^:?(?:[\\w+]+:)?(doc|ref|numref|any|download):`(?:[^`<]*<)?!?([^`>]+)>?`$").FindStringSubmatch(link)
	if m == nil || strings.HasPrefix(m[2], "!") {
		return Target{Certainty: Unknown}
	}
	name := strings.TrimSpace(strings.TrimPrefix(m[2], "~"))
	switch m[1] {
	case "doc", "download":
		if strings.Contains(name, ":") && !strings.HasPrefix(name, "/") {
			return Target{Certainty: Elsewhere} // of another project
		}
		base := clean(path.Dir(p.File), name)
		if strings.HasPrefix(name, "/") {
			base = join(p.Tree.Root, name)
		}
		if file := s.spelled(p, base); file != "" {
			return Target{File: file, Page: s.files[file]}
		}
		if s.ignored.has(base, false) {
			return Target{Certainty: Elsewhere}
		}
		return Target{Certainty: Absent}
	case "ref", "numref":
		if t, ok := s.label(name); ok {
			return t
		}
		if strings.Contains(name, ":") || slices.Contains([]string{"genindex", "modindex", "search", "py-modindex"}, name) {
			return Target{Certainty: Elsewhere}
		}
		s.externOnce.Do(s.readExtern)
		if s.extern {
			return Target{Certainty: Unknown} // intersphinx, or labels of sections
		}
		return Target{Certainty: Absent}
	}
	if t, ok := s.label(name); ok {
		return t
	}
	return Target{Certainty: Unknown}
}

// readExtern finds out whether labels may belong to other projects, or be made by an extension.
func (s *Set) readExtern() {
	for _, site := range s.Sites {
		text := (&reader{fsys: s.fsys}).text(site.Config)
		s.extern = s.extern || strings.Contains(text, "autosectionlabel")
	}
}

// resolveXref resolves xref:version@component:module:file.adoc#id and <<id>>.
func (s *Set) resolveXref(p *Page, link string) Target {
	if strings.Contains(link, "{") {
		known := p.Tree.site.Vars(p)
		for name, value := range p.front {
			if known == nil {
				known = make(map[string]string)
			}
			known[name] = scalar(value)
		}
		if link = fillIn(link, known); strings.Contains(link, "{") {
			return Target{Certainty: Unknown}
		}
	}
	if inner, ok := strings.CutPrefix(link, "<<"); ok {
		file, id, ok := strings.Cut(inner, "#")
		if !ok {
			file, id = "", inner
		}
		if file == "" {
			return s.withID(p, p.File, id)
		}
		link = "xref:./" + file + "#" + id
	}
	target, id, _ := strings.Cut(strings.TrimPrefix(link, "xref:"), "#")
	if target == "" || !strings.Contains(target, ".") && !strings.Contains(target, ":") && id == "" {
		if id == "" {
			id = target
		}
		return s.withID(p, p.File, id)
	}
	if strings.Contains(target, "@") || strings.Count(target, ":") > 1 && !strings.HasPrefix(target, p.Tree.site.component()+":") {
		return Target{Certainty: Elsewhere}
	}
	below := p.below()
	module, _, _ := strings.Cut(below, "/")
	if i := strings.LastIndexByte(target, ':'); i >= 0 {
		parts := strings.Split(target[:i], ":")
		module, target = parts[len(parts)-1], target[i+1:]
		if module == "" {
			module = "ROOT"
		}
	}
	target = compile(`^(?:page|attachment|image)\$`).ReplaceAllString(target, "")
	if path.Ext(target) == "" {
		target += ".adoc"
	}
	bases := []string{join(p.Tree.Root, module, "pages", target)}
	if p.Tree.site.Name != "Antora" || strings.HasPrefix(target, ".") {
		bases = append(bases, clean(path.Dir(p.File), target))
	}
	for _, base := range bases {
		if page := s.files[base]; page != nil {
			return s.withID(page, base, id)
		}
		if info, err := fs.Stat(s.fsys, base); err == nil && !info.IsDir() {
			return Target{File: base}
		}
	}
	for _, o := range s.pages {
		if slices.Contains(o.Aliases, target) {
			return s.withID(o, o.File, id)
		}
	}
	if info, err := fs.Stat(s.fsys, join(p.Tree.Root, module)); p.Tree.site.Name == "Antora" && (err != nil || !info.IsDir()) {
		return Target{Certainty: Elsewhere}
	}
	return Target{Certainty: Absent}
}

// component returns the name of the component of an Antora site.
func (site *Site) component() string {
	name, _, _ := strings.Cut(site.Trees[0].Prefix, "/")
	return name
}

// External reports whether a link is a URL, so that it may lead out of the site.
func External(link string) bool { return compile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)`).MatchString(link) }
