package site

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// languageName matches the codes of languages that documents are often in.
const languageName = `^(?:a[fmrsz]|b[eegns]|bn|ca|cn|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ga|gl|gu|he|hi|hr|hu|hy|id|is|it|ja|jp|ka|kk|km|kn|ko|kr|lt|lv|mk|ml|mn|mr|ms|my|nb|ne|nl|nn|no|pa|pl|pt|ro|ru|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|zh)(?:[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}|hans|hant|419))?$`

// wordName matches codes of languages that are also words, usual names of folders, such as those of departments, or extensions of
// source code.
const wordName = `^(?:am|as|be|ca|cs|eu|ga|gl|he|hi|hr|id|is|it|mk|ml|mr|ms|my|ne|no|pa|pl|ro|sw|uk)$`

// isLanguage reports whether a folder is named after a language.
func isLanguage(name string) bool { return compile(languageName).MatchString(name) }

// versionName matches the folders of versions, and releaseName those of releases with a number. A year or a number alone
// names a journal, a blog or a chapter.
const (
	versionName = `^v?\d+\.\d[\w.-]*$|^v\d[\w.-]*$|^\d+x$|^(?:latest|next|dev|main|master|stable|current|preview)$`
	releaseName = `^v?\d+(?:\.\d+)*(?:\.?x)?$`
)

// maxTrees bounds the languages and versions of a project.
const maxTrees = 300

// A spot is where a page is among its translations and versions.
type spot struct {
	*Page
	path              string // what its translations and versions have in common
	language, version string
	other, translated bool
	settled           bool // names of folders tell no more
}

// A variant is a folder that may have the documents of a version or a language, or the folder around such folders, which
// may have those of the default language.
type variant struct {
	name       string   // "": the folder around the others
	names      []string // of documents, below the folder
	site       *Site
	is         bool
	translated bool // its documents have names of their own
	other      bool // it is not the default one
	mark       string
	version    bool // it is a version; else it is a language
}

// A variation is a kind of folders: versions, or languages.
type variation struct {
	named func(s *Site, name string) bool // a folder may be a variant
	sure  func(s *Site, name string) bool // it is one, and so are those beside it
	best  func(of []*variant) *variant
	// versions says that the kind is versions. Else documents around the folders may be a variant too.
	versions bool
}

// maxVariantDepth is how deep below the project folder the folders of variants are.
const maxVariantDepth = 8

// vary gives each page the tree of its language and version: sibling folders with names of versions or languages, most of whose
// documents have the same names; languages in the names of files; and the folders that Docusaurus has for both.
func (s *Set) vary() {
	var places []*spot
	for _, p := range s.pages {
		if p.Hidden == "" {
			places = append(places, &spot{Page: p, path: p.File, language: p.Tree.Language, version: p.Tree.Version})
		}
	}
	s.placeNamed(places)
	s.versioned(places)
	suffixed(places)
	folders := make(map[string]*variant)
	versions := variation{versions: true, best: bestVersion, sure: func(_ *Site, name string) bool { return release(name) != "" }, named: func(s *Site, name string) bool {
		return s.Versions[name] != "" || s.Versions == nil && compile(versionName).MatchString(name)
	}}
	languages := variation{best: bestLanguage, named: func(_ *Site, name string) bool { return isLanguage(name) }, sure: surelyLanguage}
	versions.find(places, folders)
	languages.find(places, folders)
	for _, p := range places {
		if p.settled || len(folders) == 0 {
			continue
		}
		parts, dir := strings.SplitAfter(p.path, "/"), "."
		for i, part := range parts[:min(len(parts)-1, maxVariantDepth)] {
			dir = join(dir, part)
			f := folders[dir]
			if f == nil {
				continue
			}
			if f.version {
				p.version = cmp.Or(f.site.Versions[f.name], f.name)
			} else {
				p.language, p.translated = f.name, f.translated
			}
			parts[i], p.other = f.mark, p.other || f.other
		}
		p.path = strings.Join(parts, "")
	}
	spoken := make(map[*Site]bool)
	for _, p := range places {
		spoken[p.Tree.site] = spoken[p.Tree.site] || p.language != ""
	}
	for _, p := range places {
		if p.language == "" && spoken[p.Tree.site] {
			p.language = "en" // of the documents around those of other languages
		}
	}
	s.plant(places)
}

