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
	table := byExtension()
	if len(table) < 1000 {
		t.Errorf("the table has %d extensions", len(table))
	}
	longest := 0
	for ext, mime := range table {
		if strings.ContainsAny(ext, "./") || ext != strings.ToLower(ext) {
			t.Errorf("%q is not an extension", ext)
		}
		if !wellFormed.MatchString(mime) {
			t.Errorf("%q: %q is not a type", ext, mime)
		}
		if got, ok := ByName("x." + strings.ToUpper(ext)); !ok || got != mime {
			t.Errorf("ByName does not find %q", ext)
		}
		longest = max(longest, len(ext))
	}
	if longest != maxKey {
		t.Errorf("maxKey is %d, the longest extension has %d", maxKey, longest)
	}
	last := ""
	seen := make(map[string]bool)
	for line := range strings.Lines(types) {
		if mime, extensions, _ := strings.Cut(line, " "); !strings.HasPrefix(line, "#") {
			all := strings.Fields(extensions)
			if mime <= last || !slices.IsSorted(all) {
				t.Errorf("%q is not in order", line)
			}
			for _, ext := range all {
				if seen[ext] {
					t.Errorf("%q has two types", ext)
				}
				seen[ext] = true
			}
			last = mime
		}
	}
}

func TestByNameAllocates(t *testing.T) {
	for _, name := range []string{"docs/guide.md", "Makefile", "IMAGE.PNG", "a.unknown"} {
		if n := testing.AllocsPerRun(100, func() { ByName(name) }); n != 0 {
			t.Errorf("ByName(%q) allocates %v times", name, n)
		}
	}
}
