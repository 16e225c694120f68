package site

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is a project in memory: its files, by name.
func tree(files map[string]string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func load(t *testing.T, files map[string]string) *Set {
	t.Helper()
	s, err := loadAll(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func loadAll(ctx context.Context, files map[string]string) (*Set, error) {
	return Find(ctx, tree(files), Options{}, nil, nil)
}

func content(t testing.TB, s *Set, p *Page, text string) Content {
	t.Helper()
	c, err := s.Content(t.Context(), p, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func uses(t testing.TB, s *Set, p *Page, text string) []string {
	t.Helper()
	files, err := s.Uses(t.Context(), p, text)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// outline returns a line a page: file, title, and what else is known.
func outline(pages []*Page) string {
	var b strings.Builder
	for _, p := range pages {
		b.WriteString(p.Path + " | " + p.Title)
		for _, more := range []string{p.Language(), p.Version()} {
			if more != "" {
				b.WriteString(" | " + more)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestStaticFiles has a link from the root of a site whose generator is not known.
func TestStaticFiles(t *testing.T) {
	s := load(t, map[string]string{"a.md": "# A\n", "static/b.svg": "<svg/>"})
	if got := s.Resolve(s.Page("a.md"), "/b.svg"); got.File != "static/b.svg" {
		t.Errorf("got %+v", got)
	}
}

// A byte order mark is not a fault of a document, of configuration, or of a file that is included.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	s := load(t, map[string]string{
		"mkdocs.yml": mark + "site_url: https://a.example/\nnav: [b.md, a.md]\n", "docs/a.md": mark + "---\ntitle: First\n---\ntext\n", "docs/b.md": mark + "# Second\n--8<-- \"docs/c.txt\"\n", "docs/c.txt": mark + "part\n",
	})
	if got, want := outline(s.Pages(true)), "docs/b.md | Second\ndocs/a.md | First\ndocs/c.txt | C\n"; got != want {
		t.Error(got)
	}
	if got := content(t, s, s.Page("docs/b.md"), "--8<-- \"docs/c.txt\"\n").Text; got != "part\n" {
		t.Errorf("%q", got)
	}
	wide := "\xff\xfe"
	for _, r := range "---\ntitle: Wide\n---\n" {
		wide += string([]byte{byte(r), 0})
	}
	if got := outline(load(t, map[string]string{"docs/a.md": wide}).Pages(true)); got != "docs/a.md | Wide\n" {
		t.Errorf("UTF-16: %q", got)
	}
}
