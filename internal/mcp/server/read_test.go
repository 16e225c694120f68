package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func TestRead(t *testing.T) {
	utf16 := "\xff\xfeh\x00i\x00"
	f := given.Resources("x/h/a.md=# A <b>", "x/h/empty.json", "x/h/latin.txt=caf\xe9", "x/h/bom.txt=\xef\xbb\xbfa\r\n", "x/h/utf16.txt="+utf16, "x/h/nul.txt=a\x00", "x/h/cut.txt=\xc3", "x/h/p.png=\x89PNG\r\n\x1a\n", "x/h/\"{é}\n=odd")
	bothEras(t, func(t *testing.T, e protocol.Era) {
		s := start(t, e, f, `[{"uriTemplate": "x://h/{n}.md", "name": "n", "mimeType": "text/x-own"}]`)
		for _, test := range []struct {
			uri, canonical, mime string
			text                 string
			blob                 string
		}{
			{"x://h/a.md", "", "text/x-own", "# A <b>", ""},
			{"X://h/%61.md#x", "x://h/a.md", "text/x-own", "# A <b>", ""},
			{"x://h/empty.json", "", "application/json", "", ""},
			{"x://h/latin.txt", "", "text/plain", "", "caf\xe9"},
			{"x://h/bom.txt", "", "text/plain", "\ufeffa\r\n", ""},
			{"x://h/utf16.txt", "", "text/plain", "\ufeffhi", ""},
			{"x://h/nul.txt", "", "text/plain", "", "a\x00"},
			{"x://h/cut.txt", "", "text/plain", "", "\xc3"},
			{"x://h/p.png", "", "image/png", "", "\x89PNG\r\n\x1a\n"},
			{"x://h/\"{é}\n", "x://h/%22%7B%C3%A9%7D%0A", "text/plain", "odd", ""},
		} {
			want := map[string]any{"uri": test.canonical, "mimeType": test.mime, "text": test.text}
			if test.canonical == "" {
				want["uri"] = test.uri
			}
			if test.blob != "" {
				delete(want, "text")
				want["blob"] = base64.StdEncoding.EncodeToString([]byte(test.blob))
			}
			res := s.must("resources/read", map[string]any{"uri": test.uri})
			must.Equal(t, []any{want}, res["contents"], test.uri)
			if (res["resultType"] == "complete") != (e == protocol.Stateless) {
				t.Errorf("%s: result of another era: %v", test.uri, res)
			}
		}
	})
}

func TestReadFolder(t *testing.T) {
	f := start(t, protocol.Handshake, given.Resources("x/h/b=2", "x/h/a=1", "x/h/sub/c=3", "x/n=4"), "[]")
	for uri, want := range map[string][]string{
		"x://h": {"x://h/a=1", "x://h/b=2"}, "x://h/": {"x://h/a=1", "x://h/b=2"}, "x://h/sub/": {"x://h/sub/c=3"}, "x://": {"x://n=4"},
	} {
		var got []string
		for _, c := range f.must("resources/read", map[string]any{"uri": uri})["contents"].([]any) {
			got = append(got, fmt.Sprintf("%v=%v", c.(map[string]any)["uri"], c.(map[string]any)["text"]))
		}
		must.Equal(t, want, got, uri)
	}
	f.publish(fstest.MapFS{}, "[]")
	f.fails(codeResourceNotFound, "resources/read", map[string]any{"uri": "x://h"})
}

func TestNotFound(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		code := int64(codeResourceNotFound)
		if e == protocol.Stateless {
			code = jsonrpc.CodeInvalidParams
		}
		f := start(t, e, given.Resources("x/h/server.json=1", "x/h/.env=secret"), "[]")
		for uri, close := range map[string][]string{
			"x://h/sever.json": {"x://h/server.json"}, "x://h/.env": nil, "x://h/../h/server.json": nil, "\x00\u202e": nil, "file:///etc/passwd": nil,
			"x://h/%2e%2e/%2e%2e/etc/passwd": nil, "../../etc/passwd": nil,
		} {
			err := f.fails(code, "resources/read", map[string]any{"uri": uri})
			var data errorData
			if json.Unmarshal(err.Data, &data) != nil || data.URI != uri {
				t.Errorf("%q: data is %s", uri, err.Data)
			}
			for _, match := range close {
				if !strings.Contains(err.Message, match) {
					t.Errorf("%q: the message %q lacks %s", uri, err.Message, match)
				}
			}
			if e == protocol.Stateless {
				close = nil // the official client needs data with only the URI
			}
			if diff := cmp.Diff(close, data.CloseMatches); diff != "" {
				t.Errorf("%q: close matches (-want +got):\n%s", uri, diff)
			}
		}
		f.fails(jsonrpc.CodeInvalidParams, "resources/read", map[string]any{"uri": ""})
		f.fails(jsonrpc.CodeInvalidParams, "resources/read", map[string]any{})
		err := f.fails(code, "resources/read", map[string]any{"uri": "x://h/" + strings.Repeat("a", 1<<20)})
		if len(err.Message)+len(err.Data) > 1000 {
			t.Errorf("the error repeats a long URI: %d bytes", len(err.Message)+len(err.Data))
		}
	})
}

