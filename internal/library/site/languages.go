package site

import (
	"slices"
	"strings"
)

// languageName matches the codes of languages that documents are often in.
const languageName = `^(?:a[fmrsz]|b[eegns]|bn|ca|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ga|gl|gu|he|hi|hr|hu|hy|id|is|it|ja|jp|ka|kk|km|kn|ko|kr|lt|lv|mk|ml|mn|mr|ms|my|nb|ne|nl|nn|no|pa|pl|pt|ro|ru|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|zh)(?:[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}|hans|hant|419))?$`

// isLanguage reports whether a folder is named after a language.
func isLanguage(name string) bool { return compile(languageName).MatchString(name) }

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
		site.Trees[0].Language = strings.ToLower(parts[index])
		others := make(map[string]bool)
		for _, name := range r.folders(dir) {
			root := join(dir, name, rest)
			if name != parts[index] && isLanguage(name) && r.isDir(root) {
				others[root] = true
				site.Trees = append(site.Trees, &Tree{Root: root, Language: strings.ToLower(name), Prefix: name + "/", Other: true, site: site})
			}
		}
		s.Sites = slices.DeleteFunc(s.Sites, func(o *Site) bool { return o != site && others[o.Trees[0].Root] })
		if english := slices.IndexFunc(site.Trees, func(t *Tree) bool { return t.Language == "en" }); english > 0 {
			site.Trees[0].Prefix, site.Trees[0].Other = site.Trees[0].Language+"/", true
			site.Trees[english].Prefix, site.Trees[english].Other = "", false
			site.Trees[0], site.Trees[english] = site.Trees[english], site.Trees[0]
		}
	}
}

// languageNames has the English names of languages that documentation often is in. The tables of golang.org/x/text would
// add 2 MB to the program.
const languageNames = "|ar Arabic|bn Bengali|cs Czech|da Danish|de German|el Greek|en English|es Spanish|fa Persian|fi Finnish|fr French|he Hebrew|hi Hindi|hu Hungarian|id Indonesian|it Italian|ja Japanese|ko Korean|nl Dutch|no Norwegian|pl Polish|pt Portuguese|ro Romanian|ru Russian|sv Swedish|th Thai|tr Turkish|uk Ukrainian|vi Vietnamese|zh Chinese|"

// languageTitle returns the English name of a language, or its code.
func languageTitle(code string) string {
	base, _, regional := strings.Cut(code, "-")
	_, rest, ok := strings.Cut(languageNames, "|"+base+" ")
	if !ok || regional {
		return code
	}
	name, _, _ := strings.Cut(rest, "|")
	return name
}
