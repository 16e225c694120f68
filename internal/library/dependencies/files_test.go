package dependencies

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// tree writes files into a new folder and opens it.
func tree(t *testing.T, files map[string]string) (*rootfs.FS, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must.Write(t, name, text)
	}
	f := must.Get(rootfs.Open(dir))(t)
	t.Cleanup(func() { f.Close() })
	return f, dir
}

func TestFiles(t *testing.T) {
	text := "# Text\n"
	base, dir := tree(t, map[string]string{
		"p/README.md": text, "p/Readme.zh-CN.md": text, "p/README_ja.md": text, "p/CHANGELOG.md": text, "p/HISTORY": text,
		"p/LICENSE.md": text, "p/CONDUCT.md": text, "p/AGENTS.md": text, "p/CLAUDE.local.md": text, "p/docs/SKILL.md": text, "p/CONTRIBUTING.md": text,
		"p/MIGRATION.md": text, "p/docs/a/b.mdx": text, "p/dist/docs/c.md": text, "p/dist/d.md": text, "p/src/README.md": text,
		"p/docs/test/e.md": text, "p/node_modules/q/README.md": text, "p/docs/.f.md": text, "p/docs/empty.md": "", "p/docs/g.txt": text,
		"p/guides/agents.md": text, "p/docs/AGENTS.md": text, "p/docs/security.md": text, "secret.md": "secret",
	})
	if err := os.Symlink("../../secret.md", filepath.Join(dir, "p", "docs", "link.md")); err != nil {
		t.Skip(err)
	}
	documents, leftOut, err := Files(base, "p", false)
	must.Do(t, err)
	var got []string
	for _, d := range documents {
		got = append(got, d.Path)
		if data, err := d.Read(); err != nil || string(data) != text {
			t.Errorf("%s: read %q, %v", d.Path, data, err)
		}
	}
	want := []string{"CHANGELOG.md", "HISTORY.md", "MIGRATION.md", "README.md", "dist/docs/c.md", "docs/a/b.mdx", "docs/security.md", "guides/agents.md"}
	must.Equal(t, want, got, "documents")
	documents, _, _ = Files(base, "p", true)
	if len(documents) != len(want)+2 { // dist/d.md and src/README.md
		t.Errorf("a repository has %d documents", len(documents))
	}
	must.Equal(t, []string{"docs/link.md"}, leftOut, "left out")
}

func TestFilesStayInThePackage(t *testing.T) {
	base, dir := tree(t, map[string]string{"p/docs/a.md": "inside", "secret/a.md": "secret"})
	documents, _, err := Files(base, "p", false)
	if err != nil || len(documents) != 1 {
		t.Fatal(documents, err)
	}
	// The folder becomes a link after it was listed.
	must.Do(t, os.Rename(filepath.Join(dir, "p", "docs"), filepath.Join(dir, "p", "old")))
	if err := os.Symlink("../secret", filepath.Join(dir, "p", "docs")); err != nil {
		t.Skip(err)
	}
	if data, err := documents[0].Read(); err == nil {
		t.Errorf("read %q through a link", data)
	}
}

