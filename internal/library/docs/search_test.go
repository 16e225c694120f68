package docs

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World":              "hello world",
		"readFile":                  "read file readfile",
		"read_file read-file":       "read file readfile read file readfile",
		"HTTPServer2":               "http server2 httpserver2",
		"getURL":                    "get url geturl",
		"v1.2.3 and 3.14.":          "v1.2.3 and 3.14",
		"user's don't O'Reilly":     "user don o reilly",
		"-- a-- _b_":                "a b",
		"日本語 text":                  "日本 本語 text",
		"字":                         "字",
		"한국어":                       "한국 국어",
		"Straße ÉCOLE naïve":        "strasse straße ecole école naive naïve",
		"x漢字y":                      "x 漢字 y",
		"a\x00b\xffc":               "a b c",
		"sha256 utf-8":              "sha256 utf 8 utf8",
		strings.Repeat("x", 65):     "",
		strings.Repeat("ab-", 40):   strings.TrimSpace(strings.Repeat("ab ", 40)),
		"snake_case_ΑΒΓ":            "snake case snakecase αβγ",
		"`code`(x)=>[y] <Tag/>":     "code x y tag",
		"https://ex.org/a?b=c#frag": "https ex org a b c frag",
	} {
		var got []string
		new(splitter).words(text, func(w []byte, offset int) {
			got = append(got, string(w))
			if offset < 0 || offset >= len(text) {
				t.Errorf("%q: a word at %d", text, offset)
			}
		})
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{"v3.7": "3.7", "naïve": "naïve", "x86s": "x86s", "is": "is", "": "", "configurations": "configur"} {
		if got := string(stem([]byte(word))); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

// focused returns a passage of a text with the snippet for some words.
func focused(text string, words ...string) Passage {
	stems := make(map[string]int)
	for _, w := range words {
		stems[string(stem([]byte(w)))] = 1
	}
	var p Passage
	_, p.text, p.top = readers(text, IndexedPassage{Line: 1})
	p.units = unitsOf(p.text, false)
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
		if got := strings.Join(strings.Fields(p.text[p.start:]), " "); got != test.want || p.Line != test.line {
			t.Errorf("%q in %q: line %d, %q; want line %d, %q", test.query, test.text, p.Line, got, test.line, test.want)
		}
	}
}

// A snippet begins at a sentence, an item, a row or a line of code.
func TestSnippetsBeginAtSentences(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"It waits. Then, e.g. after a\nminute, the walrus\nswims.\n", "Then, e.g. after a\nminute, the walrus"},
		{"Before.\n\n- one of\n  the walruses\n", "- one of\n"},
		{"## Head\nThe old walrus\n", "The old"},
		{"まず始める。次に walrus を見る。", "次に"},
		{"| One. | Two. |\n|---|---|\n| First. | A walrus |\n", "| First."},
		{"One. Two. Three walruses.", "Three"},
		{"Text:\n\n```\nfirst()\nswim(walrus)\n```\n", "swim("},
	} {
		p := focused(test.text, "walrus")
		if got := p.text[p.start:]; !strings.HasPrefix(got, test.want) {
			t.Errorf("%q begins at %q, want %q", test.text, got, test.want)
		}
	}
}

