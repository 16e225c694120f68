package capability

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// tree is a project folder of the given files.
func tree(files map[string]string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o600, ModTime: time.Unix(1_700_000_000, 0)}
	}
	return fsys
}

func templateIndex(t testing.TB, definitions string) *matcher.Index {
	t.Helper()
	entries, problems := templates.Decode("templates.json", []byte(definitions))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	index, problems := matcher.New("templates.json", entries)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return index
}

// open reads a project folder that has something of every kind.
func open(t testing.TB, fsys fs.FS, definitions string) Project {
	t.Helper()
	ctx := t.Context()
	catalog, err := loader.Scan(ctx, fsys, loader.Options{Templates: templateIndex(t, definitions), Describe: true})
	if err != nil {
		t.Fatal(err)
	}
	library, err := docs.Scan(ctx, fsys, "docs", nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := library.Index(ctx); err != nil {
		t.Fatal(err)
	}
	set, err := prompts.Scan(ctx, fsys, "prompts", nil, func(string) {}, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return Project{
		Name: "Acme", Version: "1.2.3", Files: catalog, Library: library, Prompts: set, DocsTool: "searchAcme", ResourceTools: true,
		Tools:  []Tool{{"searchAcme", "Search Acme", "Read and search."}},
		Skills: []Skill{{"skill://release/SKILL.md", "release", "How to release.", 120}},
	}
}

const definitions = `[{"uriTemplate": "config://services/{service}/{environment}.yaml", "name": "Settings", "description": "Settings of a service."}]`

func sample() fstest.MapFS {
	return tree(map[string]string{
		"docs/index.md":                              "# Welcome\n\nSee [retries](guides/retries.md) and [limits](guides/limits.md#x).\n",
		"docs/guides/retries.md":                     "# Retries\n\nA request is retried. See [limits](limits.md) and [settings](config://services/pay/prod.yaml).\n",
		"docs/guides/limits.md":                      "---\ndescription: How much there may be.\n---\n# Limits\n\nLimits of requests.\n",
		"prompts/review.mdx":                         "---\ndescription: Reviews a file.\nargs:\n  - name: file\n    description: Which one.\n    required: true\n  - name: style\n    enum: [short, long]\n    default: short\n---\nReview {file}.\n",
		"resources/config/services/pay/prod.yaml":    "a: 1\n",
		"resources/config/services/pay/staging.yaml": "a: 2\n",
		"resources/files/logo.svg":                   "<svg/>",
		"resources/files/notes.md":                   "# Notes\n",
	})
}

func summary(t testing.TB, p Project) string {
	t.Helper()
	text, _, err := indexOf(p, Expose(nil)).Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text.Text
}

func full(t testing.TB, p Project) string {
	t.Helper()
	text, _, err := indexOf(p, Expose(nil)).Full(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text.Text
}

var update = flag.Bool("update", false, "write the golden files")

// TestDocuments compares the documents of a small project with golden files.
func TestDocuments(t *testing.T) {
	p := open(t, sample(), definitions)
	figures, err := indexOf(p, Expose(nil)).figures().encode()
	if err != nil {
		t.Fatal(err)
	}
	var pages strings.Builder
	for _, typ := range types {
		pages.WriteString(elementsOf(p, Page{Type: typ}))
	}
	for name, got := range map[string]string{"summary.md": summary(t, p), "full.md": full(t, p), "stats.json": figures, "elements.md": pages.String()} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got), run the test with -update:\n%s", name, diff)
		}
	}
}

// indexOf returns the index of a project in its current state.
func indexOf(p Project, e Exposed) *Index {
	return newIndex(p, e, p.Library != nil && p.Library.Indexed())
}

func elementsOf(p Project, page Page) string { return indexOf(p, Expose(nil)).Elements(page).Text }

// TestUnready checks that documents say which parts are not known yet.
func TestUnready(t *testing.T) {
	p := open(t, sample(), definitions)
	library, err := docs.Scan(t.Context(), sample(), "docs", nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Library = library
	for _, text := range []string{summary(t, p), full(t, p), elementsOf(p, Page{Type: Documents})} {
		if !strings.Contains(text, "still being indexed") {
			t.Errorf("the text does not say that documents are being indexed:\n%s", text)
		}
	}
	p.Library, p.Prompts = nil, nil
	for _, text := range []string{summary(t, p), full(t, p), elementsOf(p, Page{Type: Prompts})} {
		if !strings.Contains(text, "still being read") {
			t.Errorf("the text does not say that the project is being read:\n%s", text)
		}
	}
	if indexOf(p, Expose(nil)).figures().Ready {
		t.Error("ready without documents")
	}
}

// TestExposed checks that no document names a document that does not exist.
func TestExposed(t *testing.T) {
	p := open(t, sample(), definitions)
	x := indexOf(p, Expose([]string{"summary"}))
	text, _, err := x.Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{text.Text, x.full()} {
		if strings.Contains(text, Scheme) {
			t.Errorf("it names what is not exposed:\n%s", text)
		}
	}
}

// TestCopies checks that the bytes depend on contents and times alone: not on the folder, and not
// on the edits that led there.
func TestCopies(t *testing.T) {
	fsys := sample()
	var copies [2]string
	for i := range copies {
		dir := t.TempDir()
		if err := os.CopyFS(dir, fsys); err != nil {
			t.Fatal(err)
		}
		for name, f := range fsys {
			if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), f.ModTime, f.ModTime); err != nil {
				t.Fatal(err)
			}
		}
		p := open(t, os.DirFS(dir), definitions)
		copies[i] = summary(t, p) + full(t, p)
	}
	if diff := cmp.Diff(copies[0], copies[1]); diff != "" {
		t.Errorf("two copies differ:\n%s", diff)
	}
	p := open(t, fsys, definitions)
	want := summary(t, p) + full(t, p)
	for _, edit := range []func(fstest.MapFS){
		func(m fstest.MapFS) {
			m["docs/new.md"] = &fstest.MapFile{Data: []byte("# New\n\nLimits and welcome.\n")}
		},
		func(m fstest.MapFS) { delete(m, "docs/new.md"); delete(m, "docs/index.md") },
		func(m fstest.MapFS) { m["docs/index.md"] = sample()["docs/index.md"] },
	} {
		edit(fsys)
		library, err := docs.Scan(t.Context(), fsys, "docs", p.Library, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := library.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.Library = library
		full(t, p) // what it learns must not show later
	}
	if diff := cmp.Diff(want, summary(t, p)+full(t, p)); diff != "" {
		t.Errorf("edits show:\n%s", diff)
	}
}

// TestMadeOnce checks that concurrent callers get one text, which was made once.
func TestMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, made := newOnce(), 0
		release := make(chan struct{})
		write := func() Text { made++; <-release; return newText("text") }
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if text, _, err := o.get(t.Context(), write); text.Text != "text" || err != nil {
					t.Errorf("%q, %v", text.Text, err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := o.get(ctx, write); err == nil {
			t.Error("a caller that has gone waits")
		}
		close(release)
		all.Wait()
		if _, kept, _ := o.get(t.Context(), write); made != 1 || !kept {
			t.Errorf("it was made %d times", made)
		}
	})
}

func (x *Index) Summary(ctx context.Context) (t Text, kept bool, err error) {
	return x.summaryText.get(ctx, func() Text { return newText(x.summary()) })
}

func (x *Index) Full(ctx context.Context) (t Text, kept bool, err error) {
	return x.fullText.get(ctx, func() Text { return newText(x.full()) })
}

func (x *Index) Elements(p Page) Text { return newText(x.page(p)) }
