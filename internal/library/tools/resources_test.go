package tools

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func TestListResourcesTool(t *testing.T) {
	tree := given.Resources("api/v1/a b.json={}", "docs/x/a.md=1", "docs/x/d/b.md=22", "docs/x/c.txt")
	f := start(t, tree, Features{ResourceTools: true})
	f.publish(tree, loader.Options{Templates: index(t, `[{"uriTemplate": "api://{version}/{name}.json", "name": "Schemas", "description": "One a type", "mimeType": "application/schema+json"}]`)})
	all := "api://v1/a%20b.json\tapplication/schema+json\t2\tOne a type\ndocs://x/a.md\ttext/markdown\t1\ndocs://x/c.txt\ttext/plain\t0\ndocs://x/d/b.md\ttext/markdown\t2\n"
	lines := strings.SplitAfter(all, "\n")
	for _, test := range []struct {
		args map[string]any
		want string
	}{
		{nil, all},
		{map[string]any{"prefix": "DOCS://x/"}, lines[1] + lines[2] + lines[3]},
		{map[string]any{"prefix": "api://v1/a%20"}, lines[0]},
		{map[string]any{"glob": "docs://**/*.md"}, lines[1] + lines[3]},
		{map[string]any{"glob": "docs://x/*"}, lines[1] + lines[2]},
		{map[string]any{"prefix": "none://"}, "There are no such resources.\n"},
	} {
		content, isError := f.use("list_resources", test.args)
		if diff := cmp.Diff(test.want, says(t, content)); diff != "" || isError {
			t.Errorf("%v (-want +got):\n%s", test.args, diff)
		}
	}
	content, _ := f.use("list_resources", map[string]any{"limit": 3})
	page := says(t, content)
	_, cursor, found := strings.Cut(page, "continue with cursor \"")
	if !strings.HasPrefix(page, lines[0]+lines[1]+lines[2]) || !found {
		t.Fatalf("a page is %q", page)
	}
	content, _ = f.use("list_resources", map[string]any{"cursor": strings.TrimSuffix(cursor, "\".\n")})
	must.Equal(t, lines[3], says(t, content), "the next page is")
}

func TestReadResourceTool(t *testing.T) {
	text := "one\ntwo\nthree\nfour"
	const (
		png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU"
		lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12345\n"
	)
	f := start(t, given.Resources("x/h/a.txt="+text, "x/h/empty.txt", "x/h/p.png="+png, "x/h/cut.png=\x89PNG\r\n\x1a\n", "x/h/lfs.png="+lfs, "x/h/b.bin=\x00", "x/h/i.ico=\x00", "x/h/caf\u00e9.md=é", "x/h/m.md=# Top\n\n## Set up\nRun it.\n\n## After\n"), Features{ResourceTools: true})
	for _, test := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"uri": "x://h/a.txt"}, text},
		{map[string]any{"uri": "X://h/a.txt#x"}, text},
		{map[string]any{"uri": "x://h/a.txt", "offset": 4}, "four"},
		{map[string]any{"uri": "x://h/a.txt", "offset": 2, "limit": 2}, "two\nthree\n\n[Lines 2 to 3 of 4. To continue, use offset 4.]\n"},
		{map[string]any{"uri": "x://h/m.md", "section": "set-up"}, "## Set up\nRun it.\n\n"},
		{map[string]any{"uri": "x://h/m.md", "section": "Set up", "offset": 4, "limit": 1}, "Run it.\n\n[Lines 4 to 4 of 5. To continue, use offset 5.]\n"},
		{map[string]any{"uri": "x://h/a.txt", "section": " "}, text},
		{map[string]any{"uri": "x://h/empty.txt"}, `"x://h/empty.txt" is empty.`},
		{map[string]any{"uri": "x://h/cafe\u0301.md"}, "é"},
		{map[string]any{"uri": "x://h/café.md"}, "é"},
	} {
		content, isError := f.use("read_resource", test.args)
		if got := says(t, content); got != test.want || isError {
			t.Errorf("%v is %q, want %q", test.args, got, test.want)
		}
	}
	for name, want := range map[string]map[string]any{
		"p.png":   {"type": "image", "mimeType": "image/png", "data": base64.StdEncoding.EncodeToString([]byte(png))},
		"cut.png": {"type": "resource", "resource": map[string]any{"uri": "x://h/cut.png", "mimeType": "application/octet-stream", "blob": "iVBORw0KGgo="}},
		"lfs.png": {"type": "text", "text": "\"x://h/lfs.png\" is a Git LFS pointer: the file itself was not fetched. \"git lfs pull\" fetches it. The pointer:\n\n" + lfs},
		"b.bin":   {"type": "resource", "resource": map[string]any{"uri": "x://h/b.bin", "mimeType": "application/octet-stream", "blob": "AA=="}},
		"i.ico":   {"type": "resource", "resource": map[string]any{"uri": "x://h/i.ico", "mimeType": "image/vnd.microsoft.icon", "blob": "AA=="}},
	} {
		content, isError := f.use("read_resource", map[string]any{"uri": "x://h/" + name})
		if diff := cmp.Diff([]any{want}, content); diff != "" || isError {
			t.Errorf("%s, an error: %v (-want +got):\n%s", name, isError, diff)
		}
	}
	for _, test := range []struct {
		args any
		want string
	}{
		{nil, "uri is missing"},
		{map[string]any{}, "uri is missing"},
		{map[string]any{"uri": 1}, "uri: is a number, must be a string"},
		{map[string]any{"uri": "x://h/a.txt", "offset": "one"}, "offset: is a string, must be a whole number"},
		{map[string]any{"uri": "x://h/a.txt", "offset": 5}, "There is no line 5: the last one is 4."},
		{map[string]any{"uri": "x://h/m.md", "section": "Setups"}, "there is no section \"Setups\"; there is:\nSet up"},
		{map[string]any{"uri": "x://h/a.txt", "section": "Setups"}, `there is no section "Setups"`},
		{map[string]any{"uri": "x://h/a.tx"}, "did you mean x://h/a.txt?"},
		{map[string]any{"uri": "x://h/../../etc/passwd"}, "resource not found"},
		{map[string]any{"uri": "x://h"}, `"x://h" is a folder: the URIs of what is in it begin with x://h/`},
	} {
		content, isError := f.use("read_resource", test.args)
		if got := says(t, content); !isError || !strings.Contains(got, test.want) {
			t.Errorf("%v is %q, want %q", test.args, got, test.want)
		}
	}
	if _, err := f.Call(t.Context(), "read_resorce", Call{}); err == nil || err.Error() != `there is no tool "read_resorce"; did you mean read_resource?` {
		t.Error(err)
	}
}

