package glob

import (
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct{ pattern, matches, others string }{
		{"**/*.{md,mdx}", "a.md a/b.mdx", "a.m a/b"},
		{"docs/**", "docs docs/a docs/a/b docs/", "a/docs doc"},
		{"**/.well-known/**", ".well-known .well-known/a a/.well-known/b/c", "well-known"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"},
		{"a**b", "ab axb", "a/b"},
		{"**a", "a xa", "x/a"},
		{"a/{**,b}/c", "a/c a/b/c a/x/y/c", "ac"},
		{"{a,b/}**", "a ax b/ b/x b/x/y b", "a/x"},
		{"**{/a,.md}", "a x/a x/y/a x.md", "x/y.md"},
		{"{**/,}a", "a x/a x/y/a", "xa"},
		{"x{,*}{,*}/y", "x/y xx/y", "x/x/y"},
		{"[]a]", "", ""},
		{"[a-c-e]", "a b c - e", "d"},
		{"[!a]", "b /", "a"},
		{"[z-a]", "z", "a -"},
		{"[^z-a]", "a -", "z"},
		{`[\]-a]`, "] ^ a", "b -"},
		{`\*\{`, "*{", "a{"},
		{"\xff[\xfe]", "\xfd\xfc \ufffd\ufffd", "a"},
		{"?.{a,b[,}]}", "x.a x.b, x.b}", "x.c /.a"},
		{strings.Repeat("{a,b}", 8), strings.Repeat("ab", 4), strings.Repeat("ab", 3)},
	} {
		g, err := Parse(test.pattern)
		if err != nil {
			if test.pattern != "[]a]" {
				t.Errorf("%q: %v", test.pattern, err)
			}
			continue
		}
		for _, name := range strings.Fields(test.matches) {
			if !g.Match(name) {
				t.Errorf("%q does not match %q", test.pattern, name)
			}
		}
		for _, name := range strings.Fields(test.others) {
			if g.Match(name) {
				t.Errorf("%q matches %q", test.pattern, name)
			}
		}
	}
	if (*Glob)(nil).Match("") {
		t.Error("nil matches")
	}
}

func TestBounds(t *testing.T) {
	excess := "too complex: its braces expand to more than 500 patterns or 16000 bytes"
	for pattern, want := range map[string]string{
		strings.Repeat("{a,b}", 9):                                                                 excess,
		strings.Repeat("{a,b}", 100):                                                               excess,
		"{" + strings.Repeat("?*,", 60) + "}" + strings.Repeat("*a", 400):                          excess,
		strings.Repeat("{a,b,c,", 6) + "d" + strings.Repeat("}", 6) + strings.Repeat("{a,b,c}", 4): excess,
		strings.Repeat("{", 16_000):                                                                "too complex: it has 16000 bytes, may have 1000",
		strings.Repeat("{", 1000):                                                                  "not a valid pattern",
		"[":                                                                                        "not a valid pattern",
		"a}":                                                                                       "not a valid pattern",
	} {
		if _, err := Parse(pattern); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", pattern, err, want)
		}
	}
	for pattern, want := range map[string]int{
		strings.Repeat("{a,*}", 8): 256, "{" + strings.Repeat("a,", 498) + "}": 499, strings.Repeat("{", 500) + strings.Repeat("}", 500): 1, strings.Repeat("{}", 500): 1, strings.Repeat("{*}", 333): 1,
		strings.Repeat("*a", 500): 1, strings.Repeat("[^a-b]", 166): 1, strings.Repeat("**/", 333): 1, "{" + strings.Repeat("**/*a*,", 100) + "}" + strings.Repeat("*a", 70): 101,
	} {
		g, err := Parse(pattern)
		if err != nil {
			t.Errorf("%.20q: %v", pattern, err)
			continue
		}
		size := 0
		for _, p := range g.patterns {
			size += len(p)
		}
		if len(g.patterns) != want || size > maxSize {
			t.Errorf("%.20q: %d patterns of %d bytes, want %d", pattern, len(g.patterns), size, want)
		}
		g.Match(strings.Repeat("a", 8000))
		g.MayMatchBelow(strings.Repeat("a", 100))
	}
}

// written returns the patterns without braces that a valid pattern stands for, expanded as a shell
// does.
func written(pattern string) []string {
	depth, begin, class := 0, 0, false
	var cuts []int
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				begin, cuts = i, []int{i}
			}
		case c == ',' && depth == 1:
			cuts = append(cuts, i)
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			cuts = append(cuts, i)
			var out []string
			for j := range len(cuts) - 1 {
				out = append(out, written(pattern[:begin]+pattern[cuts[j]+1:cuts[j+1]]+pattern[i+1:])...)
			}
			return out
		}
	}
	return []string{pattern}
}

// check compares a pattern with the result of doublestar for the patterns that it stands for.
func check(t *testing.T, pattern string, names []string) (good bool) {
	g, err := Parse(pattern)
	if err != nil {
		return false
	}
	alternatives := written(pattern)
	for _, name := range names {
		want := slices.ContainsFunc(alternatives, func(alternative string) bool { return doublestar.MatchUnvalidated(alternative, name) })
		if got := g.Match(name); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, name, got, want)
		}
		if i := strings.LastIndexByte(name, '/'); i > 0 && g.Match(name) && !g.MayMatchBelow(name[:i]) {
			t.Errorf("%q may not match below %q, but matches %q", pattern, name[:i], name)
		}
	}
	return true
}

var names = []string{"", "a", "b", "aa", "ab", "a/b", "a/", "/a", "a/b/a", "b/a/", ",", "a,b", "{a}", "/", "//", "a//b", "-", "]", "a\nb"}

func TestIsDoublestar(t *testing.T) {
	for letters, length := range map[string]int{"a*/{,}": 6, `ab,{}\?/`: 5, "a[]^-b*": 5, "*/a": 7} {
		if testing.Short() || must.RaceEnabled {
			length--
		}
		tried := 0
		var try func(pattern string)
		try = func(pattern string) {
			if check(t, pattern, names) {
				tried++
			}
			for i := 0; i < len(letters) && len(pattern) < length && !t.Failed(); i++ {
				try(pattern + letters[i:i+1])
			}
		}
		try("")
		t.Logf("%q: %d patterns", letters, tried)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("{**/,}a{/**,}", "a/b")
	f.Add("[a-\\]]{,*}\xff", "b\xfe")
	f.Add("{*\xdf}\x87", "\xf9\x91")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) < 30 && len(name) < 30 {
			check(t, pattern, []string{name})
		}
	})
}

func TestSet(t *testing.T) {
	set := must.Get(ParseSet([]string{"./docs/internal/", "**/*.draft.md", "a/**"}))(t)
	for name, want := range map[string]string{
		"docs/internal": "./docs/internal/", "docs/internal/a/b.md": "./docs/internal/", "docs/internals.md": "", "x/docs/internal/a.md": "",
		"a.draft.md": "**/*.draft.md", "docs/x/a.draft.md": "**/*.draft.md", "docs/a.md": "", "a/b": "a/**", "": "",
	} {
		if got, ok := set.Covers(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t, want %q", name, got, ok, want)
		}
	}
	if _, err := ParseSet([]string{"a", "[b"}); err == nil || err.Error() != `pattern 1, "[b", is not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character` {
		t.Errorf("%v", err)
	}
}