func TestReadLimits(t *testing.T) {
	f := start(t, protocol.Handshake, given.Resources("x/h/big="+strings.Repeat("a", 1001), "x/h/escapes="+strings.Repeat("\x01", 501), "x/h/lines="+strings.Repeat("\u2028", 333), "x/h/fits="+strings.Repeat("a", 1000), "x/many/a="+strings.Repeat("a", 600), "x/many/b="+strings.Repeat("a", 600)), "[]")
	for uri, want := range map[string]string{
		"x://h/big":     `cannot read "x://h/big": 1001 bytes are more than limits.maxReadBytes allows (1000)`,
		"x://h/escapes": `cannot read "x://h/escapes": the answer would have more bytes than limits.maxFrameBytes allows (3000)`,
		"x://many":      `cannot read "x://many": 1200 bytes are more than limits.maxReadBytes allows (1000)`,
	} {
		if err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": uri}); err.Message != want {
			t.Errorf("%s: %q, want %q", uri, err.Message, want)
		}
	}
	f.must("resources/read", map[string]any{"uri": "x://h/fits"})
}

func TestVanishedFile(t *testing.T) {
	tree := given.Resources("x/h/a=1", "x/h/b=2")
	f := start(t, protocol.Handshake, tree, "[]")
	delete(tree, "resources/x/h/a")
	if err := f.fails(codeResourceNotFound, "resources/read", map[string]any{"uri": "x://h/a"}); strings.Contains(err.Message, "did you mean x://h/a ") || strings.HasSuffix(err.Message, "x://h/a?") {
		t.Errorf("it says %q", err.Message)
	}
	if got := f.must("resources/read", map[string]any{"uri": "x://h"})["contents"].([]any); len(got) != 1 {
		t.Errorf("the folder has %v", got)
	}
	delete(tree, "resources/x/h/b")
	if got := f.must("resources/read", map[string]any{"uri": "x://h"})["contents"].([]any); len(got) != 0 {
		t.Errorf("the folder has %v, though nothing is left", got)
	}
}

func TestComplete(t *testing.T) {
	tree := given.Resources("api/v1/list.json", "api/v2/get.json", "docs/x/100%.md")
	for i := range 150 {
		tree[fmt.Sprintf("resources/docs/y/%03d", i)] = &fstest.MapFile{}
	}
	bothEras(t, func(t *testing.T, e protocol.Era) {
		f := start(t, e, tree, apiTemplates)
		complete := func(template, name, value string, given map[string]string) map[string]any {
			params := map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": template}, "argument": map[string]any{"name": name, "value": value}}
			if given != nil {
				params["context"] = map[string]any{"arguments": given}
			}
			return f.must("completion/complete", params)["completion"].(map[string]any)
		}
		for _, test := range []struct {
			template, name, value string
			given                 map[string]string
			want                  []any
		}{
			{"api://{version}/{name}.json", "version", "", nil, []any{"v1", "v2"}},
			{"api://{version}/{name}.json", "name", "", map[string]string{"version": "v2"}, []any{"get"}},
			{"api://{version}/{name}.json", "version", "", map[string]string{"name": ""}, []any{"v1", "v2"}},
			{"docs://{+path}", "path", "x", nil, []any{"x/100%25.md"}},
			{"docs://{...path}", "path", "x/1", nil, []any{"x/100%25.md"}},
			{"api://{version}/{name}.json", "name", "zz", nil, []any{}},
		} {
			got := complete(test.template, test.name, test.value, test.given)
			want := map[string]any{"values": test.want, "total": float64(len(test.want)), "hasMore": false}
			must.Equal(t, want, got, test)
		}
		if got := complete("docs://{+path}", "path", "y/", nil); len(got["values"].([]any)) != 100 || got["total"] != 150.0 || got["hasMore"] != true {
			t.Errorf("many values: %v", got)
		}
		for _, params := range []map[string]any{
			{"ref": map[string]any{"type": "ref/resource", "uri": "no://{x}"}, "argument": map[string]any{"name": "x", "value": ""}},
			{"ref": map[string]any{"type": "ref/resource", "uri": "docs://{+path}"}, "argument": map[string]any{"name": "x", "value": ""}},
			{"ref": map[string]any{"type": "ref/prompt", "name": "p"}, "argument": map[string]any{"name": "x", "value": ""}},
			{"argument": map[string]any{"name": "x", "value": ""}},
		} {
			f.fails(jsonrpc.CodeInvalidParams, "completion/complete", params)
		}
	})
}

