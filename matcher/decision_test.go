package matcher

import (
	"slices"
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		winner, loser string
		rule          Rule
	}{
		{"x://h/{a}", "x://{+p}/h/i/j", NoSpanning},
		{"x://{a}/s/{b}", "x://{a}/long-{b}/{c}-x", LiteralSegments},
		{"x://{a}-{b}/{c}.m", "x://{a}/{c}.markdown", PartialSegments},
		{"x://v{a}/{+p}", "x://{a}/{+p}.markdown", PartialSegments},
		{"x://{a}.markdown", "x://index{a}", LiteralCharacters},
		{"x://a{a}", "x://{a}-{b}", FewerVariables},
		{"x://a{v}", "x://{v}a", Position},
		{"x://aa{+m}/{v}", "x://a{v}/{+m}", Inclusion},
	} {
		for _, order := range [][]string{{test.winner, test.loser}, {test.loser, test.winner}} {
			if test.rule == Position && order[0] == test.loser {
				continue
			}
			entries := entriesOf(t, order...)
			ix, _ := New("templates.json", entries)
			d, ok := ix.Decide(0, 1)
			if !ok || entries[d.Winner].URITemplate != test.winner || entries[d.Loser].URITemplate != test.loser || d.Rule != test.rule {
				t.Errorf("of %q: %+v, %v: %s", order, d, ok, d.Rule)
			}
			if other, _ := ix.Decide(1, 0); other != d {
				t.Errorf("of %q: %+v the one way, %+v the other", order, d, other)
			}
			if d.Rule == Inclusion && d.Through != d.Loser {
				t.Errorf("of %q: through %d", order, d.Through)
			}
		}
	}
	ix, _ := New("templates.json", entriesOf(t, "x://h/{a}", "x://h/{a}{b}"))
	if d, ok := ix.Decide(0, 1); ok {
		t.Errorf("a template that matches no file is compared: %+v", d)
	}
	if d, _ := ix.Decide(0, 0); d.Rule != Same {
		t.Errorf("a template is compared with itself: %+v", d)
	}
}

// checkDecisions compares the decision about each pair of templates with their ranks.
func checkDecisions(t *testing.T, name string, ix *Index) {
	t.Helper()
	for place, a := range ix.ranked {
		for _, b := range ix.ranked[place+1:] {
			d, ok := ix.Decide(b, a)
			if !ok || d.Winner != a || d.Loser != b {
				t.Fatalf("%s: of %d and %d, %+v, %v", name, a, b, d, ok)
			}
			order, rule := ix.spec[a].compare(ix.spec[b])
			switch {
			case d.Rule != Inclusion:
				if order >= 0 || rule != d.Rule {
					t.Fatalf("%s: %d does not win over %d by %q", name, a, b, d.Rule)
				}
			case order < 0:
				t.Fatalf("%s: %d wins over %d by counting", name, a, b)
			case !ix.patterns[d.Through].admits(ix.patterns[a]) || ix.place[d.Through] > ix.place[b]:
				t.Fatalf("%s: %d wins over %d, but not through %d", name, a, b, d.Through)
			}
		}
	}
}

func TestCandidates(t *testing.T) {
	ix, _ := New("templates.json", entriesOf(t, "x://{+p}", "x://h/{a}", "x://h/{a}.md", "x://h/{b}", "x://i/{a}", "x://h/{a}{b}"))
	for uri, want := range map[string][]int{
		"x://h/a.md":                         {2, 1, 3, 0},
		"x://h/a":                            {1, 3, 0},
		"x://j":                              {0},
		"y://j":                              nil,
		"x://" + strings.Repeat("a", 70_000): nil,
	} {
		if got := ix.Candidates(uri); !slices.Equal(got, want) {
			t.Errorf("%.60s: %v, want %v", uri, got, want)
		}
	}
}