// placeNamed places the pages in folders whose language or version the configuration names. Those of the first folder are the
// default ones.
func (s *Set) placeNamed(places []*spot) {
	for _, p := range places {
		var best Named
		for _, n := range s.options.Named {
			if within(n.Root, p.File) && len(n.Root) > len(best.Root) {
				best = n
			}
		}
		if best.Language+best.Version == "" {
			continue
		}
		p.language, p.version = cmp.Or(best.Language, p.language), cmp.Or(best.Version, p.version)
		p.path, p.settled = "\x00/"+relative(best.Root, p.File), true
		main := s.options.Named[0]
		p.other = !strings.EqualFold(best.Language, main.Language) || best.Version != main.Version
	}
}

// plant makes the trees.
func (s *Set) plant(places []*spot) {
	type key struct {
		site              *Site
		language, version string
		other, translated bool
	}
	made, kept := make(map[key]*Tree), make(map[*Tree]bool)
	for _, site := range s.Sites {
		t := site.Trees[0]
		made[key{site, t.Language, t.Version, false, false}] = t
	}
	for _, p := range places {
		site := p.Tree.site
		k := key{site, strings.ToLower(p.language), p.version, p.other, p.translated}
		if made[k] == nil && len(made) < maxTrees+len(s.Sites) {
			made[k] = &Tree{Root: p.Tree.Root, Language: k.language, Version: k.version, Other: k.other, Translated: k.translated, site: site}
			site.Trees = append(site.Trees, made[k])
		}
		if made[k] != nil {
			p.Tree = made[k]
		}
		kept[p.Tree] = true
		p.key = strings.ToLower(stem(p.path))
	}
	for _, site := range s.Sites {
		if pages := slices.DeleteFunc(slices.Clone(site.Trees), func(t *Tree) bool { return !kept[t] }); len(pages) > 0 {
			site.Trees = pages
		}
		slices.SortStableFunc(site.Trees, func(a, b *Tree) int {
			return cmp.Or(compareBool(a.Other, b.Other), -semver.Compare(release(a.Version), release(b.Version)))
		})
	}
}

