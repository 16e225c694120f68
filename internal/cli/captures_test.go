package cli

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// Commands list, read, explain and search captures in files, and change nothing.
func TestCapturesOfCommands(t *testing.T) {
	dir, key, private := capturedProject(t)
	before := treeOf(t, filepath.Join(dir, "captures"))
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"list", 0, "a://file\ncapture://cleaned/" + key + "\ncapture://raw/" + key + "\n"},
		{"list --long capture://cleaned/*", 0, "capture://cleaned/" + key + "  text/markdown"},
		{"read capture://cleaned/" + key, 0, "# Zoo\n\nA walrus."},
		{"read capture://raw/" + key, 0, "<p># Zoo"},
		{"read capture://cleaned/" + private, 1, ""},
		{"read capture://cleaned/../../mcp-docs-server.json", 1, ""},
		{"explain capture://cleaned/" + key, 0, "is served. The server makes it"},
		{"explain capture://cleaned/" + private, 1, ""},
		{"search walrus", 0, "capture://cleaned/" + key},
		{"search secretword", 0, "No passage has these words"},
		{"list --hidden", 0, ""},
	} {
		code, out, errs := run(t, nil, append(strings.Fields(test.args), "--project", dir)...)
		if code != test.code || !strings.Contains(out, test.want) || strings.Contains(out+errs, "alice") {
			t.Errorf("%s: code %d, %s%s\nwant %s", test.args, code, out, errs, test.want)
		}
	}
	if after := treeOf(t, filepath.Join(dir, "captures")); after != before {
		t.Errorf("there is\n%s\nand was\n%s", after, before)
	}
}

// A project whose folder of captures is a link to the folder of another project neither shows nor changes its captures.
func TestCapturesInALink(t *testing.T) {
	theirs, key, _ := capturedProject(t)
	dir := given.Folder(t, strings.Replace(goodConfig, "{", `{"capture": {"store": "files"},`, 1), "docs/index.md=# Index")
	if err := os.Symlink(filepath.Join(theirs, "captures"), filepath.Join(dir, "captures")); err != nil {
		t.Skip(err)
	}
	try(t, "list", "--project", dir).hides(key)
	if code, _, errs := run(t, strings.NewReader(""), "serve", "--project", dir); code == 0 || !strings.Contains(errs, "captures: is not a folder, and a link is not followed") {
		t.Errorf("serve: code %d, %s", code, errs)
	}
}

// treeOf returns the names below a folder.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		b.WriteString(path + "\n")
		return err
	}))
	return b.String()
}

// Captures are neither published nor served as files of the project, and a served folder cannot
// hold them.
func TestCapturesAreNotPublished(t *testing.T) {
	dir, _, _ := capturedProject(t)
	code, out, errs := run(t, nil, "publish", "--dry-run", dir)
	if code != 0 || !strings.Contains(out, "docs/index.md") || strings.Contains(out+errs, "captures/") {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
	for _, folder := range []string{"docs/captures", "resources", "prompts/x"} {
		code, _, errs := run(t, strings.NewReader(""), "serve", "--capture", "--capture-dir", filepath.Join(dir, folder), dir)
		if code == 0 || !strings.Contains(errs, "which is served; name a place outside of it") {
			t.Errorf("captures in %s: code %d, %s", folder, code, errs)
		}
	}
}

// A folder that cannot hold captures ends the start.
func TestCapturesThatCannotBeKept(t *testing.T) {
	dir, _, _ := capturedProject(t)
	file := filepath.Join(dir, "mcp-docs-server.json")
	code, _, errs := run(t, strings.NewReader(""), "serve", "--capture", "--capture-dir", file, dir)
	if code == 0 || !strings.Contains(errs, file+": the folder of captures cannot be made or opened: ") {
		t.Errorf("code %d, %s", code, errs)
	}
}

// Over HTTP, only the owner of a private capture can see it.
func TestCapturesOfCallers(t *testing.T) {
	dir, key, private := capturedProject(t)
	tokens := filepath.Join(t.TempDir(), "tokens")
	must.Write(t, tokens, "alice aaaaaaaaaaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbbbbbbbbbb\n")
	base, _ := startHTTP(t, "--http=127.0.0.1:0", "--token-file", tokens, "--capture", dir)
	ask := func(token, session, body string) (answer, opened string) {
		t.Helper()
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", strings.NewReader(body)))(t)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
			r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
		}
		response := must.Get(http.DefaultClient.Do(r))(t)
		defer response.Body.Close()
		data := must.Get(io.ReadAll(response.Body))(t)
		return string(data), response.Header.Get("Mcp-Session-Id")
	}
	for name, sees := range map[string]bool{"alice": true, "bob": false} {
		token := strings.Repeat(name[:1], 24)
		_, session := ask(token, "", `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}`)
		for _, test := range []struct {
			method, params, mark string
			always               bool
		}{
			{"resources/list", `{}`, private, false},
			{"resources/list", `{}`, key, true},
			{"resources/read", `{"uri": "capture://cleaned/` + private + `"}`, "secretword", false},
			{"resources/read", `{"uri": "capture://cleaned/` + key + `"}`, "walrus", true},
			{"completion/complete", `{"ref": {"type": "ref/resource", "uri": "capture://{tier}/{key}"}, "argument": {"name": "key", "value": "example"}}`, private, false},
			{"tools/call", `{"name": "list_resources", "arguments": {}}`, private, false},
			{"tools/call", `{"name": "read_resource", "arguments": {"uri": "capture://raw/` + private + `"}}`, "secretword", false},
		} {
			answer, _ := ask(token, session, fmt.Sprintf(`{"jsonrpc": "2.0", "id": 2, "method": %q, "params": %s}`, test.method, test.params))
			if want := test.always || sees; strings.Contains(answer, test.mark) != want && !(strings.Contains(answer, "error") && !want) {
				t.Errorf("%s, %s %s: %s", name, test.method, test.params, answer)
			}
		}
	}
}
