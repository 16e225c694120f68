package server

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// use calls a tool and returns its content, and whether it reports a mistake of the caller.
func (f *fixture) use(name string, args any) ([]any, bool) {
	f.t.Helper()
	params := map[string]any{"name": name}
	if args != nil {
		params["arguments"] = args
	}
	res := f.must("tools/call", params)
	isError, _ := res["isError"].(bool)
	return res["content"].([]any), isError
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

func TestToolHints(t *testing.T) {
	f := start(t, protocol.Handshake, given.Resources(), "[]")
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	f.server.SetFeatures(Features{ResourceTools: true})
	f.hears(heard{Method: "notifications/tools/list_changed"})
	for _, item := range f.must("tools/list", nil)["tools"].([]any) {
		hints := item.(map[string]any)["annotations"].(map[string]any)
		if hints["readOnlyHint"] != true || hints["openWorldHint"] != false {
			t.Errorf("%v", item)
		}
	}
	f.fails(jsonrpc.CodeInvalidParams, "tools/list", map[string]any{"cursor": "x"})
}

// If a tool refuses a call or cannot read a resource, the result says so. A tool that does not
// exist is an error.
func TestToolMistakes(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		f := start(t, e, given.Resources("x/h/a.txt=1", "x/h/big.txt="+strings.Repeat("a", 1001)), "[]")
		f.server.SetFeatures(Features{ResourceTools: true, Connector: true})
		for _, test := range []struct {
			tool, argument, value, want string
		}{
			{"read_resource", "uri", "x://h/a.tx", `resource not found: "x://h/a.tx"; did you mean x://h/a.txt?`},
			{"read_resource", "uri", "x://h/big.txt", `cannot read "x://h/big.txt": 1001 bytes are more than limits.maxReadBytes allows (1000)`},
			{"fetch", "id", "x://h/big.txt", `cannot read "x://h/big.txt": 1001 bytes are more than limits.maxReadBytes allows (1000)`},
			{"fetch", "uri", "x", `id is missing`},
			{"search", "qurey", "x", `query is missing; qurey was ignored: it is not an argument; did you mean query?`},
		} {
			content, isError := f.use(test.tool, map[string]any{test.argument: test.value})
			if got := says(t, content); got != test.want || !isError {
				t.Errorf("%s %s: %q, want %q", test.tool, test.value, got, test.want)
			}
		}
		content, _ := f.use("fetch", map[string]any{"id": strings.Repeat("x", 1<<20)})
		if got := says(t, content); len(got) > maxMistake {
			t.Errorf("a mistake of %d bytes", len(got))
		}
		content, _ = f.use("fetch", map[string]any{strings.Repeat("x", 1<<20): "x"})
		if got := says(t, content); len(got) > maxMistake {
			t.Errorf("a mistake of %d bytes", len(got))
		}
		if err := f.fails(jsonrpc.CodeInvalidParams, "tools/call", map[string]any{"name": "read_resorce"}); err.Message != `there is no tool "read_resorce"; did you mean read_resource?` {
			t.Error(err)
		}
	})
}

// The audit contains requested URLs without passwords.
func TestPasswordsAreNotAudited(t *testing.T) {
	for address, want := range map[string]string{
		"https://user:secret@example.com/a@b": "https://xxxxx@example.com/a@b", "https://example.com/a@b?c@d": "https://example.com/a@b?c@d",
		"user:secret@example.com": "xxxxx@example.com", "https://user:a@b@example.com": "https://xxxxx@example.com", "": "", "//": "//",
	} {
		must.Equal(t, want, userInfo().ReplaceAllString(address, "${1}xxxxx@"), address)
	}
}

