package docs

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// lines returns the entries of an outline, one a line, with their pages.
func lines(nodes []*Node, indent string) (b strings.Builder) {
	for _, n := range nodes {
		fmt.Fprintf(&b, "%s%s (%s)", indent, n.Title, n.Path)
		if n.Section {
			fmt.Fprintf(&b, " %d", n.Count)
		}
		b.WriteString("\n")
		inside := lines(n.Inside, indent+"  ")
		b.WriteString(inside.String())
	}
	return b
}

func filesOf(files ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// Without a site, documents are in their folders: the index first, then those with an order, then the others by name.
func TestOutlineOfFolders(t *testing.T) {
	l, err := Detect(t.Context(), filesOf("docs/README.md=# Welcome", "docs/b.md=# Bee", "docs/a.md=---\norder: 2\n---\n# Late", "docs/z.md=---\norder: 1\n---\n# Early", "docs/notes.txt=x",
		"docs/guide/index.md=---\ntitle: The guide\norder: 3\n---\n", "docs/guide/setup.md=# Set up", "docs/guide/deep/x.md=plain", "docs/more/y.mdx=# Why", "docs/Case.md="), Reading{Sites: site.Options{Chosen: "docs"}})
	must.Do(t, err)
	for open, want := range map[string]string{
		"": "Welcome (README.md)\nEarly (z.md)\nLate (a.md)\nThe guide (guide/index.md) 3\nBee (b.md)\nCase (Case.md)\nNotes (notes.txt)\nmore (more/) 1\n",
		"guide/setup.md": "Welcome (README.md)\nEarly (z.md)\nLate (a.md)\nThe guide (guide/index.md) 3\n  Set up (guide/setup.md)\n  deep (guide/deep/) 1\n" +
			"Bee (b.md)\nCase (Case.md)\nNotes (notes.txt)\nmore (more/) 1\n",
		"guide/deep/": "Welcome (README.md)\nEarly (z.md)\nLate (a.md)\nThe guide (guide/index.md) 3\n  Set up (guide/setup.md)\n  deep (guide/deep/) 1\n    X (guide/deep/x.md)\n" +
			"Bee (b.md)\nCase (Case.md)\nNotes (notes.txt)\nmore (more/) 1\n",
	} {
		o := l.Outline(open)
		got := lines(o.Nodes, "")
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%q: %s", open, diff)
		}
	}
	for open, want := range map[string][2]string{"README.md": {"", "z.md"}, "guide/index.md": {"a.md", "guide/setup.md"}, "more/y.mdx": {"notes.txt", ""}, "none.md": {}} {
		if o := l.Outline(open); [2]string{o.Before, o.After} != want {
			t.Errorf("%s is between %q and %q, want %q", open, o.Before, o.After, want)
		}
	}
	if o := (*Library)(nil).Outline("a"); o.Nodes != nil {
		t.Error("a nil library has an outline")
	}
}

// Groups of a site's navigation come before folders. The index of a group is its page.
func TestOutlineOfGroups(t *testing.T) {
	l, err := Detect(t.Context(), filesOf("mkdocs.yml=nav:\n- Home: index.md\n- Learn:\n  - learn/index.md\n  - First: learn/z.md\n  - Deeper:\n    - b.md\n    - a.md\n- c.md\n",
		"docs/index.md=# Index", "docs/learn/index.md=# Learning", "docs/learn/z.md=# Zed", "docs/a.md=# A", "docs/b.md=# B", "docs/c.md=# C", "docs/learn/left.md=# Left"), Reading{})
	must.Do(t, err)
	for open, want := range map[string]string{
		"docs/c.md":       "Home (docs/index.md)\nLearn (docs/learn/index.md) 4\nC (docs/c.md)\ndocs (docs/) 1\n",
		"docs/learn/z.md": "Home (docs/index.md)\nLearn (docs/learn/index.md) 4\n  First (docs/learn/z.md)\n  Deeper (docs/b.md) 2\nC (docs/c.md)\n",
		"docs/a.md":       "Home (docs/index.md)\nLearn (docs/learn/index.md) 4\n  First (docs/learn/z.md)\n  Deeper (docs/b.md) 2\n    B (docs/b.md)\n    A (docs/a.md)\nC (docs/c.md)\n",
	} {
		o := l.Outline(open)
		got := lines(o.Nodes, "")
		if !strings.HasPrefix(got.String(), want) {
			t.Errorf("%s:\n%s", open, got.String())
		}
	}
}

