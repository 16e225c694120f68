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

// absences says which of the named packages are not installed, and which words of a wording none of their documents has.
func (l *look) absences() (sentences []string) {
	named := l.only.named
	if named == nil {
		return nil
	}
	has := make(map[string]bool)
	for _, t := range l.asked {
		if t.said != "" && !named.has(t) && !t.part() {
			has[t.said] = has[t.said] || !t.replaced && l.inNamed(t)
		}
	}
	var lacks []string
	for _, t := range l.asked {
		if found, ok := has[t.said]; ok && !found {
			lacks = union(lacks, shown(t.said))
		}
	}
	for _, p := range named.packages {
		switch {
		case p.Missing != "":
			sentences = append(sentences, p.Absence()+"\n")
		case len(p.Documents) == 0:
			sentences = append(sentences, fmt.Sprintf("%s is installed and has no documents.\n", p))
		case len(lacks) > 0:
			var paths []string
			for _, d := range p.Documents {
				paths = append(paths, d.Path)
			}
			if more := len(paths) - 3; more > 0 {
				paths = append(paths[:2], fmt.Sprintf("%s and %d more", paths[2], more))
			}
			sentences = append(sentences, fmt.Sprintf("Not in the documents of %s: %s. Served of it, below %s/%s/: %s.\n", p, strings.Join(lacks, ", "), dependencies.Folder, p.Path(), strings.Join(paths, ", ")))
		}
	}
	return sentences
}

// inNamed reports whether a document of a named package has a term.
func (l *look) inNamed(t term) bool {
	in := func(p uint32) bool { return l.only.named.documents[l.docs[l.passages[p].Document]] }
	found := slices.ContainsFunc(t.passages, in)
	for k, i := range t.from {
		found = found || t.share[k] == 1 && slices.ContainsFunc(l.where[l.starts[i]:l.starts[i+1]], in)
	}
	return found
}
