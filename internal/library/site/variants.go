package site

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// languageName matches the codes of languages that documents are often in.
const languageName = `^(?:a[fmrsz]|b[eegns]|bn|ca|cn|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ga|gl|gu|he|hi|hr|hu|hy|id|is|it|ja|jp|ka|kk|km|kn|ko|kr|lt|lv|mk|ml|mn|mr|ms|my|nb|ne|nl|nn|no|pa|pl|pt|ro|ru|si|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|zh)(?:[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}|hans|hant|419))?$`

// wordName matches codes of languages that are also words, usual names of folders, such as departments, or extensions of
// source code.
const wordName = `^(?:am|as|be|ca|cs|eu|ga|gl|he|hi|hr|id|is|it|mk|ml|mr|ms|my|ne|no|pa|pl|ro|sw|uk)(?:[-_][a-z]{2})?$`

// isLanguage reports whether a folder is named after a language.
func isLanguage(name string) bool { return compile(languageName).MatchString(name) }

// versionName matches the folders of versions, and releaseName the folders of releases with a number. A year or a number alone
// names a journal, a blog or a chapter.
const (
	versionName = `^v?\d+\.\d[\w.-]*$|^v\d[\w.-]*$|^\d+x$|^(?:latest|next|dev|main|master|stable|current|preview|draft)$`
	releaseName = `^v?\d+(?:\.\d+)*(?:\.?x)?$`
	dateName    = `^\d{4}-\d\d-\d\d$`
)

// maxTrees bounds the languages and versions of a project, and maxVariantDepth how deep below its folder the folders of variants are.
const maxTrees, maxVariantDepth = 300, 8

// A spot is where a page is among its translations and versions.
type spot struct {
	*Page
	path              string // shared by its translations and versions
	language, version string
	other             bool
	settled           bool
}

// A variant is a folder that may have the documents of a version or a language, or the folder around such folders, which
// may have the names of the default language.
type variant struct {
	name    string // "": the folder around the others
	names   []string
	main    string
	version bool // else a language
	is      bool
	other   bool // not the default
	mark    string
}

// vary gives each page the tree of its language and version: sibling folders with names of versions or languages, most of whose
// documents have the same names; languages in the names of files; and the folders that Docusaurus has for both.
func (s *Set) vary(r *reader) {
	var places []*spot
	for _, p := range s.pages {
		if p.Hidden == "" {
			places = append(places, &spot{Page: p, path: p.File, language: p.Tree.Language, version: p.Tree.Version})
		}
	}
	s.placeNamed(places)
	s.versioned(r, places)
	suffixed(places)
	folders := make(map[string]*variant)
	addVariants(places, true, folders)
	addVariants(places, false, folders)
	for _, p := range places {
		if p.settled {
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
				p.version = f.name
			} else {
				p.language = f.name
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
			p.language = "en"
		}
	}
	s.plant(places)
}

// placeNamed places the pages in folders whose language or version the configuration names. Those of the first folder are the
// default ones.
func (s *Set) placeNamed(places []*spot) {
	for _, p := range places {
		root := cmp.Or(s.rootOf(p.File), ".")
		i := slices.IndexFunc(s.options.Named, func(n Named) bool { return n.Root == root && n.Language+n.Version != "" })
		if i < 0 {
			continue
		}
		main, best := s.options.Named[0], s.options.Named[i]
		p.language, p.version = cmp.Or(best.Language, p.language), cmp.Or(best.Version, p.version)
		p.path, p.settled = "\x00/"+relative(root, p.File), true
		p.other = !strings.EqualFold(best.Language, main.Language) || best.Version != main.Version
	}
}

// plant makes the trees.
func (s *Set) plant(places []*spot) {
	type key struct {
		site              *Site
		language, version string
		other             bool
	}
	made, kept := make(map[key]*Tree), make(map[*Tree]bool)
	for _, site := range s.Sites {
		t := site.Trees[0]
		made[key{site, t.Language, t.Version, false}] = t
	}
	for _, p := range places {
		site := p.Tree.site
		k := key{site, strings.ToLower(p.language), p.version, p.other}
		if made[k] == nil && len(made) < maxTrees+len(s.Sites) {
			made[k] = &Tree{Root: p.Tree.Root, Language: k.language, Version: k.version, Other: k.other, site: site}
			site.Trees = append(site.Trees, made[k])
		}
		if made[k] != nil {
			p.Tree = made[k]
		}
		kept[p.Tree] = true
		p.Key = strings.ToLower(stem(p.path))
	}
	for _, site := range s.Sites {
		if trees := slices.DeleteFunc(slices.Clone(site.Trees), func(t *Tree) bool { return !kept[t] }); len(trees) > 0 {
			site.Trees = trees
		}
		slices.SortStableFunc(site.Trees, func(a, b *Tree) int {
			return cmp.Or(compareBool(a.Other, b.Other), -semver.Compare(release(a.Version), release(b.Version)))
		})
	}
}

