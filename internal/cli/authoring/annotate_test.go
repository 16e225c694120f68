package authoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// The name of a file can neither end an annotation nor begin another one.
func TestCheckGitHub(t *testing.T) {
	r := &check.Report{Findings: []check.Finding{
		{Severity: check.Error, Rule: check.BrokenLink, File: "docs/a,b:c%d\r\n::error::x.md", Line: 3, Column: 4, Message: "50%\n::set-output name=x::y\x1b[31m", Fix: "a,b:c"},
		{Severity: check.Warning, Rule: check.Shadowed, File: "t.json", Line: 2, URI: "x://h", Message: "m"},
		{Severity: check.Note, Rule: check.PublishSize, Message: "all"},
	}}
	t.Setenv("GITHUB_WORKSPACE", "")
	var b strings.Builder
	annotate(&b, r, "sub")
	want := `::error file=sub/docs/a%2Cb%3Ac%25d\n%3A%3Aerror%3A%3Ax.md,line=3,col=4,title=link-broken::50%25\n::set-output name=x::y\x1b[31m; to do: a,b:c
::warning file=t.json,line=2,title=template-shadowed::m (x://h)
::notice title=publish-size::all
`
	want = strings.Replace(want, "file=t.json", "file=sub/t.json", 1)
	must.Equal(t, want, b.String())
}

func TestAnnotatedPaths(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	must.Do(t, os.Mkdir(sub, 0o700))
	t.Chdir(sub)
	for _, test := range []struct{ workspace, name, want string }{
		{"", "docs/a.md", "docs/a.md"},
		{"", "../docs/a.md", "../docs/a.md"},
		{"", filepath.Join(sub, "docs", "a.md"), "docs/a.md"},
		{"", filepath.Join(dir, "a.md"), filepath.ToSlash(filepath.Join(dir, "a.md"))},
		{dir, "docs/a.md", "sub/docs/a.md"},
		{dir, "../a.md", "a.md"},
		{dir, filepath.Join(sub, "a.md"), "sub/a.md"},
		{sub, "../a.md", "../a.md"},
	} {
		t.Setenv("GITHUB_WORKSPACE", test.workspace)
		if got := filepath.ToSlash(inWorkspace(filepath.FromSlash(test.name))); got != test.want {
			t.Errorf("%s in %q: %s, want %s", test.name, test.workspace, got, test.want)
		}
	}
}

// A file that another program writes meanwhile stays as that program wants it.
func TestReplaceAChangedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	f := &clientFile{path: file, real: file, mode: 0o600}
	must.Write(t, file, "theirs")
	if _, err := f.replace([]byte("ours")); err == nil || !strings.Contains(err.Error(), "another program has just changed it") {
		t.Errorf("a new file: %v", err)
	}
	f.there, f.text = true, []byte("before")
	if _, err := f.replace([]byte("ours")); err == nil || !strings.Contains(err.Error(), "another program has just changed it") {
		t.Errorf("an old file: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if text, _ := os.ReadFile(file); err != nil || len(left) != 1 || string(text) != "theirs" {
		t.Errorf("%v, %v: %s", left, err, text)
	}
}
