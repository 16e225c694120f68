// Package view is what exists at one moment, for one caller: the files of the catalog, and what
// other sources have.
//
// Lists, lookups, templates, completion, reads, subscriptions and tools all see the project through
// a [View], so that none of them knows which sources there are. A view never changes: it is made of
// one catalog and of one [Snapshot] of each source, and costs nothing where there are no sources.
//
// # A source
//
// A [Source] has resources that are not files of the project. To add one:
//
//  1. Implement Source. Its Snapshot method returns what it has at the moment. It does not wait, and
//     it returns the same value until something changes: a list is fresh only as long as it does.
//  2. Return a [*List] for a set of resources that is known, or embed one in a type of your own to
//     add templates, completion, or resources that are made when their URI is looked up.
//  3. Call the function that Notify got when something has changed, after the new snapshot can be
//     had: the clients are notified by it. Nothing else looks for differences.
//  4. Append the source to Sources of the options of the server ([server.Options]).
//
// A [Resource] is read by its function Read, under the memory budget of all answers, in the time
// that work at a disk has. What only one caller may see has an Owner, and is in no snapshot for
// another caller.
//
// # Order
//
// All lists are in the canonical order of the catalog: by folder, a folder's own resources before
// those below it, and then by name, both compared as bytes ([Compare]). So a cursor, which is the
// URI of the last item, means the same whatever comes and goes in any of the sources.
//
// A file wins over a resource of the same URI, and an earlier source over a later one. A URI in its
// canonical spelling names its own resource, whatever other spelling of another one it is.
// [Views.Replaced] returns the files that do so, for a warning.
package view

import (
	"iter"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A View is what exists at one moment for one caller.
type View struct {
	Files  *loader.Catalog
	others []Snapshot
}

// Of returns the view of files alone.
func Of(files *loader.Catalog) View { return View{Files: files} }

// ofSources yields what the sources list. Of several resources with one URI, the first source's is
// yielded.
func (v View) ofSources(canonical string) iter.Seq[*Resource] {
	switch len(v.others) {
	case 0:
		return func(func(*Resource) bool) {}
	case 1:
		return v.others[0].After(canonical)
	}
	return func(yield func(*Resource) bool) {
		heads := make([]*Resource, len(v.others))
		nexts := make([]func() (*Resource, bool), len(v.others))
		for i, s := range v.others {
			next, stop := iter.Pull(s.After(canonical))
			defer stop()
			nexts[i] = next
			heads[i], _ = next()
		}
		for {
			least := -1
			for i, head := range heads {
				if head != nil && (least < 0 || Compare(head.URI, heads[least].URI) < 0) {
					least = i
				}
			}
			if least < 0 {
				return
			}
			first := heads[least]
			for i := range heads {
				for heads[i] != nil && heads[i].URI == first.URI {
					heads[i], _ = nexts[i]()
				}
			}
			if !yield(first) {
				return
			}
		}
	}
}

// Lookup finds what a URI names, in any spelling.
func (v View) Lookup(uri string) (Item, bool) {
	file, ok := v.Files.Lookup(uri)
	if len(v.others) == 0 {
		return Item{File: file}, ok
	}
	if ok && file.URI() == uri {
		return Item{File: file}, true
	}
	var found *Resource
	for _, s := range v.others {
		other, known := s.Lookup(uri)
		if !known {
			continue
		}
		if _, replaced := v.Files.Exact(other.URI); replaced {
			continue
		}
		if other.URI == uri {
			return Item{Other: other}, true
		}
		if found == nil {
			found = other
		}
	}
	if ok || found == nil {
		return Item{File: file}, ok
	}
	return Item{Other: found}, true
}

// maxCompared is how many resources of the sources Close compares.
const maxCompared = 1000

// Close returns up to limit canonical URIs of the sources that look like one that names nothing,
// the closest first.
func (v View) Close(requested string, limit int) []string {
	if len(v.others) == 0 || len(requested) > uri.MaxLength {
		return nil
	}
	var names []string
	for other := range v.Others("") {
		if len(names) == maxCompared {
			break
		}
		names = append(names, other.URI)
	}
	return nearest.Of(requested, names, limit)
}
