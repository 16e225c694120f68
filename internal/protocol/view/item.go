package view

import (
	"iter"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// An Item is a file or a resource of a source.
type Item struct {
	File  loader.Resource
	Other *Resource // nil: the item is a file
}

// URI returns the canonical URI.
func (i Item) URI() string {
	if i.Other != nil {
		return i.Other.URI
	}
	return i.File.URI()
}

// After yields, in canonical order, all listed items after a canonical URI, whether or not an item
// has that URI; "" comes before all.
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

// merge yields files and resources of sources. It looks up each resource of a source among the
// files once, so that it need not compare files by their URIs.
func (v View) merge(canonical string, yield func(Item) bool) {
	next, stop := iter.Pull(v.Others(canonical))
	defer stop()
	other, more := next()
	before, bounded := v.following(other) // the first file after other
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

// following returns the first file after a resource.
func (v View) following(other *Resource) (loader.Resource, bool) {
	if other != nil {
		for r := range v.Files.After(other.URI) {
			return r, true
		}
	}
	return loader.Resource{}, false
}

// Others yields, in canonical order, the listed resources after a canonical URI that are not files.
func (v View) Others(canonical string) iter.Seq[*Resource] {
	return func(yield func(*Resource) bool) {
		for other := range v.ofSources(canonical) {
			if _, replaced := v.Files.Exact(other.URI); !replaced && !yield(other) {
				return
			}
		}
	}
}
