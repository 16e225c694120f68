package docs

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// found returns the paths of the pages for a query.
func found(t *testing.T, l *Library, q Query) (paths []string, r Results) {
	t.Helper()
	r = must.Get(l.Find(t.Context(), q, 10))(t)
	for _, h := range r.Hits {
		paths = append(paths, h.Path)
	}
	return paths, r
}

var wordings = map[string]string{
	"docs/queue.md":     "---\ntitle: Workers\ndescription: Jobs that run later.\n---\n\nA dispatched job waits for a worker. Set `--max-time` and `target=\"_blank\"`.\n",
	"docs/schedule.md":  "# Schedules\n\nA cron entry runs a job every night.\n",
	"docs/mail.md":      "# Mail\n\nSend mail from an application, with attachments of the application.\n",
	"docs/water.md":     "# Water\n\nThe mark of the tide. Formatting is about water.\n",
	"docs/form.md":      "# Forms\n\nA form has fields. The function errors with no such\nfield.\n",
	"docs/guides/de.md": "# Jobs of the guide\n\nA job of a cafe\u0301.\n",
}

// A page that several wordings find comes first, and shows what its best wording found.
func TestWordings(t *testing.T) {
	l := scan(t, given.Texts(wordings), "docs", nil)
	if paths, _ := found(t, l, Query{Words: "slow application"}); paths[0] != "mail.md" {
		t.Fatalf("found %q", paths)
	}
	paths, r := found(t, l, Query{Words: "slow application", Alternatives: []string{"dispatched job", "worker waits", "worker waits", ""}})
	if paths[0] != "queue.md" || r.Hits[0].Description != "Jobs that run later." || r.Hits[0].Title != "Workers" || len(r.Missing) != 1 || r.Missing[0].Word != "slow" {
		t.Errorf("found %q, %+v", paths, r)
	}
	if got := answer(t, l, Request{Query: "slow application", Keywords: []string{"dispatched", "job"}, Alternatives: []string{"worker waits"}})[0]; !strings.Contains(got, "1. queue.md, line 6: Workers\n   A dispatched job waits") {
		t.Error(got)
	}
}

// A page shows the passages that have most of all wordings, even if its introduction has the words of one.
func TestPassagesOfAllWordings(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/limits.md": "# Limits of jobs\n\nWhat a server may do.\nAnd what not.\n\n## Numbers\n\nA background crawl may take twelve hours.\n", "docs/b.md": "# Else\n\nJobs.\n"}), "docs", nil)
	alternatives := []string{"hours that a crawl takes", "background crawl"}
	_, r := found(t, l, Query{Words: "limits of jobs", Alternatives: alternatives})
	if h := r.Hits[0]; h.Path != "limits.md" || h.Line != 8 || len(h.More) != 1 {
		t.Errorf("%+v", h)
	}
	if got := answer(t, l, Request{Query: "limits of jobs", Alternatives: alternatives})[0]; !strings.Contains(got, "\n   lines 1-4: What a server may do. And what not.\n") {
		t.Error(got)
	}
}

// Words in quotation marks are found letter by letter, also in code, and across lines.
func TestPhrases(t *testing.T) {
	l := scan(t, given.Texts(wordings), "docs", nil)
	for query, want := range map[string]string{
		`"_blank"`: "queue.md", `"--max-time"`: "queue.md", `job "a DISPATCHED job"`: "queue.md", `“no such field”`: "form.md", `"=\"": x`: "", `"job waits for" "a worker"`: "queue.md", `"job" "every night"`: "schedule.md",
		`"--"`: "queue.md",
	} {
		if paths, r := found(t, l, Query{Words: query}); strings.Join(paths, " ") != want {
			t.Errorf("%s finds %q, %+v", query, paths, r.Missing)
		}
	}
	paths, r := found(t, l, Query{Words: `"worker dispatched"`})
	if len(r.Missing) != 1 || r.Missing[0].Word != `"worker dispatched"` || len(paths) == 0 {
		t.Errorf("an unknown phrase: %q, %+v", paths, r.Missing)
	}
	paths, r = found(t, l, Query{Words: strings.Repeat(`"job" "a" "waits" "for" `, 100) + `"worker dispatched"`})
	if len(r.Missing) != 0 || strings.Join(paths, " ") != "queue.md" { // the words of the fifth phrase need not stand together
		t.Errorf("very many phrases: %q, %+v", paths, r.Missing)
	}
}

