package docs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

const (
	topOfSample = "Available top-level paths under \"docs\":\n\n" +
		"Directories:\n- guides/\n- reference/\n\n" +
		"Files:\n- changelog.md\n- index.md\n- installWidget_quickly.md\n- latin.md\n- my file.md\n- nul.md\n- utf16.md"
	alpha = "# Alpha\n\nInstalling the widget.\n\n## On Linux\n\nUse apt.\n\n### Old\n\nx\n\n## On Windows\n\nUse winget.\n"
)

func TestAnswerLiterally(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	for _, test := range []struct {
		name string
		r    Request
		want string
	}{
		{"file", Request{Paths: []string{"guides/a.md"}}, "---\npath: guides/a.md\n---\n\n" + alpha},
		{"folder", Request{Paths: []string{"guides/"}}, "---\npath: guides/\n---\n\n" +
			"# Directory: guides/\n\n## Subdirectories\n\n- docs/guides/deep/\n\n## Files\n\n- docs/guides/a.md: Alpha\n- docs/guides/b.mdx: Beta\n"},
		{"folder with suggestions", Request{Paths: []string{"guides/deep"}, Keywords: []string{"command  line"}},
			"---\npath: guides/deep\nsuggestions:\n  - reference/cli/index.md\n---\n\n" +
				"# Directory: guides/deep\n\n## Files\n\n- docs/guides/deep/c.md: Gamma rays\n\n" +
				"Here are some paths that might be relevant based on your query:\n\n- reference/cli/index.md\n"},
		{"unknown", Request{Paths: []string{"missing/client-apiDocs.md"}}, "---\npath: missing/client-apiDocs.md\nerror: Path \"missing/client-apiDocs.md\" not found.\n---\n\n" +
			"Path \"missing/client-apiDocs.md\" not found.\n\n" + topOfSample +
			"\n\nHere are some paths that might be relevant based on your query:\n\n- reference/api/client.md\n- reference/api/widget-x.md\n"},
		{"unknown without suggestions", Request{Paths: []string{"zzz"}}, "---\npath: zzz\nerror: Path \"zzz\" not found.\n---\n\nPath \"zzz\" not found.\n\n" + topOfSample + "\n"},
		{"traversal", Request{Paths: []string{"../package.json"}, Keywords: []string{"client"}}, "---\npath: \"../package.json\"\nerror: Invalid path\n---\n\nInvalid path"},
		{"query", Request{Query: "winget"}, "1. guides/a.md, line 15: Alpha > On Windows\n   Use winget.\n"},
		{"query without answer", Request{Query: "quux"}, "No passage has these words.\n"},
		{"section", Request{Paths: []string{"guides/a"}, Section: "on linux"}, "---\npath: guides/a\nsection: On Linux\nline: \"5\"\nlines: \"5-12 of 15\"\n---\n\n## On Linux\n\nUse apt.\n\n### Old\n\nx\n\n"},
		{"lines", Request{Paths: []string{"guides/a"}, Offset: 5, Limit: 2}, "---\npath: guides/a\nlines: \"5-6 of 15\"\n---\n\n## On Linux\n\n\n[Lines 5 to 6 of 15. To continue, use offset 7.]\n"},
		{"lines of a section", Request{Paths: []string{"guides/a"}, Section: "on linux", Offset: 7, Limit: 2},
			"---\npath: guides/a\nsection: On Linux\nline: \"5\"\nlines: \"7-8 of 15\"\n---\n\nUse apt.\n\n\n[Lines 7 to 8 of 12. To continue, use offset 9.]\n"},
		{"beyond the end", Request{Paths: []string{"guides/a"}, Offset: 50}, "---\npath: guides/a\nerror: \"There is no line 50: the last one is 15.\"\n---\n\nThere is no line 50: the last one is 15."},
	} {
		t.Run(test.name, func(t *testing.T) {
			must.Equal(t, []string{test.want}, answer(t, l, test.r))
		})
	}
}

// A row of a table shows a part of each cell, and a table of contents is not the passage that has the words.
func TestTablesInAnswers(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{
		"docs/a.md": "# Queue\n\n- [Retry a job](#retry-a-job)\n- [Retry all](#retry-a-job)\n\n## Options\n\n| Name | About | Default |\n|" + strings.Repeat("-", 90) + "|---|---|\n" +
			"| <a id=\"x\"></a>`limit` | Walrus " + strings.Repeat("is long ", 200) + strings.Repeat(" ", 90) + "| 2560 |\n\n## Retry a job\n\nDo it again.\n",
	}), "docs", nil)
	if got := answer(t, l, Request{Query: "walrus limit"})[0]; !strings.Contains(got, "| `limit` | Walrus is long") || !strings.Contains(got, "…| 2560 |") {
		t.Error(got)
	}
	if got := answer(t, l, Request{Query: "retry job"})[0]; !strings.HasPrefix(got, "1. a.md, line 12: Queue > Retry a job\n") {
		t.Error(got)
	}
}

