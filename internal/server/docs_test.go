package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/current"
	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// withDocs starts a server that has documents and prompts.
func withDocs(t *testing.T, e protocol.Era, tree fs.FS) *fixture {
	t.Helper()
	return startWith(t, e, tree, "[]", func(s *Server) {
		s.docsName = docs.ToolName("Acme", "")
		s.library.Publish(library(t, tree, nil))
		s.prompts.Publish(promptSet(t, tree))
	})
}

func library(t *testing.T, tree fs.FS, old *docs.Library) *docs.Library {
	t.Helper()
	l, err := docs.Scan(t.Context(), tree, "docs", old, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func promptSet(t *testing.T, tree fs.FS) *prompts.Set {
	t.Helper()
	set, err := prompts.Scan(t.Context(), tree, "prompts", nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func docsTree() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"docs/index.md":              file("# Index\n\nThe bell tower.\n"),
		"docs/guides/install.md":     file("# Install\n\n## Linux\n\nRun the installer.\n"),
		"prompts/hello.md":           file("Say hello.\n"),
		"prompts/team/review.mdx":    file("---\ntitle: Review\nargs:\n  file: {description: which}\n  strict: {type: boolean, optional: true}\n  tone: {enum: [kind, harsh], default: kind}\n---\nReview {{file}} in a {{tone}} way.\n\n![logo](x://h/logo.png)\n[it](x://h/{{file}})\n"),
		"prompts/broken.md":          file("Say {{what}}.\n"),
		"resources/x/h/a.json":       file("{}"),
		"resources/x/h/{{file}}":     file("a trap"),
		"resources/x/h/logo.png":     file("\x89PNG"),
		"resources/x/h/two words.md": file("two"),
	}
}

func TestDocsTool(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		f := withDocs(t, e, docsTree())
		f.server.SetFeatures(Features{ResourceTools: true})
		tools := f.must("tools/list", nil)["tools"].([]any)
		first := tools[0].(map[string]any)
		if first["name"] != "searchAcme" || len(tools) != 3 || !strings.Contains(first["description"].(string), "index.md") || len(first["description"].(string)) > 2048 {
			t.Errorf("tools are %v", tools)
		}
		content, isError := f.use("searchAcme", map[string]any{"paths": []any{"index", "/docs/guides/install.md", "../prompts/hello.md", "instal"}, "queryKeywords": []any{"linux"}})
		if len(content) != 4 || isError {
			t.Fatalf("%v", content)
		}
		for i, want := range []string{"# Index\n\nThe bell tower.\n", "Run the installer.\n", "Invalid path", "- guides/install.md"} {
			if text := content[i].(map[string]any)["text"].(string); !strings.Contains(text, want) {
				t.Errorf("item %d is %q, want %q", i, text, want)
			}
		}
		content, _ = f.use("searchAcme", map[string]any{"query": "installers for linux"})
		if got := says(t, content); !strings.Contains(got, "guides/install.md") {
			t.Errorf("a search answers %q", got)
		}
		for _, args := range []any{nil, map[string]any{}, map[string]any{"paths": "index"}, map[string]any{"paths": []any{1}}, map[string]any{"path": []any{"index"}}, map[string]any{"query": "x", "limit": -1}, []any{}} {
			if _, isError := f.use("searchAcme", args); !isError {
				t.Errorf("%v is taken", args)
			}
		}
		f.use("searchAcme", map[string]any{"query": strings.Repeat("(a+)+$ ", 100_000), "queryKeywords": []any{strings.Repeat(".*", 100_000)}})
	})
}

// The tool's own text follows the folders, and a listener hears of it.
func TestDocsToolFollows(t *testing.T) {
	tree := docsTree()
	f := withDocs(t, protocol.Handshake, tree)
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	tree["docs/tutorials/first.md"] = &fstest.MapFile{Data: []byte("# First\n\nA zebra.\n")}
	f.server.SetLibrary(library(t, tree, f.server.library.Peek()))
	f.hears(heard{Method: "notifications/tools/list_changed"})
	if schema, _ := json.Marshal(f.must("tools/list", nil)); !strings.Contains(string(schema), "tutorials/") {
		t.Errorf("the tool does not know the new folder: %s", schema)
	}
	content, _ := f.use("searchAcme", map[string]any{"query": "zebra"})
	if got := says(t, content); !strings.Contains(got, "tutorials/first.md") {
		t.Errorf("a search answers %q", got)
	}
}

