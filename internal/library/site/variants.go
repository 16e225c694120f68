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

// wordName matches codes of languages that are also words or usual names of folders, such as those of departments.
const wordName = `^(?:am|as|be|ca|cs|eu|ga|gl|he|hi|hr|id|is|it|ml|mr|ms|my|ne|no|pa|pl|ro|sw|uk)$`

// isLanguage reports whether a folder is named after a language.
func isLanguage(name string) bool { return compile(languageName).MatchString(name) }

// surelyLanguage reports whether a folder and those beside it are languages, whatever else is beside them: it has a code with a
// region, or is named after English or the configured language of the site.
func (site *Site) surelyLanguage(name string) bool {
	return isLanguage(name) && (len(name) > 3 || strings.EqualFold(name, "en") || strings.EqualFold(name, site.Trees[0].Language))
}

// versionName matches the folders of versions, and releaseName those of releases with a number. A year or a number alone
// names a journal, a blog or a chapter.
const (
	versionName = `^v?\d+\.\d[\w.-]*$|^v\d[\w.-]*$|^\d+x$|^(?:latest|next|dev|main|master|stable|current|preview)$`
	releaseName = `^v?\d+(?:\.\d+)*(?:\.?x)?$`
)

// sourceName matches the codes of languages that are also extensions of source code, as of C#.
const sourceName = `^(?:cs|mk|ml|pl)$`

// A variant is a folder that may have the documents of a version or a language, or the folder around such folders, which
// may have those of the default language.
type variant struct {
	name  string   // "": the folder around the others
	names []string // of documents, below the folder
	is    bool
	// translated says that its documents have names of their own.
	translated bool
	other      bool   // it is not the default one
	mark       string // what stands for the name in [Tree.Pattern]
	version    bool   // it is a version; else it is a language
}

// A variation is a kind of folders: versions, or languages.
type variation struct {
	named func(name string) bool // a folder may be a variant
	sure  func(name string) bool // it is one, and so are those beside it
	known bool                   // configuration says which folders are variants
	best  func(of []*variant) *variant
	// versions says that the kind is versions. Else documents around the folders may be a variant too.
	versions bool
}

// maxVariantDepth is how deep below the root of a tree the folders of variants are.
const maxVariantDepth = 8

// vary finds the versions and languages in the pages of a site: sibling folders with names of versions or languages, most
// of whose documents have the same names. Each page is then in the tree of its version and language.
func (site *Site) vary(pages []*Page) {
	pages = slices.DeleteFunc(slices.Clone(pages), func(p *Page) bool { return p.Hidden != "" })
	versions := variation{versions: true, best: site.bestVersion, known: site.Versions != nil, sure: func(name string) bool {
		return release(name) != ""
	}, named: func(name string) bool {
		return site.Versions[name] != "" || site.Versions == nil && compile(versionName).MatchString(name)
	}}
	languages := variation{best: site.bestLanguage, named: isLanguage, sure: site.surelyLanguage}
	if len(site.Trees) == 1 {
		site.spoken(pages)
	}
	folders := make(map[string]*variant)
	if !slices.ContainsFunc(site.Trees, func(t *Tree) bool { return t.Version != "" }) {
		versions.find(pages, folders)
	}
	if !slices.ContainsFunc(site.Trees, func(t *Tree) bool { return t.Language != site.Trees[0].Language }) {
		languages.find(pages, folders)
	}
	if len(folders) == 0 {
		return
	}
	type key struct {
		*Tree
		folder string
	}
	made := make(map[key]*Tree)
	for _, p := range pages {
		t, dir := *p.Tree, p.Tree.Root
		parts := strings.SplitAfter(p.below(), "/")
		pattern, end := slices.Clone(parts), 0
		for i, part := range parts[:min(len(parts)-1, maxVariantDepth)] {
			dir = join(dir, part)
			f := folders[dir]
			switch {
			case f == nil:
				continue
			case f.version:
				t.Version = cmp.Or(site.Versions[f.name], f.name)
			default:
				t.Language, t.Translated = strings.ToLower(f.name), f.translated
			}
			pattern[i], end, t.Other = f.mark, i+1, t.Other || f.other
		}
		if end == 0 {
			continue
		}
		t.Folder, t.Pattern = strings.Join(parts[:end], ""), strings.Join(pattern[:end], "")
		k := key{p.Tree, t.Folder}
		if made[k] == nil {
			made[k] = &t
			site.Trees = append(site.Trees, &t)
		}
		p.Tree = made[k]
	}
	slices.SortStableFunc(site.Trees, func(a, b *Tree) int {
		return cmp.Or(compareBool(a.Other, b.Other), -semver.Compare(release(a.Version), release(b.Version)))
	})
}

