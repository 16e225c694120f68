package site

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

var docusaurus = &Generator{
	Name: "Docusaurus", Markers: []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"},
	Extensions: []string{".md", ".mdx"}, Index: []string{"index", "readme"}, Numbers: true,
	Skip:     []string{"**/_*", "**/_*/**", "**/*.test.*", "**/__tests__/**"},
	Includes: []include{mdxImport, rawLoader},
	Open: func(r *reader, marker string) (sites []*Site) {
		dir, js := path.Dir(marker), r.script(marker)
		base := strings.TrimSuffix(js.str("url"), "/")
		if base != "" {
			base += "/" + strings.Trim(js.str("baseUrl"), "/")
		}
		preset := js.block("docs")
		instances := []script{preset}
		for _, m := range compile(`plugin-content-docs['"]`).FindAllStringIndex(string(js), 20) {
			if i := strings.IndexByte(string(js[m[1]:]), '{'); i >= 0 && i < 200 {
				instances = append(instances, js[m[1]:].bracket(i))
			}
		}
		for i, config := range instances {
			id, root, route := config.str("id"), config.str("path"), config.str("routeBasePath")
			if root == "" {
				root = "docs"
			}
			if i == 0 {
				id = ""
			}
			if route == "" {
				route = "docs"
			}
			s := &Site{BaseURL: base, Bare: js.str("trailingSlash") != "true" && !compile(`trailingSlash\s*:\s*true`).MatchString(string(js)), Static: []string{join(dir, "static")}}
			docusaurusTrees(r, s, js, dir, id, join(dir, root), strings.Trim(route, "/"), config.str("lastVersion"))
			sites = append(sites, s)
		}
		return sites
	},
	Route: func(s *Site, p *Page) string {
		slug := p.front.str("slug")
		if strings.HasPrefix(slug, "/") {
			return p.ended(slug)
		}
		below := p.below()
		name, dir := p.name(), path.Dir(below)
		numbers := compile(`^\d+[-_.]+\s*`)
		parts := strings.Split(dir, "/")
		for i, part := range parts {
			parts[i] = numbers.ReplaceAllString(part, "")
		}
		dir = strings.Join(parts, "/")
		name = numbers.ReplaceAllString(name, "")
		if slug == "" && (p.isIndex() || name == path.Base(dir)) && p.front.str("id") == "" {
			if dir == "." {
				return "/"
			}
			return p.ended("/" + dir)
		}
		if id := p.front.str("id"); id != "" {
			name = id
		}
		if slug != "" {
			name = slug
		}
		return p.ended("/" + join(dir, name))
	},
	Order: func(r *reader, s *Site, t *Tree) []Entry {
		var ids []string
		for _, file := range docusaurusSidebars(s, t) {
			if strings.HasSuffix(file, ".json") {
				var v any
				if json.Unmarshal([]byte(r.text(file)), &v) == nil {
					ids = orderedStrings(r.text(file))
				}
			} else {
				ids = r.script(file).strings()
			}
			if len(ids) > 0 {
				break
			}
		}
		return filesOf(r, t.Root, s.Extensions, ids)
	},
	Publishes: draft,
}

// docusaurusTrees adds the versions and languages of an instance.
func docusaurusTrees(r *reader, s *Site, js script, dir, id, root, route, last string) {
	folder := "docusaurus-plugin-content-docs"
	prefix := ""
	if id != "" {
		prefix, folder = id+"_", folder+"-"+id
	}
	s.Values = map[string]string{"sidebars": prefix}
	var versions []string
	_ = json.Unmarshal([]byte(r.text(join(dir, prefix+"versions.json"))), &versions)
	if last == "" && len(versions) > 0 {
		last = versions[0]
	}
	slash := func(parts ...string) string {
		if p := path.Join(parts...); p != "" {
			return p + "/"
		}
		return ""
	}
	locales := []string{strings.ToLower(js.block("i18n").str("defaultLocale"))}
	for _, l := range js.block("i18n").block("locales").strings() {
		if l = strings.ToLower(l); !slices.Contains(locales, l) {
			locales = append(locales, l)
		}
	}
	add := func(version, folderName, docs, at string, other bool) {
		for i, l := range locales {
			t := &Tree{Root: docs, Language: l, Version: version, Prefix: slash(route, at), Other: other}
			if i > 0 {
				t.Root, t.Prefix, t.Other = join(dir, "i18n", l, folder, folderName), slash(l, route, at), true
			}
			s.Trees = append(s.Trees, t)
		}
	}
	current := "next"
	if label := js.block("versions").block("current").str("label"); label != "" && len(versions) == 0 {
		current = label
	}
	if len(versions) == 0 {
		add("", "current", root, "", false)
		return
	}
	for _, v := range versions {
		at := v
		if v == last {
			at = ""
		}
		add(v, "version-"+v, join(dir, prefix+"versioned_docs", "version-"+v), at, v != last)
	}
	at := "next"
	if last == "current" {
		at = ""
	}
	add(current, "current", root, at, last != "current")
	slices.SortStableFunc(s.Trees, func(a, b *Tree) int { return boolCompare(a.Other, b.Other) })
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// docusaurusSidebars returns the files that may have the sidebar of a tree, the best first.
func docusaurusSidebars(s *Site, t *Tree) []string {
	prefix := s.Values["sidebars"]
	if name, ok := strings.CutPrefix(path.Base(t.Root), "version-"); ok {
		return []string{join(s.Dir, prefix+"versioned_sidebars", "version-"+name+"-sidebars.json")}
	}
	var files []string
	for _, ext := range []string{".js", ".ts", ".json", ".mjs", ".cjs"} {
		files = append(files, join(s.Dir, strings.TrimSuffix(prefix, "_")+"sidebars"+ext), join(s.Dir, "sidebars"+ext))
	}
	return files
}

// orderedStrings returns all texts of a JSON document in the order in which they stand.
func orderedStrings(text string) (out []string) {
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if err != nil {
			return out
		}
		if s, ok := token.(string); ok {
			out = append(out, s)
		}
	}
}

// draft is [Generator.Publishes] of generators that leave out drafts.
func draft(_ *Site, p *Page) string {
	if p.front.is("draft") {
		return "is a draft"
	}
	return ""
}
