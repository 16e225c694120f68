package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
)

func TestExplain(t *testing.T) {
	dir := makeProject(t, goodConfig, "resources/docs/v2/a.md=# A\n", "resources/docs/v2/.b.md=b", "docs/index.md=# Index", "prompts/p.md=Hello.")
	for _, test := range []struct {
		question string
		code     int
		want     string // on either stream
	}{
		{"docs://v2/a.md", 0, "by the extension"},
		{"resources/docs/v2/a.md", 0, "resource      docs://v2/a.md"},
		{filepath.Join(dir, "resources", "docs", "v2", "a.md"), 0, "resource      docs://v2/a.md"},
		{"resources/docs/v2/.b.md", 1, "dot-name"},
		{"docs://v2/.b.md", 1, "dot-name"},
		{"docs/index.md", 0, "listed, read and searched"},
		{"prompts/p.md", 0, "prompt"},
		{"docs://v2/A.md", 1, "did you mean docs://v2/a.md?"},
		{"mcp-docs-server.json", 1, "outside"},
		{"../../etc/passwd", 1, "there is no file"},
		{"\x1b[31m", 1, `there is no file or resource "\x1b[31m"`},
	} {
		code, out, errs := run(t, nil, "explain", test.question, dir)
		if code != test.code || !strings.Contains(out+errs, test.want) || strings.Contains(out+errs, "\x1b") {
			t.Errorf("%q: %d\n%s%s", test.question, code, out, errs)
		}
		code, out, errs = run(t, nil, "explain", test.question, dir, "--json")
		var a explain.Answer
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != test.code || errs != "" || a.Served != (code == 0) {
			t.Errorf("%q as JSON: %d, %v\n%s%s", test.question, code, err, out, errs)
		}
	}
	t.Chdir(dir)
	if code, out, errs := run(t, nil, "explain", "./docs/index.md"); code != 0 {
		t.Error(out, errs)
	}
	t.Chdir("docs")
	if code, out, errs := run(t, nil, "explain", "index.md", ".."); code != 0 {
		t.Error(out, errs)
	}
}

// A name that would move the cursor is quoted, and one that is not UTF-8 is JSON.
func TestExplainHostileName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such names")
	}
	dir := makeProject(t, goodConfig)
	name := filepath.Join(dir, "resources", "x", "h", "a\x1b[2J\xff.md")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("# \x1b[31mred\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t, nil, "explain", name, dir)
	if code != 0 || strings.Contains(out+errs, "\x1b") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	code, out, _ = run(t, nil, "explain", name, dir, "--json")
	if code != 0 || strings.Contains(out, "\ufffd") || !strings.Contains(out, "%FF") {
		t.Errorf("%d %s", code, out)
	}
}
