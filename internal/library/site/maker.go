package site

import (
	"path"
	"slices"
	"strings"
)

// A maker is markup that the generator replaces when it builds the site: a component, a shortcode or a directive. The
// result may have ids that the page does not show.
type maker struct {
	pattern string   // its first group is the name; without a group, the ids are not known
	known   string   // names that make no ids, or only those that their attributes say: a pattern for whole names
	code    bool     // it also counts in fenced code
	plugin  string   // a key of [Site.Values]: a site without it has no such markup; "": all have it
	folders []string // below the site: a file there that is named after the name defines it
}

// makesIDs matches what gives ids to elements, or renders other pages, in the source of a component or shortcode.
const makesIDs = `(?im)\bid\s*=|<Heading|^#{1,6}\s|RenderShortcodes|RawContent|\.Content\b|innerHTML|set:html`

// makes reports whether a text, or the source of what it uses, may make ids that nobody can know. bare is the text
// without code. seen has the names whose sources are read already.
func (s *Set) makes(p *Page, text, bare string, seen map[string]bool) bool {
	for _, m := range p.Tree.site.Makers {
		in := bare
		if m.plugin != "" && p.Tree.site.Values[m.plugin] == "" {
			continue
		}
		if m.code {
			in = text
		}
		used := make(map[string]int) // by name
		for _, found := range compile(m.pattern).FindAllStringSubmatch(in, 5000) {
			if len(found) == 1 {
				return true
			}
			used[found[1]]++
		}
		for name, n := range used {
			if (m.known == "" || !compile(`^(?:`+m.known+`)$`).MatchString(name)) && strings.Count(in, "</"+name+">") < n && s.sourceMakes(p, m, text, name, seen) {
				return true
			}
		}
	}
	return false
}

func (s *Set) sourceMakes(p *Page, m maker, text, name string, seen map[string]bool) bool {
	switch {
	case len(seen) > 100:
		return true
	case seen[name]:
		return false
	}
	seen[name] = true
	for _, file := range p.sources(m, text, name) {
		for _, ext := range []string{"", ".html", ".md", ".jsx", ".tsx", ".js", ".ts", ".astro", ".vue", "/index.jsx", "/index.tsx", "/index.js", "/index.ts"} {
			if data, err := readBounded(s.fsys, file+ext); err == nil {
				source := compile(`(?s)/\*.*?\*/`).ReplaceAllString(string(data), "") // without comments
				return compile(makesIDs).MatchString(source) || s.makes(p, source, source, seen)
			}
		}
	}
	return true
}

// sources returns the files, without extension, that may define a name: those that a text imports it from, and those in
// the folders of the maker.
func (p *Page) sources(m maker, text, name string) (files []string) {
	site := p.Tree.site
	for _, m := range compile(`(?m)^\s*import\s+([^;"']+?)\s+from\s+["']([^"'\n]+)["']`).FindAllStringSubmatch(text, 200) {
		if !slices.Contains(strings.FieldsFunc(m[1], func(r rune) bool { return !isWord(r) && r != '_' }), name) {
			continue
		}
		from, alias := cutAlias(m[2])
		if alias || strings.HasPrefix(from, "/") {
			files = append(files, clean(path.Join(site.Dir, "src"), from))
		}
		if alias || strings.HasPrefix(from, "/") || strings.HasPrefix(from, ".") { // otherwise it is a package
			files = append(files, p.candidates(m[2], []string{path.Dir(p.File)})...)
		}
	}
	for _, dir := range m.folders {
		files = append(files, join(site.Dir, dir, path.Join("/", name)), join(p.Tree.Root, dir, path.Join("/", name)))
	}
	return files
}

// jsx returns the maker for components of React, Astro or Vue that a page names at the start of a line. A component
// around text of the page counts as known.
func jsx(known string, folders ...string) maker {
	return maker{pattern: `(?m)^[ \t]*<([A-Z]\w*)`, known: known, folders: folders}
}

// liquid is a maker for templates of Liquid, Nunjucks and Jinja in pages.
var liquid = maker{pattern: `\{%-?\s*(?:include|for|render|doc|tab)|(?m:^\s*\{\{)`}
