package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// A named is the packages that a query names.
type named struct {
	packages  []*dependencies.Package // by name and version
	documents map[*document]bool      // of the packages
	words     map[string]bool         // of the query that name them
}

const (
	// namedShare is what the score of a passage of a named package is multiplied with, if it has more words of the query than the name.
	namedShare = 4
	// A word is ordinary if more than one of this many passages of other packages has it.
	ordinaryPart = 50
	maxNamed     = 5 // packages that an answer is about
)

// named finds the packages that a query names, or returns nil. x is the index, or nil while it is not ready.
func (d *Dependencies) named(x *index, q Query) *named {
	found := d.set.Named(strings.Join(append([]string{q.Words}, q.Alternatives...), " "), func(word string, p *dependencies.Package) bool {
		return x.ordinary(word, p.Path()+"/")
	})
	if len(found) == 0 {
		return nil
	}
	n := &named{documents: make(map[*document]bool), words: make(map[string]bool)}
	for _, p := range d.set.Packages() {
		if words, ok := found[p]; ok && len(n.packages) < maxNamed {
			n.packages = append(n.packages, p)
			for _, w := range words {
				n.words[w] = true
			}
		}
	}
	for _, p := range n.packages {
		folder := p.Path() + "/"
		for _, doc := range d.library.docs {
			if p.Missing == "" && strings.HasPrefix(doc.path, folder) {
				n.documents[doc] = true
			}
		}
	}
	return n
}

// ordinary reports whether a word says little about the package whose documents are below a folder.
func (x *index) ordinary(word, folder string) bool {
	stem := string(stem([]byte(word)))
	if !specific(stem) {
		return true
	}
	if x == nil {
		return false
	}
	i, ok := x.lookUp(stem)
	if !ok {
		return false
	}
	others := 0
	for _, p := range x.where[x.starts[i]:x.starts[i+1]] {
		if !strings.HasPrefix(x.docs[x.passages[p].Document].path, folder) {
			others++
		}
	}
	return others*ordinaryPart > x.counted
}

// naming returns how many terms are of the names of packages, or -1 if the query names no package.
func (f *filter) naming(terms []term) int {
	if f == nil || f.named == nil {
		return -1
	}
	n := 0
	for _, t := range terms {
		if f.named.has(t) {
			n++
		}
	}
	return n
}

func (n *named) has(t term) bool { return n.words[t.word] || n.words[strings.ToLower(t.said)] }

// A Naming is a package that a query names.
type Naming struct {
	Package *dependencies.Package
	Lacks   []string // words of the query that its documents do not have; nil if it is not installed
}

// namings returns what the documents of the named packages lack of a wording.
func (l *look) namings() (all []Naming) {
	if l.only.named == nil {
		return nil
	}
	elsewhere := make(map[string]bool) // words that the documents of a named package have
	for _, p := range l.only.named.packages {
		n := Naming{Package: p}
		has := make(map[string]bool)
		for _, t := range l.asked {
			if t.said != "" && !l.only.named.has(t) && p.Missing == "" && !t.part() {
				has[t.said] = has[t.said] || !t.replaced && l.within(t, p.Path()+"/")
			}
		}
		for _, t := range l.asked {
			found, ok := has[t.said]
			elsewhere[t.said] = elsewhere[t.said] || found
			if ok && !found && !slices.Contains(n.Lacks, t.said) {
				n.Lacks = append(n.Lacks, t.said)
			}
		}
		all = append(all, n)
	}
	for i := range all {
		all[i].Lacks = slices.DeleteFunc(all[i].Lacks, func(word string) bool { return elsewhere[word] })
	}
	return all
}

// within reports whether a document below a folder has a term.
func (s *shelf) within(t term, folder string) bool {
	in := func(p uint32) bool { return strings.HasPrefix(s.docs[s.passages[p].Document].path, folder) }
	if slices.ContainsFunc(t.passages, in) {
		return true
	}
	for k, i := range t.from {
		if t.share[k] == 1 && slices.ContainsFunc(s.where[s.starts[i]:s.starts[i+1]], in) {
			return true
		}
	}
	return false
}

// sentence says why a package that a query names has no answer, or returns "".
func (n Naming) sentence() string {
	p := n.Package
	switch {
	case p.Missing != "":
		return p.Absence() + "\n"
	case len(p.Documents) == 0:
		return fmt.Sprintf("%s is installed and has no documents.\n", p)
	case len(n.Lacks) == 0:
		return ""
	}
	var words []string
	for _, w := range n.Lacks {
		words = append(words, shown(w))
	}
	var paths []string
	for _, d := range p.Documents[:min(len(p.Documents), 3)] {
		paths = append(paths, d.Path)
	}
	text := fmt.Sprintf("Not in the documents of %s: %s. Served of it, below %s/%s/: %s", p, strings.Join(words, ", "), dependencies.Folder, p.Path(), strings.Join(paths, ", "))
	if more := len(p.Documents) - len(paths); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ".\n"
}
