package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A listed source always has the same list.
type listed struct{ *List }

func (listed) Name() string                                { return "the test" }
func (s listed) Snapshot(*loader.Catalog, string) Snapshot { return s.List }
func (listed) Notify(func(Change))                         {}

// names are the names in random trees. Their order changes when they are encoded, or when a slash
// follows them.
var names = []string{"a", "A", "a b", "a.md", "a-", "é", "%41", "b", "a+b"}

// pick returns a random place: a scheme and one to three names.
func pick(r *rand.Rand) []string {
	place := []string{[]string{"docs", "x", "x.y"}[r.IntN(3)]}
	for range 1 + r.IntN(3) {
		place = append(place, names[r.IntN(len(names))])
	}
	return place
}

// canonical returns the URI of a place.
func canonical(place []string) string {
	b := uri.AppendHost([]byte(place[0]+"://"), place[1])
	for _, name := range place[2:] {
		b = uri.AppendSegment(append(b, '/'), name)
	}
	return string(b)
}

// A view is the sorted union of files and sources, and every canonical URI names its own item. A
// file comes before the first source, which comes before the second.
func TestViewIsTheUnion(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 16))
		tree := fstest.MapFS{}
		want := make(map[string]string) // owner of each URI
		folders := make(map[string]bool)
		for range r.IntN(12) {
			place := pick(r)
			for i := range place {
				if _, taken := tree["resources/"+strings.Join(place[:i+1], "/")]; taken {
					place = nil // a file is already there
					break
				}
			}
			if place == nil || folders[strings.Join(place, "/")] {
				continue
			}
			for i := range place {
				folders[strings.Join(place[:i], "/")] = true
			}
			tree["resources/"+strings.Join(place, "/")] = &fstest.MapFile{}
			want[canonical(place)] = "file"
		}
		catalog := must.Get(loader.Scan(t.Context(), tree, loader.Options{}))(t)
		var sources []Source
		var replaced []string
		for i := range r.IntN(4) {
			var resources []*Resource
			for range r.IntN(8) {
				u := canonical(pick(r))
				resources = append(resources, &Resource{URI: u, Name: fmt.Sprint(i)})
				if want[u] == "file" && !slices.Contains(replaced, u) {
					replaced = append(replaced, u)
				}
				if want[u] == "" {
					want[u] = fmt.Sprint(i)
				}
			}
			sources = append(sources, listed{NewList(resources)})
		}
		catalogs := latest.New[loader.Catalog]()
		catalogs.Publish(catalog)
		views := New(catalogs, sources...)
		v := must.Get(views.Load(t.Context(), ""))(t)
		if !views.UpToDate(v, "") {
			t.Fatalf("seed %d: the view is not current", seed)
		}

		all := []string{}
		for u := range want {
			all = append(all, u)
		}
		slices.SortFunc(all, Compare)
		if got := uris(v, ""); !cmp.Equal(got, all) {
			t.Fatalf("seed %d: %s", seed, cmp.Diff(all, got))
		}
		for range 10 {
			after := canonical(pick(r))
			i, found := slices.BinarySearchFunc(all, after, Compare)
			if found {
				i++
			}
			if got := uris(v, after); !slices.Equal(got, all[i:]) {
				t.Fatalf("seed %d: after %s: %q, want %q", seed, after, got, all[i:])
			}
		}
		for _, u := range all {
			got, ok := v.Lookup(u)
			if !ok || got.URI() != u || whose(got) != want[u] {
				t.Fatalf("seed %d: %s is %v of %s, want the item of %s", seed, u, got.URI(), whose(got), want[u])
			}
			// Another spelling finds the same item, or an item with exactly that spelling.
			if _, ok := v.Lookup(strings.ToUpper(u[:1]) + u[1:] + "/"); !ok {
				t.Fatalf("seed %d: %s is not found in another spelling", seed, u)
			}
		}
		for range 10 {
			place := pick(r)
			place = place[:1+r.IntN(len(place))]
			base := place[0] + "://"
			if len(place) > 1 {
				base = canonical(place) + "/"
			}
			var want, got []string
			for _, u := range all {
				if rest, ok := strings.CutPrefix(u, base); ok {
					name, _, below := strings.Cut(rest, "/")
					if child := fmt.Sprintf("%s%s %v", base, name, below); !slices.Contains(want, child) {
						want = append(want, child)
					}
				}
			}
			slices.SortStableFunc(want, func(a, b string) int {
				return compareBool(strings.HasSuffix(a, "true"), strings.HasSuffix(b, "true"))
			})
			spelled := base
			if len(place) > 1 {
				spelled = canonical(place)
				for _, other := range []string{strings.Replace(base, "://", ":///", 1), base + "/"} {
					if f, ok := v.Folder(other); ok {
						t.Errorf("seed %d: %s is the folder %s", seed, other, f.URI)
					}
				}
			}
			f, ok := v.Folder(spelled)
			if ok && f.base != base {
				continue // another spelling of the same URI
			}
			if ok != (len(want) > 0) {
				t.Fatalf("seed %d: %s is a folder: %v; it has %q", seed, base, ok, want)
			}
			if !ok {
				continue
			}
			for after := (Child{}); ; { // one at a time
				more := false
				for c := range v.Children(f, after) {
					got = append(got, fmt.Sprintf("%s %v", c.URI, c.Folder))
					after, more = c, true
					break
				}
				if !more {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s has %q, want %q", seed, base, got, want)
			}
		}
		slices.SortFunc(replaced, Compare)
		var lost []string
		for _, r := range views.Replaced(catalog) {
			if r.Source != "the test" {
				t.Errorf("seed %d: %s replaces something of %q", seed, r.File.URI(), r.Source)
			}
			if u := r.File.URI(); !slices.Contains(lost, u) { // several sources may have had it
				lost = append(lost, u)
			}
		}
		slices.SortFunc(lost, Compare)
		if !slices.Equal(lost, replaced) {
			t.Fatalf("seed %d: %q are replaced, want %q", seed, lost, replaced)
		}
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func whose(i Item) string {
	if i.Other != nil {
		return i.Other.Name
	}
	return "file"
}

func uris(v View, after string) []string {
	all := []string{}
	for item := range v.After(after) {
		all = append(all, item.URI())
	}
	return all
}

// A page may end at any item.
func TestAfterStops(t *testing.T) {
	catalog := must.Get(loader.Scan(t.Context(), fstest.MapFS{"resources/x/b": {}, "resources/x/d": {}}, loader.Options{}))(t)
	v := View{catalog, []Snapshot{
		NewList([]*Resource{{URI: "x://a"}, {URI: "x://c"}, {URI: "x://e"}}),
		NewList([]*Resource{{URI: "x://f"}}),
	}}
	for n := 1; n <= 6; n++ {
		var got []string
		for item := range v.After("") {
			if got = append(got, item.URI()); len(got) == n {
				break
			}
		}
		if want := []string{"x://a", "x://b", "x://c", "x://d", "x://e", "x://f"}[:n]; !slices.Equal(got, want) {
			t.Errorf("the first %d are %q", n, got)
		}
	}
}

func TestListLookup(t *testing.T) {
	l := NewList([]*Resource{{URI: "index://summary"}, {URI: "capture://Example.com/a%20b"}, {URI: "index://summary", Name: "second"}})
	if l.Len() != 2 {
		t.Errorf("%d resources", l.Len())
	}
	for spelled, want := range map[string]string{
		"index://summary":             "index://summary",
		"INDEX://summary/":            "index://summary",
		"index://Summary":             "index://summary",
		"index://summary?q=1":         "index://summary",
		"index://summary#top":         "index://summary",
		"capture://example.com/a b":   "capture://Example.com/a%20b",
		"capture://EXAMPLE.com/a%20b": "capture://Example.com/a%20b",
		"capture://example.com/A b":   "",
		"index://summary/x":           "",
		"index://":                    "",
		"summary":                     "",
		"":                            "",
	} {
		got, ok := l.Lookup(spelled)
		if ok != (want != "") || ok && (got.URI != want || got.Name != "") {
			t.Errorf("%s is %v", spelled, got)
		}
	}
}
