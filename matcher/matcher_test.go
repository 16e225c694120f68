package matcher

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// entriesOf returns the entries of a templates.json with these templates, one per line.
func entriesOf(tb testing.TB, list ...string) []templates.Entry {
	tb.Helper()
	var b strings.Builder
	b.WriteString("[\n")
	for i, s := range list {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"uriTemplate": %q, "name": "t%d"}`, s, i+1)
	}
	b.WriteString("\n]")
	entries, problems := templates.Decode("templates.json", []byte(b.String()))
	must.Do(tb, problems.Err())
	return entries
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		template, uri string
		want          map[string]string // nil: no match
	}{
		{"config://schemas/{filename}", "config://schemas/a.json", map[string]string{"filename": "a.json"}},
		{"config://schemas/{filename}", "config://schemas/a/b.json", nil},
		{"config://schemas/{filename}", "config://schemas/", nil},
		{"CONFIG://schemas/{filename}", "Config://schemas/a", map[string]string{"filename": "a"}},
		{"config://schemas/{filename}", "config://Schemas/a", nil},
		{"api://{version}/schemas/{category}/{name}.json", "api://v1/schemas/users/list.json", map[string]string{"version": "v1", "category": "users", "name": "list"}},
		{"docs://{version}/{...paths}", "docs://v2/guides/getting-started/intro.md", map[string]string{"version": "v2", "paths": "guides/getting-started/intro.md"}},
		{"docs://{version}{/paths*}", "docs://v2/guides/intro.md", map[string]string{"version": "v2", "paths": "guides/intro.md"}},
		{"docs://{v}/{+p}.md", "docs://v/a.md/b.md", map[string]string{"v": "v", "p": "a.md/b"}},
		{"docs://{v}/{+p}/x.md", "docs://v/a/b/x.md", map[string]string{"v": "v", "p": "a/b"}},
		{"docs://{v}/{+p}/x.md", "docs://v/x.md", nil},
		{"x://h/{a}{.ext}", "x://h/a.tar.gz", map[string]string{"a": "a.tar", "ext": "gz"}},
		{"x://h{/a,b}", "x://h/1/2", map[string]string{"a": "1", "b": "2"}},
		{"x://h/{a,b}", "x://h/1,2,3", map[string]string{"a": "1,2", "b": "3"}},
		{"x://h/{a}{?q}{#f}", "x://h/1", map[string]string{"a": "1"}},
		{"x://h/my%20{a}", "x://h/my%20notes", map[string]string{"a": "notes"}},
		{"x://h/{a}", "x://h/%C3%A9%20b", map[string]string{"a": "é b"}},
		{"x://h/é{a}", "x://h/%C3%A9%20b", map[string]string{"a": " b"}},
		{"x://h/{a}/b", "x://h/%2F/b", nil},
		{"x://{h}", "x://README", map[string]string{"h": "README"}},
		{"{scheme}://h/{a}", "any://h/1", map[string]string{"scheme": "any", "a": "1"}},
		{"x://h/{a}", "x://h/1/", map[string]string{"a": "1"}},
		{"x://h/{a}", "nonsense", nil},
		{"x://h/{a}", "x://h/" + strings.Repeat("a", uri.MaxLength), nil},
	} {
		ix, _ := New("templates.json", entriesOf(t, test.template))
		m, ok := ix.Match(test.uri)
		if ok != (test.want != nil) {
			t.Errorf("%s on %.60s: match %v", test.template, test.uri, ok)
			continue
		}
		if !ok {
			continue
		}
		got := map[string]string{}
		for _, v := range m.Variables {
			got[v.Name] = v.Value
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s on %s: (-want +got)\n%s", test.template, test.uri, diff)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		templates []string
		reason    Reason   // of the last template
		want      []string // one part of each warning
	}{
		{[]string{"x://h/{a}", "x://h/{b}.md"}, Found, nil},
		{[]string{"x://h/{a}{b}"}, Unmatched, []string{`the variables "a" and "b" touch`}},
		{[]string{"x://h/{a}/{a}"}, Unmatched, []string{`the variable "a" occurs twice`}},
		{[]string{"x://h/{+a}/{+b}"}, Unmatched, []string{"more than one variable may span"}},
		{[]string{"x://h/{a}{;b}"}, Unmatched, []string{"{;…} does not name files"}},
		{[]string{"x://h/{a}{&b}"}, Unmatched, []string{"{&…} does not name files"}},
		{[]string{"x://h/{a:3}"}, Unmatched, []string{"{a:3} holds only the start"}},
		{[]string{"h/{a}"}, Unmatched, []string{"starts with a scheme"}},
		{[]string{"my_scheme://h/{a}"}, Unmatched, []string{`"my_scheme" is not a URI scheme`}},
		{[]string{"x:/h/{a}"}, Unmatched, []string{`"//" after its scheme`}},
		{[]string{"x://h//{a}"}, Unmatched, []string{"empty segment"}},
		{[]string{"x://h/{a}/"}, Unmatched, []string{"empty segment"}},
		{[]string{"x://h/../{a}"}, Unmatched, []string{`segment ".."`}},
		{[]string{"x://h/{a}", "x://h/{a}"}, Repeated, []string{`is already in entry 1 ("t1"), which wins`}},
		{[]string{"x://h/{a}", "x://h/{b}"}, Covered, []string{`can never win: templates with precedence get every URI that it matches, as "x://h/{a}" in entry 1 ("t1") gets x://h/b`}},
		{[]string{"x://h/{+a}", "x://h{/b*}"}, Covered, []string{"gets x://h/b"}},
		{[]string{"x://{b}", "x://{c}/{+d}", "x://{+a}"}, Covered, []string{`as "x://{b}" in entry 1 ("t1") gets x://a`}},
		{[]string{"x://{+a}", "x://{b}", "x://{c}/{d}"}, Found, nil},
		{[]string{"x://h/{a}-{b}-{a}", "x://h/{c}", "x://h/{d}"}, Covered, []string{"occurs twice", "can never win"}},
	} {
		ix, problems := New("templates.json", entriesOf(t, test.templates...))
		last := len(test.templates) - 1
		v := ix.Verdict(last)
		if v.Reason != test.reason || v.Reason.Matches() != (ix.Pattern(last) != nil) {
			t.Errorf("%q: %+v, want %q", test.templates, v, test.reason)
		}
		if len(problems) != len(test.want) {
			t.Errorf("%q: %v", test.templates, problems)
			continue
		}
		for i, p := range problems {
			if !p.Warning || !strings.Contains(p.String(), test.want[i]) || p.Line == 0 || p.Where == "" {
				t.Errorf("%q: warning %q, want %q", test.templates, p, test.want[i])
			}
		}
	}
}

