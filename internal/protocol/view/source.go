package view

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
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
	Owner string // the caller that the change concerns; "": all callers
	// the set of listed resources has changed, or a name, title, description, type or template
	List bool
	// canonical URIs of resources that were added or removed or have other bytes
	Updated []string

	// Also reports whether a resource that Updated does not name may have other bytes too. The hub
	// calls it for the resources that clients have subscribed to, so it must be fast. nil: no other
	// resource has changed.
	Also func(canonical string) bool
}

// A Resource is a resource that is not a file of the project (MCP, "Resources", data type
// Resource). It never changes: when its bytes change, a new snapshot has a new Resource.
type Resource struct {
	// canonical: ASCII that needs no escape in JSON, as [loader.Resource.URI] spells it
	URI         string
	Name        string
	Title       string // "": none
	Description string // "": none
	MIMEType    string
	Size        int64     // bytes; negative: unknown until it is read
	Modified    time.Time // zero: unknown
	Audience    []string  // user, assistant
	Priority    *float64  // from 0 to 1
	Document    string    // path of the document; "": it is not one
	Owner       string    // the only caller that may see it; "": all callers may

	// Read returns the bytes, which nobody may change afterwards. If the bytes are not in memory,
	// Read gets a buffer of at least n bytes from alloc and returns a part of it. If alloc has no
	// room, it returns nil and Read returns [loader.ErrNoRoom]; the caller repeats Read when more
	// room is free. An error that is [fs.ErrNotExist] says that the resource no longer exists; a
	// [*Refusal] is shown to the client. Read may be called concurrently. It returns early when ctx
	// ends.
	Read func(ctx context.Context, alloc func(n int) []byte) ([]byte, error)
}

// A Refusal says what is wrong with the URI of a resource that is computed from the URI, such as a
// number that is too large. The client made the mistake, so clients may read it.
type Refusal struct{ Reason string }

func (e *Refusal) Error() string { return e.Reason }

// Bytes returns a Read function for bytes that are in memory.
func Bytes(data []byte) func(context.Context, func(int) []byte) ([]byte, error) {
	return func(context.Context, func(int) []byte) ([]byte, error) { return data, nil }
}

// Compare compares two canonical URIs in the order of lists.
func Compare(a, b string) int { return compareKeys(keyOf(a), keyOf(b)) }

// A key is the scheme and the raw names of a URI.
type key []string

func keyOf(canonical string) key {
	if canonical == "" {
		return nil
	}
	if k, ok := split(uri.Decode(canonical)); ok {
		return k
	}
	return key{canonical}
}

func split(decoded string) (key, bool) {
	scheme, path, ok := uri.Split(decoded)
	return append(key{scheme}, strings.Split(path, "/")...), ok
}

func compareKeys(a, b key) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		lastA, lastB := i == len(a)-1, i == len(b)-1
		switch {
		case lastA != lastB: // a resource comes before the folders of its folder
			if lastA {
				return -1
			}
			return 1
		case a[i] != b[i]:
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b)) // "" comes before all
}

// A List is a snapshot with a fixed set of resources and no templates.
type List struct {
	resources []*Resource // in canonical order
	keys      []key
	// decoded, without a slash at its end; also with the host in lower case
	byURI map[string]int
}

// NewList returns a list of resources, which may be in any order. If several resources have one
// URI, it keeps the first.
func NewList(resources []*Resource) *List {
	type entry struct {
		*Resource
		key
	}
	entries := make([]entry, len(resources))
	for i, r := range resources {
		entries[i] = entry{r, keyOf(r.URI)}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return compareKeys(a.key, b.key) })
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return compareKeys(a.key, b.key) == 0 })
	l := &List{
		resources: make([]*Resource, len(entries)),
		keys:      make([]key, len(entries)),
		byURI:     make(map[string]int, len(entries)),
	}
	for i, e := range entries {
		l.resources[i], l.keys[i] = e.Resource, e.key
		l.byURI[strings.Join(e.key, "/")] = i
	}
	for i, e := range entries {
		if _, exact := l.byURI[e.key.folded()]; !exact {
			l.byURI[e.key.folded()] = i
		}
	}
	return l
}

// folded returns the key with the host in lower case: hosts are case-insensitive (RFC 3986 section
// 3.2.2).
func (k key) folded() string {
	k = slices.Clone(k)
	if len(k) > 1 {
		k[1] = strings.ToLower(k[1])
	}
	return strings.Join(k, "/")
}

// Len returns the number of resources.
func (l *List) Len() int { return len(l.resources) }

// After implements [Snapshot].
func (l *List) After(canonical string) iter.Seq[*Resource] {
	i, found := slices.BinarySearchFunc(l.keys, keyOf(canonical), compareKeys)
	if found {
		i++
	}
	return slices.Values(l.resources[i:])
}

// Lookup implements [Snapshot].
func (l *List) Lookup(s string) (*Resource, bool) {
	for decoded := range uri.Readings(s) {
		k, ok := split(decoded)
		if !ok {
			continue
		}
		for _, spelled := range []string{strings.Join(k, "/"), k.folded()} {
			if i, ok := l.byURI[spelled]; ok {
				return l.resources[i], true
			}
		}
	}
	return nil, false
}

// Templates implements [Snapshot].
func (l *List) Templates() []templates.Entry { return nil }

// Complete implements [Snapshot].
func (l *List) Complete(context.Context, string, string, string, map[string]string) []string {
	return nil
}