// A word with signs at its edge is looked for with them, and the pages that have it so come first.
func TestSignedWords(t *testing.T) {
	filler := strings.Repeat("Other words stand here. ", 20)
	files := map[string]string{
		"docs/c.md": "# C\n\nC is old. C code in C.\n", "docs/native.md": "# Native\n\n" + filler + "\n\nC and libc++. " + filler + "We compile C++ here.\n",
		"docs/f.md": "# F\n\nThe letter F.\n", "docs/functional.md": "# Functional\n\n" + filler + "\n\nIn F# the operator ||> pipes.\n",
		"docs/net.md": "# Net\n\nA net and a .netrc file.\n", "docs/microsoft.md": "# Microsoft\n\n" + filler + "The .NET net.\n",
		"docs/flag.md": "# Flag\n\nA flag, and --flags.\n", "docs/terminal.md": "# Terminal\n\n" + filler + "Start with --flag=x.\n",
		"docs/x.md": "# X\n\nX and x, and me@xyz.\n", "docs/decorators.md": "# Decorators\n\n" + filler + "Write (@x).\n",
	}
	l := scan(t, given.Texts(files), "docs", nil)
	for query, want := range map[string]string{
		"C++": "native.md c.md", "how do I compile C++?": "native.md c.md", "F#": "functional.md f.md", ".NET": "microsoft.md net.md", "(--flag)": "terminal.md flag.md", "`@x`": "decorators.md x.md terminal.md",
		"||>": "functional.md", "C": "c.md native.md", "F - ...": "f.md functional.md", `"the letter" F#`: "f.md",
	} {
		if paths, _ := found(t, l, Query{Words: query}); strings.Join(paths, " ") != want {
			t.Errorf("%s finds %q, want %q", query, paths, want)
		}
	}
	if paths, _ := found(t, l, Query{Words: "F#", Alternatives: []string{"letter"}}); paths[0] != "functional.md" {
		t.Errorf("other wordings find %q", paths)
	}
	for query, want := range map[string]string{"flag --flag? C#": "In no document: \"C#\".\n1. terminal.md", "<| letter": "In no document: \"<|\".\n", "C++": "1. native.md, line 5: Native\n"} {
		if got := body(t, answer(t, l, Request{Query: query})[0]); !strings.HasPrefix(got, want) || query == "C++" && !strings.Contains(got, "We compile C++ here.") {
			t.Errorf("%s:\n%s", query, got)
		}
	}
}

// A page that has the query word for word comes before one with a part of it in the title, unless the words belong to a link.
func TestWrittenWords(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{
		"docs/js.md":     "# js.Build\n\nA build of the site.\n",
		"docs/error.md":  "# Errors\n\nThe function prints the result and [never](x.md) **fails the\nbuild**.\n",
		"docs/links.md":  "# Links\n\nSee what [fails the build](error.md), and what a site is.\n",
		"docs/set-up.md": "# Set up a proxy\n\nA proxy that you set.\n",
		"docs/faq.md":    "# Questions\n\nHow do I set up a proxy?\n",
	}), "docs", nil)
	for query, want := range map[string]string{"fails the build": "error.md", "Fails  the build?": "error.md", "set up a proxy": "set-up.md"} {
		if paths, _ := found(t, l, Query{Words: query}); paths[0] != want {
			t.Errorf("%s finds %q", query, paths)
		}
	}
}

// What no document has is said, in whole words, and not replaced by words that say nothing.
func TestMisses(t *testing.T) {
	l := scan(t, given.Texts(wordings), "docs", nil)
	for query, want := range map[string]string{
		"abort": "No passage has these words.\n", "formula": "No passage has these words.\n",
		"xylophone job":    "In no document: \"xylophone\".\n1. ",
		"shcedule":         "No passage has these words.\nIn no document: \"shcedule\". Searched instead: schedules.\n1. schedule.md",
		"mail cfaé":        "In no document: \"cfaé\".\n",
		"mail xyz-abc 東京都": "In no document: \"xyz-abc\", \"東京都\".\n",
		"job":              "1. ",
		"how many jobs would somebody want whenever": weakNote + "1. ", // the words of asking are not missed
	} {
		if got := body(t, answer(t, l, Request{Query: query})[0]); !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n%s", query, got)
		}
	}
	if _, r := found(t, l, Query{Words: "zzz", Alternatives: []string{"cron entry"}}); len(r.Missing) != 1 || r.Missing[0].Word != "zzz" {
		t.Errorf("the wordings miss %+v", r.Missing)
	}
	for words, want := range map[string]bool{"job x1 x2": true, "job night": false} {
		if _, r := found(t, l, Query{Words: words}); r.Weak != want {
			t.Errorf("%s: %t, want %t", words, r.Weak, want)
		}
	}
}