// docusaurus matches the folders that Docusaurus has for languages and versions, with the folder around them, the language, the
// name of the documents, the version and the path below.
const docusaurus = `^((?:[^/]+/)*?)(?:i18n/([^/]+)/docusaurus-plugin-content-(?:docs-?)?([\w-]*)/|(?:(\w+)_)?versioned_docs/)(?:current/|version-([^/]+)/)?(.+)$`

// docusaurusParts returns the parts of the path of a page in such a folder, or nil.
func docusaurusParts(file string) []string {
	if !strings.Contains(file, "versioned_docs/version-") && !strings.Contains(file, "/docusaurus-plugin-content-") {
		return nil
	}
	return compile(docusaurus).FindStringSubmatch(file)
}

// versioned places the pages in folders of Docusaurus: versioned_docs/version-X and
// i18n/LANGUAGE/docusaurus-plugin-content-docs/version-X are versions and languages of docs, which has the next version.
func (s *Set) versioned(r *reader, places []*spot) {
	type state struct {
		current, latest string
		listed          []string
	}
	states := make(map[string]*state) // by the folder of the next version's documents
	for _, p := range places {
		m := docusaurusParts(p.File)
		if m == nil {
			continue
		}
		dir, name := path.Clean(m[1]+"."), cmp.Or(m[3], m[4], "docs")
		docs := join(dir, name)
		if above := join(path.Dir(dir), name); !s.isFolder(docs) && s.isFolder(above) {
			docs = above
		}
		p.path, p.language, p.version, p.settled, p.other = join(docs, m[6]), m[2], m[5], true, m[2] != ""
		if p.version == "" {
			continue
		}
		if states[docs] == nil {
			versions := join(dir, "versions.json")
			listed := r.parse(versions+".yml", "versions: "+r.text(versions)).List("versions")
			states[docs] = &state{"next", append(listed, "next")[0], listed}
			for _, site := range s.Sites {
				if text := r.text(site.Config); site.Dir == dir && compile(`\blastVersion:\s{0,20}['"]current['"]`).MatchString(text) {
					label := append(compile(`\bcurrent:\s{0,20}\{\s{0,40}label:\s{0,20}['"]([^'"]{1,40})['"]`).FindStringSubmatch(text), "", "next")[1]
					*states[docs] = state{cmp.Or(label, "next"), cmp.Or(label, "next"), listed}
				}
			}
		}
		if listed := states[docs].listed; len(listed) > 0 && !slices.Contains(listed, p.version) {
			p.Class = Last
		}
	}
	for _, p := range places {
		for dir := path.Dir(p.path); len(states) > 0 && dir != "."; dir = path.Dir(dir) {
			if st := states[dir]; st != nil {
				p.version, p.settled = cmp.Or(p.version, st.current), true
				p.other = p.other || p.version != st.latest
				break
			}
		}
	}
}

// suffixed places the pages of which a name in the path ends with a language, next to the same path without it: page.fr.md, page-ja.md or
// page_zh-Hans.md next to page.md, and all of the folder pages.fr next to pages.
func suffixed(places []*spot) {
	// by path: path and language
	stems, found := make(map[string]bool), make(map[string][2]string)
	// folders with an unambiguous language, and languages in them
	sure := make(map[string]bool)
	parts := func(p *spot, look func(path, rest string) bool) {
		file := stem(p.File)
		for i, char := range file {
			if char == '/' && look(file[:i], file[i:]) {
				return
			}
		}
		look(file, "")
	}
	for _, p := range places {
		stems[stem(p.File)] = true
	}
	for _, p := range places {
		parts(p, func(name, rest string) bool {
			if i := strings.LastIndexAny(name, "-_./"); i < 0 || name[i] == '/' || len(name)-i > 5 {
				return false
			}
			m := compile(`^(.+?)[-_.]([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,4})?)$`).FindStringSubmatch(path.Base(name))
			if m == nil || !isLanguage(m[2]) || !stems[join(path.Dir(name), m[1])+rest] {
				return false
			}
			found[name] = [2]string{join(path.Dir(name), m[1]), m[2]}
			sure[path.Dir(name)+"/"] = sure[path.Dir(name)+"/"] || !compile(wordName).MatchString(m[2])
			return true
		})
	}
	for name, of := range found {
		sure[of[1]] = sure[of[1]] || sure[path.Dir(name)+"/"]
	}
	for _, p := range places {
		parts(p, func(name, rest string) bool {
			of, ok := found[name]
			if ok = ok && sure[of[1]]; ok {
				p.path, p.language, p.other = of[0]+rest+path.Ext(p.File), of[1], true
				if rest == "" {
					p.suffix = strings.TrimPrefix(name, of[0])
				}
			}
			return ok
		})
	}
}

