package view

import (
	"context"
	"iter"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A Source provides resources that are not files. Its methods may be called concurrently.
type Source interface {
	// Name names the source in messages, as in "the capability index".
	Name() string

	// Snapshot returns the current resources of the source for a caller; caller is "" if the
	// process has only one. files are the files of the project, from which a source may compute its
	// resources. nil: the source has no resources.
	Snapshot(files *loader.Catalog, caller string) Snapshot

	// Notify gives the source a function to call after each change. It is called once, before
	// anything else.
	Notify(changed func(Change))
}

// A Waiter is a source whose resources are not known at the start.
type Waiter interface {
	// Wait returns when the resources are known, or when ctx ends.
	Wait(ctx context.Context)
}

// A Snapshot holds the resources of a source at one moment. It does not change, and equal (==)
// snapshots have the same content.
type Snapshot interface {
	// After yields, in canonical order, the listed resources after a canonical URI, whether or not
	// a resource has that URI; "" comes before all.
	After(canonical string) iter.Seq[*Resource]

	// Lookup finds a resource by any spelling of its URI, whether or not it is listed.
	Lookup(uri string) (*Resource, bool)

	// Templates returns the templates in the order of the list.
	Templates() []templates.Entry

	// Complete returns, sorted, the values of a variable of a template that start with prefix,
	// ignoring case. given holds the values that were chosen for other variables.
	Complete(ctx context.Context, template, variable, prefix string, given map[string]string) []string
}

// A Change describes what has changed in a source.
type Change struct {
	Owner   string   // the caller that the change concerns; "": all callers
	List    bool     // the set of listed resources has changed, or a name, title, description, type or template
	Updated []string // canonical URIs of resources that were added or removed or have other bytes

	// Also reports whether a resource that Updated does not name may have other bytes too. The hub
	// calls it for the resources that clients have subscribed to, so it must be fast. nil: no other
	// resource has changed.
	Also func(canonical string) bool
}
