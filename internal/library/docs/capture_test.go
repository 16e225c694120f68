package docs

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// TestCapturedPage: what a captured page names is neither in its answers nor readable because of it, and a search does not find it there.
func TestCapturedPage(t *testing.T) {
	const lines = "# Captured page\n\n{!../../src/app.py!}\n\n--8<-- \"src/app.py\"\n\n![[app]] [[app.py]]\n\n[source](../../src/app.py) [own](own.bin)\n\n`/data/private.png` ![](../../data/private.png)\n"
	front := "---\nurl: \"https://a.example/x\"\nsha256: \"9c56\"\nassets:\n  - \"ab12 web/own.bin\"\n---\n\n"
	files := map[string]string{"docs/web/x.md": front + lines, "docs/web/own.bin": "own bytes\n", "src/app.py": "zebra = 'PRIVATE'\n", "data/private.png": "PRIVATE"}
	read := func() (answers string) {
		l, err := Detect(t.Context(), tree(files), Reading{})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"docs/web/x.md", "src/app.py", "app.py", "data/private.png"} {
			answers += strings.Join(answer(t, l, Request{Paths: []string{path}}), "\n")
		}
		answers += strings.Join(answer(t, l, Request{Query: "zebra"}), "\n")
		published, err := l.Published(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range published {
			if !strings.HasPrefix(f.Name, "docs/") {
				answers += "PRIVATE file " + f.Name
			}
		}
		return answers
	}
	if got := read(); strings.Contains(got, "PRIVATE") || !strings.Contains(got, "{!../../src/app.py!}") {
		t.Errorf("a captured page: %s", got)
	}
	files["docs/web/x.md"] = lines
	if got := read(); !strings.Contains(got, "PRIVATE") {
		t.Errorf("a page of the author: %s", got)
	}
}

// TestDependencyIncludesNothing: the documents of a dependency include nothing, not even of the same package.
func TestDependencyIncludesNothing(t *testing.T) {
	const text = "# Package\n\n{!other.md!}\n\n--8<-- \"other.md\"\n\n![[other]] [[other]]\n"
	set := dependencies.New([]*dependencies.Package{{Ecosystem: "npm", Name: "a", Version: "1.0.0", Direct: true, Documents: []dependencies.Document{page("README.md", text), page("other.md", "OTHER\n")}}})
	d, err := ReadDependencies(t.Context(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := scan(t, tree(map[string]string{"docs/index.md": "# Own\n"}), "docs", nil).WithDependencies(d)
	if got := answer(t, l, Request{Paths: []string{"deps/npm/a@1.0.0/README.md"}})[0]; !strings.HasSuffix(got, text) {
		t.Errorf("%q", got)
	}
}
