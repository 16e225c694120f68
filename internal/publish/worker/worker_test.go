package worker

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

func TestName(t *testing.T) {
	for slug, want := range map[string]string{
		"acme-docs": "acme-docs", "Acme.Docs_2": "acme-docs-2", "-x-": "x", strings.Repeat("a", 100): strings.Repeat("a", 63),
		strings.Repeat("a", 62) + "-b": strings.Repeat("a", 62), "": "",
	} {
		must.Equal(t, want, Name(slug), slug)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{Name: "docs"}, ""},
		{Options{Name: "docs", Hosts: []string{"docs.example.com:8443"}, Origins: []string{"https://app.example.com"}}, ""},
		{Options{}, `--name "" is part of a host`},
		{Options{Name: "Docs"}, `--name "Docs" is part of a host`},
		{Options{Name: "docs.example"}, "is part of a host"},
		{Options{Name: "docs", Hosts: []string{"*"}}, `--allow-host "*": it must name a host`},
		{Options{Name: "docs", Hosts: []string{"https://docs.example.com"}}, "it must be a host"},
		{Options{Name: "docs", Origins: []string{"null"}}, `--allow-origin "null": it cannot be allowed`},
	} {
		err := test.options.Check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.options, err, test.want)
		}
	}
}

func TestConfiguration(t *testing.T) {
	files, err := Options{Name: "docs", Hosts: []string{"a.example", "b.example"}, Version: "1.2.3"}.files("b/x", []bundle.File{bundle.Bytes("b/x", nil)})
	must.Do(t, err)
	text := make(map[string]string)
	for _, f := range files {
		var b strings.Builder
		must.Do(t, f.Copy(&b))
		text[f.Name] = b.String()
	}
	_, data, _ := strings.Cut(text["wrangler.jsonc"], "\n{")
	var c struct {
		Main   string
		Assets struct {
			RunWorkerFirst bool `json:"run_worker_first"`
		}
		Vars map[string]string
	}
	must.Do(t, json.Unmarshal([]byte("{"+data), &c))
	if !c.Assets.RunWorkerFirst || c.Vars["ACCESS"] != "token" || c.Vars["HOSTS"] != "a.example b.example" || c.Vars["MANIFEST"] != "b/x" || c.Main != "worker.js" {
		t.Errorf("%+v", c)
	}
	if _, there := text["assets/b/x"]; !there || !strings.HasPrefix(text["wrangler.jsonc"], mark) || !strings.Contains(text["README.md"], "wrangler secret put MCP_DOCS_TOKEN") {
		t.Errorf("%q", text)
	}
	if !strings.Contains(string(script), "MIT License") {
		t.Error("worker.js has no licence")
	}
	if open := (Options{Name: "docs", Open: true}); open.variables("")["ACCESS"] != "open" || strings.Contains(open.readme(), "MCP_DOCS_TOKEN") {
		t.Error("--no-auth: the Worker asks for a token")
	}
}

func TestLimitsOfPlans(t *testing.T) {
	assets := make([]bundle.File, PaidFiles+1)
	for i := range assets {
		assets[i].Name = fmt.Sprintf("b/%d", i)
	}
	o := Options{Name: "docs"}
	if _, err := o.files("", assets); err == nil || !strings.Contains(err.Error(), `100001 assets, and a Worker can have at most 100000: leave files out with "exclude"`) {
		t.Error(err)
	}
	large := []bundle.File{{Name: "b/x", Size: FileBytes + 1}}
	if _, err := o.files("", large); err == nil || !strings.Contains(err.Error(), "has 26214401 bytes, and an asset of a Worker can have at most 26214400") {
		t.Error(err)
	}
	for n, want := range map[int]string{FreeFiles: "", FreeFiles + 1: "the Worker has 20001 assets: Cloudflare's free plan allows 20000"} {
		files := must.Get(o.files("", assets[:n]))(t)
		if got := Notice(files); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestKeys(t *testing.T) {
	for canonical, want := range map[string]string{
		"docs://": "d:docs://", "docs://Guide/": "d:docs://guide", "docs://Guide/a%20B": "d:docs://guide/a%20B", "x://%C3%9F%FF": "d:x://%C3%9F%EF%BF%BD",
	} {
		must.Equal(t, want, keyOf("d", namesOf(canonical)), canonical)
	}
}

func TestFailureOmitsTheURI(t *testing.T) {
	f, err := failureOf(&jsonrpc.Error{Code: -32603, Message: `cannot read "a://b": too large`, Data: json.RawMessage(`{"uri":"a://b","size":5}`)}, "a://b")
	if err != nil || f.Message != "cannot read \x00: too large" || !f.Located || len(f.Data) != 1 || string(f.Data["size"]) != "5" {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := failureOf(fmt.Errorf("a disk error"), "a://b"); err == nil {
		t.Error("an error of the build becomes an answer")
	}
}

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
	library := must.Get(docs.Detect(t.Context(), fstest.MapFS{"docs/x.md": {Data: []byte(words)}}, docs.Reading{}))(t)
	x := must.Get(library.Export(t.Context(), false))(t)
	var stems []string
	x.Terms(func(term string, _ int, _ []docs.ExportedPosting) { stems = append(stems, term) })
	return map[string]any{"text": words, "stems": stems, "others": slices.Sorted(maps.Keys(analysis.StopWords))}
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

// A query reads some shards, so each must be small; the postings of a very frequent word have several.
func TestShardsAreSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fsys := fstest.MapFS{}
	for i := range 150 {
		var b strings.Builder
		for s := range 30 {
			fmt.Fprintf(&b, "## Section %d\n\n", s)
			for range 35 {
				fmt.Fprintf(&b, "everywhere word%d ", r.IntN(400_000))
			}
			b.WriteString("\n\n")
		}
		fsys[fmt.Sprintf("docs/%d.md", i)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	var before []string
	for range 2 {
		library := must.Get(docs.Detect(t.Context(), fsys, docs.Reading{Sites: site.Options{Chosen: "docs"}}))(t)
		b := newBuilder(Project{Library: library}, FileBytes)
		h := must.Get(b.searchIndex(t.Context(), false, func(docs.ExportedDocument) citation { return citation{"title", true} }))(t)
		if h.Passages != 4500 || len(h.Vocabulary) < 2 || len(h.Postings) < 2 || len(h.Texts) < 8 {
			t.Errorf("%d passages, %d parts of the vocabulary, %d of postings, %d of texts", h.Passages, len(h.Vocabulary), len(h.Postings), len(h.Texts))
		}
		var names []string
		for _, f := range b.assets.files() {
			names = append(names, f.Name)
			if f.Size > shardSize {
				t.Errorf("%s has %d bytes", f.Name, f.Size)
			}
		}
		if before != nil && strings.Join(before, " ") != strings.Join(names, " ") {
			t.Error("the same documents make other assets")
		}
		before = names
	}
}