// An excerpt is made of whole sentences, items, rows and lines of code around the snippet, and announces nothing that it lacks.
func TestExcerpts(t *testing.T) {
	list := "# Units\n\nBefore it. These are:\n\n- the first one, a walrus\n- the second one, which is a seal\n- the third one, which is a whale\n\nAfter it.\n"
	for _, test := range []struct {
		text, word string
		most       int
		want       string
	}{
		{list, "walrus", 70, "- the first one, a walrus\n- the second one, which is a seal"},
		{list, "these", 80, "Before it. These are:\n\n- the first one, a walrus"},
		{list, "whale", 80, "- the second one, which is a seal\n- the third one, which is a whale\n\nAfter it."},
		{list, "before", 70, "Before it. These are:\n\n- the first one, a walrus"},
		{"One is here. Two has the walrus in it. It says this:\n\n" + strings.Repeat("x", 90) + "\n", "walrus", 80, "One is here. Two has the walrus in it."},
		{"The limit is 12. The walrus has it.\n\nOther text is here, and it goes on.\n", "walrus", 60, "The limit is 12. The walrus has it."},
		{"The limit is 12.\n\nThe walrus has it.\n\nOther text is here, and it goes on.\n", "walrus", 60, "The walrus has it.\n\nOther text is here, and it goes on."},
		{"Use it:\n\n```sh\nfirst the walrus\nsecond\nthird line here\n```\n\nText.\n", "second", 60, "```sh\nfirst the walrus\nsecond\nthird line here\n```\n\nText."},
		{"| Name | What |\n|------|------|\n| a    | the walrus |\n| b    | the seal |\n", "seal", 64, "| Name | What |\n|---|---|\n| a | the walrus |\n| b | the seal |"},
		{"| Name | Walrus |\n|------|------|\n" + strings.Repeat("| x | what is not asked for |\n", 9) + "| a | the walrus |\n| b | the seal |\n", "walrus", 64, "| Name | Walrus |\n|---|---|\n| a | the walrus |\n| b | the seal |"},
		{"| A | B |\n|---|---|\n| walrus " + strings.Repeat("long ", 40) + " | 12 |\n", "walrus", 80, "| A | B |\n|---|---|\n| walrus long long long long long long long…| 12 |"},
		{"![A walrus](pictures/walrus.png)\n\nThe walrus.\n\n\n\n[walrus]: https://example.com\n", "walrus", 300, "The walrus."},
		{strings.Repeat("long ", 40) + "walrus" + strings.Repeat(" words", 40), "walrus", 60, "… long long walrus words words words words words …"},
	} {
		p := focused(test.text, test.word)
		p.Heading = "Units"
		if got := p.Excerpt(test.most); got != test.want || len(got) > test.most {
			t.Errorf("%d bytes of %q around %q:\n%s\nwant\n%s", test.most, test.text, test.word, got, test.want)
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
			shown := Passage{text: text[start:end], units: unitsOf(text[start:end], p.Code)}
			shown.focus(map[string]int{"a": 4, "x": 1}, nil)
			if got := shown.around(100, "   "); len(got) > 100 {
				t.Fatalf("%q: %q is too long", text, got)
			}
			covered = end
		}
		if strings.TrimSpace(text[covered:]) != "" {
			t.Fatalf("%q: the end is missing", text)
		}
	})
}