// The answer of a tool is bounded, and a whole file can be read in parts.
func TestToolAnswersAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "line %d %s\n", i, strings.Repeat("é", 20))
	}
	long := strings.Repeat("é", 60_000)
	tree := fstest.MapFS{}
	for i := range 3000 {
		tree[fmt.Sprintf("resources/x/h/%s-%d", strings.Repeat("n", 100), i)] = &fstest.MapFile{}
	}
	tree["resources/x/t/text.txt"] = &fstest.MapFile{Data: []byte(text.String())}
	tree["resources/x/t/long.txt"] = &fstest.MapFile{Data: []byte(long)}
	f := start(t, tree, Features{ResourceTools: true})
	var got strings.Builder
	for offset := 0; ; {
		content, isError := f.use("read_resource", map[string]any{"uri": "x://t/text.txt", "offset": offset})
		part := says(t, content)
		if isError || tokens.Estimate(part) > tokens.MaxAnswer {
			t.Fatalf("%d bytes at offset %d, %v", len(part), offset, isError)
		}
		body, more, found := strings.Cut(part, "\n[Lines ")
		got.WriteString(body)
		if !found {
			break
		}
		must.Get(fmt.Sscanf(more[strings.Index(more, "offset "):], "offset %d", &offset))(t)
	}
	if got.String() != text.String() {
		t.Errorf("the parts have %d bytes, the file %d", got.Len(), text.Len())
	}
	content, _ := f.use("read_resource", map[string]any{"uri": "x://t/long.txt"})
	if part := says(t, content); tokens.Estimate(part) > tokens.MaxAnswer || !strings.Contains(part, "Line 1 is too long and was cut.") {
		t.Errorf("a long line is answered with %d bytes", len(part))
	}
	content, _ = f.use("list_resources", map[string]any{"limit": 5000})
	if page := says(t, content); tokens.Estimate(page) > tokens.MaxAnswer || !strings.Contains(page, "continue with cursor") {
		t.Errorf("a list is answered with %d bytes", len(page))
	}
}

// A cancelled list ends.
func TestListResourcesIsCancelled(t *testing.T) {
	f := start(t, given.Resources("x/h/a"), Features{ResourceTools: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if content, isError := f.use("list_resources", map[string]any{"glob": strings.Repeat("{a**,a}", 26)}); !isError {
		t.Errorf("a list with very many alternatives is %v", content)
	}
	if _, err := f.Call(ctx, "list_resources", Call{Arguments: json.RawMessage(`{"glob":"{a,b}"}`)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Tools wait until their caller has a turn to compute.
func TestToolsTakeTurns(t *testing.T) {
	f := withDocs(t, "Acme", given.Resources("docs/a.md=# A word", "resources/x/h/a=a"), Features{ResourceTools: true, Connector: true})
	ctx, leave, err := f.memory.Enter(t.Context(), "greedy")
	must.Do(t, err)
	defer leave()
	for range runtime.GOMAXPROCS(0) {
		done := must.Get(contents.Turn(ctx))(t)
		defer done()
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	for name, args := range map[string]string{f.docsName: `{"query":"word"}`, "search": `{"query":"word"}`, "list_resources": `{"glob":"**"}`} {
		if _, err := f.Call(ctx, name, Call{Arguments: json.RawMessage(args)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s of a caller whose turns are taken: %v", name, err)
		}
		if _, err := f.Call(t.Context(), name, Call{Arguments: json.RawMessage(args)}); err != nil {
			t.Errorf("%s of another: %v", name, err)
		}
	}
}