// An answer to a query is short unless limit asks for more, and shows most of the first page that has the words.
func TestQueryAnswersAreShort(t *testing.T) {
	files := map[string]string{
		"docs/lead.md": "# Lead\n\n## Narwhals swim\n\nThe first part.\n\n```sh\nswim --deep\n```\n\n### Far\n\n" + strings.Repeat("They swim far. ", 100) + "\n\n## Seals\n\nThey rest.\n",
		"docs/two.md":  "# Two\n\nA narwhal.\n", "docs/three.md": "# Three\n\nThey swim.\n",
	}
	for i := range 30 {
		files[fmt.Sprintf("docs/%s/%d.md", strings.Repeat("folder", 10), i)] = fmt.Sprintf("---\ntitle: %s\ndescription: %s\n---\n## Walrus\n\n```\n%s\n```\n\n## More %d\n\n%s\n\n## Walrus tusks\n\nA walrus.\n",
			strings.Repeat("Title ", 30), strings.Repeat("About a walrus. ", 40), strings.Repeat(" walrus\n", 40), i, strings.Repeat("walrus é ", i*10))
	}
	l := scan(t, given.Texts(files), "docs", nil)
	for limit, want := range map[int]int{0: leadShown, 1: 1, 5: 5, 20: 20} {
		got := answer(t, l, Request{Query: "walrus", Limit: limit})[0]
		if hits := strings.Count(got, ", line "); hits != want || len(got) > max(briefSize, pageSize*want) {
			t.Errorf("limit %d: %d hits in %d bytes", limit, hits, len(got))
		}
	}
	got := answer(t, l, Request{Query: "narwhals swim"})[0]
	if want := "1. lead.md, line 8: Lead > Narwhals swim\n   The first part.\n\n   ```sh\n   swim --deep\n   ```\n\n   ### Far\n\n   They swim far."; !strings.Contains(got, want) ||
		!strings.Contains(got, " They swim far.\n2. ") || strings.Contains(got, "rest") || len(got) > briefSize {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if got := answer(t, l, Request{Query: "narwhals swim", Offset: 1, Limit: 3})[0]; !strings.Contains(got, "A narwhal.") {
		t.Errorf("with a limit: %s", got)
	}
}

// The headings of a long document come first, of the highest levels.
func TestOutlineComesFirst(t *testing.T) {
	long := "# Top\n\n" + strings.Repeat("words\n", outlined/6) + "## One\n\n### Deep\n\n## Two\n"
	many := "# Top\n\n" + strings.Repeat("words words words words\n", outlined/24) + "## One\n\n" + strings.Repeat("### Deep\n", maxOutline) + "## Two\n"
	l := scan(t, given.Texts(map[string]string{"docs/long.md": long, "docs/many.md": many, "docs/short.md": "# Top\n\n## One\n"}), "docs", nil)
	for path, want := range map[string]string{
		"long":  "\noutline:\n  - \"1 Top\"\n  - \"1368 - One\"\n  - \"1370 -- Deep\"\n  - \"1372 - Two\"\n---\n\n# Top\n",
		"many":  "\noutline:\n  - \"1 Top\"\n  - \"344 - One\"\n  - \"386 - Two\"\n---\n\n# Top\n",
		"short": "\npath: short\n---\n\n# Top\n",
	} {
		if got := answer(t, l, Request{Paths: []string{path}})[0]; !strings.Contains(got, want) {
			t.Errorf("%s begins with %q, want %q", path, excerpt.Cut(got, 200), want)
		}
	}
	if got := answer(t, l, Request{Paths: []string{"long"}, Offset: 2})[0]; strings.Contains(got, "outline") {
		t.Error("a later part has an outline too")
	}
}

// Of a very long document, an answer shows the headings and the beginning, unless lines or a section are asked for.
func TestLongDocuments(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/long.md": "# Top\n\n" + strings.Repeat("words of a line\n", 3000) + "## End\n\n" + strings.Repeat("the end\n", 2000)}), "docs", nil)
	for _, test := range []struct {
		request     Request
		least, most int
	}{
		{Request{Paths: []string{"long"}}, longShown, longShown + 500}, {Request{Paths: []string{"long"}, Offset: 1}, longShown, longShown + 500},
		{Request{Paths: []string{"long"}, Limit: 2000}, 30_000, 34_000}, {Request{Paths: []string{"long"}, Section: "End"}, 16_000, 17_000}, {Request{Paths: []string{"long#end"}}, 16_000, 17_000},
		{Request{Paths: []string{"long"}, Offset: 500}, 40_000, 64_000},
	} {
		got := answer(t, l, test.request)[0]
		if len(got) < test.least-200 || len(got) > test.most || strings.Contains(got, "outline:") != (test.request.Section == "" && test.request.Offset < 2 && !strings.Contains(test.request.Paths[0], "#")) {
			t.Errorf("%+v: %d bytes: %.300s", test.request, len(got), got)
		}
	}
}

func TestSpellings(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	for _, p := range []string{
		"guides/a.md", "guides/a", "/guides/a.md", "./guides/a.md", "././/guides//a.md", "docs/guides/a.md", "/docs/guides/a/",
		`guides\a.md`, `docs\\guides\a`, "guides/./a.md", " guides/a.md\n", "guides%2Fa.md", "guides/a.md/", "guides/a.md?", "a.md", "../guides/a.md#alpha",
	} {
		got := ask(t, l, p)
		if _, section, ok := strings.Cut(p, "#"); ok {
			if !strings.Contains(got, "section: A"+section[1:]) {
				t.Errorf("%q: %q", p, got)
			}
		} else if body(t, got) != alpha {
			t.Errorf("%q: %q", p, got)
		}
	}
	for p, want := range map[string]string{
		"guides/b": "# Beta\n\n<Tabs/>\n", "my file": "spaced", "my%20file.md": "spaced", "guides/data.json": "{}",
		"guides/a.md#on-windows": "## On Windows\n\nUse winget.\n", "utf16.md": "hi", "nul.md": "a\x00b\x1b[0m",
	} {
		if got := body(t, ask(t, l, p)); got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
	for _, p := range []string{"", "/", ".", "docs", "docs/", "//"} {
		if got := body(t, ask(t, l, p)); !strings.Contains(got, "- docs/guides/\n- docs/reference/\n") || strings.Contains(got, "node_modules") {
			t.Errorf("%q: %q", p, got)
		}
	}
}

func TestFolderOfAnotherName(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"site/manual/a.md": "A", "site/manual/manual/a.md": "AA"}), "site/manual", nil)
	for p, want := range map[string]string{"a": "A", "site/manual/a": "A", "docs/a": "A", "manual/a": "AA", "manual/manual/a": "AA"} {
		if got := body(t, ask(t, l, p)); got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
	if got := body(t, ask(t, l, "/")); !strings.Contains(got, "- site/manual/a.md: A\n") {
		t.Error(got)
	}
}

