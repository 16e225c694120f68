package goapi

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

var update = flag.Bool("update", false, "write the expected document")

// render renders a package for linux/amd64.
func render(t testing.TB, files fstest.MapFS, importPath string) ([]dependencies.Page, error) {
	t.Helper()
	return Render(context.Background(), Source{FS: files, Dir: ".", ImportPath: importPath, GOOS: "linux", GOARCH: "amd64", Page: "p"})
}

func source(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestDocument(t *testing.T) {
	parts, err := Render(context.Background(), Source{FS: os.DirFS("testdata"), Dir: "box", ImportPath: "example.com/box", GOOS: "linux", GOARCH: "amd64"})
	must.Do(t, err)
	if len(parts) != 1 {
		t.Fatalf("%d pages", len(parts))
	}
	got := parts[0].Text
	const golden = "testdata/box.md"
	if *update {
		must.Write(t, golden, got)
	}
	want := must.Get(os.ReadFile(golden))(t)
	must.Equal(t, string(want), got)
	var headings []string
	for _, h := range excerpt.Headings(got) {
		headings = append(headings, fmt.Sprint(h.Level, " ", h.Slug))
	}
	wantHeadings := []string{
		"1 package-box", "2 two-rules", "2 example", "2 constants", "2 variables", "2 open", "3 example-open-reader",
		"2 box", "3 concurrency", "3 new", "3 boxclose", "3 boxput", "4 example-boxput", "2 kind", "2 lid",
	}
	must.Equal(t, wantHeadings, headings, "headings")
}

func TestBuilds(t *testing.T) {
	for _, test := range []struct {
		name, want string // what the text contains
		files      fstest.MapFS
	}{
		{"of the caller", "Linux", fstest.MapFS{"a_linux.go": source("package p\nfunc Linux() {}"), "a_windows.go": source("package p\nfunc Windows() {}")}},
		{"by name", "for windows/amd64", fstest.MapFS{"a_windows.go": source("package p\nfunc A() {}")}},
		{"by constraint", "for darwin/amd64", fstest.MapFS{"a.go": source("//go:build darwin\n\npackage p\nfunc A() {}")}},
		{"of no known system", "for all systems", fstest.MapFS{"a.go": source("//go:build special\n\npackage p\nfunc A() {}")}},
		{"cgo", "## A", fstest.MapFS{"a.go": source("package p\nimport \"C\"\nfunc A() {}"), "b.go": source("//go:build !cgo\n\npackage p\nfunc B() {}")}},
		{"most files", "# package q", fstest.MapFS{"a.go": source("package p"), "b.go": source("package q"), "c.go": source("package q")}},
		{"name of the folder", "# package y", fstest.MapFS{"a.go": source("package x"), "b.go": source("package y")}},
		{"mistakes", "## A", fstest.MapFS{"a.go": source("package p\nfunc A() {}\nfunc {"), "b.go": source("pack")}},
		{"too large", "`b.go`", fstest.MapFS{"a.go": source("package p"), "b.go": source("package p\n//" + strings.Repeat("a", maxFile))}},
		{"command", "# command y\n\n`example.com/y`\n\nYells.", fstest.MapFS{"a.go": source("// Yells.\npackage main\nfunc A() {}")}},
		{"tests are not described", "## A", fstest.MapFS{"a.go": source("package p\nfunc A() {}"), "a_test.go": source("package p\nfunc B() {}\nfunc ExampleA() {}")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			parts := must.Get(render(t, test.files, "example.com/y"))(t)
			text := parts[0].Text
			if !strings.Contains(text, test.want) || strings.Contains(text, "## B") || strings.Contains(text, "Windows") {
				t.Errorf("got:\n%s\nwant %q", text, test.want)
			}
		})
	}
	for _, files := range []fstest.MapFS{{}, {"a_test.go": source("package p\nfunc ExampleA() {}")}, {"_a.go": source("package p"), "README.md": source("p")}} {
		if _, err := render(t, files, "example.com/y"); !errors.Is(err, ErrNone) {
			t.Errorf("%v: error %v, want ErrNone", files, err)
		}
	}
}

// A large package has several pages, and the first one has an index.
func TestPages(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\n\nfunc F() {}\n")
	comment := "// Text. " + strings.Repeat("word ", 2000) + "\n"
	for i := range 120 {
		fmt.Fprintf(&b, "%stype A%d struct{}\n\nfunc (*A%d) M() {}\n", comment, i, i)
	}
	pages, err := render(t, fstest.MapFS{"a.go": source(b.String())}, "example.com/p")
	if err != nil || len(pages) != 2 || pages[0].Name != "p" || pages[1].Name != "p-2" {
		t.Fatalf("%d pages, error %v", len(pages), err)
	}
	if first, second := pages[0].Text, pages[1].Text; !strings.Contains(first, "## Index\n\n`F`, `A0`, `A1`") || !strings.Contains(second, "\n### A99.M\n") || !strings.HasPrefix(second, "# package p\n") {
		t.Errorf("got\n%.500s\n%.500s", first, second)
	}
}

// Sources that would keep the standard library busy, or exhaust the stack, take little.
func TestHostile(t *testing.T) {
	must.SkipUnderRace(t)
	repeat := func(format string, n int) string {
		if !strings.Contains(format, "$") {
			return strings.Repeat(format, n)
		}
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "$0", strconv.Itoa(i)), "$1", strconv.Itoa(i+1)))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"sum in a value":        "var A = 1" + repeat("+1", 90_000),
		"sum in a type":         "type A [1" + repeat("+1", 90_000) + "]int",
		"sum of strings":        "const A = \"\"" + repeat(" +\n\"a\"", 90_000),
		"deep types":            "type A " + repeat("[]", 90_000) + "int",
		"deep pointers":         "type A " + repeat("*", 90_000) + "int",
		"deep parentheses":      "var A " + repeat("(", 90_000) + "int" + repeat(")", 90_000),
		"deep functions":        "func A(" + repeat("func(", 20_000) + repeat(")", 20_000) + ") {}",
		"too deep":              "type A " + repeat("[]", 500_000) + "int",
		"diamonds of embedding": repeat("type A$0 struct { A$1; B$1 }\ntype B$0 struct { *A$1; B$1 }\n", 200),
		"all embed all":         repeat("type A$0 struct { "+repeat("A$0;", 40)+" }\n", 40),
		"generics embedded":     repeat("type A$0[T any] struct { A$1[T]; B$1[int] }\ntype B$0[T any] struct { *A$1[T]; B$1[T] }\n", 200),
		"many methods":          "type A int\n" + repeat("func (A) M$0() {}\n", 60_000),
		"long field list":       "type A struct {\n" + repeat("A$0 int `a`\n", 60_000) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			parts, err := render(t, fstest.MapFS{"a.go": source("package p\n\n" + text + "\n")}, "example.com/p")
			if took := time.Since(start); took > 20*time.Second { // the worst takes a second
				t.Errorf("took %v", took)
			}
			if parts == nil && err == nil {
				t.Error("neither a document nor an error")
			}
			if testing.Verbose() {
				t.Log(name, time.Since(start), err)
			}
		})
	}
	t.Run("examples", func(t *testing.T) {
		start := time.Now()
		_, err := render(t, fstest.MapFS{"a.go": source("package p\n"), "a_test.go": source("package p\n" + repeat("func Example_a$0() { b() // Output: x\n}\nfunc b$0() {}\n", 30_000))}, "example.com/p")
		if took := time.Since(start); took > 20*time.Second || err != nil {
			t.Errorf("took %v, error %v", took, err)
		}
		if testing.Verbose() {
			t.Log(time.Since(start), err)
		}
	})
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Render(ctx, Source{FS: fstest.MapFS{"a.go": source("package p\ntype A int")}, Dir: ".", ImportPath: "p"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Whatever the source is, the text is the same each time.
func FuzzRender(f *testing.F) {
	for _, name := range []string{"box.go", "box_test.go"} {
		data := must.Get(os.ReadFile("testdata/box/" + name))(f)
		f.Add(string(data), "package box_test\nfunc ExampleNew() {}")
	}
	f.Add("package p\n\n// A links to [p.B].\ntype A struct { \x01B }\n\nimport p \"a)b\"", "package p\nfunc Example() {\n// Output:\n}")
	f.Fuzz(func(t *testing.T, code, test string) {
		files := fstest.MapFS{"a.go": source(code), "a_test.go": source(test)}
		parts, err := render(t, files, "example.com/p")
		if err != nil {
			if strings.Contains(err.Error(), "runtime error") {
				t.Error(err)
			}
			return
		}
		again, err := render(t, files, "example.com/p")
		if err != nil || cmp.Diff(parts, again) != "" {
			t.Fatalf("the second time: %v, %s", err, cmp.Diff(parts, again))
		}
	})
}
