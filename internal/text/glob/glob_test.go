package glob

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/race"
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
		{strings.Repeat("{a,b}", 100), strings.Repeat("ab", 50), strings.Repeat("ab", 49)},
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
				t.Errorf("%q does not match %q: %v", test.pattern, name, g.expression)
			}
		}
		for _, name := range strings.Fields(test.others) {
			if g.Match(name) {
				t.Errorf("%q matches %q: %v", test.pattern, name, g.expression)
			}
		}
	}
	if (*Glob)(nil).Match("") {
		t.Error("nil matches")
	}
}

func TestBounds(t *testing.T) {
	for pattern, want := range map[string]string{
		strings.Repeat("{a,*}", 7):                                        "too complex: its braces beside stars expand to more than 64 patterns or 4000 bytes",
		"{" + strings.Repeat("?*,", 60) + "}" + strings.Repeat("*a", 400): "too complex: its braces beside stars expand to more than 64 patterns or",
		"{" + strings.Repeat("*,", 64) + "}":                              "too complex: its braces beside stars expand to more than 64 patterns",
		strings.Repeat("{", 101) + strings.Repeat("}", 101):               "too complex: its braces are nested more than 99 deep",
		strings.Repeat("{", 16_000):                                       "too complex: it has 16000 bytes, may have 1000",
		strings.Repeat("{", 1000):                                         "not a valid pattern",
		"[":                                                               "not a valid pattern",
		"a}":                                                              "not a valid pattern",
	} {
		if _, err := Parse(pattern); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", pattern, err, want)
		}
	}
	for _, pattern := range []string{
		strings.Repeat("{a,*}", 6), strings.Repeat("{a,a}", 200), "{" + strings.Repeat("a,", 499) + "}", strings.Repeat("{", 100) + "a" + strings.Repeat("}", 100),
		strings.Repeat("{}", 500), strings.Repeat("{*}", 333), strings.Repeat("*a", 500), strings.Repeat("[^a-b]", 166), strings.Repeat("{,a,?}", 160), strings.Repeat("**/", 333),
	} {
		g, err := Parse(pattern)
		if err != nil {
			t.Errorf("%.20q: %v", pattern, err)
			continue
		}
		g.Match(strings.Repeat("a", 8000))
		g.MayMatchBelow(strings.Repeat("a", 100))
	}
}

// written returns the patterns without braces that a valid pattern stands for, as a shell writes
// them out.
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

// matches compares a name with a pattern without braces in the plainest way.
func matches(pattern, name string) bool {
	var match func(at int, name string) bool
	match = func(at int, name string) bool {
		rest := pattern[at:]
		if rest == "" {
			return name == ""
		}
		whole := func(i int) bool { // "**" is all of the segment at i
			return strings.HasPrefix(pattern[i:], "**") && (i+2 == len(pattern) || pattern[i+2] == '/') && (i == 0 || pattern[i-1] == '/')
		}
		switch {
		case whole(at) && len(rest) == 2:
			return true
		case whole(at):
			for ok := true; ok; _, name, ok = strings.Cut(name, "/") {
				if match(at+3, name) {
					return true
				}
			}
			return false
		case rest[0] == '/' && whole(at+1) && match(at+3, name):
			return true
		case rest[0] == '*':
			for behind := len(pattern) - len(strings.TrimLeft(rest, "*")); ; {
				if match(behind, name) {
					return true
				} else if name == "" || name[0] == '/' {
					return false
				}
				_, size := utf8.DecodeRuneInString(name)
				name = name[size:]
			}
		}
		_, n := utf8.DecodeRuneInString(rest)
		switch rest[0] {
		case '[':
			for n = 1; rest[n] != ']'; n++ {
				if rest[n] == '\\' {
					n++
				}
			}
			n++
		case '\\':
			_, n = utf8.DecodeRuneInString(rest[1:])
			n++
		}
		_, size := utf8.DecodeRuneInString(name)
		return size > 0 && doublestar.MatchUnvalidated(rest[:n], name[:size]) && match(at+n, name[size:])
	}
	return match(0, name)
}

