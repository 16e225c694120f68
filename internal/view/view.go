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
	"context"
	"iter"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/current"
	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A Source is one of the places where resources come from besides the files. Its methods may be
// called at the same time.
type Source interface {
	// Name names the source in messages, as in "the capability index".
	Name() string

	// Snapshot returns what the source has for a caller, which is "" where there is only one. What
	// is made of the files of the project is made of these. nil: it has nothing.
	Snapshot(files *loader.Catalog, caller string) Snapshot

	// Notify gives the source a function to call after each change. It is called once, before
	// anything else.
	Notify(changed func(Change))
}

// A Snapshot is what a source has at one moment. It does not change, and two that are equal (==)
// have the same.
type Snapshot interface {
	// After yields, in canonical order, the resources that are listed behind a canonical URI,
	// whether or not one has that URI; "" is before all.
	After(canonical string) iter.Seq[*Resource]

	// Lookup finds a resource by any spelling of its URI, whether or not it is listed.
	Lookup(uri string) (*Resource, bool)

	// Templates returns the templates in the order of the list.
	Templates() []templates.Entry

	// Complete returns, sorted, the values of a variable of one of the templates that start with
	// prefix, ignoring case. given are the values that were chosen for other variables.
	Complete(ctx context.Context, template, variable, prefix string, given map[string]string) []string
}

// A Change is what has changed in a source.
type Change struct {
	Owner   string   // whom it concerns; "": everybody
	List    bool     // other resources are listed, or under another name, title, description or type; or other templates
	Updated []string // canonical URIs of resources that came, went, or have other bytes

	// Also reports whether a resource that Updated does not name may have other bytes too. It is
	// asked about what clients have subscribed to, and must be fast. nil: none has.
	Also func(canonical string) bool
}

// A View is what exists at one moment for one caller.
type View struct {
	Files  *loader.Catalog
	others []Snapshot
}

// Of returns the view of files alone.
func Of(files *loader.Catalog) View { return View{Files: files} }

// Views makes views of what there is now.
type Views struct {
	files   *current.Value[loader.Catalog]
	sources []Source
}

// New returns the views of a project.
func New(files *current.Value[loader.Catalog], sources ...Source) *Views {
	return &Views{files, sources}
}

// Load returns what exists for a caller, and waits for the first catalog. The error is that of ctx.
func (vs *Views) Load(ctx context.Context, caller string) (View, error) {
	files, err := vs.files.Load(ctx)
	if err != nil {
		return View{}, err
	}
	return vs.with(files, caller), nil
}

// Peek returns what exists for a caller, and false while there is no catalog.
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

// Current reports whether a view of a caller has what there is now.
func (vs *Views) Current(v View, caller string) bool {
	if vs.files.Peek() != v.Files {
		return false
	}
	return len(vs.sources) == 0 || slices.Equal(vs.with(v.Files, caller).others, v.others)
}

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

// A Replacement is a file that has the URI of a resource of a source.
type Replacement struct {
	File   loader.Resource
	Source string // its name
}

// Replaced returns the files that clients get instead of resources that everybody could see.
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

// Templates returns the templates of files, and then those of the sources that the files have no
// template of the same text for.
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
	index int // among the templates of files, or -1
	of    Snapshot
}

// Template returns the first template that is published or written as text.
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

// Complete returns, sorted, the values that a variable of the template has and that start with
// prefix, ignoring case, see [loader.Catalog.Complete].
func (t Template) Complete(ctx context.Context, variable, prefix string, given map[string]string) []string {
	if t.of != nil {
		return t.of.Complete(ctx, t.Template.String(), variable, prefix, given)
	}
	return t.view.Files.Complete(ctx, t.index, variable, prefix, given)
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
