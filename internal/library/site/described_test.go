package site

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

// repacked returns the set that is found in the documents of a set, what they use, and its description.
func repacked(t *testing.T, s *Set, files map[string]string) *Set {
	t.Helper()
	description, err := s.Describe()
	if err != nil {
		t.Fatal(err)
	}
	packed := map[string]string{DescriptionFile: string(description)}
	for _, p := range s.Pages(true) {
		packed[p.File] = markup.WithoutOutputs(p.File, files[p.File])
		for _, name := range uses(t, s, p, files[p.File]) {
			packed[name] = files[name]
		}
	}
	return load(t, packed)
}

// A set that is made of its description answers as the set of the repository, and no file of it is a document that
// may not be read.
func TestDescribed(t *testing.T) {
	files := map[string]string{
		"mkdocs.yml": "site_url: https://a.example/\nnav: [b.md, index.md]\nmarkdown_extensions: [{pymdownx.snippets: {base_path: src}}]\n", "docs/index.md": "# Home\n\n--8<-- \"x.py\"\n\n![](img/a.png)\n", "docs/b.md": "# B\n\n--8<-- \"docs/.part.md\"\n",
		"docs/.part.md": "part\n", "src/x.py": "x = 1\n", "docs/img/a.png": "png", "docs/img/other.png": "png",
	}
	s := load(t, files)
	again := repacked(t, s, files)
	for _, p := range s.Pages(true) {
		o := again.Page(p.File)
		if o == nil {
			t.Fatalf("%s is missing", p.File)
		}
		if diff := cmp.Diff(content(t, s, p, files[p.File]), content(t, again, o, files[p.File])); diff != "" {
			t.Errorf("%s (-repository +package):\n%s", p.File, diff)
		}
	}
	if a, b := outline(again.Pages(true)), outline(s.Pages(true)); a != b || again.String() != s.String() {
		t.Errorf("%s\n%s\n%s", a, b, again)
	}
	if got := uses(t, s, s.Page("docs/index.md"), files["docs/index.md"]); !slices.Equal(got, []string{"src/x.py", "docs/img/a.png"}) {
		t.Errorf("uses %q", got)
	}
	hostile := load(t, map[string]string{
		DescriptionFile: `{"sites": [{"generator": "MkDocs", "trees": [{"root": "docs"}, {"root": "../up", "extra": true}], "pages": [{"file": "docs/a.md", "title": "A", "key": "docs/a"},
			{"file": "docs/.env"}, {"file": "docs/made.md"}, {"file": "../x.md", "tree": 1}, {"file": "src/x.py"}, {"file": "docs/gone.md"}, {"file": "docs/a.md", "tree": 7}, {"file": "/etc/passwd"}]}]}`,
		"docs/a.md": "# A\n", "docs/.env": "x", "docs/made.md": "x", ".gitignore": "made.md\n", "src/x.py": "x",
	})
	if got := outline(hostile.Pages(true)); got != "docs/a.md | A\n" {
		t.Errorf("%q", got)
	}
}

// What .gitignore names is read of every folder, whether or not configuration was looked for in it.
func TestIgnored(t *testing.T) {
	s := load(t, map[string]string{".gitignore": "/top.md\nbuild/\n*.key\n!kept.key\n", "examples/a/b/c/d/e/.gitignore": "secret.*\n", "docs/index.md": "# H\n"})
	for file, want := range map[string]bool{
		"top.md": true, "x/top.md": false, "build/a/b": true, "x/build/y": true, "build": false, "a.key": true, "x/kept.key": false,
		"examples/a/b/c/d/e/secret.txt": true, "examples/a/b/c/d/e/f/secret.txt": true, "examples/a/secret.txt": false,
	} {
		if got := s.docs.Ignored(file, false); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}
