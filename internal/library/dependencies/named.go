package dependencies

import (
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// names are the names of the packages of a set, and the words in them, in lower case.
type names struct {
	whole map[string][]*Package
	words map[string][]*Package // of direct dependencies
}

var (
	majorVersion = lazyregexp.New(`/v\d+$`)
	wordEnds     = lazyregexp.New(`[^\pL\pN]+`)
)

func namesOf(packages []*Package) names {
	n := names{make(map[string][]*Package), make(map[string][]*Package)}
	add := func(to map[string][]*Package, key string, p *Package) {
		if !slices.Contains(to[key], p) {
			to[key] = append(to[key], p)
		}
	}
	for _, p := range packages {
		name := strings.ToLower(p.Name)
		short := name
		add(n.whole, name, p)
		if p.Ecosystem == "go" {
			short = majorVersion().ReplaceAllString(name, "")
			add(n.whole, short, p)
			_, short, _ = strings.Cut(short, "/") // without the host
		}
		if !p.Direct {
			continue
		}
		for _, part := range append(strings.FieldsFunc(short, func(r rune) bool { return r == '/' || r == '@' }), wordEnds().Split(short, -1)...) {
			if len(part) > 2 {
				add(n.words, part, p)
			}
		}
	}
	return n
}

// Named returns the packages that a query names: by the whole name, or by a word that the name of one direct dependency has.
// With each package are the words of the query that name it. ordinary reports whether such a word says nothing about a package.
func (s *Set) Named(query string, ordinary func(word string, p *Package) bool) map[*Package][]string {
	named := make(map[*Package][]string)
	for asked := range strings.FieldsSeq(strings.ToLower(query)) {
		asked = strings.Trim(asked, ".,;:!?()[]{}<>'\"`")
		if i := strings.LastIndexByte(asked, '@'); i > 0 { // a version
			asked = asked[:i]
		}
		for _, p := range s.names.whole[asked] {
			named[p] = append(named[p], wordEnds().Split(asked, -1)...)
		}
		if packages := s.names.words[asked]; len(s.names.whole[asked]) == 0 && oneName(packages) && !ordinary(asked, packages[0]) {
			for _, p := range packages {
				named[p] = append(named[p], wordEnds().Split(asked, -1)...)
			}
		}
	}
	return named
}

// oneName reports whether there are packages, and all have one name: they are versions of it.
func oneName(packages []*Package) bool {
	return len(packages) > 0 && !slices.ContainsFunc(packages, func(p *Package) bool { return p.Name != packages[0].Name })
}
