package docs

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// focused returns a passage of a text with the snippet for some words.
func focused(text string, words ...string) Passage {
	stems := make(map[string]int)
	for _, w := range words {
		stems[analysis.Stem(w)] = 1
	}
	var p Passage
	_, p.body.Text, p.top = readers(text, IndexedPassage{Line: 1})
	p.body.Units = excerpt.Units(p.body.Text, false)
	p.focus(stems, nil)
	return p
}

// A snippet shows front matter only if there is nothing else.
func TestSnippetOfFrontMatter(t *testing.T) {
	front := "---\nurl: https://example.com/install\ntitle: Install\nsha256: 00ff\ntags: [linux]\n---\n"
	for _, test := range []struct {
		text, query, want string
		line              int
	}{
		{front + "\n# Install\n\nHow to begin.\n", "install", "# Install How to begin.", 7},
		{front + "# Begin\n\nHow.\n", "linux", "# Begin How.", 7},
		{front + "# Begin\n\nHow.\n", "nothing", "# Begin How.", 7},
		{front + "\n", "nothing", "--- url: https://example.com/install title: Install sha256: 00ff tags: [linux] ---", 1},
		{"# Install\n", "install", "# Install", 1},
	} {
		p := focused(test.text, test.query)
		if got := strings.Join(strings.Fields(p.body.Text[p.body.Start:]), " "); got != test.want || p.Line != test.line {
			t.Errorf("%q in %q: line %d, %q; want line %d, %q", test.query, test.text, p.Line, got, test.line, test.want)
		}
	}
}

// Further passages of a page have their headings. A heading alone, without room for its text, is left out.
func TestFurtherPassages(t *testing.T) {
	filler := strings.Repeat("Nothing else is said here. ", 60) + "\n\n"
	l := scan(t, given.Texts(map[string]string{"docs/a.md": "# Walrus tusks\n\nThe tusks of a walrus.\n\n" + filler +
		"## Length\n\nThe tusks of the walrus have a meter.\n\n" + filler + "## Use\n\nThe walrus has tusks for this:\n\n" + strings.Repeat("x", 400) + "\n"}), "docs", nil)
	got := body(t, answer(t, l, Request{Query: "walrus tusks"})[0])
	if !strings.Contains(got, "\n   lines 9-11, Length: The tusks of the walrus have a meter.") || strings.Contains(got, "for this") {
		t.Error(got)
	}
}

func FuzzPassages(f *testing.F) {
	f.Add("# a\n\nb\n## c\nd")
	f.Add("---\nx\n---\n\na\n===\n")
	f.Add(strings.Repeat("x", 10000))
	// The passages of a text and the white space between them make up the text, and each passage
	// has the right line.
	f.Fuzz(func(t *testing.T, text string) {
		covered := 0
		w := newWriter()
		w.document(&document{path: "a.md"}, text)
		for _, p := range w.out.passages {
			start, end := int(p.Offset), int(p.Offset+p.Size)
			if start < covered || end < start || strings.TrimSpace(text[covered:start]) != "" {
				t.Fatalf("%q: passage %+v behind %d", text, p, covered)
			}
			if int(p.Line) != 1+strings.Count(text[:start], "\n") {
				t.Fatalf("%q: line of %+v", text, p)
			}
			shown := Passage{body: excerpt.Focus{Text: text[start:end], Units: excerpt.Units(text[start:end], p.Code)}}
			shown.focus(map[string]int{"a": 4, "x": 1}, nil)
			if got := shown.body.Around(100, "   "); len(got) > 100 {
				t.Fatalf("%q: %q is too long", text, got)
			}
			covered = end
		}
		if strings.TrimSpace(text[covered:]) != "" {
			t.Fatalf("%q: the end is missing", text)
		}
	})
}

func TestSnippetOfAChangedFile(t *testing.T) {
	fsys := sample()
	l := scan(t, fsys, "docs", nil)
	search(t, l, "winget")
	fsys["docs/guides/a.md"].Data = []byte("now something else entirely")
	if hits := search(t, l, "winget"); len(hits) != 1 || hits[0].Snippet != "" || hits[0].Path != "guides/a.md" {
		t.Errorf("%+v", hits)
	}
	delete(fsys, "docs/guides/a.md")
	if hits := search(t, l, "winget"); len(hits) != 1 || hits[0].Snippet != "" {
		t.Errorf("%+v", hits)
	}
	if hits := search(t, l, "caf"); len(hits) != 1 || hits[0].Snippet != "caf\ufffd" {
		t.Errorf("%+v", hits)
	}
}

