package matcher

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// oracleMatch matches by trying every split, the longest value of an earlier variable first. It
// defines the result that the linear matcher must return.
func oracleMatch(tokens []token, s string) ([]string, bool) {
	if len(tokens) == 0 {
		return nil, s == ""
	}
	if v := tokens[0].variable; v != nil {
		for n := len(s); n > 0; n-- {
			if !v.spans && strings.Contains(s[:n], "/") {
				continue
			}
			if rest, ok := oracleMatch(tokens[1:], s[n:]); ok {
				return append([]string{s[:n]}, rest...), true
			}
		}
		return nil, false
	}
	rest, ok := strings.CutPrefix(s, tokens[0].literal)
	if !ok {
		return nil, false
	}
	return oracleMatch(tokens[1:], rest)
}

// smallTemplates returns all templates of up to n pieces after "x://".
func smallTemplates(t *testing.T, pieces []string, n int) []*templates.Template {
	var out []*templates.Template
	var grow func(prefix string, left, vars int)
	grow = func(prefix string, left, vars int) {
		if tmpl, err := templates.Parse(prefix); err == nil {
			if _, err := Compile(tmpl); err == nil {
				out = append(out, tmpl)
			}
		} else {
			t.Fatal(err)
		}
		if left == 0 {
			return
		}
		for _, p := range pieces {
			if strings.Contains(p, "?") {
				grow(prefix+strings.Replace(p, "?", fmt.Sprintf("v%d", vars), 1), left-1, vars+1)
			} else {
				grow(prefix+p, left-1, vars)
			}
		}
	}
	grow("x://", n, 0)
	return out
}

// smallURIs returns all decoded URIs of files that have up to n characters of the alphabet after
// "x://".
func smallURIs(alphabet string, n int) []string {
	var out []string
	var grow func(s string, left int)
	grow = func(s string, left int) {
		if s != "" && !strings.HasSuffix(s, "/") {
			out = append(out, "x://"+s)
		}
		if left == 0 {
			return
		}
		for _, c := range alphabet {
			if c == '/' && (s == "" || strings.HasSuffix(s, "/")) {
				continue
			}
			grow(s+string(c), left-1)
		}
	}
	grow("", n)
	return out
}

func TestMatchIsTheOracles(t *testing.T) {
	length := 7
	if must.RaceEnabled {
		length = 6
	}
	uris := smallURIs("ab/", length)
	matched := 0
	for _, tmpl := range smallTemplates(t, []string{"a", "/", "{?}", "{+?}", "b"}, 6) {
		p := must.Get(Compile(tmpl))(t)
		tokens := must.Get(tokenize(tmpl))(t)
		for _, u := range uris {
			want, wantOK := oracleMatch(tokens, u)
			got, ok := p.Match(u)
			if ok != wantOK {
				t.Fatalf("%s on %s: match %v, want %v", tmpl, u, ok, wantOK)
			}
			if !ok {
				continue
			}
			matched++
			for i, v := range got {
				if v.Value != want[i] {
					t.Fatalf("%s on %s: %q is %q, want %q", tmpl, u, v.Name, v.Value, want[i])
				}
			}
		}
	}
	if matched < 10_000 {
		t.Errorf("only %d matches were compared", matched)
	}
}

// If every URI of one template is also a URI of another, and not the reverse, the first template
// comes first. The URIs contain a letter that no template has; otherwise "a…b" could look as if it
// always contained "ab".
func TestPrecedenceFollowsInclusion(t *testing.T) {
	for _, test := range []struct {
		pieces   []string
		most     int // maximum number of pieces
		alphabet string
		length   int
	}{
		{[]string{"a", "/", "{?}", "{+?}"}, 6, "ab/", 9},
		{[]string{"a", "b", "/", "{?}", "{+?}"}, 4, "abc/", 7},
	} {
		uris := smallURIs(test.alphabet, test.length)
		var entries []templates.Entry
		for i, tmpl := range smallTemplates(t, test.pieces, test.most) {
			entries = append(entries, templates.Entry{
				Definition: templates.Definition{URITemplate: tmpl.String(), Name: "t"}, Template: tmpl, Index: i + 1, Line: i + 1,
			})
		}
		ix, _ := New("templates.json", entries)
		type language struct {
			bits []uint64
			size int
		}
		languages := make([]language, len(ix.ranked)) // by rank
		for rank, entry := range ix.ranked {
			l := language{bits: make([]uint64, len(uris)/64+1)}
			for i, u := range uris {
				if ix.patterns[entry].Matches(u) {
					l.bits[i/64] |= 1 << (i % 64)
					l.size++
				}
			}
			languages[rank] = l
		}
		inclusions := 0
		for i, a := range languages {
			for j, b := range languages {
				if a.size == 0 || a.size >= b.size || !subset(a.bits, b.bits) {
					continue
				}
				inclusions++
				if i > j {
					t.Errorf("%s admits fewer URIs than %s but does not come first", entries[ix.ranked[i]].Template, entries[ix.ranked[j]].Template)
				}
			}
		}
		t.Logf("%d templates, %d inclusions", len(languages), inclusions)
		if inclusions < 1000 {
			t.Errorf("only %d inclusions were compared", inclusions)
		}
	}
}

func subset(a, b []uint64) bool {
	for i := range a {
		if a[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

// The index finds the same template as a scan over all templates in order of precedence. It reports
// a template as one that can never win exactly if it never wins.
func TestIndexIsTheScan(t *testing.T) {
	all := smallTemplates(t, []string{"a", "/", "{?}", "{+?}", "b"}, 4)
	uris := smallURIs("abc/", 6)
	for _, stride := range []int{1, 7, 31} {
		var entries []templates.Entry
		for i := 0; i < len(all); i += stride {
			entries = append(entries, templates.Entry{
				Definition: templates.Definition{URITemplate: all[i].String(), Name: "t"}, Template: all[i], Index: i + 1, Line: i + 1,
			})
		}
		ix, problems := New("templates.json", entries)
		wins := make([]bool, len(entries))
		for _, u := range uris {
			want := -1
			for _, i := range ix.ranked {
				if ix.patterns[i].Matches(u) {
					want = i
					break
				}
			}
			got, ok := ix.Find(u)
			if ok != (want >= 0) || ok && got != want {
				t.Fatalf("stride %d: %s finds %d, %v, want %d", stride, u, got, ok, want)
			}
			if ok {
				wins[got] = true
			}
		}
		reported := make([]bool, len(entries))
		for _, p := range problems {
			i := slices.IndexFunc(entries, func(e templates.Entry) bool { return e.Line == p.Line })
			if strings.Contains(p.Reason, "can never win") {
				reported[i] = true
			}
		}
		for i := range entries {
			if wins[i] && reported[i] {
				t.Errorf("%s wins but is reported", entries[i].Template)
			}
			if !wins[i] && !reported[i] && len(entries[i].URITemplate) < len("x://aaaaaa") {
				t.Errorf("%s never wins but is not reported", entries[i].Template)
			}
		}
	}
}
