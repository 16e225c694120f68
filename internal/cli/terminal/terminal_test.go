package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 文\tx\ny": "plain é 文\tx\ny",
		"a\r\nb\rc":       "a\nb\\x0dc",
		"\x1b[31mred\x07": `\x1b[31mred\x07`,
		"\u009b2J":        `\u009b2J`,
		"a\u202eb":        `a\u202eb`,
		"\xff\xc3":        `\xff\xc3`,
		"\ufffd":          "\ufffd",
		"":                "",
	} {
		must.Equal(t, want, Text(in), "Text ", in)
	}
	must.Equal(t, `a\nb\t\x1b`, OneLine("a\nb\t\x1b"), "OneLine")
}

func TestJSON(t *testing.T) {
	const text = "\x1b[1m\u007f\u009b2Ja\u202eb\u2066 é 文 😀"
	plain := must.Get(json.Marshal(text))(t)
	var got string
	if err := json.Unmarshal(JSON(plain), &got); err != nil || got != text || bytes.ContainsFunc(JSON(plain), acts) {
		t.Errorf("%q, %v, as JSON %q", got, err, JSON(plain))
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b]0;title\x07\r\n\xff\u2066")
	f.Fuzz(func(t *testing.T, in string) {
		for _, r := range Text(in) {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("%q has %q", Text(in), r)
			}
		}
	})
}

func TestStyles(t *testing.T) {
	var b strings.Builder
	o := Of(&b)
	if got := o.Bold("a") + o.Faint("b") + o.Good("c") + o.Warning("d") + o.Bad("e"); got != "abcde" || o.Width != 0 {
		t.Errorf("not on a terminal: %q, width %d", got, o.Width)
	}
	o.colours = true
	must.Equal(t, "\x1b[31me\x1b[0m", o.Bad("e"), "on a terminal")
}

func TestIndented(t *testing.T) {
	o := Output{Width: 16}
	must.Equal(t, "* one two three\n  averyveryverylongword\n  x\n", o.Indented("* ", "  ", "one two three averyveryverylongword x"))
	must.Equal(t, "* one two three\n", (Output{}).Indented("* ", "  ", "one  two\nthree"))
}
