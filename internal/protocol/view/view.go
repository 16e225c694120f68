// Package view shows one caller all resources of one moment: the files of the catalog and the
// resources of other sources.
//
// Lists, lookups, templates, completion, reads, subscriptions and tools all use a [View], so they
// do not depend on which sources exist. A view never changes: it consists of one catalog and one
// [Snapshot] of each source. Without sources it costs nothing.
//
// # A source
//
// A [Source] provides resources that are not files of the project. To add a source:
//
//  1. Implement Source. Its Snapshot method returns its current resources. It does not wait, and
//     it returns the same value until something changes: a list is fresh only as long as it does.
//  2. Return a [*List] for a fixed set of resources, or embed one in a type of your own to
//     add templates, completion, or resources that are computed when their URI is looked up.
//  3. Call the function that Notify received after each change, once the new snapshot can be
//     read: this call notifies the clients. Nothing else compares snapshots.
//  4. Append the source to Sources of the options of the server ([server.Options]).
//
// A [Resource] is read by its function Read, within the memory budget of all answers and the time
// limit for disk reads. A resource that only one caller may see has an Owner, and appears in no
// snapshot for another caller.
//
// # Order
//
// All lists are in the canonical order of the catalog: by folder, a folder's own resources before
// those in its sub-folders, and then by name, both compared as bytes ([Compare]). So a cursor,
// which is the URI of the last item, stays valid when resources of any source are added or removed.
//
// A file takes precedence over a resource with the same URI, and an earlier source over a later
// one. A URI in canonical spelling always names its own resource, even if it is also another
// spelling of a different URI. [Views.Replaced] returns the files that replace resources, for a
// warning.
package view

import (
	"iter"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A View holds the resources that exist at one moment for one caller.
type View struct {
	Files  *loader.Catalog
	others []Snapshot
}

// ofSources yields the listed resources of the sources. If several have the same URI, it yields the
// one from the first source.
func (v View) ofSources(canonical string) iter.Seq[*Resource] {
	all := iter.Seq[*Resource](func(func(*Resource) bool) {})
	for i, s := range v.others {
		if i == 0 {
			all = s.After(canonical)
		} else {
			all = merged(all, s.After(canonical), func(a, b *Resource) int { return Compare(a.URI, b.URI) })
		}
	}
	return all
}

// Lookup finds the item with a URI, in any spelling.
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

// maxCompared is the maximum number of resources of the sources that Close compares.
const maxCompared = 1000

// Close returns suggestions for a URI that does not exist: up to limit canonical URIs of the
// sources with similar text, the closest first.
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