// A read of one file does not wait for the whole tree.
func TestReadBeforeTheCatalog(t *testing.T) {
	tree := given.Resources("x/h/a=1", "x/h/b=2")
	f := &fixture{t: t, era: protocol.Handshake, current: latest.New[loader.Catalog]()}
	var finds atomic.Int32
	f.server = New(Options{Name: "Acme", Version: "1.2.3", Catalog: f.current, Limits: testLimits, Logger: slog.New(slog.DiscardHandler),
		Find: func(ctx context.Context, uri string) (loader.Resource, bool, error) {
			finds.Add(1)
			return loader.Find(ctx, tree, loader.Options{}, uri)
		}})
	f.server.options.Prompts.Publish(nil)
	f.connect(f.overStdio())
	f.must("initialize", hello("2025-06-18"))
	must.Equal(t, "1", f.must("resources/read", map[string]any{"uri": "x://h/a"})["contents"].([]any)[0].(map[string]any)["text"], "it reads as")
	// A URI that is not found at once waits for the catalog, and so does a list.
	later := make(chan struct{})
	go func() {
		defer close(later)
		time.Sleep(10 * time.Millisecond)
		f.publish(tree, "[]")
	}()
	must.Equal(t, "x://h/b", f.must("resources/read", map[string]any{"uri": "x://H/b"})["contents"].([]any)[0].(map[string]any)["uri"], "another spelling reads")
	<-later
	before := finds.Load()
	for range 20 {
		f.must("resources/read", map[string]any{"uri": "x://h/a"})
	}
	if n := finds.Load() - before; n != 0 {
		t.Errorf("with a catalog, %d of 20 files are looked for", n)
	}
}

// publishSkills publishes a tree with its skills.
func (f *fixture) publishSkills(fsys fs.FS) {
	f.t.Helper()
	c := must.Get(loader.Scan(f.t.Context(), fsys, loader.Options{Mounts: []loader.Mount{skills.Mount()}}))(f.t)
	f.current.Publish(c)
}

func manifestOf(name string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: Does %s\n---\n", name, name)
}