func TestTraversal(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	for _, p := range []string{
		"..", "../x", "guides/../../x", `..\x`, "%2e%2e/x", "%2E./x", ".%2e%2fx", "%252e%252e/x", "..%2fx", "..%5cx",
		"/../../etc/passwd", "docs/..", "guides/..#a", ".. /x",
		strings.Repeat("a/", 5000) + "../x", strings.Repeat("../", 400_000),
	} {
		got := ask(t, l, p)
		if body(t, got) != "Invalid path" || !strings.Contains(got, "\nerror: Invalid path\n---\n") {
			t.Errorf("%q: %q", excerpt.Cut(p, 50), excerpt.Cut(got, 500))
		}
	}
	for _, p := range []string{"../index.md", `guides\..\index.md`, "guides/../index.md", "../../docs/index.md#x", "..%2findex"} { // links of documents
		if got := ask(t, l, p); !strings.Contains(got, "Start here.") && !strings.Contains(got, "not found") {
			t.Errorf("%q: %q", p, got)
		}
	}
	for _, p := range []string{"a..b", "...", "guides/.hidden.md", ".hidden", "resources/docs/v1/secret.md", "node_modules/x/readme.md", "/etc/passwd", `C:\x`, "\x00", "a\x00b", "%00", strings.Repeat("x", 1<<20)} {
		if got := ask(t, l, p); !strings.Contains(got, "not found.\n---\n") && !strings.Contains(got, "not found.\"\n---\n") {
			t.Errorf("%q: %q", excerpt.Cut(p, 50), excerpt.Cut(got, 500))
		}
	}
}

func TestFilesThatAreNotText(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	if got, want := ask(t, l, "latin.md"), "---\npath: latin.md\ntitle: Latin\nerror: The file is not UTF-8. Invalid bytes are shown as U+FFFD.\n---\n\ncaf\ufffd\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := body(t, ask(t, l, "guides/logo.png")); got != "The file is not text." {
		t.Error(got)
	}
}

