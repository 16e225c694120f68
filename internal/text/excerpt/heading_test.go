package excerpt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeadings(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"levels", "# A\n###### B\n####### no\n#no\n#\n## C ##\n", "1 1 A; 2 6 B; 5 1 ; 6 2 C"},
		{"underlined", "A\n===\nB\n-\n\nno\n\n===\n", "1 1 A; 3 2 B"},
		{"underlined over two lines", "A\nb\n    c\n---\n# D\n", "1 2 A b c; 5 1 D"},
		{"rules", "A\n\n---\n***\n- - -\nB\n---\n", "6 2 B"},
		{"no paragraph", "1. item\n---\n- item\ntext\n---\n> quote\n===\n| a |\n---\n<b>\n---\n", ""},
		{"fence", "```\n# no\n~~~\n# no\n````\n# A\n~~~ x\n# no\n", "6 1 A"},
		{"fence in an item", "- ```sh\n  # no\n  ```\n# A\n1. ~~~\n   # no\n   ~~~\n# B\n", "4 1 A; 8 1 B"},
		{"fence in an item that ends", "- ```\n  # no\n\n# A\n1.  x\n    ```\n    # no\n\n## B\n- y\n  ```\n  # no\n- z\n# C\n", "4 1 A; 9 2 B; 14 1 C"},
		{"fence in items in items", "- 1. ```\n     # no\n     ```\n  2. x\n# A\n", "5 1 A"},
		{"fence in a quote", "> ```\n> # no\n# A\n> - ```\n> # no\n> ```\n# B\n", "3 1 A; 7 1 B"},
		{"fence after a paragraph of an item", "- x\n  ```\n  # no\n  ```\n# A\n", "5 1 A"},
		{"after an item that is a heading", "- # no\nA\n---\n- # no\nB\n===\n", "2 2 A; 5 1 B"},
		{"after an item that ends", "- x\n# A\n   ```\n- # no\n# no\n```\n> x\n\n   ~~~\n# no\n", "2 1 A"},
		{"a rule after an item", "- # no\n  x\n---\n- y\n\n  z\nlazy\n---\n# A\n", "9 1 A"},
		{"indented", "    # no\n   # A\n\t# no\n", "2 1 A"},
		{"HTML", "<pre>\n# no\n</PRE>\n# A\n<!-- # no\n# no -->\n# B\n<style>x</style>\n# C\n<prefix>\n# D\n", "4 1 A; 7 1 B; 9 1 C; 11 1 D"},
		{"notice", "!!! note\n    x\n    ---\n    # A\n\n    ```\n    # no\n    ```\nx\n===\n> [!NOTE]\n> # B\n", "2 2 x; 4 1 A; 9 1 x; 12 1 B"},
		{"component", "<Tabs>\n    <Tab title=\"x\">\n        # A\n    ```\n    # no\n    ```\n    </Tab>\n</Tabs>\n\n    # no\n", "3 1 A"},
	} {
		var got []string
		for _, h := range Headings(test.text) {
			got = append(got, fmt.Sprintf("%d %d %s", h.Line, h.Level, h.Text))
			if below := test.text[:h.End]; !strings.HasSuffix(below, "\n") || strings.Count(test.text[:h.Start], "\n") != h.Line-1 {
				t.Errorf("%s: %+v", test.name, h)
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestPlain(t *testing.T) {
	for raw, want := range map[string]string{
		"a *b* **c** `d_e*` f":               "a b c d_e* f",
		"_a_ __b c__ _d_.":                   "a b c d.",
		"snake_case _private a_ __x":         "snake_case private a __x",
		"_é_ n_é_ _é_n":                      "é n_é_ _é_n",
		"<b>a</b> List<T> <br/>x<!-- no -->": "a List<T> x",
		"<https://a.example/b> c":            "https://a.example/b c",
		"[a](b(c)d) [e][f] ![g](h)":          "a e g",
		"[a](b(c [x](y)":                     "a",
		`\*a\* \[b\] \d`:                     `*a* [b] \d`,
		"2 * 3":                              "2 * 3",
		"a ## b #":                           "a ## b",
	} {
		if got, _ := plain(raw); got != want {
			t.Errorf("plain(%q) = %q, want %q", raw, got, want)
		}
	}
}

// A file that consists of headings only has a bounded number of headings.
func TestHeadingsHaveABound(t *testing.T) {
	if n := len(Headings(strings.Repeat("#\n", 2*MaxHeadings))); n != MaxHeadings {
		t.Errorf("there are %d headings", n)
	}
}

// A section still ends in the right place if it is after the last listed heading.
func TestSectionsOfManyHeadings(t *testing.T) {
	var b strings.Builder
	for i := range 3*MaxHeadings - 1 {
		fmt.Fprintf(&b, "## s%d\n", i)
	}
	b.WriteString("# end\n\ntext\n")
	text := "# first\n\n" + b.String()
	headings := Headings(text)
	for asked, want := range map[string]string{"s5": "## s5\n", fmt.Sprintf("s%d", MaxHeadings-2): fmt.Sprintf("## s%d\n", MaxHeadings-2)} {
		if got, ok := FindSection(text, headings, asked); !ok || got.Text != want {
			t.Errorf("%s is %v, %.40q", asked, ok, got.Text)
		}
	}
	if got, ok := FindSection(text, headings, "first"); !ok || got.Text != strings.TrimSuffix(text, "# end\n\ntext\n") {
		t.Errorf("the first section has %d bytes of %d", len(got.Text), len(text))
	}
	if _, ok := FindSection(text, headings, "end"); ok || !strings.Contains(Unfound(headings), "50000") {
		t.Errorf("the last one: %v, %q", ok, Unfound(headings))
	}
	if got := Unfound(headings[:10]); got != "" {
		t.Errorf("%q", got)
	}
}
