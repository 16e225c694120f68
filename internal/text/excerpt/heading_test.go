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

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

func TestHeadings(t *testing.T) {
	for _, c := range given.Cases(t, "headings.txt") {
		text := c.Text + "\n"
		var got []string
		for _, h := range Headings(text) {
			got = append(got, fmt.Sprintf("%d %d %q", h.Line, h.Level, h.Text))
			if below := text[:h.End]; !strings.HasSuffix(below, "\n") || strings.Count(text[:h.Start], "\n") != h.Line-1 {
				t.Errorf("%s: %+v", c.Name, h)
			}
		}
		must.Equal(t, strings.TrimSuffix(c.Files["HEADINGS"], "\n"), strings.Join(got, "\n"), c.Name)
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
