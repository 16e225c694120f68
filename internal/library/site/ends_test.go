package site

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

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
