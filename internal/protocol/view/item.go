package view

import (
	"iter"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// An Item is something that exists: a file or a resource of a source.
type Item struct {
	File  loader.Resource
	Other *Resource // nil: it is a file
}

// URI returns the canonical URI.
func (i Item) URI() string {
	if i.Other != nil {
		return i.Other.URI
	}
	return i.File.URI()
}

// After yields, in canonical order, everything that is listed behind a canonical URI, whether or
// not something has that URI; "" is before all.
func (v View) After(canonical string) iter.Seq[Item] {
	if len(v.others) == 0 {
		return func(yield func(Item) bool) {
			for r := range v.Files.After(canonical) {
				if !yield(Item{File: r}) {
					return
				}
			}
		}
	}
	return func(yield func(Item) bool) { v.merge(canonical, yield) }
}

// merge yields files and others. Each other is looked up among the files once, so that files need
// not be compared by their URIs.
func (v View) merge(canonical string, yield func(Item) bool) {
	next, stop := iter.Pull(v.Others(canonical))
	defer stop()
	other, more := next()
	before, bounded := v.following(other) // the file that other comes before
	for r := range v.Files.After(canonical) {
		for more && bounded && r == before {
			if !yield(Item{Other: other}) {
				return
			}
			other, more = next()
			before, bounded = v.following(other)
		}
		if !yield(Item{File: r}) {
			return
		}
	}
	for ; more; other, more = next() {
		if !yield(Item{Other: other}) {
			return
		}
	}
}

// following returns the first file behind a resource.
func (v View) following(other *Resource) (loader.Resource, bool) {
	if other != nil {
		for r := range v.Files.After(other.URI) {
			return r, true
		}
	}
	return loader.Resource{}, false
}

// Others yields, in canonical order, what is listed behind a canonical URI and is not a file.
func (v View) Others(canonical string) iter.Seq[*Resource] {
	return func(yield func(*Resource) bool) {
		for other := range v.ofSources(canonical) {
			if _, replaced := v.Files.Exact(other.URI); !replaced && !yield(other) {
				return
			}
		}
	}
}