func TestSections(t *testing.T) {
	text := "---\ntitle: T\n---\n# Top #\n\n```sh\n# not this\n```\n\nSet up\n======\na\n\n## `Code` and [link](http://x/y)\nb\n## Twice\nc\n## Twice\nd\n## Named {#own}\ne\n\n    # indented\n<!--\n# comment\n-->\nf\n"
	l := scan(t, given.Texts(map[string]string{"docs/a.md": text}), "docs", nil)
	for section, want := range map[string]string{
		"top": "# Top #\n\n```sh\n# not this\n```\n\n", "SET UP": text[strings.Index(text, "Set up"):], "set-up": text[strings.Index(text, "Set up"):],
		"Code and link": "## `Code` and [link](http://x/y)\nb\n", "#code-and-link": "## `Code` and [link](http://x/y)\nb\n",
		"twice": "## Twice\nc\n", "twice-1": "## Twice\nd\n", "`Named`": text[strings.Index(text, "## Named"):], "own": text[strings.Index(text, "## Named"):], "Named": text[strings.Index(text, "## Named"):],
	} {
		got := answer(t, l, Request{Paths: []string{"a"}, Section: section})[0]
		if body(t, got) != want {
			t.Errorf("%q: %q, want %q", section, got, want)
		}
	}
	if got := ask(t, l, "a.md#T_wice"); !strings.Contains(got, "section: Twice\n") {
		t.Errorf("another spelling of a heading: %s", got)
	}
	if got := ask(t, l, "a.md#step"); !strings.Contains(got, "note: ") || !strings.Contains(got, "## Twice") {
		t.Errorf("a link to another element opens the document: %s", got)
	}
	if got := body(t, answer(t, l, Request{Paths: []string{"a"}, Section: "Twise"})[0]); got != "Section \"Twise\" not found.\n\nThe nearest headings:\n- Twice" {
		t.Errorf("%q", got)
	}
	if got := body(t, answer(t, l, Request{Paths: []string{"a"}, Section: "zzzzz"})[0]); !strings.HasSuffix(got, "The headings of the document:\n- Top\n- Set up\n- Code and link\n- Twice\n- Twice\n- Named") {
		t.Errorf("%q", got)
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	for _, r := range []Request{{}, {Query: " \n"}, {Keywords: []string{"x"}}} {
		if _, err := l.Answer(context.Background(), r); err != RequestError("paths or query is required") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if got := answer(t, l, Request{Query: "winget", Offset: -1, Limit: -1}); !strings.HasPrefix(got[0], "1. guides/a.md") {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Answer(ctx, Request{Paths: []string{"x"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNoLibrary(t *testing.T) {
	for _, l := range []*Library{nil, new(Library), scan(t, given.Texts(nil), "docs", nil)} {
		if l.Len() != 0 || l.Dir() != "docs" {
			t.Error("wrong about nothing")
		}
		texts := append(answer(t, l, Request{Paths: []string{"../a", "a", "docs"}}), answer(t, l, Request{Query: "x"})...)
		if len(texts) != 4 || body(t, texts[0]) != "Invalid path" || body(t, texts[3]) != "No passage has these words.\n" {
			t.Errorf("%q", texts)
		}
		if err := l.Index(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// Programs print lines after a path, so it is read with them. A link to an anchor that a long document has not gets its headings alone.
func TestLinesAndAnchorsOfPaths(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/a.md": "one\ntwo\nthree\nfour\n", "docs/b.md:2": "x", "docs/long.md": "# Long\n\n## Loss control\n\n" + strings.Repeat("A line.\n", 2000)}), "docs", nil)
	for path, want := range map[string]string{"a.md:2-3": "two\nthree\n", "docs/a.md:3": "three\nfour\n", "a.md:4-2": "four\n", "b.md:2": "x", "a.md:9-10": "There is no line 9: the last one is 4."} {
		if got := body(t, answer(t, l, Request{Paths: []string{path}})[0]); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := answer(t, l, Request{Paths: []string{"long.md#loss-contrl"}})[0]; strings.Contains(got, "A line.") || !strings.Contains(got, "Loss control") {
		t.Error(got)
	}
	if got := answer(t, l, Request{Paths: []string{"a.md:2-3", "a.md"}}); !strings.Contains(got[1], "one\ntwo\nthree\nfour\n") {
		t.Error(got)
	}
}

func TestScalar(t *testing.T) {
	for s, want := range map[string]string{
		"guides/a.md": "guides/a.md", "my file.md": "my file.md", "/a": "/a", `Path "x" not found.`: `Path "x" not found.`,
		"": `""`, "a: b": `"a: b"`, "a #b": `"a #b"`, "a ": `"a "`, "1.5": `"1.5"`, "true": `"true"`, "No": `"No"`, "- a": `"- a"`, "a\nb": `"a\nb"`,
		"a\"\\\x01": `"a\"\\\u0001"`, "\u0085": `"\u0085"`, "\u2028": `"\u2028"`, "\ufeff": `"\ufeff"`, "é": `"é"`, "<&>": `"<&>"`, "*a": `"*a"`, "{{x}}": `"{{x}}"`, "---": `"---"`, "~": `"~"`,
	} {
		if got := scalar(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}
