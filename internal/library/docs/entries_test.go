package docs

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Entries returns the same as a pass over all files, for every folder.
func TestEntries(t *testing.T) {
	files := fstest.MapFS{}
	for i, name := range []string{
		"a.md", "a/b.md", "a/b/c.md", "a/b/d.mdx", "a/b.txt", "a-b/x.md", "a.b/x.md", "a0/x.md", "a b/x.md", "é/ü.md", "deep/er/est/x.md", "deep/er/y.md", "only/image.png", "z.MD",
	} {
		files["docs/"+name] = &fstest.MapFile{Data: []byte(strings.Repeat("x", i))}
	}
	l, err := Scan(t.Context(), files, "docs", nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
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
