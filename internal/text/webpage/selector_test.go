package webpage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Selectors select the same elements as cascadia, except elements inside other selected ones.
func TestSelector(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"div", "p", ".a", ".b", "#x", "p.a", "*", "[title]", `[title="a b"]`, ":first-child", "p:not(.a)", ":not(.a, .b)", ":nth-child(2n+1)"}
	combinators := []string{" ", ">", " > ", "+", " + ", "~", " ~ "}
	for range 400 {
		var page strings.Builder
		depth := 0
		for range 30 {
			switch rnd.IntN(3) {
			case 0:
				fmt.Fprintf(&page, `<div class=%q>`, []string{"a", "b", "a b", ""}[rnd.IntN(4)])
				depth++
			case 1:
				fmt.Fprintf(&page, `<p class=%q title="a b">t</p>`, []string{"a", "b", ""}[rnd.IntN(3)])
			default:
				if depth > 0 {
					page.WriteString("</div>")
					depth--
				}
			}
		}
		doc, err := html.Parse(strings.NewReader(page.String()))
		if err != nil {
			t.Fatal(err)
		}
		text := pieces[rnd.IntN(len(pieces))]
		for range rnd.IntN(4) {
			text += combinators[rnd.IntN(len(combinators))] + pieces[rnd.IntN(len(pieces))]
		}
		if rnd.IntN(3) == 0 {
			text += ", " + pieces[rnd.IntN(len(pieces))]
		}
		s, err := ParseSelector(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := s.match(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := cascadia.ParseGroup(text)
		if err != nil {
			t.Fatal(err)
		}
		selected := make(map[*html.Node]bool)
		var want []*html.Node
		for _, n := range cascadia.QueryAll(doc, oracle) {
			inside := false
			for p := n.Parent; p != nil; p = p.Parent {
				inside = inside || selected[p]
			}
			if selected[n] = true; !inside {
				want = append(want, n)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s selects %d elements, want %d, of %s", text, len(got), len(want), page.String())
		}
	}
}

func TestSelectorMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"": "empty", "a,": "empty", "> a": "begins", "a >": "ends", "a > > b": "two combinators", "a[": "not a CSS selector", "a:has(b)": "not supported",
		":not(a b)": "not supported", "p:not(.x > .y)": "not supported", "a::before": "not a CSS selector", strings.Repeat("a", 1001): "1001 bytes",
		strings.Repeat("a ", 61): "more than 60 steps", strings.Repeat("a,", 60) + "a": "alternatives", ":unknown": "not a CSS selector",
	} {
		if _, err := ParseSelector(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50q: %v, want %q", text, err, want)
		}
	}
}

// A page and a selector for which a naive search would try all tuples of ancestors or siblings take
// little time.
func TestSelectorCost(t *testing.T) {
	doc, _, err := parse(t.Context(), strings.Repeat("<div>", 190)+strings.Repeat("<p>a</p>", 20_000), light)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, text := range []string{"main " + strings.Repeat("div ", 50) + "p", "b ~ " + strings.Repeat("p ~ ", 50) + "p"} {
		s, err := ParseSelector(text)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := s.match(ctx, doc); err != nil || len(found) != 0 {
			t.Errorf("%.20s: %d, %v", text, len(found), err)
		}
	}
}

// A selector that visits all siblings of each element is refused if that would take long.
func TestSelectorsThatCount(t *testing.T) {
	for siblings, refused := range map[int]bool{5_000: false, 20_000: true} {
		doc, _, err := parse(t.Context(), strings.Repeat("<p>a", siblings), light)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"p:nth-child(2)", "p:nth-last-child(2)", "p:not(:first-of-type):not(:only-child)"} {
			s, err := ParseSelector(text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.match(t.Context(), doc); (err != nil) != refused || refused && !strings.Contains(err.Error(), "too many elements") {
				t.Errorf("%s of %d: %v", text, siblings, err)
			}
		}
	}
}

// The caller chooses which parts of a page are read.
func TestParts(t *testing.T) {
	const text = `<html><head><title>T</title></head><body><nav><a href="/n">nav</a></nav><article class="x"><h1>Head</h1><p>One <a href="b">link</a>.</p>` +
		`<div class="ad">Buy</div><img src="i.png" alt="i"></article><aside>side</aside><footer id="f">foot<script>alert(1)</script></footer></body></html>`
	u, _ := url.Parse("https://e.com/d/")
	read := func(c Choice) *Page {
		t.Helper()
		p, err := c.Read(t.Context(), Source{u, "text/html", []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	selector := func(s string) []*Selector {
		t.Helper()
		sel, err := ParseSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		return []*Selector{sel}
	}
	for _, test := range []struct {
		choice Choice
		want   string
	}{
		{Choice{}, "# Head\n\nOne [link](https://e.com/d/b).\n\nBuy\n\n![i](https://e.com/d/i.png)\n"},
		{Choice{Exclude: selector(".ad, img")}, "# Head\n\nOne [link](https://e.com/d/b).\n"},
		{Choice{Whole: true, Exclude: selector(".ad, img")}, "[nav](https://e.com/n)\n\n# Head\n\nOne [link](https://e.com/d/b).\n\nside\n\nfoot\n"},
		{Choice{Include: selector("#f, nav")}, "# T\n\n[nav](https://e.com/n)\n\nfoot\n"},
		{Choice{Include: selector("article"), Exclude: selector("h1, img, .ad")}, "# T\n\nOne [link](https://e.com/d/b).\n"},
		{Choice{Include: selector("table")}, "# T\n"},
	} {
		if got := read(test.choice).Markdown(nil); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	got := read(Choice{KeepHTML: true, Exclude: selector("img")}).HTML()
	if want := `<article class="x"><h1>Head</h1><p>One <a href="https://e.com/d/b">link</a>.</p><div class="ad">Buy</div></article>`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
