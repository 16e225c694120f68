package cli

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestJSON checks the shapes that the pages of the commands document: standard output is one value
// with these keys, or an array of objects with these keys.
func TestJSON(t *testing.T) {
	home := homeFolder(t)
	dir := given.Folder(t, append(publishable, "resources/y/h/b.bin=\x00\x01")...)
	must.Write(t, filepath.Join(dir, "package.json"), `{"mcpName": "io.github.acme/docs", "description": "All about Acme"}`)
	site := webSite(t, map[string]string{"/": "<!doctype html><title>A</title><p>text"}) + "/"
	t.Chdir(dir)
	for _, test := range []struct {
		args string
		keys string
	}{
		{"list", "file mimeType modTime size uri"},
		{"list docs", "class file modTime path size title"},
		{"list prompts", "arguments description file name title"},
		{"list tools", "description name title"},
		{"list --hidden", "detail fix path reason rule"},
		{"list nothing*", "[]"},
		{"read x://h/a.md", "contents"},
		{"search Index", "hits missing unmatched weak"},
		{"prompt review", "description messages"},
		{"call searchAcme query=index", "content isError"},
		{"explain x://h/a.md", "file question resource served"},
		{"capture --dry-run " + onLoopback + " " + site, "file state title url"},
		{"check", "bytes documents errors findings notes prompts resources served warnings"},
		{"config", "id title"},
		{"config cursor --scope user", "after client entry file format inFolder key link notes scope snippet title webLink"},
		{"config cursor --scope user --write", "after change client entry file scope"},
		{"config cursor --scope user --write", "after change client entry file scope"},
		{"config cursor --scope user --remove", "backup change client entry file scope"},
		{"publish --dry-run", "dryRun files manifest omitted package packed published sha256 target unpacked version"},
		{"publish --output " + filepath.Join(home, "a.tgz"), "dryRun files omitted output package packed published sha256 target unpacked version"},
		{"publish --output " + filepath.Join(home, "a"), "dryRun files omitted output package published target unpacked version"},
		{"publish --target server-json", "dryRun files manifest omitted package published target unpacked version"},
	} {
		s := line(t, test.args+" --json").ends(0)
		var value any
		if err := json.Unmarshal([]byte(s.out), &value); err != nil || keysOf(value) != test.keys {
			t.Errorf("%s: %v, keys %q, want %q, in\n%s", test.args, err, keysOf(value), test.keys, s.out)
		}
	}
}

// keysOf returns the sorted keys of an object, or of the first one in an array.
func keysOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return strings.Join(slices.Sorted(maps.Keys(v)), " ")
	case []any:
		if len(v) > 0 {
			return keysOf(v[0])
		}
	}
	return "[]"
}

// What commands print about files with hostile names cannot move the cursor, reorder a line or begin another one, and JSON is valid.
func TestHostileNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such names")
	}
	const name = "resources/x/h/a\x1b[2J\xff\n::error::x.md"
	t.Chdir(given.Folder(t, goodConfig, "docs/a\u009b2J\u202e.md=[b](none\u202e.md)", "resources/x/h/b\u009b\u2066.md=# A\u202e", name+"="))
	for _, args := range [][]string{{"list", "docs", "--json"}, {"list", "--json"}, {"check", "--json"}, {"check"}, {"check", "--format=github"}, {"explain", name}, {"explain", name, "--json"}} {
		_, out, errs := run(t, nil, args...)
		if strings.ContainsAny(out+errs, "\x1b\r\u009b\u202e\u2066\ufffd") || strings.Contains(out+errs, "\xff") || strings.Contains(out, "\n::error::x") || args[len(args)-1] == "--json" && !json.Valid([]byte(out)) {
			t.Errorf("%q: %q, errors %q", args, out, errs)
		}
	}
}