// The expansion of a match decodes to the matched URI, so it reads the same file.
func FuzzExpandMatch(f *testing.F) {
	for _, tmpl := range []string{"x://h/{a}", "x://h/{+a}", "x://{h}{/p*}", "x://h/{a}-{b}.{c}", "x://h/{a}/{+p}/{b}.md", "x://h{/a,b}", "x://h/{a}{.e}", "x://h/{a}{?q}"} {
		f.Add(tmpl, "x://h/a-b.c")
		f.Add(tmpl, "x://h/100%/%20/é?#[]/z.md")
		f.Add(tmpl, "x://h/caf\xe9 \"{}\n/%41")
	}
	f.Fuzz(func(t *testing.T, source, decoded string) {
		tmpl, err := templates.Parse(source)
		if err != nil {
			return
		}
		p, err := Compile(tmpl)
		if err != nil {
			return
		}
		scheme, path, ok := uri.Split(decoded)
		if !ok {
			return
		}
		for name := range strings.SplitSeq(path, "/") {
			if name == "" {
				return
			}
		}
		decoded = scheme + "://" + path
		vars, ok := p.Match(decoded)
		if !ok {
			return
		}
		expanded := p.Expand(vars)
		gotScheme, gotPath, _ := uri.Split(uri.Decode(expanded))
		if got := gotScheme + "://" + gotPath; got != decoded {
			t.Errorf("%s matches %q, but expands with %v to %q, which is %q", source, decoded, vars, expanded, got)
		}
	})
}

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
