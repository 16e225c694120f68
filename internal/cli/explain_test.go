package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

func TestExplain(t *testing.T) {
	dir := given.Folder(t, goodConfig, "resources/docs/v2/a.md=# A\n", "resources/docs/v2/.b.md=b", "docs/index.md=# Index", "prompts/p.md=Hello.", "en/a.md=# A", "fr/a.md=# A")
	t.Chdir(filepath.Join(dir, "docs"))
	for _, r := range []row{
		{"docs://v2/a.md", 0, "…by the extension…", ""},
		{"resources/docs/v2/a.md", 0, "…resource      docs://v2/a.md\n…", ""},
		{filepath.Join(dir, "resources/docs/v2/a.md"), 0, "…resource      docs://v2/a.md\n…", ""},
		{"resources/docs/v2/.b.md", 1, "…dot-name…", ""},
		{"docs://v2/.b.md", 1, "…dot-name…", ""},
		{"index.md", 0, "…listed, read and searched\n…", ""},
		{"prompts/p.md", 0, "…prompt…", ""},
		{"docs://v2/A.md", 1, "", "…did you mean docs://v2/a.md?\n"},
		{"mcp-docs-server.json", 1, "…outside…", ""},
		{"../../etc/passwd", 1, "", "…there is no file…"},
		{"\x1b[31m", 1, "", "…there is no file or resource \"\\x1b[31m\"\n"},
		{"fr/a.md", 0, "…lists and search show another language or version, unless they are asked for fr\n…", ""}, // and does not say that it is searched
	} {
		question := r.line
		r.line = "explain " + question + " .."
		rows(t, r)
		s := try(t, "explain", question, "..", "--json").ends(r.code).complainsOnly("")
		var a explain.Answer
		if err := json.Unmarshal([]byte(s.out), &a); err != nil || a.Served != (r.code == 0) {
			t.Errorf("%q as JSON: %v\n%s", question, err, s.out)
		}
	}
}