func TestSearch(t *testing.T) {
	fsys := given.Texts(map[string]string{
		"docs/install.md":         "---\ntitle: Getting it\n---\n# Installation\n\nDownload the package.\n\n## Uninstalling\n\nRemove the folder.\n",
		"docs/guides/config.md":   "# Configuration\n\nThe file is read at start.\n\n## Proxy settings\n\n### Timeouts\n\nSet `requestTimeoutMs` to wait longer. The proxy waits.\n",
		"docs/guides/mention.md":  "# Other\n\nAfter installation nothing else happens, as the configuration says; " + strings.Repeat("words and more words. ", 30) + "\n",
		"docs/api/read_file.mdx":  "# Reading\n\nexport function readFile(path)\n",
		"docs/ja.md":              "# 設定\n\nプロキシの設定を変更する。\n",
		"docs/empty-walrus.md":    "",
		"docs/guides/flood.md":    "# Flood\n\n" + strings.Repeat("## Deluge\n\nwater everywhere\n\n", 50),
		"docs/guides/trickle.md":  "# Trickle\n\nA little water, after the deluge.\n",
		"docs/guides/stopword.md": "# How to\n\nNothing.\n",
	})
	l := scan(t, fsys, "docs", nil)
	for _, test := range []struct {
		query, path, heading string
		line                 int
	}{
		{"installation", "install.md", "Installation", 4},
		{"how do I install it?", "install.md", "Installation", 4},
		{"configuring", "guides/config.md", "Configuration", 1},
		{"config", "guides/config.md", "Configuration", 1},
		{"configura", "guides/config.md", "Configuration", 1},
		{"proxy timeout", "guides/config.md", "Timeouts", 9},
		{"request timeout ms", "guides/config.md", "Timeouts", 9},
		{"request_timeout_ms", "guides/config.md", "Timeouts", 9},
		{"requestTime", "guides/config.md", "Timeouts", 9},
		{"read-file", "api/read_file.mdx", "Reading", 1},
		{"READFILE", "api/read_file.mdx", "Reading", 1},
		{"プロキシ", "ja.md", "設定", 3},
		{"変", "ja.md", "設定", 3},
		{"walrus", "empty-walrus.md", "Empty walrus", 1},
		{"uninstall", "install.md", "Uninstalling", 8},
		{"how to", "guides/stopword.md", "How to", 1},
	} {
		hits := search(t, l, test.query)
		if len(hits) == 0 {
			t.Errorf("%q finds nothing", test.query)
			continue
		}
		if h := hits[0]; h.Path != test.path || h.Heading != test.heading || h.Line != test.line {
			t.Errorf("%q finds %+v, want %+v", test.query, h, test)
		}
	}
	if hits := search(t, l, "water deluge"); len(hits) != 2 || len(hits[1].More)+len(hits[0].More) != hitsPerFile-1 {
		t.Errorf("%d hits: %+v", len(hits), hits)
	}
	for _, query := range []string{"", "  ", "?!", "zzzzzz"} {
		if hits := search(t, l, query); len(hits) != 0 {
			t.Errorf("%q finds %+v", query, hits)
		}
	}
	texts := answer(t, l, Request{Query: "water", Limit: 1})
	if got := body(t, texts[0]); !strings.HasSuffix(got, "\n\n[There is more: use offset 2.]\n") {
		t.Error(got)
	}
	if got := body(t, answer(t, l, Request{Query: "water", Limit: 1, Offset: 2})[0]); !strings.HasPrefix(got, "2. ") {
		t.Error(got)
	}
	if got := body(t, answer(t, l, Request{Query: "water", Offset: 1 << 40})[0]); got != "No further passage matches.\n" {
		t.Error(got)
	}
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

func TestSearchWhileIndexing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := scan(t, sample(), "docs", nil)
		_ = l.builder.turn.Acquire(t.Context(), 1) // simulates a build that takes long
		start := time.Now()
		hits := search(t, l, "client of the API")
		if d := time.Since(start); d != shortWait {
			t.Errorf("waited %v", d)
		}
		start = time.Now()
		if got := answer(t, l, Request{Query: "client of the API"})[0]; len(hits) > 0 || !strings.Contains(got, "[The documents are still being read") || strings.Contains(got, "No passage") {
			t.Errorf("%+v: the answer is %s", hits, got)
		} else if d := time.Since(start); d != indexWait {
			t.Errorf("the answer waited %v", d)
		}
		files := new(Library).With(l, texts{})
		if got := answer(t, files, Request{Query: "client"})[0]; !strings.Contains(got, "[The resources are still being read") {
			t.Errorf("the answer about resources is %s", got)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := l.Index(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, _, err := l.Search(ctx, "x", 1); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		l.builder.turn.Release(1)
		if err := l.Index(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if hits := search(t, l, "winget"); len(hits) != 1 {
			t.Errorf("%+v", hits)
		}
	})
}

// A build lets other work go first, unless a search waits for it.
func TestIndexBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := scan(t, sample(), "docs", nil)
		var asked, left atomic.Int32
		left.Store(5)
		must.Do(t, l.IndexBeside(t.Context(), func(context.Context) bool { asked.Add(1); return left.Add(-1) >= 0 }))
		if got, want := int(asked.Load()), l.Len()+5; got != want {
			t.Errorf("asked %d times, want %d", got, want)
		}
		l = scan(t, sample(), "docs", nil)
		var builds sync.WaitGroup
		builds.Go(func() {
			if err := l.IndexBeside(t.Context(), func(context.Context) bool { time.Sleep(time.Millisecond); return true }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if hits, indexed, err := l.Search(t.Context(), "winget", 10); len(hits) != 1 || !indexed || err != nil {
			t.Error(hits, indexed, err)
		}
		builds.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		l = scan(t, sample(), "docs", nil)
		if err := l.IndexBeside(ctx, func(context.Context) bool { return false }); err != context.Canceled {
			t.Error(err)
		}
	})
}

// A slow index does not fail the test, because the clock of the test does not advance during a
// build.
func TestConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := scan(t, sample(), "docs", nil)
		var group sync.WaitGroup
		for i := range 8 {
			l := l
			if i%2 == 0 {
				l = scan(t, sample(), "docs", l)
			}
			group.Go(func() {
				for range 20 {
					if i == 3 {
						if err := l.Index(context.Background()); err != nil {
							t.Error(err)
						}
					}
					if hits, _, err := l.Search(context.Background(), "winget linux", 5); err != nil || len(hits) != 1 || len(hits[0].More) != 2 {
						t.Error(hits, err)
					}
					if texts, err := l.Answer(context.Background(), Request{Paths: []string{"guides", "x"}, Keywords: []string{"client"}}); err != nil || len(texts) != 2 {
						t.Error(texts, err)
					}
				}
			})
		}
		group.Wait()
	})
}

