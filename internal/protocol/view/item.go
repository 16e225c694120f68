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
	files := func(yield func(Item) bool) {
		for r := range v.Files.After(canonical) {
			if !yield(Item{File: r}) {
				return
			}
		}
	}
	if len(v.others) == 0 {
		return files
	}
	others := func(yield func(Item) bool) {
		for other := range v.Others(canonical) {
			if !yield(Item{Other: other}) {
				return
			}
		}
	}
	// Each resource of a source is looked up among the files once, so that files need not be compared by their URIs.
	var known *Resource
	var following loader.Resource // the first file after known
	var bounded bool
	return merged(files, others, func(file, other Item) int {
		if other.Other != known {
			known, bounded = other.Other, false
			for following = range v.Files.After(known.URI) {
				bounded = true
				break
			}
		}
		if bounded && file.File == following {
			return 1
		}
		return -1
	})
}

// merged yields what two sequences yield, in the order of compare. If two are equal, it yields only the one of a.
func merged[T any](a, b iter.Seq[T], compare func(a, b T) int) iter.Seq[T] {
	return func(yield func(T) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		other, more := next()
		for item := range a {
			for ; more; other, more = next() {
				if order := compare(item, other); order < 0 {
					break
				} else if order > 0 && !yield(other) {
					return
				}
			}
			if !yield(item) {
				return
			}
		}
		for ; more; other, more = next() {
			if !yield(other) {
				return
			}
		}
	}
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