func TestPrompts(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		f := withDocs(t, e, docsTree())
		want := []any{
			map[string]any{"name": "hello", "title": "hello"},
			map[string]any{"name": "team/review", "title": "Review", "arguments": []any{
				map[string]any{"name": "file", "description": "which", "required": true},
				map[string]any{"name": "strict", "required": false},
				map[string]any{"name": "tone", "required": false},
			}},
		}
		if diff := cmp.Diff(want, f.must("prompts/list", nil)["prompts"]); diff != "" {
			t.Errorf("prompts (-want +got):\n%s", diff)
		}
		get := func(args map[string]any) any {
			return f.must("prompts/get", map[string]any{"name": "team/review", "arguments": args})["messages"]
		}
		text := func(s string) any {
			return map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": s}}
		}
		logo := map[string]any{"role": "user", "content": map[string]any{"type": "image", "mimeType": "image/png", "data": "iVBORw=="}}
		messages := []any{text("Review a.json in a kind way."), logo, map[string]any{"role": "user", "content": map[string]any{
			"type": "resource", "resource": map[string]any{"uri": "x://h/a.json", "mimeType": "application/json", "text": "{}"}}}}
		if diff := cmp.Diff(any(messages), get(map[string]any{"file": "a.json"})); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		got := get(map[string]any{"file": "two words.md", "tone": "harsh", "strict": "true"}).([]any)
		if uri := got[2].(map[string]any)["content"].(map[string]any)["resource"].(map[string]any)["uri"]; uri != "x://h/two%20words.md" {
			t.Errorf("a value with a space names %v", uri)
		}
		if got := get(map[string]any{"file": "{{tone}}"}).([]any); got[0].(map[string]any)["content"].(map[string]any)["text"] != "Review {{tone}} in a kind way." {
			t.Errorf("a value is expanded again: %v", got[0])
		}
		for _, test := range []struct {
			name string
			args map[string]any
			want string
		}{
			{"team/review", nil, `"file" is required`},
			{"team/review", map[string]any{"file": "a", "strict": "maybe"}, `"strict"`},
			{"team/review", map[string]any{"file": "a", "tone": "rude"}, `"tone"`},
			{"team/review", map[string]any{"file": "a", "tne": "kind"}, `"tone"`},
			{"team/revew", nil, "did you mean team/review?"},
			{"broken", map[string]any{"what": "x"}, "there is no prompt"},
		} {
			if err := f.fails(jsonrpc.CodeInvalidParams, "prompts/get", map[string]any{"name": test.name, "arguments": test.args}); !strings.Contains(err.Message, test.want) {
				t.Errorf("%s %v: %q, want %q", test.name, test.args, err.Message, test.want)
			}
		}
		complete := func(argument, value string) any {
			return f.must("completion/complete", map[string]any{
				"ref": map[string]any{"type": "ref/prompt", "name": "team/review"}, "argument": map[string]any{"name": argument, "value": value},
			})["completion"].(map[string]any)["values"]
		}
		if diff := cmp.Diff([]any{"harsh"}, complete("tone", "h")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]any{"x://h/two%20words.md"}, complete("file", "x://h/t")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPromptsChange(t *testing.T) {
	tree := docsTree()
	f := withDocs(t, protocol.Handshake, tree)
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	tree["prompts/hello.md"] = &fstest.MapFile{Data: []byte("Say good bye, which is longer.\n")}
	f.server.SetPrompts(promptSet(t, tree))
	f.silent() // its text is not listed
	res := f.must("prompts/get", map[string]any{"name": "hello"})
	if raw, _ := json.Marshal(res); !strings.Contains(string(raw), "good bye") {
		t.Errorf("%s", raw)
	}
	tree["prompts/new.md"] = &fstest.MapFile{Data: []byte("New.\n")}
	f.server.SetPrompts(promptSet(t, tree))
	f.hears(heard{Method: "notifications/prompts/list_changed"})
}

// A list of tools waits for the documents, which its texts name, but not for ever.
func TestListOfToolsWaitsForTheDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Name: "My Docs", Package: "p", Version: "1", Catalog: current.New[loader.Catalog](), Limits: testLimits, Logger: slog.New(slog.DiscardHandler)})
		list := func() toolItem {
			page, err := s.listTools(t.Context(), request{&protocol.Call{}, protocol.Handshake})
			if err != nil {
				t.Fatal(err)
			}
			var tools []toolItem
			if err := json.Unmarshal([]byte("{"+string(page.body.(*encodedBody).members)+"}"), &struct{ Tools *[]toolItem }{&tools}); err != nil {
				t.Fatal(err)
			}
			if len(tools) != 1 || tools[0].Name != "searchMyDocs" || tools[0].Description == "" {
				t.Fatalf("%+v", tools)
			}
			return tools[0]
		}
		begin := time.Now()
		if early := list(); strings.Contains(early.Description, "index.md") || time.Since(begin) != documentsWait {
			t.Errorf("after %v the tool is %q", time.Since(begin), early.Description)
		}
		go func() {
			time.Sleep(documentsWait / 4)
			s.SetLibrary(library(t, docsTree(), nil))
		}()
		begin = time.Now()
		if got := list(); !strings.Contains(got.Description, "index.md") || time.Since(begin) != documentsWait/4 {
			t.Errorf("after %v the tool is %q", time.Since(begin), got.Description)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		s.library = current.New[docs.Library]()
		if _, err := s.listTools(ended, request{&protocol.Call{}, protocol.Handshake}); !errors.Is(err, context.Canceled) {
			t.Errorf("a list that is cancelled: %v", err)
		}
	})
}

// The first documents and prompts are no change to a client that has seen no others.
func TestStartIsNoChange(t *testing.T) {
	for _, early := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			tree := docsTree()
			f := startWith(t, protocol.Handshake, tree, "[]", func(s *Server) { s.docsName = docs.ToolName("Acme", "") })
			f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
			if early {
				f.must("tools/list", nil)
			}
			f.server.SetLibrary(library(t, tree, nil))
			f.server.SetPrompts(promptSet(t, tree))
			if early {
				f.hears(heard{Method: "notifications/tools/list_changed"})
			}
			synctest.Wait()
			f.silent()
			f.conn.Close()
		})
	}
}