// Hosts read each file of each skill and compare it with its digest.
func TestSkills(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		f := start(t, e, given.Resources(), "[]")
		f.server.SetLimits(Limits{ReadBytes: 1 << 20, FrameBytes: 1 << 20, PageItems: 2})
		f.publishSkills(given.Files(
			"skills/a/SKILL.md="+manifestOf("a"), "skills/a/utf8.md=\ufeffé", "skills/a/utf16.txt=\xff\xfea\x00", "skills/a/latin1.txt=\xe9", "skills/a/image.png=\x89PNG", "skills/a/empty=", "skills/a/sub/b.json={}",
			"skills/b/SKILL.md=no front matter", "skills/c/d/SKILL.md="+manifestOf("d"), "skills/c/e/SKILL.md="+manifestOf("e"), "skills/notes.md=not served",
			"resources/skill/a/SKILL.md=does not replace it", "resources/skill/a/more.txt=\xfe\xff\x00a",
		))
		var uris []string
		entries := make(map[string]any)
		for cursor := any(""); cursor != nil; {
			page := f.must("skills/list", map[string]any{"cursor": cursor})
			if _, ok := page["ttlMs"]; ok != (e == protocol.Stateless) {
				t.Errorf("ttlMs: %v", page["ttlMs"])
			}
			for _, item := range page["skills"].([]any) {
				entry := item.(map[string]any)
				uris = append(uris, entry["uri"].(string))
				entries[entry["uri"].(string)] = item
				for _, file := range entry["resources"].([]any) {
					file := file.(map[string]any)
					content := f.must("resources/read", map[string]any{"uri": file["uri"]})["contents"].([]any)[0].(map[string]any)
					data := []byte(fmt.Sprint(content["text"]))
					if blob, ok := content["blob"].(string); ok {
						data, _ = base64.StdEncoding.DecodeString(blob)
					}
					if got := fmt.Sprintf("sha256:%x", sha256.Sum256(data)); got != file["digest"] || float64(len(data)) != file["size"] {
						t.Errorf("%s: %s of %d bytes, want %s of %v", file["uri"], got, len(data), file["digest"], file["size"])
					}
				}
			}
			cursor = page["nextCursor"]
		}
		if want := []string{"skill://a/SKILL.md", "skill://c/d/SKILL.md", "skill://c/e/SKILL.md"}; !slices.Equal(uris, want) {
			t.Errorf("listed: %q", uris)
		}
		if n := len(entries["skill://a/SKILL.md"].(map[string]any)["resources"].([]any)); n != 8 {
			t.Errorf("the first has %d files", n)
		}
		got := f.must("skills/get", map[string]any{"uri": "SKILL://A/SKILL.md"})["skill"]
		must.Equal(t, entries["skill://a/SKILL.md"], got)
		for uri, want := range map[string]string{
			"skill://b/SKILL.md":    "has no front matter",
			"skill://a/utf8.md":     "names no SKILL.md",
			"skill://none/SKILL.md": "names no SKILL.md",
			"skill://a":             "names no SKILL.md",
			"":                      "names no SKILL.md",
		} {
			if err := f.fails(jsonrpc.CodeInvalidParams, "skills/get", map[string]any{"uri": uri}); !strings.Contains(err.Message, want) {
				t.Errorf("%q: %v", uri, err)
			}
		}
		f.fails(jsonrpc.CodeInvalidParams, "skills/list", map[string]any{"cursor": protocol.NewCursor(protocol.ResourceCursor, "skill://a/SKILL.md")})
		page := f.must("resources/list", nil)["resources"].([]any)[0].(map[string]any)
		if page["name"] != "a" || page["description"] != "Does a" || page["mimeType"] != "text/markdown" {
			t.Errorf("%v", page)
		}
	})
}

func TestDirectories(t *testing.T) {
	bothEras(t, func(t *testing.T, e protocol.Era) {
		n := &notes{}
		n.put("", "x://h/c/note", "1")
		n.put("", "note://a/b/c", "1")
		f := startAs(t, e, given.Resources("x/h/a b=1", "x/h/b=1", "x/h/d/one=1", "x/h/d/two=1", "x/h/é/f=1", "x/top=1"), "[]", Options{Sources: []view.Source{n}}, func(s *Server) { s.SetLimits(Limits{1000, 3000, 2}) })
		for requested, want := range map[string][]string{
			"x://h":     {"x://h/a%20b", "x://h/b", "x://h/c dir", "x://h/d dir", "x://h/%C3%A9 dir"},
			"X://H/":    {"x://h/a%20b", "x://h/b", "x://h/c dir", "x://h/d dir", "x://h/%C3%A9 dir"},
			"x://":      {"x://top", "x://h dir"},
			"x://h/d":   {"x://h/d/one", "x://h/d/two"},
			"x://h/c":   {"x://h/c/note"},
			"note://":   {"note://a dir"},
			"note://a/": {"note://a/b dir"},
		} {
			var got []string
			for cursor := any(""); cursor != nil; {
				page := f.must("resources/directory/read", map[string]any{"uri": requested, "cursor": cursor})
				for _, item := range page["resources"].([]any) {
					child := item.(map[string]any)
					shown := child["uri"].(string)
					if child["mimeType"] == "inode/directory" {
						shown += " dir"
					}
					if child["name"] == "" {
						t.Errorf("%s has no name", shown)
					}
					got = append(got, shown)
				}
				cursor = page["nextCursor"]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s has %q, want %q", requested, got, want)
			}
		}
		for _, requested := range []string{"x://h/b", "x://none", "x", "", "note://a/b/c", "../x"} {
			f.fails(jsonrpc.CodeInvalidParams, "resources/directory/read", map[string]any{"uri": requested})
		}
		cursor := f.must("resources/directory/read", map[string]any{"uri": "x://h"})["nextCursor"]
		f.fails(jsonrpc.CodeInvalidParams, "resources/directory/read", map[string]any{"uri": "x://", "cursor": cursor})
	})
}
