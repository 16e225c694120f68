package gitignore

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
)

func TestHas(t *testing.T) {
	g := New(fstest.MapFS{
		".gitignore":     {Data: []byte("# made\n*.log\n!keep.log\n/only\nbuild/\na/b.md\n{x,y}.md\n")},
		"sub/.gitignore": {Data: []byte("!x.log\nz.*\n")},
	})
	for file, want := range map[string]bool{
		"x.log": true, "a/x.log": true, "keep.log": false, "only": true, "a/only": false, "build/x.md": true, "c/build/x.md": true, "a/b.md": true, "c/a/b.md": false,
		"x.md": false, "sub/x.log": false, "sub/y.log": true, "sub/z.md": true, "z.md": false,
	} {
		if got := g.Has(file, false); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
	if g.Has("build", false) || !g.Has("build", true) {
		t.Error("a pattern of a folder is about files")
	}
}

// TestCost has thousands of patterns that nearly match each file.
func TestCost(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("*a", 60) + "b*", "a/**/x", "*a?b*c", "[[:alpha:]]*[!b]"} {
		cost.Check(t, strings.Repeat(pattern+"\n", 5000), func(text string) {
			g := New(fstest.MapFS{".gitignore": {Data: []byte(text)}})
			for i := range 20 {
				g.Has(fmt.Sprintf("a/%d%sx", i, strings.Repeat("a", 200)), false)
			}
		})
	}
}

// Patterns after thousands of others still count: too much is ignored rather than too little.
func TestManyPatterns(t *testing.T) {
	g := New(fstest.MapFS{".gitignore": {Data: []byte(strings.Repeat("x*x*y\n", 6000) + "private.md\nsecret-*[0-9].md\n!*[a-z].md\n")}})
	for file, want := range map[string]bool{"private.md": true, "secret-1.md": true, "a.md": false} {
		if got := g.Has(file, false); got != want {
			t.Errorf("%s is ignored: %v", file, got)
		}
	}
}

// FuzzHas compares what is known of a folder with what is known of a file in it.
func FuzzHas(f *testing.F) {
	f.Add("*.md\n!a.md\n/x/\n{a,b}\n[\n", "x/a.md")
	f.Fuzz(func(t *testing.T, rules, file string) {
		if !fs.ValidPath(file) || file == "." {
			return
		}
		g := New(fstest.MapFS{".gitignore": {Data: []byte(rules)}})
		if g.Has(file, true) && !g.Has(file+"/below", false) {
			t.Errorf("%q is ignored, and a file in it is not", file)
		}
	})
}

// .git/info/exclude counts as the first lines of the .gitignore in the project folder, and not where .git is a file.
func TestExclude(t *testing.T) {
	files := fstest.MapFS{".git/info/exclude": {Data: []byte("*.md\n/private/\n")}, ".gitignore": {Data: []byte("!b.md\n")}}
	g := New(files)
	for file, want := range map[string]bool{"a.md": true, "x/a.md": true, "b.md": false, "private/c.txt": true, "c.txt": false} {
		if got := g.Has(file, false); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
	if New(fstest.MapFS{".git": {Data: []byte("gitdir: ../x\n")}}).Has("a.md", false) {
		t.Error("a file is ignored that nothing names")
	}
}
