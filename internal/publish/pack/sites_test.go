package pack

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// From a repository with sites, the documents, the files that they use and a description of the sites are
// packed, and nothing else.
func TestSites(t *testing.T) {
	files := given.Texts(map[string]string{
		"site/mkdocs.yml": "docs_dir: text\n", "site/text/index.md": "# Home\n\n![](a.png) ![](/img/b.svg)\n\n--8<-- \"../src/x.py\"\n\n--8<-- \"src/x.py\"\n\n--8<-- \".parts/p.md\"\n", "site/text/.parts/p.md": "part\n", "site/text/a.png": "png", "site/text/secret.png": "png",
		"site/text/notes.txt": "no", "src/x.py": "x = 1\n", "src/y.py": "no", "site/text/n.md": "# N\n", "resources/x/h/a": "r", ".gitignore": "made.md\n", "site/text/made.md": "no",
	})
	library := must.Get(docs.Detect(t.Context(), files, docs.Reading{}))(t)
	c := must.Get(Gather(t.Context(), Project{Files: files, Config: "{}", Library: library, Release: true, Options: loader.Options{}}))(t)
	var names []string
	for _, f := range c.Files {
		names = append(names, f.Name)
		if err := f.Copy(io.Discard); err != nil {
			t.Error(err)
		}
	}
	want := []string{"mcp-docs-server.json", site.DescriptionFile, "resources/x/h/a", "site/text/.parts/p.md", "site/text/a.png", "site/text/index.md", "site/text/n.md", "site/text/notes.txt", "src/x.py"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"site/text/.parts/p.md", "src/x.py"}, c.Outside); diff != "" {
		t.Errorf("outside: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]Unpacked{{"site/text/made.md", false}, {"site/text/secret.png", false}}, c.Omitted); diff != "" {
		t.Errorf("omitted: -want +got:\n%s", diff)
	}
}
