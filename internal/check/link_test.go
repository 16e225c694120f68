package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

func found(s string) []link {
	var out []link
	linksOf(s, 1, func(l link) { out = append(out, l) })
	return out
}

func TestLinksOf(t *testing.T) {
	for _, test := range []struct {
		text string
		want []link
	}{
		{"[a](b.md)", []link{{"b.md", 1, 5}}},
		{"é [a](<b c.md> \"t\") ![i](d.png 't')", []link{{"b c.md", 1, 7}, {"d.png", 1, 26}}},
		{"[![i](a.png)](b.md)", []link{{"a.png", 1, 7}, {"b.md", 1, 15}}},
		{"[a](b_(c).md) [d](e\\_f.md)", []link{{"b_(c).md", 1, 5}, {"e_f.md", 1, 19}}},
		{"`[a](b)` ``[c](`)`` [d](e)", []link{{"e", 1, 25}}},
		{"\\[a](b) [c]\\(d) ](e) [f] (g)", nil},
		{"~~~\n[a](b)\n~~~\n[c](d)", []link{{"d", 4, 5}}},
		{"- x\n\n  ```\n  [a](b)\n  ```\n  [c](d)\n", []link{{"d", 6, 7}}},
		{"x\n\n    [a](b)\n\ny\n    [c](d)\n", []link{{"d", 6, 9}}},
		{"- x\n\n    [a](b)\n", []link{{"b", 3, 9}}},
		{"<!-- [a](b) --> [c](d) <!-- [e](f)\n[g](h)\n--> [i](j)", []link{{"d", 1, 21}, {"j", 3, 9}}},
		{"[a]: b.md\n[^1]: c.md\n  [d]: <e f> \"t\"\n", []link{{"b.md", 1, 6}, {"e f", 3, 8}}},
		{"[a\nb](c) d\n\n[e\n\nf](g)\n", []link{{"c", 2, 4}}},
		{"[a](b\r\n[c](d)\r\n", []link{{"d", 2, 5}}},
		{"> [a](b)\n1. [c](d)\n", []link{{"b", 1, 7}, {"d", 2, 8}}},
		{"[a]()", []link{{"", 1, 5}}},
	} {
		if diff := cmp.Diff(test.want, found(test.text), cmp.AllowUnexported(link{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

// The links of the manual are those that a Markdown library finds.
func TestLinksOfManual(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md", "../../examples/*/docs/*.md"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, some...)
	}
	all := 0
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		err = ast.Walk(goldmark.New().Parser().Parse(text.NewReader(data)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Link:
				if entering {
					want = append(want, string(n.Destination))
				}
			case *ast.Image:
				if entering {
					want = append(want, string(n.Destination))
				}
			}
			return ast.WalkContinue, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range found(string(data)) {
			got = append(got, l.target)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", page, diff)
		}
		all += len(got)
	}
	if all < 100 {
		t.Errorf("only %d links", all)
	}
}

// Lines that are nothing but marks take a time that is linear in their length.
func TestLinksOfMarks(t *testing.T) {
	for _, marks := range []string{"](", "[", "[](", "`", "`` ` ", "<!--", "[a](<", "((", "[](((((", "\\", "> ", "1. ", "- "} {
		begin := time.Now()
		found(strings.Repeat(marks, 1<<20/len(marks)))
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%q takes %v", marks, took)
		}
	}
}

func FuzzLinksOf(f *testing.F) {
	f.Add("[a](b) `c` [d]: e\n```\n")
	f.Fuzz(func(t *testing.T, s string) {
		lines := strings.Count(s, "\n") + 1
		linksOf(s, 1, func(l link) {
			if l.line < 1 || l.line > lines || l.column < 1 || len(l.target) > maxTarget {
				t.Errorf("%+v", l)
			}
		})
	})
}
