package cli

import (
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// capturedProject has a project with two captures in files. One of them is private to alice.
func capturedProject(t *testing.T) (dir, key, private string) {
	t.Helper()
	dir = given.Folder(t, strings.Replace(goodConfig, "{", `{"capture": {"store": "files"}, "search": {"captures": true},`, 1), "resources/a/file=1", "docs/index.md=# Index")
	settings := store.DefaultSettings()
	settings.Kind, settings.Folder = store.Files, filepath.Join(dir, store.DefaultFolder)
	s := must.Get(store.Open(t.Context(), settings, slog.New(slog.DiscardHandler)))(t)
	defer s.Close()
	put := func(address, owner, text string) string {
		u := must.Get(url.Parse(address))(t)
		m := store.Meta{Key: store.Request{URL: u, Owner: owner}.Key(), URL: address, Owner: owner, Source: "native"}
		must.Get(s.Put(t.Context(), m, store.Contents{store.Raw: []byte("<p>" + text), store.Cleaned: []byte(text)}))(t)
		return m.Key
	}
	return dir, put("https://example.com/zoo", "", "# Zoo\n\nA walrus."), put("https://example.com/mine", "token:alice", "A secretword.")
}

// Commands list, read, explain and search captures in files, and change nothing. publish leaves them out.
func TestCapturesOfCommands(t *testing.T) {
	dir, key, private := capturedProject(t)
	t.Chdir(dir)
	before := filesBelow(t, "captures")
	const cleaned, raw = "capture://cleaned/", "capture://raw/"
	rows(t,
		row{"list", 0, "a://file\n" + cleaned + key + "\n" + raw + key + "\n", ""},
		row{"list --long " + cleaned + "*", 0, "…" + cleaned + key + "  text/markdown…", ""},
		row{"read " + cleaned + key, 0, "# Zoo\n\nA walrus.", ""},
		row{"read " + raw + key, 0, "<p># Zoo…", ""},
		row{"read " + cleaned + private, 1, "", "…"},
		row{"read " + cleaned + "../../mcp-docs-server.json", 1, "", "…"},
		row{"explain " + cleaned + key, 0, "…is served. The server makes it…", ""},
		row{"explain " + cleaned + private, 1, "", "…"},
		row{"search walrus", 0, "…" + cleaned + key + "…", ""},
		row{"search secretword", 0, "…No passage has these words…", ""})
	line(t, "list --hidden").ends(0).hides("alice")
	line(t, "publish -n").ends(0).prints("docs/index.md").hides("captures/")
	if diff := cmp.Diff(before, filesBelow(t, "captures")); diff != "" {
		t.Errorf("captures have changed: %s", diff)
	}
}

// Over HTTP, only the owner of a private capture can see it.
func TestCapturesOfCallers(t *testing.T) {
	dir, key, private := capturedProject(t)
	tokens := filepath.Join(t.TempDir(), "tokens")
	must.Write(t, tokens, "alice aaaaaaaaaaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbbbbbbbbbb\n")
	base, _ := startHTTP(t, "--http=127.0.0.1:0", "--token-file", tokens, "--capture", dir)
	for name, sees := range map[string]bool{"alice": true, "bob": false} {
		ask := func(method string, params map[string]any) string {
			return answerOf(t, base, method, params, "Authorization", "Bearer "+strings.Repeat(name[:1], 24))
		}
		uri := func(uri string) map[string]any { return map[string]any{"uri": uri} }
		list := ask("resources/list", map[string]any{})
		for _, answer := range []string{list, ask("tools/call", map[string]any{"name": "list_resources", "arguments": map[string]any{}}),
			ask("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": "capture://{tier}/{key}"}, "argument": map[string]any{"name": "key", "value": "example"}})} {
			if strings.Contains(answer, private) != sees || !strings.Contains(answer, key) {
				t.Errorf("%s: %s", name, answer)
			}
		}
		for _, answer := range []string{ask("resources/read", uri("capture://cleaned/"+private)), ask("tools/call", map[string]any{"name": "read_resource", "arguments": uri("capture://raw/" + private)})} {
			if strings.Contains(answer, "secretword") != sees {
				t.Errorf("%s: %s", name, answer)
			}
		}
		if answer := ask("resources/read", uri("capture://cleaned/"+key)); !strings.Contains(answer, "walrus") {
			t.Errorf("%s: %s", name, answer)
		}
	}
}