// addVariants adds the folders that are versions, or languages.
func addVariants(places []*spot, versions bool, folders map[string]*variant) {
	groups := make(map[string]map[string]*variant) // by the folder around them, and name
	matches := make(map[string]bool)
	for _, p := range places {
		dir, rest := ".", p.path
		for depth := 0; depth < maxVariantDepth && !p.settled; depth++ {
			name, below, inside := strings.Cut(rest, "/")
			named, known := matches[name]
			if !known {
				named = versions && compile(versionName).MatchString(name) || !versions && isLanguage(name)
				matches[name] = named
			}
			if versions {
				named = (named || p.Tree.site.Dated && compile(dateName).MatchString(name)) && (strings.Contains(below, "/") || !p.isIndex())
			}
			named = named && inside
			of, document := name, below
			if !named {
				of, document = "", rest
			}
			if groups[dir] == nil {
				groups[dir] = make(map[string]*variant)
			}
			if groups[dir][of] == nil {
				groups[dir][of] = &variant{name: of, version: versions, main: p.Tree.site.Trees[0].Language}
			}
			if v := groups[dir][of]; inside || !p.isIndex() { // each folder has an index
				v.names = append(v.names, document)
			}
			if named || !inside {
				break
			}
			dir, rest = join(dir, name), below
		}
	}
	for dir, group := range groups {
		if len(group) == 1 || len(group) > maxTrees {
			continue
		}
		if of := sameDocuments(slices.Collect(maps.Values(group)), versions); len(of) > 1 {
			best, mark := slices.MaxFunc(of, better), "*/"
			if group[""] != nil && group[""].is {
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

// sameDocuments returns the folders of a group most of whose documents have the names of documents in a larger folder, these larger
// folders, and those with names of releases and languages besides two of them, in the order of names. Languages with English
// among them may be alike in their numbers of documents instead, because names may be translated. It returns none unless one of
// the names surely names a variant, or one is more than a word, and no other folder next to them has most of their documents.
func sameDocuments(group []*variant, versions bool) []*variant {
	slices.SortFunc(group, func(a, b *variant) int {
		return cmp.Or(cmp.Compare(len(b.names), len(a.names)), cmp.Compare(a.name, b.name))
	})
	owner := make(map[string]*variant) // by document, the largest folder that has it
	found, alike, english, sure, likely := 0, 0, false, false, false
	// of documents in all folders, and of the largest
	names, most := make(map[string]bool), 0
	for _, o := range group {
		if o.name == "" && versions {
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
			names[name] = names[name] || o.name != ""
		}
		o.is = shared*2 > len(o.names)
		for larger, n := range partner {
			larger.is = larger.is || o.is && n*2 > shared
		}
		if o.name == "" {
			continue
		}
		most = max(most, len(o.names))
		alike += number(len(o.names)*10 >= most*9)
		english, likely = english || o.name == "en", likely || !compile(wordName).MatchString(o.name)
		sure = sure || versions && release(o.name) != "" || !versions && (len(o.name) > 3 || strings.EqualFold(o.name, "en") || strings.EqualFold(o.name, o.main))
	}
	count := make(map[string]int)
	for _, o := range group {
		found += number(o.is && o.name != "")
		for _, document := range o.names {
			if folder, below, _ := strings.Cut(document, "/"); o.name == "" && names[below] {
				count[folder]++
				likely = likely && count[folder]*2 <= most
			}
		}
	}
	for _, o := range group {
		if o.name != "" {
			o.is = o.is || alike > 2 && english || found > 1 && (release(o.name) != "" || !versions && !compile(wordName).MatchString(o.name))
		}
	}
	of := slices.DeleteFunc(group, func(o *variant) bool { return !o.is || !sure && !likely })
	slices.SortFunc(of, func(a, b *variant) int { return cmp.Compare(a.name, b.name) })
	return of
}

// better compares two variants: of versions, the newest release is the default one; of languages, the one around the others, or else
// the one that the configuration names, or else English, or else the one with most documents.
func better(a, b *variant) int {
	is := func(names ...string) int {
		return compareBool(slices.Contains(names, strings.ToLower(a.name)), slices.Contains(names, strings.ToLower(b.name)))
	}
	if a.version {
		return cmp.Or(is("latest", "stable"), semver.Compare(release(a.name), release(b.name)))
	}
	return cmp.Or(is(""), is(cmp.Or(a.main, "en")), is("en"), cmp.Compare(len(a.names), len(b.names)))
}

// release returns the name of a release as package semver compares it, or "".
func release(name string) string {
	if compile(dateName).MatchString(name) {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "-0", "."), "-", ".")
	} else if !compile(releaseName).MatchString(name) {
		return ""
	}
	return "v" + strings.TrimRight(strings.TrimPrefix(name, "v"), ".x")
}

// compareBool compares two values: false is before true.
func compareBool(a, b bool) int { return number(a) - number(b) }
