package docs

import (
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

func TestDefinesLink(t *testing.T) {
	for line, want := range map[string]bool{
		"[a]: b.md\n": true, "   [a b]: <b c> \"title\"\n": true, "[a]: b 'title'": true, "[a]:b": true, "[a]: b (title)\r\n": true,
		"[a]: b and more text\n": false, "[^1]: a footnote\n": false, "    [a]: code\n": false, "[a]:\n": false, "text [a]: b\n": false, "[a] b": false, "": false, "[": false, "[]:": false, "[a](b) and [c]: d": false,
	} {
		if got := excerpt.DefinesLink(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestDefined(t *testing.T) {
	for _, test := range []struct{ line, below, want string }{
		{"| `a` | b |\n", "", " `a` "},
		{"|a\n", "", "a\n"},
		{"- **a b**: c\n", "", "a b"},
		{"  * `--a`, b\n", "", "--a"},
		{"+\t__a__ b", "", "a"}, {"- `a`\n", "", ""},
		{"- a **b**\n", "", ""},
		{"-**a**\n", "", ""},
		{"**a** b\n", "", ""},
		{"**`a` (`b`)**\n", "", "`a` (`b`)"},
		{"**`-a` *`b`***  \n", "", "`-a` *`b`*"},
		{"**a**, **b**\n", "", ""},
		{"`a` ( `b` ) → `c`\n", "", "a"},
		{"`a`(b)\n", "", "a"},
		{"`a` b (c)\n", "", ""},
		{"a\n", ": b\n", "a\n"},
		{"a\n", ":b\n", ""},
		{"- ", "", ""}, {"|", "", ""}, {"||", "", ""}, {"`a\n", "", ""}, {"****", "", ""}, {"- **", "", ""}, {"", "", ""},
	} {
		if got := defined(test.line, test.below); got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

func TestBaseName(t *testing.T) {
	for path, want := range map[string]string{"a/b": "b", "b": "b", "a/index": "a", "x/a/README": "a", "index": "index", "Readme": "Readme", "npm/a@1.2.0/README": "a", "npm/@s/a@1.2.0/index": "a", "@s/README": "@s"} {
		if got := baseName(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
