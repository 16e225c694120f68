package given

import (
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestCases(t *testing.T) {
	want := []Case{
		{"a name == with marks", "one\n\ntwo", map[string]string{"docs/a.md": "\n# A\n\n", "empty": "", "link": "-> docs/a.md\n"}},
		{"no text", "", map[string]string{}},
		{"", "=== \"no name, and not the line of a case\"", map[string]string{}},
	}
	must.Equal(t, want, Cases(t, "cases.txt"))
}