// Offsets of passages count bytes of the decoded text. The bytes of UTF-16 may be valid UTF-8 too.
func TestSnippetOfUTF16(t *testing.T) {
	units := utf16.Encode([]rune("\ufeff# Install\n\nThe first section.\n\n# Deploy\n\nA widget is deployed here.\n"))
	data := make([]byte, 0, 2*len(units))
	for _, u := range units {
		data = append(data, byte(u), byte(u>>8))
	}
	l := scan(t, given.Texts(map[string]string{"docs/wide.md": string(data)}), "docs", nil)
	hits, _, err := l.Search(t.Context(), "widget", 1)
	if err != nil || len(hits) != 1 || hits[0].Snippet != "A widget is deployed here." || hits[0].Line != 7 {
		t.Errorf("%+v, %v", hits, err)
	}
}

func TestPlainHits(t *testing.T) {
	long := strings.Repeat("x = 1 # filler\n\n", 120) // several passages
	l := scan(t, given.Texts(map[string]string{
		"docs/marks.md": "# Marks\n\nIntroduction.\n\n## The `zebra` [section](x.md)\n\n### Twice\n\n> - [ ] A **striped** `horse_name`, see [the stable](stable.md).\n\n" +
			"| head | of table |\n|---|---|\n| oats | `hay` |\n\n[stable]: stable.md\n\n## Other\n\n### Twice\n\nThe stallion: a <b>bold</b> one.\n\n" +
			"```py title\nwhinny(**kwargs)  # not bold\n```\n",
		"docs/code.md": "# Code\n\n````md\n" + long + "the mane `in` code\n````\n\nThe mane of a text.\n",
	}), "docs", nil)
	for _, test := range []struct{ query, heading, anchor, plain, excerpt string }{
		{"introduction", "Marks", "", "Introduction.", "Introduction."},
		{"striped", "Twice", "twice", "A striped horse_name, see the stable. head · of table oats · hay", "> - [ ] A **striped** `horse_name`"},
		{"horse name", "Twice", "twice", "A striped horse_name,", "> - [ ] A **striped** `horse_name`"},
		{"oats", "Twice", "twice", "A striped horse_name, see the stable. head · of table oats · hay", "> - [ ] A **striped** `horse_name`, see [the stable](stable.md).\n\n| head | of table |\n|---|---|\n| oats | `hay` |"},
		{"stallion", "Twice", "twice-1", "The stallion: a bold one. whinny(**kwargs) # not bold", "The stallion: a bold one.\n\n```py title\nwhinny(**kwargs)  # not bold\n```"},
		{"whinny", "Twice", "twice-1", "The stallion: a bold one. whinny(**kwargs) # not bold", "The stallion: a bold one.\n\n```py title\nwhinny(**kwargs)  # not bold\n```"},
		{"mane", "Code", "", "x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler x = 1 # filler the mane `in` code The mane of a text.", "```\nx = 1 # filler\n"},
	} {
		hits := search(t, l, test.query)
		if len(hits) == 0 {
			t.Errorf("%q finds nothing", test.query)
			continue
		}
		h := hits[0]
		plain := h.Plain()
		if h.Heading != test.heading || l.Anchor(t.Context(), h) != test.anchor || !strings.HasPrefix(plain, test.plain) || !strings.HasPrefix(h.Excerpt(snippetSize), test.excerpt) {
			t.Errorf("%q: in %q, at %q:\n%s\n%s", test.query, h.Heading, l.Anchor(t.Context(), h), plain, h.Excerpt(snippetSize))
		}
		for _, m := range h.Marks(plain) {
			if got := strings.ToLower(plain[m[0]:m[1]]); !strings.Contains(strings.ReplaceAll(got, "_", " "), strings.Fields(test.query)[0]) {
				t.Errorf("%q: %q is marked", test.query, got)
			}
		}
	}
	if got := (*Library)(nil).Anchor(t.Context(), Hit{Path: "marks.md"}); got != "" {
		t.Errorf("without documents: %q", got)
	}
}

func TestMarks(t *testing.T) {
	h := Hit{Passage: Passage{stems: map[string]int{"retri": 1, "limit": 1, "file": 1, "設定": 1, "定を": 1, "écol": 0, "école": 1}}}
	for text, want := range map[string]string{
		"Set the retry limit to 3.": "Set the <retry limit> to 3.",
		"retries, limits":           "<retries>, <limits>",
		"read file readFile":        "read <file> read<File>",
		"この設定を変更":                   "この<設定を>変更",
		"ÉCOLE":                     "<ÉCOLE>",
		"nothing":                   "nothing",
	} {
		got, offset := "", 0
		for _, m := range h.Marks(text) {
			got += text[offset:m[0]] + "<" + text[m[0]:m[1]] + ">"
			offset = m[1]
		}
		if got += text[offset:]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
