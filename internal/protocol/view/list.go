package view

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

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
	byURI     map[string]int // decoded, without a slash at its end; also with the host in lower case
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
