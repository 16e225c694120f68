package capability

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// tree is a project folder of the given files.
func tree(files map[string]string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o600, ModTime: time.Unix(1_700_000_000+int64(len(name)), 0)}
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
func open(t testing.TB, fsys fs.FS, definitions string) *index {
	t.Helper()
	ctx := t.Context()
	catalog := must.Get(loader.Scan(ctx, fsys, loader.Options{Templates: templateIndex(t, definitions), Describe: true}))(t)
	library := must.Get(docs.Detect(ctx, fsys, docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
	must.Do(t, library.Index(ctx))
	set := must.Get(prompts.Scan(ctx, fsys, "prompts", nil))(t)
	return &index{
		Settings: Settings{On: true}, Name: "Acme", Version: "1.2.3", Files: catalog, Library: library, Indexed: true, Prompts: set, DocsTool: "searchAcme",
		Tools:  []tools.Tool{{Name: "searchAcme", Title: "Search Acme", Description: "Read and search."}},
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

var update = flag.Bool("update", false, "write the golden files")

// Files of an npm package all have the same time, so none is the newest.
func TestSameTimes(t *testing.T) {
	fsys := sample()
	if text := open(t, fsys, definitions).summary(); !strings.Contains(text, "## Newest files") {
		t.Error("the newest files are missing")
	}
	for _, f := range fsys {
		f.ModTime = time.Unix(1_700_000_000, 0)
	}
	if text := open(t, fsys, definitions).summary(); strings.Contains(text, "Newest files") {
		t.Errorf("some files are the newest:\n%s", text)
	}
}

// TestDocuments compares the documents of a small project with golden files.
func TestDocuments(t *testing.T) {
	p := open(t, sample(), definitions)
	var pages strings.Builder
	for _, typ := range types {
		pages.WriteString(p.list(typ.Type))
	}
	for name, got := range map[string]string{"summary.md": p.summary(), "full.md": p.full(), "stats.json": string(p.statistics(nil)), "elements.md": pages.String()} {
		file := filepath.Join("testdata", name)
		if *update {
			must.Write(t, file, got)
		}
		want := must.Get(os.ReadFile(file))(t)
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got), run the test with -update:\n%s", name, diff)
		}
	}
}

// TestUnready checks that documents say which parts are not known yet.
func TestUnready(t *testing.T) {
	p := open(t, sample(), definitions)
	library := must.Get(docs.Detect(t.Context(), sample(), docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
	p.Library, p.Indexed = library, false
	for _, text := range []string{p.summary(), p.full(), p.list(Documents)} {
		if !strings.Contains(text, "still being indexed") {
			t.Errorf("the text does not say that documents are being indexed:\n%s", text)
		}
	}
	p.Library, p.Prompts = nil, nil
	for _, text := range []string{p.summary(), p.full(), p.list(Prompts)} {
		if !strings.Contains(text, "still being read") {
			t.Errorf("the text does not say that the project is being read:\n%s", text)
		}
	}
	if strings.Contains(string(p.statistics(nil)), `"ready": true`) {
		t.Error("ready without documents")
	}
}

// TestExposed checks that no document names a document that does not exist.
func TestExposed(t *testing.T) {
	p := open(t, sample(), definitions)
	p.Expose = []string{"summary"}
	for _, text := range []string{p.summary(), p.full()} {
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
		must.Do(t, os.CopyFS(dir, fsys))
		for name, f := range fsys {
			must.Do(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), f.ModTime, f.ModTime))
		}
		p := open(t, os.DirFS(dir), definitions)
		copies[i] = p.summary() + p.full()
	}
	must.Equal(t, copies[0], copies[1], "two copies differ")
	p := open(t, fsys, definitions)
	want := p.summary() + p.full()
	for _, edit := range []func(fstest.MapFS){
		func(m fstest.MapFS) {
			m["docs/new.md"] = &fstest.MapFile{Data: []byte("# New\n\nLimits and welcome.\n")}
		},
		func(m fstest.MapFS) { delete(m, "docs/new.md"); delete(m, "docs/index.md") },
		func(m fstest.MapFS) { m["docs/index.md"] = sample()["docs/index.md"] },
	} {
		edit(fsys)
		library := must.Get(docs.Detect(t.Context(), fsys, docs.Reading{Sites: site.Options{Chosen: "docs"}, Old: p.Library}))(t)
		must.Do(t, library.Index(t.Context()))
		p.Library = library
		p.full() // what it learns must not show later
	}
	must.Equal(t, want, p.summary()+p.full(), "edits show")
}

// TestLimits checks that documents of a project with too many elements stay below their limits, use them,
// say that entries are left out, and cut none.
func TestLimits(t *testing.T) {
	fsys := make(fstest.MapFS)
	put := func(name, text string) {
		fsys[name] = &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(1_700_000_000+int64(len(fsys)), 0)}
	}
	for i := range 600 {
		put(fmt.Sprintf("docs/chapter-%d/section-%d/page-%d.md", i%7, i%31, i), fmt.Sprintf("# The page of number %d\n\nSee [next](page-%d.md), word%d.\n", i, i+31*7, i))
		put(fmt.Sprintf("resources/files/area-%d/part-%d/long file name of number %d.json", i%5, i%97, i), "{}")
	}
	put("docs/index.md", "# Start\n")
	put("docs/guide.md", "# Guide\n\n[Start](index.md)\n")
	var b strings.Builder
	for i := range 150 {
		put(fmt.Sprintf("prompts/prompt-%d.mdx", i), "---\ndescription: "+strings.Repeat("It does something useful. ", 20)+"\nargs:\n  - name: file\n---\nx {file}\n")
		fmt.Fprintf(&b, `,{"uriTemplate": "config://area%d/{service}/{environment}.yaml", "name": "Settings of area %[1]d", "description": %q}`, i, strings.Repeat("They are settings. ", 30))
	}
	p := open(t, fsys, "["+b.String()[1:]+"]")
	whole := make(map[string]bool)
	for _, typ := range types {
		s := p.elements(typ.Type)
		for i := range s.count {
			for line := range strings.SplitSeq(s.entry(i), "\n") {
				whole[line] = true
			}
		}
	}
	for name, test := range map[string]struct {
		text  string
		limit int
	}{
		"summary":   {p.summary(), MaxSummary},
		"full":      {p.full(), MaxFull},
		"documents": {p.list(Documents), MaxElements},
		"resources": {p.list(Resources), MaxElements},
		"templates": {p.list(Templates), MaxElements},
	} {
		if n := tokens.Estimate(test.text); n > tokens.Bound(test.limit) || name != "summary" && n < tokens.Bound(test.limit)*9/10 {
			t.Errorf("%s has %d tokens of %d", name, n, test.limit)
		}
		if name != "summary" && !strings.Contains(test.text, "left out") {
			t.Errorf("%s does not say that something is left out:\n%s", name, test.text)
		}
		for line := range strings.SplitSeq(test.text, "\n") {
			if name != "summary" && strings.HasPrefix(strings.TrimSpace(line), "- ") && !whole[line] && !strings.Contains(line, " → ") {
				t.Errorf("%s: %q is cut", name, line)
			}
		}
	}
	for _, want := range []string{"- `index.md` Start", "## Links", "## Templates", "## Prompts"} {
		if !strings.Contains(p.full(), want) {
			t.Errorf("%q is missing in the full index", want)
		}
	}
	folders := make(map[string]bool)
	for line := range strings.Lines(p.list(Resources)) {
		if uri, ok := strings.CutPrefix(line, "- `files://"); ok {
			folders[path.Dir(uri)] = true
		}
	}
	if len(folders) < 200 {
		t.Errorf("the files of only %d folders are listed", len(folders))
	}
}
