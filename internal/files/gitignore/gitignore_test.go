package gitignore

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
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
		must.Equal(t, want, g.Has(file, false), file)
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
		must.Equal(t, want, g.Has(file, false), file)
	}
	if New(fstest.MapFS{".git": {Data: []byte("gitdir: ../x\n")}}).Has("a.md", false) {
		t.Error("a file is ignored that nothing names")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	must.Write(t, file, text)
}

// newHome returns the empty home folder of a user without settings of git.
func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(home))
	return home
}

func open(t *testing.T, dir string) *Tree {
	t.Helper()
	fsys := must.Get(rootfs.Open(dir))(t)
	t.Cleanup(func() { fsys.Close() })
	return New(fsys)
}

// git runs git in a folder. The test ends if git is not installed.
func git(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, and this test compares with it")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("git %s: %v\n%s", args, err, &failed)
	}
	return string(out)
}

// TestAgainstGit compares random sets of patterns with git.
func TestAgainstGit(t *testing.T) {
	home := newHome(t)
	dir := t.TempDir()
	git(t, dir, "", "init", "-q", ".")
	names := []string{"a", "b", "ab", "Ab", "a.md", "B.md", "a b", "é", "[a]", "#a", "!a", "a\\b", "1", "c-d"}
	files := []string{"a/a", "b/ab/a"}
	for _, file := range files {
		write(t, dir, file, "")
	}
	for range 150 {
		file := names[rand.IntN(len(names))]
		for range rand.IntN(4) {
			file = names[rand.IntN(len(names))] + "/" + file
		}
		if _, err := os.Lstat(filepath.Join(dir, file)); err == nil {
			continue // it is a folder
		}
		above := false
		for at := path.Dir(file); at != "."; at = path.Dir(at) {
			above = above || slices.Contains(files, at)
		}
		if !above {
			write(t, dir, file, "")
			files = append(files, file)
		}
	}
	parts := append(names, "*", "*", "**", "**", "/", "/", "/", "?", "[ab]", "[!a]", "[^b]", "[[:upper:]]", "[[:alpha:][:digit:]]", "[a-c]", "[]a]", "[a", "[[:x:]]", "[b-", "[\\]a]",
		"\\a", "\\#", "\\!", "\\", " ", "\\ ", "\t", ".md", "*.md", "{a,b}", "[+--]")
	draw := func() string {
		var text strings.Builder
		if rand.IntN(4) == 0 {
			text.WriteString("\ufeff")
		}
		for range 1 + rand.IntN(4) {
			if rand.IntN(4) == 0 {
				text.WriteByte('!')
			}
			for range 1 + rand.IntN(5) {
				text.WriteString(parts[rand.IntN(len(parts))])
			}
			text.WriteString([]string{"\n", "\n", "/\n", "  \n", "\r\n", "\t\n", "\n\n"}[rand.IntN(7)])
		}
		return text.String()
	}
	places := []string{".gitignore", "a/.gitignore", "b/ab/.gitignore", ".git/info/exclude"}
	for range 500 {
		sets := make(map[string]string)
		for i, place := range places {
			_ = os.Remove(filepath.Join(dir, place))
			if i == 0 || rand.IntN(3) == 0 {
				sets[place] = draw()
				write(t, dir, place, sets[place])
			}
		}
		if sets["global"] = ""; rand.IntN(3) == 0 {
			sets["global"] = draw()
		}
		write(t, home, ".config/git/ignore", sets["global"])
		var ignored []string
		for file := range strings.SplitSeq(git(t, dir, strings.Join(files, "\x00"), "check-ignore", "-z", "--stdin", "--no-index"), "\x00") {
			ignored = append(ignored, file)
		}
		g := open(t, dir)
		for _, file := range files {
			if got, want := g.Has(file, false), slices.Contains(ignored, file); got != want {
				t.Fatalf("%q is ignored: %v, git says %v, with %q", file, got, want, sets)
			}
		}
	}
}

// What git reads outside the project folder counts too.
func TestOutside(t *testing.T) {
	home := newHome(t)
	top := t.TempDir()
	dir := filepath.Join(top, "a", "b")
	write(t, dir, "private/x.md", "")
	write(t, home, ".config/git/ignore", "default.md\n")
	write(t, top, ".gitignore", "/a/b/top.md\nc.md\n")
	write(t, top, "a/.gitignore", "!c.md\n/b/inner.md\nchosen/\n")
	named := func(want ...string) {
		t.Helper()
		g, got := open(t, dir), []string{}
		for _, name := range []string{"default.md", "excluded.md", "top.md", "inner.md", "c.md", "named.md", "PRIVATE/x.md"} {
			if g.Has(name, false) {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("git ignores %q, want %q", got, want)
		}
	}
	named() // no work tree of git
	write(t, top, ".git/info/exclude", "excluded.md\n")
	named("default.md", "excluded.md", "top.md", "inner.md")
	write(t, home, ".gitconfig", "[user]\n\tname = A ; b\n[include]\n\tpath = more\n\tpath = .gitconfig\n")
	write(t, home, "more", "[core] # settings\n\texcludesFile = \"~/ig\\\"nore\" # mine\n")
	write(t, home, "ig\"nore", "named.md\nprivate/\n")
	named("excluded.md", "top.md", "inner.md", "named.md")
	write(t, dir, "Deep/.gitignore", "[[:upper:]].md\n")
	if open(t, dir).Has("Deep/a.md", false) || !open(t, dir).Has("Deep/A.md", false) {
		t.Error("the case of letters does not count")
	}
	write(t, top, ".git/config", "[CORE]\n\tignoreCase\n")
	named("excluded.md", "top.md", "inner.md", "named.md", "PRIVATE/x.md")

	if !open(t, dir).Has("Deep/a.md", false) {
		t.Error("the case of letters counts")
	}

	// a further work tree of the repository
	must.Do(t, os.Rename(filepath.Join(top, ".git"), filepath.Join(home, "repository")))
	write(t, top, ".git", fmt.Sprintf("gitdir: %s\n", filepath.Join(home, "repository", "worktrees", "x")))
	write(t, home, "repository/worktrees/x/commondir", "../..\n")
	named("excluded.md", "top.md", "inner.md", "named.md", "PRIVATE/x.md")

	// a folder that git ignores is served if somebody names it
	dir = filepath.Join(top, "a", "chosen")
	write(t, dir, "x.md", "")
	named()
}

func TestPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"\ufeffprivate/": "private/x", "docs/[[:upper:]]*.md": "docs/Internal.md", "a.md \t": "a.md \t", "a.md  ": "a.md", "a\\ ": "a ", "x**/y": "xa/y", "a/**": "a/b/c", "**/a/**/b": "a/b",
		"[[:bad:]a]": "", "a[": "", "\\": "", "*a*a*a": "bacada", "/a": "a", "\\#a": "#a", "[]-a]": "]", "{a,b}": "{a,b}",
	} {
		g := New(fstest.MapFS{".gitignore": {Data: []byte(pattern + "\n")}})
		for _, file := range []string{"private/x", "docs/Internal.md", "a.md \t", "a.md", "a ", "xa/y", "a/b/c", "a/b", "bacada", "a", "#a", "]", "{a,b}"} {
			if got := g.Has(file, false); file == want && !got || got && want == "" {
				t.Errorf("%q: %q is ignored: %v", pattern, file, got)
			}
		}
	}
}