// A tool of another package has its own hints, answers with all kinds of blocks, knows its caller
// and reports progress.
func TestToolsOfOthers(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		var late func(done, total float64, message string)
		tool := tools.Tool{
			Name: "look", Title: "Look", Description: "Looks.", Schema: json.RawMessage(`{"type":"object"}`), Hints: tools.Hints{OpenWorld: true},
			Run: func(_ context.Context, c tools.Call) (*tools.Output, error) {
				c.Report(0, 2, "begins")
				c.Report(-1, 2, "goes back")
				c.Report(2, 2, "ends")
				late = c.Progress
				return tools.FailedAnswer(
					tools.Block{Text: "a"},
					tools.Block{Image: &tools.Image{MIME: "image/png", Data: []byte{1, 2, 3, 4}}},
					tools.Block{Resource: &tools.Resource{URI: "m://a", Name: "n", MIME: "text/markdown", Text: new("\"t\"")}},
					tools.Block{Resource: &tools.Resource{URI: "m://b", Blob: []byte{}}},
					tools.Block{Link: &tools.Link{URI: "m://c", Name: "c", Title: "C", MIME: "text/plain", Description: "d", Size: 3}},
				), nil
			},
		}
		f := startAs(t, e, given.Resources(), "[]", Options{Tools: []tools.Tool{tool}}, func(s *Server) { s.options.Prompts.Publish(nil) })
		listed, _ := json.Marshal(f.must("tools/list", nil)["tools"])
		if want := `"annotations":{"destructiveHint":false,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`; !strings.Contains(string(listed), want) {
			t.Errorf("%s", listed)
		}
		res := f.must("tools/call", map[string]any{"name": "look"})
		got, _ := json.Marshal(res["content"])
		if want := `[{"text":"a","type":"text"},{"data":"AQIDBA==","mimeType":"image/png","type":"image"},` +
			`{"resource":{"mimeType":"text/markdown","name":"n","text":"\"t\"","uri":"m://a"},"type":"resource"},{"resource":{"blob":"","uri":"m://b"},"type":"resource"},` +
			`{"description":"d","mimeType":"text/plain","name":"c","size":3,"title":"C","type":"resource_link","uri":"m://c"}]`; string(got) != want || res["isError"] != true {
			t.Errorf("%s", got)
		}
		if late != nil {
			t.Error("a call that did not ask for progress can report some")
		}
		params := map[string]any{"name": "look", "_meta": map[string]any{"progressToken": 7}}
		maps.Copy(params["_meta"].(map[string]any), metaOf(e))
		raw, _ := json.Marshal(params)
		id, _ := jsonrpc.MakeID("p")
		f.send(&jsonrpc.Request{ID: id, Method: "tools/call", Params: raw})
		var last string
		for {
			m := must.Get(f.conn.Read(t.Context()))(t)
			if req, ok := m.(*jsonrpc.Request); ok {
				last = req.Method + string(req.Params)
				continue
			}
			break
		}
		if want := `notifications/progress{"progressToken":7,"progress":2,"total":2,"message":"ends"}`; last != want {
			t.Errorf("the last before the answer is %s", last)
		}
		late(3, 3, "after the end")
		f.must("tools/list", nil)
	})
}

// withDocs starts a server that has documents and prompts.
func withDocs(t *testing.T, e protocol.Era, tree fs.FS) *fixture {
	t.Helper()
	return startAs(t, e, tree, "[]", Options{Package: "p"}, func(s *Server) {
		s.setLibrary(library(t, tree, nil))
		s.options.Prompts.Publish(promptSet(t, tree))
	})
}

// setLibrary publishes documents and their names.
func (s *Server) setLibrary(l *docs.Library) {
	s.SetNames(l.Sites().Names())
	s.SetLibrary(l)
}

func library(t *testing.T, tree fs.FS, old *docs.Library) *docs.Library {
	t.Helper()
	return must.Get(docs.Detect(t.Context(), tree, docs.Reading{Sites: site.Options{Chosen: "docs"}, Old: old}))(t)
}

func promptSet(t *testing.T, tree fs.FS) *prompts.Set {
	t.Helper()
	return must.Get(prompts.Scan(t.Context(), tree, "prompts", nil))(t)
}