// An answer whose first page is perhaps about something else says so.
func TestWeakAnswers(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 12 {
		files[fmt.Sprintf("docs/p%02d.md", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "# Job %d\n\nA job runs.%s\n", i, strings.Repeat(" It waits.", i))}
	}
	files["docs/set.md"] = &fstest.MapFile{Data: []byte("# Settings\n\nThe page of --max-time and other settings that a job may have while it waits for others.\n")}
	l := scan(t, files, "docs", nil)
	for _, test := range []struct {
		query, alternative string
		want               bool
	}{
		{"job rusts slowly", "", true},
		{"job runs", "", false},
		{"job waits", "rust of cars", true}, // one wording alone
		{"job waits", "job runs", false},
		{"job waits rust --max-time", "rust of cars", false}, // a word with its signs
	} {
		got := body(t, answer(t, l, Request{Query: test.query, Alternatives: []string{test.alternative}})[0])
		if strings.Contains(got, weakNote) != test.want || strings.Count(got, ", line ") == 0 {
			t.Errorf("%s:\n%s", test.query, got)
		}
	}
}

// Of a long query the stop words and the commonest words are left out, and named.
func TestWordsOfLongQueries(t *testing.T) {
	files := map[string]string{"docs/slack.md": "# Slack\n\nPost messages with the Slack integration.\n"}
	for i := range 40 {
		files[fmt.Sprintf("docs/f%d.md", i)] = "# Page\n\nThe application failed to start because the process could not read the configuration file in the directory of the project and the server returned a code.\n"
	}
	query := "How do I set the application failed start process read configuration file directory project server returned code so that it a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 and post a notification to my slack"
	got := body(t, answer(t, scan(t, given.Texts(files), "docs", nil), Request{Query: query})[0])
	if !strings.Contains(got, "\n1. slack.md") || !strings.HasPrefix(got, "[A wording may have 24 words. Not searched: ") || strings.Contains(strings.SplitN(got, "\n", 2)[0], "slack") {
		t.Error(got)
	}
}

// Paths next to a query are a filter.
func TestQueriesOfPaths(t *testing.T) {
	l := scan(t, given.Texts(wordings), "docs", nil)
	for path, want := range map[string]string{"guides": "guides/de.md", "docs/queue": "queue.md", "*.md": "schedule.md queue.md guides/de.md", "nothing": "", "../x": "", "[": "", "/": "schedule.md queue.md guides/de.md"} {
		paths, _ := found(t, l, Query{Words: "job", Paths: []string{path}})
		for _, p := range strings.Fields(want) {
			if !strings.Contains(strings.Join(paths, " "), p) || len(paths) != len(strings.Fields(want)) {
				t.Errorf("%s: found %q, want %q", path, paths, want)
			}
		}
		if want == "" && len(paths) > 0 {
			t.Errorf("%s: found %q", path, paths)
		}
	}
}

// A question finds what documents name otherwise. A passage with the word itself comes first, and other wordings replace these words.
func TestSameWords(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{
		"docs/a.md": "# Collections\n\nReturns a slice without duplicate elements.\n",
		"docs/b.md": "# Files\n\nDelete a file, and each duplicate of it.\n",
		"docs/c.md": "# Trees\n\nRemove a file, and each duplicate of it.\n",
	}), "docs", nil)
	for _, test := range []struct {
		q    Query
		want string
	}{
		{Query{Words: "get rid of repeated entries in a list"}, "a.md b.md c.md"},
		{Query{Words: "delete file"}, "b.md c.md"},
		{Query{Words: "repeated entries", Alternatives: []string{"list"}}, ""},
	} {
		paths, r := found(t, l, test.q)
		if got := strings.Join(paths, " "); got != test.want {
			t.Errorf("%+v: found %q, want %q, %+v", test.q, got, test.want, r)
		}
	}
	if _, r := found(t, l, Query{Words: "erase duplicate"}); len(r.Missing) != 1 || fmt.Sprint(r.Missing[0].Instead) != "[Delete Remove]" && fmt.Sprint(r.Missing[0].Instead) != "[delete remove]" {
		t.Errorf("%+v", r.Missing)
	}
}

// A word that no document has is named, also inside of a text without spaces.
func TestMissingWordsWithoutSpaces(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/a.md": "+++\ntitle = '服务'\n+++\n\n本文介绍如何配置服务器。データベースの設定。\n\n- 配置：\n  - walrus\n"}), "docs", nil)
	for query, want := range map[string]string{
		"如何配置量子纠缠服务":    `In no document: "量子纠缠".`,
		"データベースのクーポン設定": `In no document: "クーポン".`,
		"量子 配置":         `In no document: "量子".`,
		"配置的服务器":        "1. a.md, line 5: 服务\n   本文介绍如何配置服务器。",
		"データベース設定します":   weakNote + "1. a.md, line 5: 服务\n",
	} {
		if got := answer(t, l, Request{Query: query})[0]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if hits := search(t, l, "本文介绍"); len(hits) != 1 || !strings.HasSuffix(hits[0].Snippet, "- 配置：\n  - walrus") {
		t.Errorf("a list is not as it is in the document: %+v", hits)
	}
}
