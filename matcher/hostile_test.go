package matcher

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// segments returns templates in which each of n segments has one of two forms. A "?" in a form
// becomes the number of the segment. If span is not negative, the spanning variable comes before
// that segment.
func segments(n, span int, forms [2]string) []string {
	var list []string
	for i := range 1 << n {
		var parts []string
		for j := range n {
			if j == span {
				parts = append(parts, "{+p}")
			}
			parts = append(parts, strings.ReplaceAll(forms[i>>j&1], "?", fmt.Sprint(j)))
		}
		if span == n {
			parts = append(parts, "{+p}")
		}
		list = append(list, "x://"+strings.Join(parts, "/"))
	}
	return list
}

func numbered(format string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return list
}

// hostile are sets of templates that cause an index the most work.
var hostile = []struct {
	name string
	make func(n int) []string // returns about n templates
	most int
}{
	{"spanning", func(n int) []string { return numbered("docs://{v}/{+p}/mod#/{f}.md", n) }, MaxTemplates},
	{"far", func(n int) []string {
		return numbered("x://m#{+p}/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}.markdown", n)
	}, MaxTemplates},
	{"segments", func(n int) []string { return segments(log2(n), -1, [2]string{"s", "{v?}"}) }, 1 << 10},
	{"tails", func(n int) []string { return segments(log2(n), 0, [2]string{"{v?}-{w?}", "{v?}"}) }, 1 << 10},
	{"middle", func(n int) []string { return segments(log2(n), log2(n)/2, [2]string{"a{v?}", "{v?}"}) }, 1 << 10},
	{"misplaced", func(n int) []string {
		list := segments(log2(n), 0, [2]string{"a{v?}", "{v?}"})
		for i := range list {
			list[i] = strings.Replace(list[i], "x://", "x://"+strings.Repeat("a", i%13), 1)
		}
		return list
	}, 1 << 10},
	{"infix", func(n int) []string { return numbered("x://h/{a}l#m{b}", n) }, MaxTemplates},
	{"same", func(n int) []string { return numbered("x://h/{a}/{v#}", n) }, MaxTemplates},
}

func log2(n int) int {
	k := 0
	for n > 1 {
		n, k = n/2, k+1
	}
	return k
}

// The index finds the first template in the order of precedence that matches, for hostile templates and for random ones, and reports
// exactly the templates that win none of their probes.
func TestIndexOfHostileTemplates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sets := map[string][]string{}
	for _, shape := range hostile {
		sets[shape.name] = shape.make(1 << 7)
	}
	for _, forms := range [][2]string{{"a", "{v?}"}, {"a{v?}", "{v?}"}, {"a{v?}", "{v?}b"}, {"{v?}a{w?}", "{v?}b{w?}"}, {"{v?}a{w?}", "{v?}"}} {
		for span := -1; span <= 4; span++ {
			sets[fmt.Sprint(forms, span)] = segments(4, span, forms)
		}
	}
	pieces := []string{"a", "b", "/", "/", "{?}", "{+?}", "a{?}"}
	for n := range 20 {
		var list []string
		for len(list) < 60 {
			s := "x://"
			for j := range 1 + random.IntN(8) {
				s += strings.ReplaceAll(pieces[random.IntN(len(pieces))], "?", fmt.Sprint("v", j))
			}
			if tmpl, err := templates.Parse(s); err == nil {
				if _, err := Compile(tmpl); err == nil {
					list = append(list, s)
				}
			}
		}
		sets[fmt.Sprint("random ", n)] = list
	}
	for name, list := range sets {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		entries := entriesOf(t, list...)
		ix, found := New("templates.json", entries)
		checkDecisions(t, name, ix)
		scan := func(u string) int {
			if i := slices.IndexFunc(ix.ranked, func(entry int) bool { return ix.patterns[entry].Matches(u) }); i >= 0 {
				return ix.ranked[i]
			}
			return -1
		}
		for i := range entries {
			wins := false
			for u := range ix.patterns[i].probes(ix.depth) {
				wins = wins || scan(u) == i
			}
			if reported := slices.ContainsFunc(found, func(p problems.Problem) bool { return p.Line == entries[i].Line }); reported == wins {
				t.Errorf("%s: entry %d wins: %v, reported: %v", name, i, wins, reported)
			}
		}
		for _, u := range urisNear(ix, random) {
			got, ok := ix.Find(u)
			if !ok {
				got = -1
			}
			if want := scan(u); got != want {
				t.Errorf("%s: %q finds %d, want %d", name, u, got, want)
			}
			folder, file := u[:strings.LastIndexByte(u, '/')+1], u[strings.LastIndexByte(u, '/')+1:]
			if entry, found := ix.In(folder).Find(file); found != ok || found && entry != got {
				t.Errorf("%s: %q finds %d in its folder, want %d", name, u, entry, got)
			}
		}
	}
}