// Searches find and show the same title as lists.
func TestTitlesAreThoseOfLists(t *testing.T) {
	for i, front := range []string{"title: Plain", `title: "Quoted: here" # why`, "title: 'It''s'", "title: >-\n  Folded\n  here", "x: &t Anchor\ntitle: *t", " title: Indented"} {
		text := "---\n" + front + "\n---\nzebra\n"
		want := loader.ReadMetadata("text/markdown", text).Title
		l := scan(t, fstest.MapFS{"docs/a.md": {Data: []byte(text)}}, "docs", nil)
		must.Do(t, l.Index(t.Context()))
		hits := search(t, l, "zebra")
		if len(hits) != 1 || hits[0].Heading != want || want == "" {
			t.Errorf("%d: %+v, want %q", i, hits, want)
		}
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

func TestProgress(t *testing.T) {
	l := must.Get(Detect(t.Context(), given.Texts(map[string]string{"docs/a.md": "# A", "docs/b.md": "# B"}), Reading{}))(t)
	if read, all := l.Progress(); read != 0 || all != 2 {
		t.Errorf("before the index: %d of %d", read, all)
	}
	must.Do(t, l.Index(t.Context()))
	if read, all := l.Progress(); read != 2 || all != 2 {
		t.Errorf("with the index: %d of %d", read, all)
	}
}

// A page is read by the path that an answer to a search, or a list of a folder, has for it.
func TestPathsOfAnswersAreRead(t *testing.T) {
	long := strings.Repeat("深い", 100) + "/" + strings.Repeat("フォルダ", 20)
	for _, name := range []string{"a[b] #1 50%.md", "no\u00a0break.md", "new\nline.md", "bidi\u202e.md", `back\slash.md`, "new\n %41.md", long + "/a.md"} {
		l := scan(t, fstest.MapFS{"docs/" + name: {Data: []byte("# Title\n\nThe walrus.\n")}}, "docs", nil)
		written, _, _ := strings.Cut(strings.TrimPrefix(answer(t, l, Request{Query: "walrus"})[0], "1. "), ", line ")
		if !strings.Contains(ask(t, l, written), "The walrus.") {
			t.Errorf("%q is written %q", name, written)
		}
		if list := ask(t, l, path.Dir(name)); !strings.Contains(list, "\n- docs/"+written+": Title") {
			t.Errorf("%q is written %q, not as in %s", name, written, list)
		}
	}
}
