package excerpt

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
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
		must.Equal(t, test.want, strings.Join(got, "; "), test.name)
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

// blocks reads the blocks of CommonMark and nothing inside them.
var blocks = parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))

// commonMark returns the line and the level of each heading that goldmark finds, except headings in
// quotes and at the start of list items. goldmark does not record the position of an empty heading.
func commonMark(source string) []string {
	front, _ := frontmatter.Find(source)
	body := source[front.End:]
	lines := strings.Split(body, "\n")
	var found []string
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		for ; n != nil; n = n.NextSibling() {
			switch n := n.(type) {
			case *ast.Heading:
				if n.Lines().Len() == 0 {
					break
				}
				line := strings.Count(body[:n.Lines().At(0).Start], "\n")
				if inner, _, _ := container(strings.TrimLeft(lines[line], " \t")); inner == strings.TrimLeft(lines[line], " \t") {
					found = append(found, fmt.Sprintf("%d %d", front.Line+line, n.Level))
				}
			case *ast.List, *ast.ListItem:
				walk(n.FirstChild())
			}
		}
	}
	walk(blocks.Parse(text.NewReader([]byte(body))).FirstChild())
	return found
}

// headings returns line and level of the headings that this package finds, except empty ones.
func headings(source string) []string {
	var found []string
	for _, h := range Headings(source) {
		if h.Text != "" {
			found = append(found, fmt.Sprintf("%d %d", h.Line, h.Level))
		}
	}
	return found
}

// The headings of all documents of the project are the same as in CommonMark.
func TestHeadingsMatchCommonMark(t *testing.T) {
	files := 0
	root := os.DirFS("../..")
	must.Do(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" && os.Getenv("ALL_DOCUMENTS") == "" || name != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".md"):
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files++
		if diff := cmp.Diff(commonMark(string(source)), headings(string(source))); diff != "" {
			t.Errorf("%s (-CommonMark +ours):\n%s", name, diff)
		}
		return nil
	}))
	if t.Logf("%d files", files); files < 10 {
		t.Errorf("there are only %d documents", files)
	}
}

// The same holds for random documents whose lines are of the kinds below.
func TestRandomHeadingsMatchCommonMark(t *testing.T) {
	lines := []string{
		"# A", "## B ##", "###### C", "####### no", "#no", "   # D", "text", "more *text*", "===", "---", "***", "",
		"```", "```sh", "~~~", "- item", "  going on", "1. one", "   ```", "> quote", "> # no", "- # no", "<!-- # no -->", "<pre>\n# no\n</pre>",
	}
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for range 2 + r.IntN(8) {
			b.WriteString(lines[r.IntN(len(lines))] + "\n")
		}
		if diff := cmp.Diff(commonMark(b.String()), headings(b.String())); diff != "" {
			t.Fatalf("seed %d:\n%s\n(-CommonMark +ours):\n%s", seed, b.String(), diff)
		}
	}
}
