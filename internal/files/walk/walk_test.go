package walk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// tree is a file system with a file for each name, or a link for "name -> target".
func tree(names ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, name := range names {
		if at, target, ok := strings.Cut(name, " -> "); ok {
			m[at] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
		} else {
			m[name] = &fstest.MapFile{}
		}
	}
	return m
}

// record holds the calls to a visitor.
type record struct {
	heard []string
}

func (r *record) visitor() Visitor {
	note := func(s string) { r.heard = append(r.heard, s) }
	return Visitor{
		Watch:   func(real string) { note("watch " + real) },
		Enter:   func(e Entry) error { note("enter " + e.Loc); return nil },
		File:    func(e Entry) error { note("file " + e.Loc + " = " + e.Real); return nil },
		Problem: func(loc string, err error) { note("problem " + loc + ": " + err.Error()) },
	}
}

func TestFolder(t *testing.T) {
	fsys := tree("docs/a.md", "docs/b/c.md", "docs/.hidden/x", "docs/node_modules/x", "docs/old~", "docs/loop -> ../docs", "docs/out -> ../../etc",
		"docs/there -> ../else", "docs/z.md -> ../else/y.md", "docs/gone -> nowhere", "docs/secret -> ../.env", "else/y.md", ".env")
	var r record
	must.Do(t, Folder(t.Context(), fsys, "docs", r.visitor()))
	want := []string{
		"enter ", "watch docs", "file a.md = docs/a.md", "enter b", "watch docs/b", "file b/c.md = docs/b/c.md",
		"problem gone: is a link to something that is not there", "watch .", "problem loop: is a link to a folder that it lies in",
		"problem out: is a link that leads out of the project folder", "problem secret: is a link to something hidden",
		"watch .", "enter there", "watch else", "file there/y.md = else/y.md", "watch else", "file z.md = else/y.md",
	}
	must.Equal(t, want, r.heard)
}

func TestFolderEnds(t *testing.T) {
	fsys := tree("docs/a/1", "docs/b/2", "docs/c/3")
	files := func(v Visitor) (names []string) {
		v.File = func(e Entry) error { names = append(names, e.Loc); return nil }
		if err := Folder(t.Context(), fsys, "docs", v); err != nil {
			t.Error(err)
		}
		return names
	}
	enter := func(loc string, err error) Visitor {
		return Visitor{Enter: func(e Entry) error {
			if e.Loc == loc {
				return err
			}
			return nil
		}}
	}
	for want, v := range map[string]Visitor{"a/1 c/3": enter("b", fs.SkipDir), "a/1": enter("b", fs.SkipAll), "": enter("", fs.SkipDir), "a/1 b/2 c/3": {}} {
		must.Equal(t, want, strings.Join(files(v), " "))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Folder(ended, fsys, "docs", Visitor{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Folder(t.Context(), fsys, "none", Visitor{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestHidden(t *testing.T) {
	for _, name := range []string{".a", "a~", "a.swp", "node_modules", "..", "."} {
		if !Hidden(name) {
			t.Errorf("%s is not hidden", name)
		}
	}
	if names := []string{"a", "a.b", "~a", "swp", "node_modules2"}; slices.ContainsFunc(names, Hidden) {
		t.Error("a plain name is hidden")
	}
}

// The files of a ConfigMap, a Secret or a projected volume of Kubernetes are links through ..data, a hidden link.
func TestVolumes(t *testing.T) {
	fsys := tree("docs/..2026_01_01/a.md", "docs/..2026_01_01/b/c.md", "docs/..data -> ..2026_01_01", "docs/a.md -> ..data/a.md", "docs/b -> ..data/b",
		"docs/hidden.md -> .x/a.md", "docs/.x/a.md", "else.md -> docs/..data/a.md", "docs/x/far.md -> ../..data/a.md", "docs/other.md -> ..2026_01_01/a.md",
		"odd/..data -> ../docs/.x", "odd/a.md -> ..data/a.md", "docs/..data2 -> ..2026_01_01", "docs/data2.md -> ..data2/a.md")
	for name, want := range map[string]string{
		"docs/a.md": "docs/..2026_01_01/a.md", "docs/b": "docs/..2026_01_01/b", "docs/hidden.md": "", "else.md": "", "docs/x/far.md": "", "docs/other.md": "", "odd/a.md": "", "docs/data2.md": "",
	} {
		got, err := Resolve(fsys, name)
		if got != want || want == "" && !errors.Is(err, ErrHiddenLink) {
			t.Errorf("%s leads to %q, %v, want %q", name, got, err, want)
		}
	}
	var r record
	if err := Folder(t.Context(), tree("docs/..1/a.md", "docs/..data -> ..1", "docs/a.md -> ..data/a.md"), "docs", r.visitor()); err != nil || !slices.Contains(r.heard, "file a.md = docs/..1/a.md") || !slices.Contains(r.heard, "watch docs/..1") {
		t.Errorf("%q, %v", r.heard, err)
	}
}

// A chain of folders is not followed to its end: each folder is opened from the root.
func TestTooDeep(t *testing.T) {
	fsys := fstest.MapFS{strings.Repeat("d/", 300) + "a": {}, "b": {}}
	folders, problem := 0, ""
	err := Folder(t.Context(), fsys, ".", Visitor{
		Enter:   func(Entry) error { folders++; return nil },
		Problem: func(loc string, err error) { problem = fmt.Sprint(strings.Count(loc, "d"), " ", err) },
	})
	if err != nil || folders != MaxDepth+1 || problem != "251 lies too deep" {
		t.Errorf("%d folders, %s, %v", folders, problem, err)
	}
}

func TestRecent(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, test := range []struct {
		age  time.Duration
		want bool
	}{
		{0, true}, {2 * time.Second, true}, {Grain - 1, true}, {Grain, false}, {time.Hour, false},
		{-Skew + 1, true}, {-Skew, false}, {-time.Hour, false},
	} {
		if got := RecentAt(now.Add(-test.age), now); got != test.want {
			t.Errorf("a change %v ago is recent: %v, want %v", test.age, got, test.want)
		}
	}
	if RecentAt(time.Time{}, now) {
		t.Error("the zero time is recent")
	}
}
