package site

import (
	"fmt"
	"strings"
	"testing"
)

// What configuration says and the program cannot follow is reported once, with its line.
func TestNotices(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a missing file": {
			map[string]string{"mkdocs.yml": "site_name: x\nnav:\n- a.md\n- More:\n  - Gone: guide/gone.md\n  - Again: guide/gone.md\n  - made.md\n  - https://a.example/x.md\n", "docs/a.md": "# A\n", ".gitignore": "made.md\n"},
			"mkdocs.yml:5: the navigation names docs/guide/gone.md, which is not there",
		},
		"a list": {
			map[string]string{"book.toml": "", "src/SUMMARY.md": "- [A](a.md)\n- [Gone](gone.md)\n- [Draft]()\n", "src/a.md": "# A\n"},
			"src/SUMMARY.md:2: the navigation names src/gone.md, which is not there",
		},
		"YAML": {
			map[string]string{"mkdocs.yml": "site_name: x\nnav: [a.md\nx: y\n", "docs/a.md": "# A\n"},
			"mkdocs.yml:3: cannot be parsed: there must be ',' or ']': its settings are not read",
		},
		"TOML": {
			map[string]string{"hugo.toml": "title = 'x'\nbaseURL = \n", "content/a.md": "# A\n"},
			"hugo.toml:2: cannot be parsed: toml: unexpected character U+000A at start of value: its settings are not read",
		},
		"JSON": {
			map[string]string{"docs.json": "{\n\"navigation\": {x}\n}", "docs/a.md": "# A\n"},
			"docs.json:2: cannot be parsed: invalid character 'x' looking for beginning of object key string: its settings are not read",
		},
	} {
		s := load(t, test.files)
		var lines []string
		for _, n := range s.Notices() {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", n.Path, n.Line, n.Reason))
		}
		if got := strings.Join(lines, "\n"); got != test.want || len(s.Pages(true)) == 0 {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// Of a very large folder, a first answer has a part; the whole folder is read after it, with one notice that says what to write.
func TestVeryLargeFolder(t *testing.T) {
	before := quickFiles
	quickFiles = 50
	defer func() { quickFiles = before }()
	files := make(map[string]string)
	for i := range 120 {
		files[fmt.Sprintf("d%d/a.md", i)] = "# A\n"
	}
	quick := loadWith(t, files, Options{Quick: true})
	if n := len(quick.Pages(true)); n == 0 || n >= 60 || !quick.Quick() {
		t.Errorf("first: %d documents, more to come: %t", n, quick.Quick())
	}
	whole := loadWith(t, files, Options{})
	if n := whole.Notices(); len(whole.Pages(true)) != 120 || whole.Quick() || len(n) != 1 || n[0].Path != "." || !strings.Contains(n[0].Reason, `"docs": "FOLDER"`) {
		t.Errorf("then: %d documents, %v", len(whole.Pages(true)), n)
	}
}
