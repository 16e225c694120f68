package docs

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// siteTree is a project with a generator, two languages, an include and a partial.
func siteTree() fstest.MapFS {
	return given.Texts(map[string]string{
		"mkdocs.yml":     "site_url: https://a.example/\nnav: [b.md, a.md]\nplugins:\n  - i18n:\n      docs_structure: folder\n      languages:\n        - {locale: en, default: true}\n        - {locale: fr}\nexclude_docs: part.md\n",
		"docs/a.md":      "# Alpha { #first }\n\n--8<-- \"code.py\"\n\nwalrus\n",
		"docs/b.md":      "# Beta\n",
		"docs/part.md":   "# Part\n\nwalrus\n",
		"docs/fr/a.md":   "# Alphe\n\nwalrus\n",
		"docs/data.json": "{}",
		"code.py":        "gadget = 1\n",
	})
}

func follow(t *testing.T, fsys fs.FS, named []site.Named, old *Library) *Library {
	t.Helper()
	return must.Get(Detect(t.Context(), fsys, Reading{Sites: site.Options{Chosen: "docs", Named: named}, Old: old}))(t)
}

func inOrder(documents []Document) (out []string) {
	for _, d := range documents {
		out = append(out, d.Path)
	}
	return out
}

// A document of a site that has changed since it was indexed is found, and shows no text.
func TestChangedPageHasNoSnippet(t *testing.T) {
	fsys := siteTree()
	l := follow(t, fsys, nil, nil)
	hit := func() Hit {
		t.Helper()
		hits, _, err := l.Search(t.Context(), "walrus", 1)
		if err != nil || len(hits) != 1 {
			t.Fatal(hits, err)
		}
		return hits[0]
	}
	if h := hit(); !strings.Contains(h.Snippet, "walrus") {
		t.Fatalf("%+v", h)
	}
	fsys["docs/a.md"] = &fstest.MapFile{Data: []byte(strings.Repeat("other words ", 20))}
	fsys["docs/fr/a.md"], fsys["docs/part.md"] = fsys["docs/a.md"], fsys["docs/a.md"]
	if h := hit(); h.Snippet != "" {
		t.Errorf("%+v", h)
	}
}

// The documents of a chosen folder are all its files, with the metadata of the generator.
func TestFollow(t *testing.T) {
	fsys := siteTree()
	l := follow(t, fsys, nil, nil)
	must.Equal(t, []string{"b.md", "a.md", "part.md"}, inOrder(l.Documents()), "documents")
	if got := ask(t, l, "https://a.example/docs/a/"); !strings.Contains(got, "includes:\n  - code.py\n") || !strings.Contains(got, "gadget = 1") {
		t.Error(got)
	}
	if got := ask(t, l, "data.json"); !strings.HasSuffix(got, "{}") {
		t.Error(got)
	}
	if got := ask(t, l, "/"); !strings.Contains(got, "# Directory: /") {
		t.Error(got)
	}
	found := func(l *Library, query string) (paths []string) {
		for _, h := range search(t, l, query) {
			paths = append(paths, h.Path)
		}
		return paths
	}
	for query, want := range map[string][]string{"walrus": {"a.md", "part.md"}, "walrus language:fr": {"fr/a.md"}, "gadget": {"a.md"}} {
		must.Equal(t, want, found(l, query), query)
	}
	// Without a configuration, the same documents are in the order of their names.
	fsys["notes/a.md"], fsys["notes/README.md"], fsys["README.md"] = fsys["docs/b.md"], fsys["docs/b.md"], fsys["docs/b.md"]
	delete(fsys, "mkdocs.yml")
	l = follow(t, fsys, nil, l)
	must.Equal(t, []string{"a.md", "b.md", "part.md"}, inOrder(l.Documents()))
	if got := found(l, "gadget"); !slices.Equal(got, []string{"a.md"}) {
		t.Errorf("finds %v", got)
	}
	if got := l.Served(); !strings.HasPrefix(got, "4 Markdown files are served; 3 are not: 3 elsewhere") {
		t.Error(got)
	}
}

