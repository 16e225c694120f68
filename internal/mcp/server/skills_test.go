package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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
		if diff := cmp.Diff(entries["skill://a/SKILL.md"], got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
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
