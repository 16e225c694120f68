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
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
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
		found = cmp.Or(found, other)
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

// Views makes views of the current state.
type Views struct {
	files   *latest.Value[loader.Catalog]
	sources []Source
}

// New returns the views of a project.
func New(files *latest.Value[loader.Catalog], sources ...Source) *Views {
	return &Views{files, sources}
}

// Load returns the current view of a caller, and waits for the first catalog and each [Waiter]. If ctx ends first, it
// returns the error of ctx.
func (vs *Views) Load(ctx context.Context, caller string) (View, error) {
	files, err := vs.files.Load(ctx)
	for _, s := range vs.sources {
		if w, ok := s.(Waiter); ok && err == nil {
			w.Wait(ctx)
			err = ctx.Err()
		}
	}
	if err != nil {
		return View{}, err
	}
	return vs.with(files, caller), nil
}

// Peek returns the current view of a caller, and false before the first catalog.
func (vs *Views) Peek(caller string) (View, bool) {
	files := vs.files.Peek()
	if files == nil {
		return View{}, false
	}
	return vs.with(files, caller), true
}

func (vs *Views) with(files *loader.Catalog, caller string) View {
	v := View{Files: files}
	for _, s := range vs.sources {
		if snapshot := s.Snapshot(files, caller); snapshot != nil {
			v.others = append(v.others, snapshot)
		}
	}
	return v
}

// UpToDate reports whether a caller's view is up to date.
func (vs *Views) UpToDate(v View, caller string) bool {
	return vs.files.Peek() == v.Files && (len(vs.sources) == 0 || slices.Equal(vs.with(v.Files, caller).others, v.others))
}

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

// Templates returns the templates of files, then the templates of the sources. It leaves out a
// template of a source if a template of files has the same text.
func (v View) Templates() []templates.Entry {
	entries := v.Files.Templates().Entries()
	if len(v.others) == 0 {
		return entries
	}
	entries = slices.Clone(entries)
	for _, s := range v.others {
		for _, e := range s.Templates() {
			if _, twice := find(entries, e.Template.String()); !twice {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// A Template is one of the templates of a view.
type Template struct {
	templates.Entry
	view  View
	index int // index among the templates of files, or -1
	of    Snapshot
}

// Template returns the first template whose published form or written form is text.
func (v View) Template(text string) (Template, bool) {
	entries := v.Files.Templates().Entries()
	if i, ok := find(entries, text); ok {
		return Template{entries[i], v, i, nil}, true
	}
	for _, s := range v.others {
		entries := s.Templates()
		if i, ok := find(entries, text); ok {
			return Template{entries[i], v, -1, s}, true
		}
	}
	return Template{}, false
}

func find(entries []templates.Entry, text string) (int, bool) {
	i := slices.IndexFunc(entries, func(e templates.Entry) bool { return e.Template.String() == text || e.URITemplate == text })
	return i, i >= 0
}

// Complete returns, sorted, the values of a variable of the template that start with prefix,
// ignoring case; see [loader.Catalog.Complete].
func (t Template) Complete(ctx context.Context, variable, prefix string, given map[string]string) []string {
	if t.of != nil {
		return t.of.Complete(ctx, t.Template.String(), variable, prefix, given)
	}
	return t.view.Files.Complete(ctx, t.index, variable, prefix, given)
}

// A Replacement is a file with the same URI as a resource of a source.
type Replacement struct {
	File   loader.Resource
	Source string // name of the source
}

// Replaced returns the files that clients get instead of resources that all callers could see.
func (vs *Views) Replaced(files *loader.Catalog) []Replacement {
	var out []Replacement
	for _, s := range vs.sources {
		snapshot := s.Snapshot(files, "")
		if snapshot == nil {
			continue
		}
		for other := range snapshot.After("") {
			if file, replaced := files.Exact(other.URI); replaced && other.Owner == "" {
				out = append(out, Replacement{file, s.Name()})
			}
		}
	}
	return out
}
