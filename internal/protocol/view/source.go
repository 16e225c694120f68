package view

import (
	"context"
	"iter"

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
