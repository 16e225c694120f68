package pack

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// token looks like a token of npm.
const token = "npm_" + "8fK2mQ7xW4vN9tR1yB6cZ3hJ5dL0sPaGeUoI"

// Secrets are found in files and in their names.
func TestInspect(t *testing.T) {
	var files []bundle.File
	for name, text := range map[string]string{"docs/a.md": "# A\n\n" + token, "docs/" + token + ".md": "", ".env": "A=1", "b.md": "b"} {
		files = append(files, bundle.Bytes(name, []byte(text)))
	}
	bundle.Sort(files)
	findings := must.Get(Inspect(t.Context(), files, 0))(t)
	var got []string
	for _, f := range findings {
		got = append(got, f.String())
	}
	want := []string{".env: is a file of environment variables, which mostly hold secrets", "docs/a.md:3: holds an npm token (npm_…)", "docs/" + token + ".md: has a name that holds an npm token (npm_…)"}
	must.Equal(t, want, got)
}

func TestLimits(t *testing.T) {
	files := []bundle.File{bundle.Bytes("a\nb", make([]byte, 30)), bundle.Bytes("big", make([]byte, 3<<20))}
	var count int
	for i := range files {
		files[i].Open = opened(&count, func() {})
	}
	findings := must.Get(Inspect(t.Context(), files, 2<<20))(t)
	want := []Finding{{"", 0, "all files together have 3.0 MiB, the limit is 2.0 MiB; the largest: big (3.0 MiB), \"a\\nb\" (30 bytes)"}}
	must.Equal(t, want, findings)
	if count > 0 {
		t.Errorf("%d files are opened", count)
	}
	must.Equal(t, `"a\nb":2: x`, (Finding{File: "a\nb", Line: 2, What: "x"}).String())
}

func TestAllowed(t *testing.T) {
	for _, test := range []struct {
		pattern, file string
		want          bool
	}{{"docs/a.md", "docs/a.md", true}, {"docs/*.md", "docs/a.md", true}, {"**/*.pem", "resources/x/y.pem", true}, {"docs/[a].md", "docs/[a].md", true}, {"a.md", "docs/a.md", false}, {"docs", "docs/a.md", false}} {
		if got := Allowed(test.pattern, test.file); got != test.want {
			t.Errorf("%q allows %q: %v", test.pattern, test.file, got)
		}
	}
}

// opened counts the files that are opened. Its readers return zeros without end.
func opened(count *int, stop func()) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		*count++
		return io.NopCloser(readerFunc(func(b []byte) (int, error) {
			stop()
			clear(b)
			return len(b), nil
		})), nil
	}
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// An interruption ends a inspect within one part of a file.
func TestInspectStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var count, reads int
	files := []bundle.File{{Name: "a", Size: 1 << 40, Open: opened(&count, func() {
		if reads++; reads == 3 {
			stop()
		}
	})}, {Name: "b", Size: 1, Open: opened(&count, func() {})}}
	if _, err := Inspect(ctx, files, 0); !errors.Is(err, context.Canceled) || count != 1 || reads != 3 {
		t.Errorf("%v after %d reads of %d files", err, reads, count)
	}
}

// A file that grows while it is read ends the inspect, and later the packing.
func TestInspectEndlessFile(t *testing.T) {
	var count int
	files := []bundle.File{{Name: "a", Size: 1 << 20, Open: opened(&count, func() {})}}
	must.Get(Inspect(t.Context(), files, 0))(t)
	if err := files[0].Copy(io.Discard); err == nil || !strings.Contains(err.Error(), "changed while it was packed") {
		t.Error(err)
	}
}

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
	must.Equal(t, want, names)
	must.Equal(t, []string{"site/text/.parts/p.md", "src/x.py"}, c.Outside, "outside")
	must.Equal(t, []Unpacked{{"site/text/made.md", false}, {"site/text/secret.png", false}}, c.Omitted, "omitted")
}
