package media

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	tests := []struct{ name, want string }{
		{"a.md", "text/markdown"},
		{"a.mdx", "text/mdx"},
		{"a.txt", "text/plain"},
		{"a.html", "text/html"},
		{"a.js", "text/javascript"},
		{"a.ts", "text/typescript"},
		{"a.d.ts", "text/typescript"},
		{"a.go", "text/x-go"},
		{"a.py", "text/x-python"},
		{"a.java", "text/x-java-source"},
		{"a.c", "text/x-c"},
		{"a.h", "text/x-c"},
		{"a.sh", "application/x-sh"},
		{"a.sql", "application/sql"},
		{"a.svelte", "text/x-svelte"},
		{"a.json", "application/json"},
		{"a.ipynb", "application/x-ipynb+json"},
		{"a.yaml", "text/yaml"},
		{"a.xml", "application/xml"},
		{"a.lock", "text/plain"},
		{"a.svg", "image/svg+xml"},
		{"a.png", "image/png"},
		{"a.pdf", "application/pdf"},
		{"a.tar.gz", "application/gzip"},
		{"a.bin", "application/octet-stream"},
		{"123.123", "application/vnd.lotus-1-2-3"},
		{"a.zst", "application/zstd"},

		{"A.MD", "text/markdown"},
		{"docs.png/a.Md", "text/markdown"},
		{".md", "text/markdown"},
		{"a.disposition-notification", "message/disposition-notification"},

		{"Makefile", "text/x-makefile"},
		{"sub/GNUmakefile", "text/x-makefile"},
		{"Dockerfile", "text/x-dockerfile"},
		{"app.Dockerfile", "text/x-dockerfile"},
		{"LICENSE", "text/plain"},
		{"README", "text/plain"},
		{"readme", "text/plain"},
		{".gitignore", "text/plain"},
		{".env", "text/plain"},
		{"go.mod", "text/plain"},
		{"go.sum", "text/plain"},
		{"CMakeLists.txt", "text/x-cmake"},

		{"", ""},
		{".", ""},
		{"a", ""},
		{"md", ""},
		{"a.", ""},
		{"a.md/", ""},
		{"a.md/b", ""},
		{"a.unknown", ""},
		{"www.example.com", ""},
		{"a.md ", ""},
		{"a.\u212ad", ""}, // KELVIN SIGN
		{"a.disposition-notifications", ""},
		{"README-" + strings.Repeat("x", 300), ""},
	}
	for _, tt := range tests {
		got, ok := ByName(tt.name)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("ByName(%q) = %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	wellFormed := regexp.MustCompile(`^(application|audio|font|image|message|model|text|video|chemical|x-conference)/[a-z0-9][a-z0-9.+_-]*$`)
	longest, last := 0, ""
	seen := make(map[string]bool)
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		names := strings.Fields(line)
		mime := strings.TrimRight(names[0], "!~")
		if names = names[1:]; mime <= last || !slices.IsSorted(names) || !wellFormed.MatchString(mime) {
			t.Errorf("%q is not in order", line)
		}
		last = mime
		for _, name := range names {
			whole, ok := strings.CutPrefix(name, "=")
			if seen[name] || name != strings.ToLower(name) || strings.Contains(name, "/") || !ok && strings.Contains(name, ".") {
				t.Errorf("%q has two types, or is not a name", name)
			}
			seen[name] = true
			if !ok {
				whole = "x." + name
			}
			if got, _ := ByName(strings.ToUpper(whole)); got != mime {
				t.Errorf("ByName does not find %q", name)
			}
			longest = max(longest, len(strings.TrimPrefix(name, "=")))
		}
	}
	if len(seen) < 1000 || longest != maxKey {
		t.Errorf("the table has %d names; maxKey is %d, the longest has %d", len(seen), maxKey, longest)
	}
}

func TestByNameAllocates(t *testing.T) {
	for _, name := range []string{"docs/guide.md", "Makefile", "IMAGE.PNG", "a.unknown"} {
		if n := testing.AllocsPerRun(100, func() { ByName(name) }); n != 0 {
			t.Errorf("ByName(%q) allocates %v times", name, n)
		}
	}
}