func docsTree() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"docs/index.md":              file("# Index\n\nThe bell tower.\n"),
		"docs/guides/install.md":     file("# Install\n\n## Linux\n\nRun the installer.\n"),
		"prompts/hello.md":           file("Say hello.\n"),
		"prompts/team/review.mdx":    file("---\ntitle: Review\nargs:\n  file: {description: which}\n  strict: {type: boolean, optional: true}\n  tone: {enum: [kind, harsh], default: kind}\n---\nReview {{file}} in a {{tone}} way.\n\n![logo](x://h/logo.png)\n[it](x://h/{{file}})\n"),
		"prompts/broken.md":          file("Say {{what}}.\n"),
		"prompts/cafe\u0301.md":      file("---\ntitle: Nothing\n---\n\n"),
		"resources/x/h/a.json":       file("{}"),
		"resources/x/h/{{file}}":     file("a trap"),
		"resources/x/h/logo.png":     file("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU"),
		"resources/x/h/two words.md": file("two"),
		"resources/x/h/empty.md":     file(""),
		"resources/x/h/lfs.md":       file("version https://git-lfs.github.com/spec/v1\n"),
	}
}

// The description of the tool follows the folders, and a listener is notified.
func TestDocsToolFollows(t *testing.T) {
	tree := docsTree()
	f := withDocs(t, protocol.Handshake, tree)
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	tree["docs/tutorials/first.md"] = &fstest.MapFile{Data: []byte("# First\n\nA zebra.\n")}
	f.server.setLibrary(library(t, tree, nil))
	f.hears(heard{Method: "notifications/tools/list_changed"})
	if schema, _ := json.Marshal(f.must("tools/list", nil)); !strings.Contains(string(schema), "tutorials/") {
		t.Errorf("the tool does not know the new folder: %s", schema)
	}
	content, _ := f.use("searchAcme", map[string]any{"query": "zebra"})
	if got := says(t, content); !strings.Contains(got, "tutorials/first.md") {
		t.Errorf("a search answers %q", got)
	}
}

// Whatever the names of files are, the list of tools without those for the web has at most 4 KiB.
func TestListOfToolsIsSmall(t *testing.T) {
	long := strings.Repeat("a long name ", 10)
	f := startAs(t, protocol.Handshake, docsTree(), "[]", Options{Name: long, Package: "p", Features: Features{ResourceTools: true, Connector: true, Summary: true, Dependencies: true}}, func(s *Server) {
		s.SetNames(site.Names{Documents: 1, Languages: slices.Repeat([]string{"pt-br"}, 30), Versions: slices.Repeat([]string{"v10.0"}, 30), Start: long + "/index.md", Top: slices.Repeat([]string{long + "/"}, 10)})
	})
	body, err := f.server.encodeTools()
	if err != nil || len(body.members) > 4<<10 {
		t.Errorf("%d bytes, %v: %s", len(body.members), err, body.members)
	}
}

// The tools for resources are listed while there are resources.
func TestResourceToolsFollow(t *testing.T) {
	tree := docsTree()
	for name := range tree {
		if strings.HasPrefix(name, "resources/") {
			delete(tree, name)
		}
	}
	f := startAs(t, protocol.Handshake, tree, "[]", Options{Package: "p", Features: Features{ResourceTools: true}, HasFiles: func() bool { return tree["resources/x/h/a"] != nil }}, func(s *Server) { s.setLibrary(library(t, tree, nil)) })
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	for _, want := range []int{1, 3, 1} {
		if got := f.must("tools/list", nil)["tools"].([]any); len(got) != want {
			t.Errorf("%d tools, want %d", len(got), want)
		}
		if want == 3 {
			delete(tree, "resources/x/h/a")
		} else {
			tree["resources/x/h/a"] = &fstest.MapFile{}
		}
		f.change(tree)
		f.hears(heard{Method: listChanged}, heard{Method: "notifications/tools/list_changed"})
	}
}

