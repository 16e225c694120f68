package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A fixture has the tools of a tree.
type fixture struct {
	*Set
	t       *testing.T
	memory  *contents.Memory
	catalog *latest.Value[loader.Catalog]
}

// start makes the tools of a tree without documents.
func start(t *testing.T, tree fs.FS, f Features) *fixture {
	t.Helper()
	return startNamed(t, "Acme", "", tree, f)
}

// withDocs makes the tools of a tree.
func withDocs(t *testing.T, name string, tree fs.FS, f Features) *fixture {
	t.Helper()
	s := startNamed(t, name, "p", tree, f)
	l := library(t, tree)
	s.SetNames(l.Sites().Names())
	s.SetLibrary(l)
	return s
}

func startNamed(t *testing.T, name, npm string, tree fs.FS, f Features) *fixture {
	t.Helper()
	memory := contents.NewMemory()
	catalogs := latest.New[loader.Catalog]()
	reader := contents.NewReader(contents.Options{
		Memory: memory, Limits: contents.Limits{ReadBytes: 1 << 20, FrameBytes: 1 << 20}, Logger: slog.New(slog.DiscardHandler),
	})
	s := &fixture{New(Options{Name: name, Package: npm, Views: view.New(catalogs), Library: latest.New[docs.Library](), Names: latest.New[site.Names](), Reader: reader, Features: f}), t, memory, catalogs}
	s.publish(tree, loader.Options{})
	t.Cleanup(func() {
		if u := memory.Usage(); u.Bytes != 0 {
			t.Errorf("%d bytes were not given back", u.Bytes)
		}
	})
	return s
}

func (f *fixture) publish(tree fs.FS, o loader.Options) {
	f.t.Helper()
	c := must.Get(loader.Scan(f.t.Context(), tree, o))(f.t)
	f.catalog.Publish(c)
}

// index makes templates for a scan.
func index(t *testing.T, templatesJSON string) *matcher.Index {
	t.Helper()
	entries, problems := templates.Decode("templates.json", []byte(templatesJSON))
	must.Do(t, problems.Err())
	ix, _ := matcher.New("templates.json", entries)
	return ix
}

func library(t *testing.T, tree fs.FS) *docs.Library {
	t.Helper()
	return must.Get(docs.Detect(t.Context(), tree, docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
}

// use calls a tool, and returns its content and whether the call was a mistake.
func (f *fixture) use(name string, args any) ([]any, bool) {
	f.t.Helper()
	var raw json.RawMessage
	if args != nil {
		var err error
		if raw, err = json.Marshal(args); err != nil {
			f.t.Fatal(err)
		}
	}
	out, err := f.Call(f.t.Context(), name, Call{Arguments: raw})
	if mistake, ok := errors.AsType[*Mistake](err); ok {
		out, err = Failure(mistake.Error()), nil
	}
	must.Do(f.t, err)
	defer out.Release()
	var b bytes.Buffer
	w := jsonwire.NewWriter(&b)
	w.RawString("{")
	must.Do(f.t, errors.Join(out.WriteJSON(w), w.Flush()))
	var answer struct {
		Content []any
		IsError bool
	}
	must.Do(f.t, json.Unmarshal(append(b.Bytes(), '}'), &answer))
	return answer.Content, answer.IsError
}

// says returns the only text of a content.
func says(t *testing.T, content []any) string {
	t.Helper()
	item, ok := content[0].(map[string]any)
	if len(content) != 1 || !ok || item["type"] != "text" {
		t.Fatalf("content is %v", content)
	}
	return item["text"].(string)
}

func docsTree() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"docs/index.md":              file("# Index\n\nThe bell tower.\n"),
		"docs/guides/install.md":     file("# Install\n\n## Linux\n\nRun the installer.\n"),
		"resources/x/h/a.json":       file("{}"),
		"resources/x/h/two words.md": file("two"),
	}
}
