package docs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

func TestBounds(t *testing.T) {
	must.SkipUnderRace(t)
	line := strings.Repeat("x", 99) + "\n"
	files := map[string]string{"docs/big.md": strings.Repeat(line, 10_000), "docs/line.md": strings.Repeat("é", 300_000) + "\nend\n"}
	for i := range 2000 {
		files[fmt.Sprintf("docs/many/document-%04d.md", i)] = "x"
	}
	l := scan(t, given.Texts(files), "docs", nil)
	// The parts that each part points to make up the whole document.
	var whole strings.Builder
	for offset, n := 1, 0; offset > 0; n++ {
		text := answer(t, l, Request{Paths: []string{"big.md"}, Offset: offset})[0]
		if taken := tokens.Estimate(text); taken > tokens.MaxAnswer || n > 100 {
			t.Fatalf("part %d has %d tokens", n, taken)
		}
		part, note, more := strings.Cut(body(t, text), "\n[Lines ")
		whole.WriteString(part)
		offset = 0
		if more {
			must.Get(fmt.Sscanf(note[strings.Index(note, "use offset"):], "use offset %d.", &offset))(t)
		}
	}
	if whole.String() != files["docs/big.md"] {
		t.Error("the parts are not the whole")
	}
	if text := answer(t, l, Request{Paths: []string{"big.md"}, Limit: 3000})[0]; tokens.Estimate(text) < tokens.MaxAnswer*9/10 || tokens.Estimate(text) > tokens.MaxAnswer {
		t.Errorf("a limit of 3000 lines gives %d tokens", tokens.Estimate(text))
	}
	if text := ask(t, l, "line.md"); tokens.Estimate(text) > tokens.MaxAnswer || !utf8.ValidString(text) || !strings.HasSuffix(text, "[Line 1 is too long and was cut. To continue after it, use offset 2.]\n") {
		t.Errorf("%d bytes, %q", len(text), text[len(text)-100:])
	}
	for _, r := range []Request{
		{Paths: repeat("big.md", 100)}, {Paths: repeat("big.md", 100), Limit: 100_000}, {Query: "x", Limit: 100_000}, {Paths: repeat("zzz\x01"+strings.Repeat("\x01", 500), 10_000)},
		{Paths: repeat("many/", 10_000)}, {Paths: repeat("../", 10_000)}, {Paths: repeat(strings.Repeat("አ", 90), 90)}, {Paths: repeat("line.md", 3)}, {Paths: []string{"big.md", "many/document-0001.md"}}, {Paths: repeat("document", 101), Keywords: repeat(strings.Repeat("x ", 1000), 1000)},
	} {
		texts, total := answer(t, l, r), 0
		for _, text := range texts {
			total += tokens.Estimate(text)
		}
		want := min(len(r.Paths), 101)
		if r.Query != "" {
			want++
		}
		if total > tokens.MaxAnswer || len(texts) != want {
			t.Errorf("%.40q: %d texts, %d tokens; want %d texts", r.Paths, len(texts), total, want)
		}
		if len(r.Paths) > maxPaths && body(t, texts[100]) != fmt.Sprintf("Only the first 100 of %d paths are answered.", len(r.Paths)) {
			t.Errorf("%q", texts[100])
		}
	}
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestHostileKeywords(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	for _, k := range []string{strings.Repeat("x", 1<<20), strings.Repeat("a b ", 1<<18), ".*", "(((((", "[a-", `\`, "\x00\x01\x1b", "\xff\xfe", "$(rm -rf)", "${x}", "{{x}}", "%s%n", "💥", "ｗｉｄｅ"} {
		for _, r := range []Request{{Paths: []string{"nothing", k}, Keywords: []string{k, ""}}, {Query: k}, {Paths: []string{"guides/a"}, Section: k}, {Paths: []string{"guides"}, Keywords: []string{k}}} {
			texts, err := l.Answer(context.Background(), r)
			if strings.TrimSpace(k) == "" {
				continue
			}
			if err != nil {
				t.Errorf("%q: %v", excerpt.Cut(k, 20), err)
			}
			for _, text := range texts {
				if len(text) > 8<<10 || !utf8.ValidString(text) {
					t.Errorf("%q: %d bytes: %q", excerpt.Cut(k, 20), len(text), excerpt.Cut(text, 200))
				}
			}
		}
	}
	if hits := search(t, l, ".*"); len(hits) != 0 {
		t.Errorf("a pattern found %v", hits)
	}
}

// An algorithm in quadratic time takes longer here than go test allows.
func TestHostileDocuments(t *testing.T) {
	const n = 1 << 18
	for _, text := range []string{
		strings.Repeat("\x80", n), strings.Repeat("# a\n", n/4), "# " + strings.Repeat("](", n/2), strings.Repeat("```\n~~~\n", n/8), "---\n" + strings.Repeat("a\n", n/2),
		strings.Repeat("\n", n), strings.Repeat("x", n), strings.Repeat("漢", n/3), strings.Repeat("a-", n/2), strings.Repeat("1.", n/2), strings.Repeat("<!--\n", n/5), strings.Repeat("a\n=\n", n/4), strings.Repeat("\x00", n),
	} {
		l := scan(t, given.Texts(map[string]string{"docs/a.md": text}), "docs", nil)
		for _, r := range []Request{{Query: "a"}, {Query: "漢字"}, {Paths: []string{"a"}, Section: "aa-5x"}, {Paths: []string{"a"}}} {
			for _, got := range answer(t, l, r) {
				if tokens.Estimate(got) > tokens.MaxAnswer || len(got) > excerpt.MaxText+8<<10 || !utf8.ValidString(got) {
					t.Errorf("%q: %d bytes", excerpt.Cut(text, 10), len(got))
				}
			}
		}
	}
}

func FuzzAnswer(f *testing.F) {
	l := scan(f, sample(), "docs", nil)
	for _, s := range []string{"guides/a.md", "../x", "a#b", "%2e%2e%2f", "\x00", "docs//", `a\b`} {
		f.Add(s, "on linux", "widget", 0, 0)
	}
	// Whatever the request, the texts are bounded and UTF-8, and contain nothing that is hidden or
	// outside.
	f.Fuzz(func(t *testing.T, path, section, query string, offset, limit int) {
		texts, err := l.Answer(context.Background(), Request{Paths: []string{path}, Section: section, Query: query, Keywords: []string{query}, Offset: max(offset, 0), Limit: max(limit, 0)})
		must.Do(t, err)
		total := 0
		for _, text := range texts {
			total += tokens.Estimate(text)
			if !utf8.ValidString(text) || strings.Contains(text, "not below docs") || strings.HasSuffix(text, "hidden") {
				t.Fatalf("%q", text)
			}
		}
		if total > tokens.MaxAnswer {
			t.Fatalf("%d tokens", total)
		}
	})
}

// TestADocumentIsReadOnce asks for two sections of a document a hundred times.
func TestADocumentIsReadOnce(t *testing.T) {
	files := &counted{MapFS: given.Texts(map[string]string{"docs/a.md": "# A\n\n## B\n\nb\n"}), times: make(map[string]int)}
	l := must.Get(Detect(t.Context(), files, Reading{}))(t)
	before := files.times["docs/a.md"]
	texts := answer(t, l, Request{Paths: repeat("a.md", 100), Section: "B"})
	if opened := files.times["docs/a.md"] - before; opened != 1 || len(texts) != 100 || texts[0] != texts[99] || !strings.Contains(texts[0], "## B") {
		t.Errorf("%d files are opened for %d texts, %q", opened, len(texts), texts[0])
	}
}

// A request for a long document gets its headings, also if they are many, and its beginning; links are taken as they are written.
func TestLongDocument(t *testing.T) {
	var long strings.Builder
	long.WriteString("# Long\n\n")
	for i := range 150 {
		fmt.Fprintf(&long, "## Part %d\n\n%s\n\n", i, strings.Repeat("A sentence of this part. ", 20))
	}
	l := scan(t, given.Texts(map[string]string{"docs/guide/two words.md": long.String(), "docs/index.md": "# Index\n"}), "docs", nil)
	text := ask(t, l, "guide/two words.md")
	if !strings.Contains(text, `- "599 - Part 149"`) || strings.Contains(text, "## Part 20\n") || len(body(t, text)) > longShown+100 {
		t.Errorf("%d bytes: %s", len(text), excerpt.Cut(text, 9000))
	}
	for _, link := range []string{"<two words.md>", "../guide/two%20words.md#part-7", "[[two words#Part 7|the part]]"} {
		if got := ask(t, l, link); !strings.Contains(got, "## Part 7\n") {
			t.Errorf("%s: %s", link, excerpt.Cut(got, 300))
		}
	}
}

// A query is words, whatever it looks like.
func TestHostileQueries(t *testing.T) {
	l := scan(t, sample(), "docs", nil)
	for _, query := range []string{
		".*", "[a-z]+(", "(?i)x", `\`, "\x00", "\xff\xfe", "path:", "path:(", "path:[", "path:[ a", "path:** a", "path:{a,b a", "path:../.. a", "path:\"", "path:\" a",
		"\u202ewidget", "\u200b", "\u0301", "a\u0301\u0301\u0301", "\U0010ffff", "'", "-", "_-_", "1.2.3.4", "widget\u0301",
		strings.Repeat("a", 5000), strings.Repeat("検", 5000), strings.Repeat("a ", 5000), strings.Repeat("path:x ", 1000), strings.Repeat("a-", 3000),
		strings.Repeat("\u0301", 3000), strings.Repeat("ﷺ", 2000), strings.Repeat("a\u0301", 2000),
	} {
		for _, q := range []string{query, "widget " + query, query + " widget"} {
			for _, h := range search(t, l, q) {
				for _, m := range h.Marks(h.Snippet) {
					if m[0] >= m[1] || m[1] > len(h.Snippet) || !utf8.ValidString(h.Snippet[m[0]:m[1]]) {
						t.Errorf("%.40q marks %d in %q", q, m, h.Snippet)
					}
				}
			}
			if _, err := l.Answer(t.Context(), Request{Query: q}); err != nil && strings.TrimSpace(q) != "" {
				t.Errorf("%.40q: %v", q, err)
			}
		}
	}
}
