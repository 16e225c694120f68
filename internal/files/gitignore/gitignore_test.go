package gitignore

import (
	"io/fs"
	"testing"
	"testing/fstest"
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