// A search in the default language does not wait until other languages are indexed.
func TestIndexOfDefaultLanguageFirst(t *testing.T) {
	l := must.Get(Detect(t.Context(), siteTree(), Reading{}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := 0
	_ = l.IndexBeside(ctx, func(context.Context) bool {
		if asked++; asked > l.Len() { // a document of the second part
			cancel()
		}
		return false
	})
	if l.index.Load() == nil || l.whole.Load() != nil {
		t.Fatal("the indexes are not built one after the other")
	}
	if hits := search(t, l, "walrus"); len(hits) != 2 || l.builder.read != l.Len() {
		t.Errorf("%v, %d documents read", hits, l.builder.read)
	}
	before := search(t, l, "walrus")
	if hits := search(t, l, "walrus language:fr"); len(hits) != 1 || l.builder.read != l.Len()+1 {
		t.Errorf("%v, %d documents read", hits, l.builder.read)
	}
	if after := search(t, l, "walrus"); len(after) != 2 || after[0].Score != before[0].Score {
		t.Errorf("another language changes the score from %v to %v", before, after)
	}
}

// TestVersionsInSearch looks for a page that the default version lacks, and for one that all versions have. The first comes
// last, although its text matches better.
func TestVersionsInSearch(t *testing.T) {
	l, err := Detect(t.Context(), given.Texts(map[string]string{
		"docs/v1/same.md": "# Same\n\nbilling\n", "docs/v2/same.md": "# Same\n\nbilling\n", "docs/v3/same.md": "# Same\n\nbilling\n",
		"docs/v1/legacy.md": "# Legacy\n\nbilling billing\n", "docs/v2/legacy.md": "# Legacy\n\nbilling billing\n",
	}), Reading{})
	must.Do(t, err)
	hits, _, err := l.Search(t.Context(), "billing", 10)
	must.Do(t, err)
	var got []string
	for _, h := range hits {
		got = append(got, h.Path)
	}
	if want := []string{"docs/v3/same.md", "docs/v2/legacy.md"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if n := l.Len(); n != 1 {
		t.Errorf("%d documents are listed, want 1", n)
	}
}

// A client reads a passage at the line that a hit, an outline or a section names, in pages that include files too.
func TestLinesOfPagesWithIncludes(t *testing.T) {
	part := "## Inside\n\nwalrus tusks\n\n```sh\nnarwhal --dive\n```\n\n" + strings.Repeat("filler text\n", 800) + "## Below\n\nmanatee\n"
	l := follow(t, given.Texts(map[string]string{"mkdocs.yml": "", "part.md": part, "docs/a.md": "# A\n\n--8<-- \"part.md\"\n\n## Last\n\nwalrus skin, octopus\n"}), nil, nil)
	read := func(line string) string {
		n, _ := strconv.Atoi(line)
		first, _, _ := strings.Cut(body(t, answer(t, l, Request{Paths: []string{"a.md"}, Offset: n, Limit: 1})[0]), "\n")
		return first
	}
	hit := regexp.MustCompile(`line (\d+).*\n {3}(.*)`)
	for query, want := range map[string]string{"manatee": "manatee", "octopus skin": "walrus skin, octopus"} {
		m := hit.FindStringSubmatch(answer(t, l, Request{Query: query, Limit: 1})[0])
		if m == nil || m[2] != want || read(m[1]) != want {
			t.Errorf("%s: %q", query, m)
		}
		if h := search(t, l, query)[0]; read(strconv.Itoa(h.Line)) != want {
			t.Errorf("%s: line %d: %q", query, h.Line, read(strconv.Itoa(h.Line)))
		}
	}
	outline := regexp.MustCompile(`(?m)^  - "?(\d+) -* ?([A-Z]\w*)"?$`).FindAllStringSubmatch(ask(t, l, "a.md"), -1)
	if len(outline) != 4 {
		t.Errorf("outline %q", outline)
	}
	for _, m := range outline {
		section := regexp.MustCompile(`line: "(\d+)"`).FindStringSubmatch(answer(t, l, Request{Paths: []string{"a.md"}, Section: m[2]})[0])
		if !strings.HasSuffix(read(m[1]), " "+m[2]) || section == nil || section[1] != m[1] {
			t.Errorf("%s: outline %s, section %q: %q", m[2], m[1], section, read(m[1]))
		}
	}
}

// A path below the folder that holds all main documents is found without this folder; the path of a file in the project comes first.
func TestPathsBelowTheMainFolder(t *testing.T) {
	l, err := Detect(t.Context(), given.Texts(map[string]string{"docs/index.md": "# I", "docs/guide/a.md": "# A", "docs/b.md": "# B", "b.md": "# Outer", "README.md": "# R"}), Reading{})
	must.Do(t, err)
	for asked, want := range map[string]string{"index": "docs/index.md", "guide/a.md": "docs/guide/a.md", "../guide/a": "docs/guide/a.md", "b.md": "b.md", "guide": "docs/guide/", "docs/b": "docs/b.md"} {
		if got, _, _ := l.Lookup(asked); got != want {
			t.Errorf("%s: %q, want %q", asked, got, want)
		}
	}
	if got := l.find("../../etc/passwd"); !got.invalid {
		t.Errorf("%+v", got)
	}
}
