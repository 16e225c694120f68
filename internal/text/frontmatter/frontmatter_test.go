package frontmatter

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestFind(t *testing.T) {
	long := "a: " + strings.Repeat("x", MaxSize)
	for _, test := range []struct {
		text, yaml, after string
		line              int
		began             bool
	}{
		{"", "", "", 1, false},
		{"# A\n---\n", "", "# A\n---\n", 1, false},
		{"---\na: 1\n---\n# A\n", "a: 1\n", "# A\n", 4, true},
		{"\ufeff--- \t\r\na: 1\r\n---\r\nb", "a: 1\r\n", "b", 4, true},
		{"---\n---\n", "", "", 3, true},
		{"---\na: 1\n---", "a: 1\n", "", 4, true},
		{"---\na: 1\n", "", "---\na: 1\n", 1, true},
		{"---", "", "---", 1, true},
		{"----\na\n---\n", "", "----\na\n---\n", 1, false},
		{" ---\na\n---\n", "", " ---\na\n---\n", 1, false},
		{"---\n" + long + "\n---\n", "", "---\n" + long + "\n---\n", 1, true},
	} {
		b, began := Find(test.text)
		if b.YAML != test.yaml || test.text[b.End:] != test.after || b.Line != test.line || began != test.began {
			t.Errorf("%.30q: %+.50v, %v", test.text, b, began)
		}
	}
}

func TestAfter(t *testing.T) {
	for text, want := range map[string]Block{
		"---\na: 1\n---\nb":       {"a: 1\n", 13, 4, false},
		"\ufeff+++\na = 1\n+++\n": {"a = 1\n", 17, 4, true},
		"+++\na = 1\n---\n":       {Line: 1, TOML: true},
		"---\n+++\n+++\n":         {Line: 1},
	} {
		must.Equal(t, want, After(text), text)
	}
}