// urisNear returns URIs of the templates, and URIs that look like them.
func urisNear(ix *Index, random *rand.Rand) []string {
	var list []string
	for _, p := range ix.patterns {
		for _, value := range []string{"a", "b", "ab", "a-b", "s"} {
			u := p.fill(value, value+"/"+value)
			list = append(list, u)
			_, path, _ := strings.Cut(u, "://")
			names := strings.Split(path, "/")
			at := random.IntN(len(names))
			names[at] = []string{"a", "b", "s", "ab", "x.markdown", names[at] + "b"}[random.IntN(6)]
			list = append(list, "x://"+strings.Join(names, "/"))
		}
	}
	return list
}

// The templates beyond the maximum match no file, and one warning says so. The others are loaded in two
// seconds, whatever they are: the worst take 0.2 seconds of a processor.
func TestMaxTemplates(t *testing.T) {
	must.SkipUnderRace(t)
	for _, shape := range hostile {
		list := append(shape.make(shape.most), numbered("x://y/{a}/l#", MaxTemplates)...)[:MaxTemplates]
		list = append(list, "x://y/{a}{b}", "x://z/{c}", "x://z/{d}")
		entries := entriesOf(t, list...)
		began := time.Now()
		ix, warnings := New("templates.json", entries)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: %d templates took %v", shape.name, len(list), took)
		}
		if _, ok := ix.Find("x://z/1"); ok || len(ix.ranked) != MaxTemplates {
			t.Errorf("%s: %d templates match files, and one beyond them matches %v", shape.name, len(ix.ranked), ok)
		}
		many := 0
		for _, w := range warnings {
			if strings.Contains(w.Reason, "all later templates are published for clients but match no file: 2000 templates before it") {
				many++
			}
		}
		if many != 1 || len(entries)-len(ix.ranked) < 2 || ix.Verdict(len(list)-1).Reason != TooMany {
			t.Errorf("%s: %d warnings", shape.name, many)
		}
	}
}

// An ender is a context that ends after Err has been called a given number of times.
type ender struct {
	context.Context
	left int
}

func (e *ender) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// New stops when the context ends, at whatever moment.
func TestNewEnds(t *testing.T) {
	entries := entriesOf(t, append(segments(4, 0, [2]string{"a{v?}", "{v?}"}), numbered("x://h/{a}l#m{b}", 20)...)...)
	const enough = 1 << 20
	ctx := &ender{context.Background(), enough}
	if _, _, err := NewContext(ctx, "templates.json", entries); err != nil {
		t.Fatal(err)
	}
	asked := enough - ctx.left
	if asked < 3*len(entries) {
		t.Errorf("the context of %d templates was asked %d times", len(entries), asked)
	}
	for n := range asked {
		if ix, _, err := NewContext(&ender{context.Background(), n}, "templates.json", entries); err == nil || ix != nil {
			t.Fatalf("ended after %d of %d: no error", n, asked)
		}
	}
}
