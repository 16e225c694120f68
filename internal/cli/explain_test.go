package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

func TestExplain(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/docs/v2/a.md=# A\n", "resources/docs/v2/.b.md=b", "docs/index.md=# Index", "prompts/p.md=Hello.")
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
	try(t, "explain", "./docs/index.md").ends(0)
	t.Chdir("docs")
	try(t, "explain", "index.md", "..").ends(0)
}
