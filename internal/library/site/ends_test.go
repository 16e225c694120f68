package site

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
)

// TestEnds finds files by the ends of their paths.
func TestEnds(t *testing.T) {
	var e ends
	for _, file := range []string{
		"docs/guide/01-setup.md", "docs/guide/README.md", "docs/Node.js.md", "docs/v1.md", "docs/v1.2.md", "docs/2024-01-05.md", "docs/2023-01-05.md", "docs/My Notes.md",
		"docs/" + norm.NFD.String("Über uns") + ".md", "index.md", "src/io/csv.py", "src/io/csv.rs", "img/logo.png", "old/img/Logo.PNG", "src/csv/index.ts", "Makefile", "a/guide.md", "site/_tutorials/cache.md", "site/_tutorials/_part/_index.md",
	} {
		e.add(file, file)
	}
	e.add("/old-name/x", "docs/v1.md")
	e.add("docs/Version 1.0", "docs/v1.md")
	e.sort()
	for name, want := range map[string]string{
		"guide/setup":               "docs/guide/01-setup.md 3",
		"/guide/01-setup.html":      "docs/guide/01-setup.md 1",
		"GUIDE/Setup.md":            "docs/guide/01-setup.md 3",
		"docs/guide/":               "docs/guide/README.md 2",
		"docs/guide/index.md":       "docs/guide/README.md 2",
		"guide":                     "a/guide.md 1, docs/guide/README.md 2",
		"node.js":                   "docs/Node.js.md 3",
		"v1.2":                      "docs/v1.2.md 1, docs/v1.md 4",
		"2024-01-05":                "docs/2024-01-05.md 1",
		"my-notes":                  "docs/My Notes.md 3",
		norm.NFC.String("Über uns"): "docs/" + norm.NFD.String("Über uns") + ".md 3",
		"index":                     "index.md 1",
		"io/csv":                    "src/io/csv.py 4, src/io/csv.rs 4",
		"io/csv.py":                 "src/io/csv.py 0, src/io/csv.rs 4",
		"img/logo.png":              "img/logo.png 0, old/img/Logo.PNG 3",
		"makefile":                  "Makefile 3",
		"name/x":                    "",
		"old-name/x":                "docs/v1.md 3",
		"version-1.0":               "docs/v1.md 3",
		"tutorials/cache":           "site/_tutorials/cache.md 3",
		"/tutorials/part/":          "site/_tutorials/_part/_index.md 3",
		"uide/setup":                "",
		"":                          "",
		"/":                         "",
		"..":                        "",
	} {
		files, _ := e.find(name)
		var got []string
		for _, f := range files {
			got = append(got, fmt.Sprint(f.file, " ", f.likeness))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

// TestManyEnds has 200,000 files with one name: one of them is found by its folder, and a look returns few of them.
func TestManyEnds(t *testing.T) {
	var e ends
	for i := range 200_000 {
		file := fmt.Sprintf("a/%d/x.md", i)
		e.add(file, file)
	}
	e.sort()
	for range 10_000 {
		if files, more := e.find("x"); len(files) != maxAlike || !more {
			t.Fatalf("%d files, more: %t", len(files), more)
		}
	}
	if files, more := e.find("a/4711/x.md"); len(files) != 1 || more || files[0].file != "a/4711/x.md" {
		t.Errorf("%v, more: %t", files, more)
	}
	long := strings.Repeat("/b", 1<<20)
	if files, _ := e.find(long); files != nil {
		t.Errorf("a long path is found: %v", files)
	}
}

// FuzzEnds finds each file by each end of its path.
func FuzzEnds(f *testing.F) {
	f.Add("a/b/01-c.md", 1)
	f.Add("a/index.md", 1)
	f.Add("İ/ǅ.TXT", 0)
	f.Fuzz(func(t *testing.T, file string, from int) {
		parts := strings.Split(strings.Trim(file, "/"), "/")
		if !utf8.ValidString(file) || strings.Contains(file, "//") || strings.Contains(file, "\x00") || len(parts) > maxEnd || from < 0 || from >= len(parts) {
			t.Skip("is not a path that a walk finds")
		}
		var e ends
		e.add(file, file)
		e.sort()
		name := strings.Join(parts[from:], "/")
		if key, _ := endKey(name, true); key == "" || isIndexName(strings.ToLower(stem(name))) {
			return
		}
		if files, _ := e.find(name); len(files) != 1 || files[0].file != file {
			t.Errorf("%q is not found by %q", file, name)
		}
	})
}
