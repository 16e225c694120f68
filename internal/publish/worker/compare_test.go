package worker

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// Go and the Worker treat each word and pattern in the same way.
func TestSameAsWorker(t *testing.T) {
	if _, err := os.Stat("../../../test/node_modules/esbuild"); err != nil {
		t.Skip("npm ci was not run in test/")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	r := rand.New(rand.NewPCG(7, 7))
	var characters strings.Builder
	for c := range rune(0xe1000) {
		if !unicode.IsPrint(c) && utf8.ValidRune(c) && (unicode.IsGraphic(c) || unicode.In(c, unicode.Cc, unicode.Cf)) {
			characters.WriteString("a" + string(c))
		}
	}
	cases := must.Get(json.Marshal(map[string]any{
		"words": wordCases(t, r), "globs": globCases(r), "hostile": hostileCases(),
		"text": characters.String(), "line": excerpt.OneLine(characters.String()),
	}))(t)
	file := filepath.Join(t.TempDir(), "cases.json")
	must.Write(t, file, string(cases))
	if out, err := exec.CommandContext(t.Context(), node, "testdata/compare.mjs", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// randomCases returns the number of random cases of each kind.
func randomCases() int {
	if n, err := strconv.Atoi(os.Getenv("WORKER_CASES")); err == nil {
		return n
	}
	return 2000
}

// wordCases returns a text of very many words, and the terms of its index.
func wordCases(t *testing.T, r *rand.Rand) map[string]any {
	endings := strings.Fields("s es ed ing ly eed eedly ational ization fulness iveness biliti lessli alism ousli entli ogi li icate iciti ical ness ful ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic e l y ies ied sses us ss 's")
	roots := strings.Fields("hop hope hopp run fly cry say play gener commun arsen relat condition valenc digit radic vietnam oper feud decis happi form sensib electric adjust depend irrit replac activ homolog bowdler prob rat ceas control rol hous cloth skis dying news inning proceed kiss gap gas this kiwi bed shed bead embed yes youth boy toy say eye bye dye")
	var text strings.Builder
	text.WriteString("# x\n\n")
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("there are no documents", err)
	}
	for _, root := range roots {
		for _, ending := range endings {
			fmt.Fprintf(&text, "%s%s ", root, ending)
		}
		text.WriteString("\n\n")
	}
	for range randomCases() {
		fmt.Fprintf(&text, "%s%s%s ", roots[r.IntN(len(roots))], endings[r.IntN(len(endings))], endings[r.IntN(len(endings))])
	}
	for _, page := range pages {
		data := must.Get(os.ReadFile(page))(t)
		text.Write(data)
	}
	// A definition of a link is not indexed, so its colon is removed. A word that is not counted
	// anywhere has no term.
	words := strings.ReplaceAll(text.String(), "]:", "] ")
	library := must.Get(docs.Scan(t.Context(), fstest.MapFS{"docs/x.md": {Data: []byte(words)}}, "docs", nil, nil, nil))(t)
	x := must.Get(library.Export(t.Context(), false))(t)
	var stems []string
	x.Terms(func(term string, _ int, _ []docs.ExportedPosting) { stems = append(stems, term) })
	return map[string]any{"text": words, "stems": stems, "others": docs.Tables().Stop}
}

// globCases returns patterns and names, and whether they match.
func globCases(r *rand.Rand) (cases [][3]any) {
	pieces := []string{"*", "**", "**/", "/", "a", "b", ".md", "?", "[a-c]", "[!a]", "[^b-d]", "{a,b}", "{*,b}", "{a/,}", "{,**/}", "\\*", "é", "{a,{b,c}}", "/**", "[", "{", "}", "\\"}
	names := []string{"a", "b", "ab", "a/b", "a/b.md", "b/a/a.md", "", "é", "a/é.md", "c", "aa/bb/cc.md", "*", "a/", "/a"}
	for range randomCases() {
		var pattern strings.Builder
		for range 1 + r.IntN(5) {
			pattern.WriteString(pieces[r.IntN(len(pieces))])
		}
		name := names[r.IntN(len(names))]
		if strings.Contains(pattern.String(), "[") && strings.Contains(name, "/") {
			continue // doublestar misses some names in which a class matches a slash
		}
		var want any
		if g, err := glob.Parse(pattern.String()); err != nil {
			want = err.Error()
		} else {
			want = g.Match(name)
		}
		cases = append(cases, [3]any{pattern.String(), name, want})
	}
	return cases
}

// hostileCases returns slow patterns, names, and the maximum number of steps of the matcher.
func hostileCases() (cases [][3]any) {
	names := []string{strings.Repeat("a", 500), strings.Repeat("a/", 250), strings.Repeat("aaaaaaaaa/", 50)}
	for _, pattern := range []string{
		strings.Repeat("*a", 499) + "b", strings.Repeat("**/", 300) + "b", "**/" + strings.Repeat("*a*/", 200) + "b", strings.Repeat("**/*a*a/", 100) + "b", "**/" + strings.Repeat("a/", 240) + "b",
		strings.Repeat("{a,*}", 8) + "b", "{" + strings.Repeat("**/*a*,", 100) + "}" + strings.Repeat("*a", 70) + "b", strings.Repeat("{**/,*a}", 8) + "b", "**/*" + strings.Repeat("a", 250) + "b", strings.Repeat("{a,*}", 6) + strings.Repeat("a", 180) + "b", "**/" + strings.Repeat("{a/,*}", 8) + "b",
	} {
		for _, name := range names {
			cases = append(cases, [3]any{pattern, name, 16_000 * len(name)})
		}
	}
	return cases
}
