package docs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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

// The name of a document counts more than its text, and a heading more than the text below it.
func TestRanking(t *testing.T) {
	filler := strings.Repeat("Other words stand here and there. ", 20)
	files := map[string]string{
		"docs/changes.md":              "# Changes\n\n" + strings.Repeat("The retry policy was changed, and the retry policy again. ", 10) + "\n\n## Cache of proxies\n\n" + filler,
		"docs/policy/retry.md":         "# How often\n\nA call is tried again. " + filler,
		"docs/tcp/service.md":          "# Service\n\n" + filler,
		"docs/udp/service.md":          "# Service\n\n" + filler,
		"docs/config.md":               "# Configuration\n\nThe file.\n\n## TCP service\n\n## UDP service\n\n" + filler,
		"docs/titled.md":               "---\ntitle: Cache eviction\n---\n\n# When entries go\n\n" + filler,
		"docs/guides/cluster/index.md": "# Start\n\n" + filler,
		"docs/mention.md":              "# Mention\n\nA cluster of clusters: cluster. Set zoneAffinity. " + filler + "zoneAffinity. Cache eviction.\n\n[walrus]: https://example.org/walrus\n",
		"docs/options.md":              "# Options\n\n| name | meaning |\n|---|---|\n| `zoneAffinity` | which zone |\n| `other` | " + filler + " |\n",
		"docs/many.md":                 "# First\n\nGossip among nodes.\n\n## Second\n\nMore gossip.\n\n## Third\n\nAnd gossip.\n",
		"docs/few.md":                  "# Single\n\nGossip among nodes.\n",
		"docs/ratelimit.md":            "# Ratelimit\n\n" + filler,
		"docs/speed.md":                "# Speed\n\nThe rate of a limit, and the limit of a rate. " + filler,
		"docs/hearts/overview.md":      "# Start of it\n\n" + filler,
		"docs/hearts/beats.md":         "# A heart beats\n\n" + filler,
		"docs/02-billing.md":           "# How it is paid\n\n" + filler,
		"docs/billing-2.md":            "# More to pay\n\n" + filler,
		"docs/leaves.md":               "---\ntitle: Leaf folders\n---\n\n## Before\n\n" + filler,
		"docs/order.md":                "---\ntitle: Order\n---\n\n## Leaf folders\n\nA leaf folder, and leaf folders. " + filler,
		"docs/walk.md":                 "# Walk\n\nWalk home.\n\n" + filler,
		"docs/boots.md":                "# Boots\n\nTo walk far and stay dry in deep water. " + filler[:105],
	}
	l := scan(t, given.Texts(files), "docs", nil)
	for query, want := range map[string]string{
		"retry policy":    "policy/retry.md: How often",
		"tcp service":     "tcp/service.md: Service",
		"udp service":     "udp/service.md: Service",
		"cache eviction":  "titled.md: When entries go",
		"cache proxies":   "changes.md: Cache of proxies",
		"cluster":         "guides/cluster/index.md: Start",
		"zoneAffinity":    "options.md: Options",
		"gossip of nodes": "many.md: First",
		"configuration":   "config.md: Configuration",
		"walrus":          "",
		"rate limit":      "ratelimit.md: Ratelimit",
		"heartbeats":      "hearts/beats.md: A heart beats", // two words
		"hearst":          "hearts/overview.md: Start of it",
		"zomeAffinity":    "options.md: Options",
		"hearts":          "hearts/overview.md: Start of it",
		"billing":         "02-billing.md: How it is paid",
		"guide to gossip": "many.md: First",
		"leaf folders":    "leaves.md: Before", // the heading of a titled page is not a title
		"walk deep dry":   "boots.md: Boots",   // a title with one of the words does not beat a passage with all
	} {
		got := ""
		if hits := search(t, l, query); len(hits) > 0 {
			got = fmt.Sprintf("%s: %s", hits[0].Path, hits[0].Heading)
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// A word in the path of every document is not a frequent word.
func TestRankingOfPaths(t *testing.T) {
	files := make(map[string]string)
	for i := range 30 {
		files[fmt.Sprintf("docs/providers/page-%d.md", i)] = fmt.Sprintf("# Page %d\n\nA list of things, and a list.\n", i)
	}
	files["docs/providers/zones.md"] = "# Zones\n\nThe list of all providers: a provider is here.\n"
	l := scan(t, given.Texts(files), "docs", nil)
	if hits := search(t, l, "list providers"); len(hits) == 0 || hits[0].Path != "providers/zones.md" {
		t.Errorf("%+v", hits)
	}
}

// In a long query, many passages with a few of the words do not make up for one with most of them.
func TestLongQueries(t *testing.T) {
	words := strings.Fields("walrus swims below frozen arctic water while hunting clams deeply")
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "## Part %d\n\nThe %s and the %s.\n\n", i, words[i%10], words[(i+1)%10])
	}
	l := scan(t, given.Texts(map[string]string{"docs/many.md": many.String(), "docs/one.md": "# Else\n\nA walrus swims below water.\n"}), "docs", nil)
	if hits := search(t, l, strings.Join(words, " ")); len(hits) != 2 || hits[0].Path != "one.md" {
		t.Errorf("%+v", hits)
	}
}
