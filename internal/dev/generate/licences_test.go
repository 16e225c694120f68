package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestCollect(t *testing.T) {
	dir := t.TempDir()
	if _, err := collect([]component{{"a.example v1", dir}}); err == nil || !strings.HasPrefix(err.Error(), "a.example v1: there is no licence in ") {
		t.Errorf("a folder without any: %v", err)
	}
	for _, name := range []string{"LICENSE-MIT", "licence.md", "NOTICE", "COPYING", "license.go", "main.go", "unlicensed.txt"} {
		must.Write(t, filepath.Join(dir, name), "\r\nof "+name+"\r\n")
	}
	got, err := collect([]component{{"a.example v1", dir}})
	want := "The program contains the following components, each under its own licence.\n" +
		"\n==== a.example v1: COPYING\n\nof COPYING\n" +
		"\n==== a.example v1: LICENSE-MIT\n\nof LICENSE-MIT\n" +
		"\n==== a.example v1: NOTICE\n\nof NOTICE\n" +
		"\n==== a.example v1: licence.md\n\nof licence.md\n"
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}
