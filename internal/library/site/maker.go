package site

import "strings"

// A maker is markup that the generator replaces when it builds the site: a component, a shortcode or a directive. The
// result may have ids that the page does not show.
type maker struct {
	pattern string // its first group is the name; without a group, the ids are not known
	known   string // names that make no ids, or only those that their attributes say: a pattern for whole names
	code    bool   // it also counts in fenced code
	plugin  string // a key of [Site.Values]: a site without it has no such markup; "": all have it
}

// makes reports whether a text may make ids that nobody can know. bare is the text without code.
func (site *Site) makes(text, bare string) bool {
	for _, m := range site.Makers {
		in := bare
		if m.plugin != "" && site.Values[m.plugin] == "" {
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
			if (m.known == "" || !compile(`^(?:`+m.known+`)$`).MatchString(name)) && strings.Count(in, "</"+name+">") < n {
				return true
			}
		}
	}
	return false
}

// jsx returns the maker for components of React, Astro or Vue that a page names at the start of a line. A component
// around text of the page counts as known.
func jsx(known string) maker {
	return maker{pattern: `(?m)^[ \t]*<([A-Z]\w*)`, known: known}
}

// liquid is a maker for templates of Liquid, Nunjucks and Jinja in pages.
var liquid = maker{pattern: `\{%-?\s*(?:include|for|render|doc|tab)|(?m:^\s*\{\{)`}
