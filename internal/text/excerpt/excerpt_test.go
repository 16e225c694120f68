package excerpt

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

func TestLinesOf(t *testing.T) {
	for _, test := range []struct {
		text                string
		offset, limit, size int
		want                Lines
		after               string
	}{
		{"", 0, 0, 9, Lines{First: 1}, ""},
		{"a\nb", 0, 0, 9, Lines{Text: "a\nb", First: 1, Last: 2, Total: 2}, ""},
		{"a\nb\n", 2, 0, 9, Lines{Text: "b\n", First: 2, Last: 2, Total: 2}, ""},
		{"a\nb\nc", 1, 2, 9, Lines{Text: "a\nb\n", First: 1, Last: 2, Total: 3}, "\n[Lines 1 to 2 of 3. To continue, use offset 3.]\n"},
		{"a\nb\nc", 0, 0, 4, Lines{Text: "a\nb\n", First: 1, Last: 2, Total: 3}, "\n[Lines 1 to 2 of 3. To continue, use offset 3.]\n"},
		{"a\n", 2, 0, 9, Lines{First: 2, Last: 1, Total: 1, Beyond: true}, ""},
		{"äöü", 0, 0, 3, Lines{Text: "ä", First: 1, Last: 1, Total: 1, Broken: true}, "\n\n[Line 1 is too long and was cut.]\n"},
		{"äöü", 0, 1, 3, Lines{Text: "ä", First: 1, Last: 1, Total: 1, Broken: true}, "\n\n[Line 1 is too long and was cut.]\n"},
		{"äöü\nb", 0, 0, 3, Lines{Text: "ä", First: 1, Last: 1, Total: 2, Broken: true}, "\n\n[Line 1 is too long and was cut. To continue after it, use offset 2.]\n"},
	} {
		got := LinesOf(test.text, test.offset, test.limit, test.size, 1000)
		must.Equal(t, test.want, got, "LinesOf ", test.text, ", ", test.offset, ", ", test.limit, ", ", test.size)
		if after := got.HowToGoOn(); !got.Beyond && after != test.after {
			t.Errorf("%q continues with %q", test.text, after)
		}
	}
}

// A line that is too long can be read in parts.
func TestLinesFrom(t *testing.T) {
	for _, test := range []struct {
		text       string
		line, skip int
		want       Lines
	}{
		{"a\näöü\nc", 2, 3, Lines{Text: "ö", First: 2, Last: 2, Skipped: 2, Total: 3, Broken: true}},
		{"a\näöü\nc", 2, 4, Lines{Text: "ü\n", First: 2, Last: 2, Skipped: 4, Total: 3}},
		{"a\näöü\nc", 2, 6, Lines{First: 2, Last: 2, Total: 3, Beyond: true}},
		{"a\näöü\nc", 3, 1, Lines{First: 3, Last: 3, Total: 3, Beyond: true}},
		{"", 1, 1, Lines{First: 1, Beyond: true}},
	} {
		must.Equal(t, test.want, LinesFrom(test.text, test.line, test.skip, 0, 3, 1000), "LinesFrom ", test.text, ", ", test.line, ", ", test.skip)
	}
}

func TestFindSection(t *testing.T) {
	const text = "---\ntitle: T\n# no: heading\n---\n# Top\n\n## Set *up* it\none\n### Deeper\ntwo\n## Set up it\nthree\n```\n# code\n```\nUnder\n=====\nfour\n"
	for _, test := range []struct{ asked, want string }{
		{"top", "# Top\n\n## Set *up* it\none\n### Deeper\ntwo\n## Set up it\nthree\n```\n# code\n```\n"},
		{"Set up it", "## Set *up* it\none\n### Deeper\ntwo\n"},
		{"#set-up-it", "## Set *up* it\none\n### Deeper\ntwo\n"},
		{"set-up-it-1", "## Set up it\nthree\n```\n# code\n```\n"},
		{"## Deeper", "### Deeper\ntwo\n"},
		{"under", "Under\n=====\nfour\n"},
		{"Set `up` it", "## Set *up* it\none\n### Deeper\ntwo\n"}, {"code", ""}, {"no: heading", ""}, {"", ""},
	} {
		got, ok := FindSection(text, Headings(text), test.asked)
		if got.Text != test.want || ok != (test.want != "") {
			t.Errorf("FindSection(%q) = %q, %v, want %q", test.asked, got.Text, ok, test.want)
		}
	}
	const marked = "intro {#zero}\n# A {#own}\n.. _over:\n\n.. _both:\n\n# B\n<a id=\"odd name\"></a>\n\n## C\n.. figure:: x\n   :name: Inside\n(myst)=\ntext\n## D\n[[adoc]]\n"
	for asked, want := range map[string]string{"own": "A", "over": "B", "#both": "B", "odd name": "C", "inside": "C", "myst": "C", "adoc": "D", "zero": "", "text": ""} {
		if got, ok := FindSection(marked, Headings(marked), asked); got.Heading.Text != want || ok != (want != "") {
			t.Errorf("the section of the id %q is %q, want %q", asked, got.Heading.Text, want)
		}
	}
	if got, near := OfferSections(Headings(text), "How deep is it?"); !near || !slices.Equal(got, []string{"Set up it", "Deeper"}) {
		t.Errorf("near to the question is %q, %v", got, near)
	}
	if got, near := OfferSections(Headings(text), "xyzzy"); near || len(got) != 5 {
		t.Errorf("near to xyzzy is %q, %v", got, near)
	}
}

func FuzzParts(f *testing.F) {
	f.Add("---\na: b\n---\n# H\nx\n\n## I {#j}\n~~~\n# y\n~~~\nK\n---\n", "h", 2, 3)
	f.Add("\u015a", "0", -99, 1)
	f.Add("- 1. ```\n  > ```\n_a_\n===\n<pre>\n# b\n", "a", 1, 9)
	f.Fuzz(func(t *testing.T, text, asked string, offset, size int) {
		front, _ := frontmatter.Find(text)
		last := front.End
		for _, h := range Headings(text) {
			if h.Start < last || h.End < h.Start || h.End > len(text) {
				t.Fatalf("%q has the heading %+v after %d", text, h, last)
			}
			last = h.End
		}
		if s, ok := FindSection(text, Headings(text), asked); ok && !strings.Contains(text, s.Text) {
			t.Errorf("the section of %q is %q", text, s.Text)
		}
		lines := LinesFrom(text, offset, size, 0, max(4, size), 1<<30)
		if !strings.Contains(text, lines.Text) || len(lines.Text) > max(4, size) || utf8.ValidString(text) && !utf8.ValidString(lines.Text) {
			t.Errorf("the lines of %q are %+v", text, lines)
		}
	})
}

func TestSeen(t *testing.T) {
	const hidden = "a\u202e\u200b\x1b\U000e0049b\u200dc\ufeff"
	must.Equal(t, "a b\u200dc d", OneLine(hidden+"\n d"))
	must.Equal(t, "ab\u200dc\n\td", Seen(hidden+"\n\td"))
}