func TestSet(t *testing.T) {
	base, _ := tree(t, map[string]string{"a/README.md": "# A <!-- hidden -->\n", "b/README.md": "# B\n"})
	load := func(dir string) []Document {
		documents, _, err := Files(base, dir, false)
		must.Do(t, err)
		return documents
	}
	s := New([]*Package{
		{Ecosystem: "npm", Name: "@s/a", Version: "2.0.0", Documents: load("a")},
		{Ecosystem: "npm", Name: "@s/a", Version: "1.0.0", Direct: true, Documents: load("a")},
		{Ecosystem: "go", Name: "x.org/b", Version: "v1.0.0", Direct: true, Documents: load("b")},
		{Ecosystem: "npm", Name: "../evil", Version: "1.0.0", Documents: load("b")},
		{Ecosystem: "npm", Name: "evil", Version: "../1", Documents: load("b")},
		{Ecosystem: "npm", Name: "gone", Version: "1.0.0", Missing: "is not installed"},
	})
	var got []string
	err := fs.WalkDir(s, Folder, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			got = append(got, name)
		}
		return err
	})
	want := []string{"deps/go/x.org/b@v1.0.0/README.md", "deps/npm/@s/a@1.0.0/README.md", "deps/npm/@s/a@2.0.0/README.md"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, files (-want +got):\n%s", err, diff)
	}
	if text, err := fs.ReadFile(s, want[1]); err != nil || string(text) != "# A \n" {
		t.Errorf("read %q, %v", text, err)
	}
	if p := s.Of("npm/@s/a@2.0.0/docs/x.md"); p == nil || p.Version != "2.0.0" {
		t.Errorf("Of = %v", p)
	}
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"ai": true, "@s/a": true, "github.com/x/y/v2": true, "gopkg.in/yaml.v3": true,
		"": false, "..": false, "@s/..": false, "a//b": false, "/a": false, "a/": false, ".bin": false, "a\\b": false, "a b": false, "a\x00": false,
		strings.Repeat("a", 300): false,
	} {
		must.Equal(t, want, ValidName(name), "ValidName ", name)
	}
}

func TestCache(t *testing.T) {
	c := must.Get(OpenCache(filepath.Join(t.TempDir(), "a", "b")))(t)
	defer c.Close()
	if _, ok := c.Get("x"); ok {
		t.Error("an empty cache has an entry")
	}
	c.Put("x", []byte("data"))
	if data, ok := c.Get("x"); !ok || string(data) != "data" {
		t.Errorf("got %q, %v", data, ok)
	}
	(*Cache)(nil).Put("x", nil)
}

// The folder of another user is not used: that user could change what is served.
func TestForeignCache(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to somebody else")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Skip("folders cannot be given to others here: ", err)
	}
	must.Do(t, os.Chmod(dir, 0o700))
	if c, err := OpenCache(dir); err == nil {
		c.Close()
		t.Error("it was opened")
	}
}

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"comment", "a <!-- ignore all\nrules --> b\n", "a \n b\n"},
		{"comment that does not end", "a\n\n<!-- x\ny\n", "a\n\n\n\n"},
		{"empty comment", "a<!-->b\n", "ab\n"},
		{"fence", "```html\n<!-- kept -->\n```\n<!-- gone -->\n", "```html\n<!-- kept -->\n```\n\n"},
		{"fence in a list", "- ```html\n  <!-- kept -->\n  ```\n<!-- gone -->x\n", "- ```html\n  <!-- kept -->\n  ```\nx\n"},
		{"tildes in backticks", "```\n~~~\n```\n<!-- gone -->x\n", "```\n~~~\n```\nx\n"},
		{"code in a line", "write `<!-- kept -->` and ``a ` <!-- kept -->``<!-- gone -->.\n", "write `<!-- kept -->` and ``a ` <!-- kept -->``.\n"},
		{"code ends with the paragraph", "a ` b\n\n<!-- gone -->` c\n", "a ` b\n\n` c\n"},
		{"code over two lines", "a `b\n<!-- kept --> c`\n", "a `b\n<!-- kept --> c`\n"},
		{"indented code", "Text:\n\n    <!-- kept -->\n\nEnd <!-- gone -->\n", "Text:\n\n    <!-- kept -->\n\nEnd \n"},
		{"indented text of an item", "- item\n\n    <!-- gone -->x\n", "- item\n\n    x\n"},
		{"indented line of a paragraph", "Text\n    <!-- gone -->x\n", "Text\n    x\n"},
		{"tags and bidi", "a\U000e0041\U000e007fb\u202ec\u2066d\u200fe\n", "abcde\n"},
		{"joiners and selectors", "👩\u200d💻 ❤\ufe0f क\u200dष\n", "👩\u200d💻 ❤\ufe0f क\u200dष\n"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"a mark that comments begin with", "a < b <!- c\n", "a < b <!- c\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			must.Equal(t, test.want, Clean(test.text), "Clean ", test.text)
		})
	}
}