// stars are ends of a pattern where doublestar is wrong about what may be nothing: see the package
// comment.
var stars = regexp.MustCompile(`[*/]*\*[*/]*$`)

var negated = regexp.MustCompile(`\[[!^]`)

// check compares a pattern with the plain way, and that with doublestar. One with braces is
// compared with what it stands for.
func check(t *testing.T, pattern string, names []string) (good bool) {
	g, err := Parse(pattern)
	if err != nil {
		return false
	}
	if g.expression == nil { // empty braces change nothing, but have it compiled
		plain := g
		if g, err = Parse(pattern + "{}"); err != nil {
			return false
		}
		if plain.plain != pattern || len(plain.heads) != len(g.heads) {
			t.Errorf("%q: %+v", pattern, plain)
		}
	}
	for _, name := range names {
		want := false
		for _, alternative := range written(pattern) {
			matched := matches(alternative, name)
			switch stars.FindString(alternative) {
			case "", "*", "/*", "**", "/**":
				if negated.MatchString(alternative) && strings.Contains(name, "/") {
					break // it gives up too early if a class takes the slash
				}
				if known := doublestar.MatchUnvalidated(alternative, name); known != matched {
					t.Errorf("doublestar: %q matches %q: %v, want %v", alternative, name, known, matched)
				}
			}
			want = want || matched
		}
		if got := g.Match(name); got != want {
			t.Errorf("%q matches %q: %v, want %v: %v", pattern, name, got, want, g.expression)
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
		if testing.Short() || race.Enabled {
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
	if random := rand.New(rand.NewPCG(1, 2)); !t.Failed() {
		parts := []string{"a", "b", "*", "**", "/", "/**/", "{", ",", "}", "?", "[ab]", "[^a]"}
		rounds := 20_000
		if race.Enabled {
			rounds = 2_000
		}
		for range rounds {
			var pattern strings.Builder
			for range 4 + random.IntN(12) {
				pattern.WriteString(parts[random.IntN(len(parts))])
			}
			check(t, pattern.String(), names)
		}
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

func BenchmarkMatch(b *testing.B) {
	name := "resources/guides/2026/setting-up-the-server.md"
	for _, pattern := range []string{"**/*.md", "resources/guides/**", "**/node_modules/**", "*.{md,mdx,txt}"} {
		b.Run(pattern, func(b *testing.B) {
			g, err := Parse(pattern)
			if err != nil {
				b.Fatal(err)
			}
			b.Run("glob", func(b *testing.B) {
				for b.Loop() {
					g.Match(name)
				}
			})
			b.Run("doublestar", func(b *testing.B) {
				for b.Loop() {
					doublestar.MatchUnvalidated(pattern, name)
				}
			})
		})
	}
}

// The expression of a glob matches what the glob does.
func TestExpression(t *testing.T) {
	names := []string{"", "a", "b", "a/b", "a/b/c", "docs/a.md", "docs/x/a.md", "docsXa-md", "a+b", "x/library/y/z", "library", "f(1)", "a]b", "a-b"}
	for _, pattern := range []string{"**", "*", "a", "**/library/**", "docs/**/*.md", "a?b", "[a-b]", "[!a]", `a\+b`, "{a,b}/**", "f(1)", `a[\]-]b`, "docs{,/x}/a.md"} {
		g, err := Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := g.Expression()
		e, err := regexp.Compile("^" + text + "$")
		if !ok || err != nil || strings.Contains(text, `\x`) {
			t.Errorf("%s: %s, %v", pattern, text, err)
			continue
		}
		for _, name := range names {
			if e.MatchString(name) != g.Match(name) {
				t.Errorf("%s: %s says %v of %q", pattern, text, !g.Match(name), name)
			}
		}
	}
	for _, pattern := range []string{"ä*", "a b", "50%", "a^b", "[à-ü]"} {
		if g, err := Parse(pattern); err != nil {
			t.Error(err)
		} else if text, ok := g.Expression(); ok {
			t.Errorf("%s: %s", pattern, text)
		}
	}
}
