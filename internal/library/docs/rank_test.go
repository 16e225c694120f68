package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

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