// spoken gives the pages of languages before extensions, such as page.fr.md next to page.md, trees of their own.
func (site *Site) spoken(pages []*Page) {
	files, found, main := make(map[string]bool), make(map[string]bool), site.Trees[0]
	for _, p := range pages {
		files[p.File] = true
	}
	for file := range files {
		name, ext := stem(file), path.Ext(file)
		if language := strings.TrimPrefix(path.Ext(name), "."); isLanguage(language) && files[stem(name)+ext] {
			found[language] = true
		}
	}
	for _, language := range slices.Sorted(maps.Keys(found)) {
		if len(found) > 1 || !compile(sourceName).MatchString(language) {
			site.speak(main, language, "").Prefix += main.Prefix
		}
	}
	if len(site.Trees) > 1 {
		main.Language = cmp.Or(main.Language, "en")
		for _, p := range pages {
			p.Tree = site.treeOf(p.File)
		}
	}
}

// find adds the folders that are variants.
func (v variation) find(pages []*Page, folders map[string]*variant) {
	type place struct{ dir, name string }
	known, groups := make(map[place]*variant), make(map[string][]*variant) // by the folder around them
	add := func(dir, name, below string) {
		o := known[place{dir, name}]
		if o == nil {
			o = &variant{name: name, version: v.versions}
			known[place{dir, name}], groups[dir] = o, append(groups[dir], o)
		}
		o.names = append(o.names, below)
	}
	for _, p := range pages {
		dir, rest := p.Tree.Root, p.below()
		for range maxVariantDepth {
			name, below, inside := strings.Cut(rest, "/")
			if inside && v.named(name) && (!v.versions || v.known || strings.Contains(below, "/") || !p.isIndex()) { // releases of one page are pages
				add(dir, name, below)
				break // the outermost folder counts
			}
			if inside || !p.isIndex() { // each folder has an index
				add(dir, "", rest)
			}
			if !inside {
				break
			}
			dir, rest = join(dir, name), below
		}
	}
	maps.DeleteFunc(groups, func(_ string, group []*variant) bool { return len(group) == 1 })
	for dir, group := range groups {
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
		o.is = v.known || shared*2 > len(o.names)
		for larger, n := range partner {
			larger.is = larger.is || o.is && n*2 > shared
		}
	}
	found, alike, english, sure, likely := 0, 0, false, v.known, false
	names := make(map[string]bool)
	for _, o := range named {
		if o.is {
			found++
		}
		if len(o.names)*10 >= len(named[0].names)*9 {
			alike++
		}
		english, sure, likely = english || o.name == "en", sure || v.sure(o.name), likely || !compile(wordName).MatchString(o.name)
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

// bestVersion returns the version that the configuration names, or else the newest release.
func (site *Site) bestVersion(of []*variant) *variant {
	return slices.MaxFunc(of, func(a, b *variant) int {
		configured := func(o *variant) bool {
			return site.Latest != "" && strings.TrimPrefix(o.name, "v") == strings.TrimPrefix(site.Latest, "v")
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
func (site *Site) bestLanguage(of []*variant) *variant {
	return slices.MaxFunc(of, func(a, b *variant) int {
		is := func(name string) int {
			return compareBool(strings.EqualFold(a.name, name), strings.EqualFold(b.name, name))
		}
		return cmp.Or(is(""), is(cmp.Or(site.Trees[0].Language, "en")), is("en"), cmp.Compare(len(a.names), len(b.names)))
	})
}

// compareBool compares two values: false is before true.
func compareBool(a, b bool) int { return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b)) }

// mergeLanguages adds trees to each site in a folder that is named after a language: one for each sibling folder with
// the name of a language and the same subfolder. Sites of the generator in those folders go.
func (s *Set) mergeLanguages(r *reader) {
	for i := 0; i < len(s.Sites); i++ {
		site := s.Sites[i]
		parts := strings.Split(site.Trees[0].Root, "/")
		index := slices.IndexFunc(parts, isLanguage)
		if index < 0 || len(site.Trees) > 1 {
			continue
		}
		dir, rest := join(parts[:index]...), join(parts[index+1:]...)
		names := slices.DeleteFunc(slices.Clone(r.folders(dir)), func(name string) bool { return !isLanguage(name) || !r.isDir(join(dir, name, rest)) })
		if !slices.ContainsFunc(names, func(name string) bool { return site.surelyLanguage(name) || !compile(wordName).MatchString(name) }) {
			continue
		}
		main, t := parts[index], site.Trees[0]
		if slices.Contains(names, "en") {
			main = "en"
		}
		t.Root, t.Language = join(dir, main, rest), strings.ToLower(main)
		for _, name := range names {
			if name != main {
				site.speak(t, name, join(dir, name, rest))
			}
		}
		s.Sites = slices.DeleteFunc(s.Sites, func(o *Site) bool {
			return o != site && slices.ContainsFunc(site.Trees, func(t *Tree) bool { return t.Root == o.Trees[0].Root })
		})
	}
}

// speak adds the tree of a language: its documents are in a folder, or, if root is "", next to those of another tree, with the
// language before the extension.
func (site *Site) speak(main *Tree, name, root string) *Tree {
	site.Suffix = site.Suffix || root == ""
	t := &Tree{Root: cmp.Or(root, main.Root), Language: strings.ToLower(name), Prefix: name + "/", Other: true, site: site}
	site.Trees = append(site.Trees, t)
	return t
}
