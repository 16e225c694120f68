package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A repository with a generator is described in one line, and "init" keeps what was found.
func TestSites(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"docs/en/mkdocs.yml": "exclude_docs: part.md", "docs/en/docs/a.md": "# A\n", "docs/de/docs/a.md": "# A\n", "docs/en/docs/part.md": "x", "docs/en/docs/sub/made/x.md": "x", ".gitignore": "made/\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func(moment string) {
		t.Helper()
		for _, test := range []struct {
			args []string
			code int
			want string
		}{
			{[]string{"list", "--docs", "--all", dir}, 0, "a.md\ndocs/de/docs/a.md\n"},
			{[]string{"list", "--hidden", dir}, 0, filepath.Join(dir, "docs/en/docs/part.md") + "  not-published: is not published by MkDocs\n" + filepath.Join(dir, "docs/en/docs/sub/made") + "  not-published: is named by .gitignore\n"},
			{[]string{"explain", "docs/en/docs/sub/made/x.md", dir}, 1, "not-published: is named by .gitignore"},
			{[]string{"check", dir}, 0, "\nfound MkDocs in docs/en/docs/: 1 document, English of 2 languages\n"},
			{[]string{"doctor", "cursor", "--project", dir}, 0, "Found MkDocs in docs/en/docs/: 1 document, English of 2 languages\n"},
		} {
			if code, out, errs := run(t, nil, test.args...); code != test.code || errs != "" || !strings.Contains("\n"+out, test.want) {
				t.Errorf("%s: %q: code %d, output %q, errors %q", moment, test.args, code, out, errs)
			}
		}
	}
	look("detected")
	if code, out, errs := run(t, nil, "init", dir); code != 0 || errs != "" || !strings.Contains(out, filepath.Join("docs", "en", "docs")) {
		t.Errorf("code %d, output %q, errors %q", code, out, errs)
	}
	settings, err := os.ReadFile(filepath.Join(dir, "mcp-docs-server.json"))
	if err != nil || !strings.Contains(string(settings), `"root": "docs/de/docs"`) {
		t.Errorf("%s, %v", settings, err)
	}
	look("named")
}