// With many documents, the first entries of a folder have titles.
func TestOutlineOfMany(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 1001 {
		fsys[fmt.Sprintf("docs/part-%d/page-%04d.md", i%3, i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "# Page %d", i)}
	}
	l := must.Get(Detect(t.Context(), fsys, Reading{Sites: site.Options{Chosen: "docs"}}))(t)
	if o := l.Outline(""); len(o.Nodes) != 3 || o.Nodes[0].Count != 334 {
		t.Errorf("%+v", o)
	}
	const open = "part-1/page-0004.md"
	if o := l.Outline(open); o.Nodes[1].Inside[1].Title != "Page 4" || o.Nodes[1].Inside[MaxTitled].Title != "page-0301.md" {
		t.Errorf("%+v", o.Nodes[1].Inside[1])
	}
	if o := l.Outline("part-1/page-0400.md"); o.Nodes[1].Inside[133].Title != "Page 400" {
		t.Errorf("%+v", o.Nodes[1].Inside[133])
	}
}

// Entries returns the same as a pass over all files, for every folder.
func TestEntries(t *testing.T) {
	files := fstest.MapFS{}
	for i, name := range []string{
		"a.md", "a/b.md", "a/b/c.md", "a/b/d.mdx", "a/b.txt", "a-b/x.md", "a.b/x.md", "a0/x.md", "a b/x.md", "é/ü.md", "deep/er/est/x.md", "deep/er/y.md", "only/image.png", "z.MD",
	} {
		files["docs/"+name] = &fstest.MapFile{Data: []byte(strings.Repeat("x", i))}
	}
	l := must.Get(Detect(t.Context(), files, Reading{Sites: site.Options{Chosen: "docs"}}))(t)
	for _, folder := range []string{"", "a/", "a/b/", "a-b/", "a.b/", "a0/", "a b/", "é/", "deep/", "deep/er/", "deep/er/est/", "only/", "none/"} {
		var folders, documents []Entry
		for path, size := range l.Files() { // in byte order, in which a/b.md comes before a/b/c.md
			rest, ok := strings.CutPrefix(path, folder)
			if !ok || !l.Has(path) {
				continue
			}
			name, _, below := strings.Cut(rest, "/")
			switch {
			case !below:
				documents = append(documents, Entry{Name: name, Count: 1, Size: size})
			case len(folders) == 0 || folders[len(folders)-1].Name != name:
				folders = append(folders, Entry{Name: name, Folder: true, Count: 1})
			default:
				folders[len(folders)-1].Count++
			}
		}
		want := append(folders, documents...)
		if diff := cmp.Diff(want, l.Entries(folder)); diff != "" {
			t.Errorf("%q: %s", folder, diff)
		}
		if l.HasFolder(folder) != (len(want) > 0) {
			t.Errorf("HasFolder(%q) is %v", folder, l.HasFolder(folder))
		}
	}
	if !l.HasFile("only/image.png") || l.HasFile("only") || l.HasFile("none") || (*Library)(nil).Entries("") != nil {
		t.Error("HasFile")
	}
}

// TestIndexOfFolder: a link to a folder opens its index, and the listing follows; several documents with the same end are candidates.
func TestIndexOfFolder(t *testing.T) {
	l, err := Detect(t.Context(), given.Texts(map[string]string{"docs/guide/index.md": "# Guide\n\nStart.\n", "docs/guide/a.md": "# A\n", "docs/other/b.md": "# B\n", "docs/x/b.md": "# B\n", "docs/index.md": "# Home\n"}), Reading{})
	must.Do(t, err)
	for path, want := range map[string]string{
		"docs/guide/": "# Guide\n\nStart.\n\n# Directory: docs/guide/\n\n## Files\n\n- docs/guide/a.md: A\n- docs/guide/index.md: Guide\n",
		"docs/x":      "# Directory: docs/x\n\n## Files\n\n- docs/x/b.md: B\n",
		"./b.md#b":    "Several documents have paths that end so. Ask for one of them:\n\n- docs/other/b.md\n- docs/x/b.md",
	} {
		if got := body(t, ask(t, l, path)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