// versioned places the pages in the folders that Docusaurus has for versions and languages:
// versioned_docs/version-X and i18n/LANGUAGE/docusaurus-plugin-content-docs/version-X.
func (s *Set) versioned(places []*spot) {
	folders := make(map[string]bool) // of pages
	for _, p := range places {
		for dir := path.Dir(p.File); !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	current := make(map[string]string) // by folder of the current documents, the default version
	site := func(dir string) *Site {
		i := slices.IndexFunc(s.Sites, func(site *Site) bool {
			return site.Dir == dir && strings.HasPrefix(path.Base(site.Config), "docusaurus.")
		})
		if i < 0 {
			return nowhere.site
		}
		return s.Sites[i]
	}
	for _, p := range places {
		if !strings.Contains(p.File, "versioned_docs/version-") && !strings.Contains(p.File, "/docusaurus-plugin-content-") {
			continue
		}
		m := compile(`^((?:[^/]+/)*?)(?:(\w+_)?versioned_docs/(version-[^/]+)|i18n/([^/]+)/docusaurus-plugin-content-(?:blog|pages|docs(?:-(\w+))?/(current|version-[^/]+)))/(.+)$`).FindStringSubmatch(p.File)
		if m == nil {
			continue
		}
		dir, version := path.Clean(m[1]+"."), strings.TrimPrefix(m[3]+m[6], "version-")
		docs := join(dir, cmp.Or(strings.TrimSuffix(m[2]+m[5], "_"), "docs"))
		if version == "" { // of a blog, or of single pages
			p.language, p.other, p.settled = m[4], true, true
			p.path = join(dir, strings.TrimPrefix(p.File, path.Join(m[1], "i18n", m[4], "docusaurus-plugin-content-")))
			continue
		}
		if above := join(path.Dir(dir), "docs"); !folders[docs] && folders[above] {
			docs = above
		}
		main := site(dir).Latest
		if version == "current" {
			version = "next"
		}
		if _, known := current[docs]; m[3] != "" || !known {
			current[docs] = main
		}
		p.version, p.path, p.settled = version, join(docs, m[7]), true
		if listed := site(dir).Listed; listed != nil && version != "next" && !slices.Contains(listed, version) {
			p.Class = Last // it is not published any more
		}
		if p.other = version != cmp.Or(main, "next"); m[4] != "" {
			p.language, p.other = m[4], true
		}
	}
	numbered := make(map[string]bool)
	for _, p := range places {
		if p.settled {
			docs, _ := s.currentOf(current, p.path)
			numbered[docs] = numbered[docs] || p.version != "next"
		}
	}
	for _, p := range places {
		docs, known := s.currentOf(current, p.path)
		switch {
		case !known:
			continue
		case !numbered[docs]:
			p.version = ""
		case !p.settled:
			p.version, p.other = "next", current[docs] != ""
		}
		p.settled = true
	}
}

// currentOf returns the folder of current documents that holds a file.
func (s *Set) currentOf(current map[string]string, file string) (dir string, ok bool) {
	for dir = path.Dir(file); len(current) > 0; dir = path.Dir(dir) {
		if _, ok = current[dir]; ok || dir == "." {
			break
		}
	}
	return dir, ok
}

// suffixed places the pages whose names end with a language: page.fr.md, page-ja.md or page_zh-Hans.md next to page.md.
func suffixed(places []*spot) {
	stems, codes := make(map[string]bool), make(map[string]bool)
	for _, p := range places {
		stems[stem(p.File)] = true
	}
	split := func(p *spot) (name, code string) {
		name = stem(p.File)
		m := compile(`^(.+?)([-_.])([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,4})?)$`).FindStringSubmatch(path.Base(name))
		if m == nil || !isLanguage(m[3]) || !stems[join(path.Dir(name), m[1])] {
			return "", ""
		}
		return join(path.Dir(name), m[1]), m[3]
	}
	found, known := make(map[*spot][2]string), false
	for _, p := range places {
		if name, code := split(p); name != "" {
			found[p], codes[code] = [2]string{name, code}, true
			known = known || slices.Contains(p.Tree.site.Languages, code)
		}
	}
	word := compile(wordName)
	if !known && !slices.ContainsFunc(slices.Collect(maps.Keys(codes)), func(code string) bool { return !word.MatchString(code) }) {
		return // each code may be a word
	}
	for p, of := range found {
		p.path, p.language, p.other = of[0]+path.Ext(p.File), of[1], true
		p.suffix = strings.TrimPrefix(stem(p.File), of[0])
	}
}

// find adds the folders that are variants.
func (v variation) find(places []*spot, folders map[string]*variant) {
	type at struct{ dir, name string }
	known, groups := make(map[at]*variant), make(map[string][]*variant) // by the folder around them
	add := func(p *spot, dir, name, below string) {
		o := known[at{dir, name}]
		if o == nil {
			o = &variant{name: name, version: v.versions, site: p.Tree.site}
			known[at{dir, name}], groups[dir] = o, append(groups[dir], o)
		}
		o.names = append(o.names, below)
	}
	for _, p := range places {
		if p.settled {
			continue
		}
		dir, rest := ".", p.path
		for range maxVariantDepth {
			name, below, inside := strings.Cut(rest, "/")
			if inside && v.named(p.Tree.site, name) && (!v.versions || p.Tree.site.Versions != nil || strings.Contains(below, "/") || !p.isIndex()) { // releases of one page are pages
				add(p, dir, name, below)
				break // the outermost folder counts
			}
			if inside || !p.isIndex() { // each folder has an index
				add(p, dir, "", rest)
			}
			if !inside {
				break
			}
			dir, rest = join(dir, name), below
		}
	}
	for dir, group := range groups {
		if len(group) == 1 || len(group) > maxTrees {
			continue
		}
		if of := v.same(group); len(of) > 1 {
			best, mark := v.best(of), "*/"
			if of[0].name == "" {
				mark = ""
			}
			for _, o := range of {
				if o.other, o.mark = o != best, mark; o.name != "" {
					folders[join(dir, o.name)] = o
				}
			}
		}
	}
}

// same returns the folders of a group most of whose documents have the names of documents in a larger folder, these larger
// folders, and those with names of releases and languages beside two of them, in the order of names. Languages with English
// among them may be alike in their numbers of documents instead, because names may be translated. It returns none unless one of
// the names surely is that of a variant, or one is more than a word, and no other folder beside them has most of their documents.
func (v variation) same(group []*variant) []*variant {
	slices.SortFunc(group, func(a, b *variant) int {
		return cmp.Or(cmp.Compare(len(b.names), len(a.names)), cmp.Compare(a.name, b.name))
	})
	owner := make(map[string]*variant) // by name of a document, the largest folder that has it
	var named, around []*variant       // the largest first; the folder around them
	for _, o := range group {
		if o.name != "" {
			named = append(named, o)
		} else if around = append(around, o); v.versions {
			continue
		}
		shared, partner := 0, make(map[*variant]int)
		for _, name := range o.names {
			if larger := owner[name]; larger != nil {
				shared++
				partner[larger]++
			} else {
				owner[name] = o
			}
		}
		o.is = o.version && o.site.Versions != nil || shared*2 > len(o.names)
		for larger, n := range partner {
			larger.is = larger.is || o.is && n*2 > shared
		}
	}
	found, alike, english, sure, likely := 0, 0, false, false, false
	names := make(map[string]bool)
	for _, o := range named {
		if o.is {
			found++
		}
		if len(o.names)*10 >= len(named[0].names)*9 {
			alike++
		}
		english, sure, likely = english || o.name == "en", sure || v.sure(o.site, o.name) || o.version && o.site.Versions != nil, likely || !compile(wordName).MatchString(o.name)
		for _, document := range o.names {
			names[document] = true
		}
	}
	count := make(map[string]int)
	for _, o := range around {
		for _, document := range o.names {
			if folder, below, _ := strings.Cut(document, "/"); names[below] {
				count[folder]++
				likely = likely && count[folder]*2 <= len(named[0].names)
			}
		}
	}
	if !sure && !likely {
		return nil
	}
	for _, o := range named {
		if !o.is {
			o.translated = alike > 2 && english
			o.is = o.translated || found > 1 && release(o.name) != ""
		}
	}
	of := slices.DeleteFunc(group, func(o *variant) bool { return !o.is })
	slices.SortFunc(of, func(a, b *variant) int { return cmp.Compare(a.name, b.name) })
	return of
}

// surelyLanguage reports whether a folder and those beside it are languages, whatever else is beside them: it has a code with a
// region, or is named after English or the configured language of the site.
func surelyLanguage(s *Site, name string) bool {
	return len(name) > 3 || strings.EqualFold(name, "en") || strings.EqualFold(name, s.Trees[0].Language)
}

// bestVersion returns the version that the configuration names, or else the newest release.
func bestVersion(of []*variant) *variant {
	return slices.MaxFunc(of, func(a, b *variant) int {
		configured := func(o *variant) bool {
			return o.site.Latest != "" && strings.TrimPrefix(o.name, "v") == strings.TrimPrefix(o.site.Latest, "v")
		}
		named := func(o *variant) bool { return o.name == "latest" || o.name == "stable" }
		return cmp.Or(compareBool(configured(a), configured(b)), compareBool(named(a), named(b)), semver.Compare(release(a.name), release(b.name)))
	})
}

// release returns the name of a release as package semver compares it, or "".
func release(name string) string {
	if !compile(releaseName).MatchString(name) {
		return ""
	}
	return "v" + strings.TrimRight(strings.TrimPrefix(name, "v"), ".x")
}

// bestLanguage returns the language around the others, or else the one that the configuration names, or else English, or
// else the one with most documents.
func bestLanguage(of []*variant) *variant {
	return slices.MaxFunc(of, func(a, b *variant) int {
		is := func(name string) int {
			return compareBool(strings.EqualFold(a.name, name), strings.EqualFold(b.name, name))
		}
		return cmp.Or(is(""), is(cmp.Or(of[0].site.Trees[0].Language, "en")), is("en"), cmp.Compare(len(a.names), len(b.names)))
	})
}

// compareBool compares two values: false is before true.
func compareBool(a, b bool) int { return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b)) }