func TestPrompts(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		f := withDocs(t, e, docsTree())
		want := []any{
			map[string]any{"name": "cafe\u0301", "title": "Nothing"},
			map[string]any{"name": "hello", "title": "hello", "description": "Say hello."},
			map[string]any{"name": "team/review", "title": "Review", "description": "Review {file} in a {tone} way.", "arguments": []any{
				map[string]any{"name": "file", "description": "which", "required": true},
				map[string]any{"name": "strict", "required": false},
				map[string]any{"name": "tone", "required": false},
			}},
		}
		must.Equal(t, want, f.must("prompts/list", nil)["prompts"], "prompts")
		get := func(args map[string]any) any {
			return f.must("prompts/get", map[string]any{"name": "team/review", "arguments": args})["messages"]
		}
		text := func(s string) any {
			return map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": s}}
		}
		logo := map[string]any{"role": "user", "content": map[string]any{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptV"}}
		messages := []any{text("Review a.json in a kind way."), logo, map[string]any{"role": "user", "content": map[string]any{
			"type": "resource", "resource": map[string]any{"uri": "x://h/a.json", "mimeType": "application/json", "text": "{}"}}}}
		must.Equal(t, any(messages), get(map[string]any{"file": "a.json"}), "messages")
		got := get(map[string]any{"file": "two words.md", "tone": "harsh", "strict": "true"}).([]any)
		must.Equal(t, "x://h/two%20words.md", got[2].(map[string]any)["content"].(map[string]any)["resource"].(map[string]any)["uri"], "a value with a space names")
		pointer := text("[it](x://h/lfs.md) (is a Git LFS pointer: the file itself was not fetched)")
		must.Equal(t, pointer, get(map[string]any{"file": "lfs.md"}).([]any)[2], "a file that was not fetched")
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
		if empty := f.must("prompts/get", map[string]any{"name": "caf\u00e9", "arguments": []any{}})["messages"]; len(empty.([]any)) != 0 {
			t.Errorf("an empty prompt has the messages %v", empty)
		}
		must.Equal(t, text("[it](x://h/empty.md)"), get(map[string]any{"file": "empty.md", "strict": nil}).([]any)[2], "an empty file")
		complete := func(argument, value string) any {
			return f.must("completion/complete", map[string]any{
				"ref": map[string]any{"type": "ref/prompt", "name": "team/review"}, "argument": map[string]any{"name": argument, "value": value},
			})["completion"].(map[string]any)["values"]
		}
		must.Equal(t, []any{"harsh"}, complete("tone", "h"))
		must.Equal(t, []any{"x://h/two%20words.md"}, complete("file", "x://h/t"))
	})
}

func TestPromptsChange(t *testing.T) {
	tree := docsTree()
	f := withDocs(t, protocol.Handshake, tree)
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	tree["prompts/hello.md"] = &fstest.MapFile{Data: []byte("Say hello. Then say good bye.\n")}
	f.server.SetPrompts(promptSet(t, tree))
	f.silent() // the list does not contain its text
	res := f.must("prompts/get", map[string]any{"name": "hello"})
	if raw, _ := json.Marshal(res); !strings.Contains(string(raw), "good bye") {
		t.Errorf("%s", raw)
	}
	tree["prompts/new.md"] = &fstest.MapFile{Data: []byte("New.\n")}
	f.server.SetPrompts(promptSet(t, tree))
	f.hears(heard{Method: "notifications/prompts/list_changed"})
}

// The first documents and prompts are not a change, because no client has seen others.
func TestStartIsNoChange(t *testing.T) {
	for _, early := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			tree := docsTree()
			f := startAs(t, protocol.Handshake, tree, "[]", Options{Package: "p"}, func(*Server) {})
			f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
			if early {
				f.must("tools/list", nil)
			}
			f.server.setLibrary(library(t, tree, nil))
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
