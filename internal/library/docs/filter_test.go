package docs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

func TestPathFilters(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{
		"docs/guides/setup.md": "# Setup\n\nzebra\n", "docs/guides/deep/more.mdx": "# More\n\nzebra\n", "docs/guides.md": "# Guides\n\nzebra\n",
		"docs/My Folder/a.md": "# A\n\nzebra\n", "docs/guidesque.md": "# No\n\nzebra\n",
	}), "docs", nil)
	for query, want := range map[string]string{
		"zebra path:guides":                               "guides.md guides/deep/more.mdx guides/setup.md",
		"path:guides/ zebra":                              "guides.md guides/deep/more.mdx guides/setup.md",
		"zebra path:docs/guides/setup":                    "guides/setup.md",
		"zebra path:GUIDES/setup.md":                      "guides/setup.md",
		"zebra path:/guides/*":                            "guides/setup.md",
		"zebra path:guides/**":                            "guides/deep/more.mdx guides/setup.md",
		"zebra path:docs/guides/**":                       "guides/deep/more.mdx guides/setup.md",
		"zebra path:*.mdx":                                "guides/deep/more.mdx",
		`zebra path:"my folder"`:                          "My Folder/a.md",
		`path:"my folder" zebra path:{x,guides}/setup.md`: "My Folder/a.md guides/setup.md",
		"zebra path:gui":                                  "",
		"zebra path:../guides":                            "guides.md guides/deep/more.mdx guides/setup.md",
		"zebra path:../../etc":                            "",
		`zebra path:"open`:                                "",
		"zebra path:[":                                    "",
		"zebra path: ":                                    "My Folder/a.md guides.md guides/deep/more.mdx guides/setup.md guidesque.md",
		"path:guides":                                     "",
		"zebra path:" + strings.Repeat("{a,", 2000):       "",
	} {
		seen := make(map[string]bool)
		for _, h := range search(t, l, query) {
			seen[h.Path] = true
		}
		var got []string
		for _, d := range l.docs {
			if seen[d.path] {
				got = append(got, d.path)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.60q finds %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"path:guides":  "The query has a path: filter only. Add the words to search for.",
		"zebra path:[": "Invalid filter path:[",
	} {
		if got := body(t, answer(t, l, Request{Query: query})[0]); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", query, got)
		}
	}
}

// TestAnswersSayWhatAQueryDoesNotUse: paths that do not exist, sections, and more alternatives and patterns than are searched.
func TestAnswersSayWhatAQueryDoesNotUse(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/guides/setup.md": "# Setup\n\nzebra\n", "docs/index.md": "# Acme\n\nzebra\n", "docs/logo.svg": "<svg/>"}), "docs", nil)
	nothing := "No document matches %s. Nothing was searched."
	for _, c := range []struct {
		request Request
		want    string // the beginning of the answer
	}{
		{Request{Paths: []string{"set.md"}}, fmt.Sprintf(nothing, `"set.md"`) + " Similar: guides/setup.md. Folders at the top: guides/.\n"},
		{Request{Paths: []string{"../", "logo.svg", "["}}, fmt.Sprintf(nothing, `"../", "logo.svg", "["`)},
		{Request{Paths: []string{"../guides", "gone"}}, "No document matches \"gone\".\n1. guides/setup.md, line 3: Setup\n"},
		{Request{Paths: []string{"GUIDES/set*"}}, "1. guides/setup.md, line 3: Setup\n"},
		{Request{Query: "zebra path:guide"}, fmt.Sprintf(nothing, `"guide"`)},
		{Request{Query: "unicorn", Paths: []string{"nope", "guides"}}, "No document matches \"nope\".\nNo passage has these words.\n"},
		{Request{Section: "Setup"}, "[A query does not use section. To read a section, give paths without a query.]\n1. "},
		{Request{Alternatives: strings.Fields("a b c d e f")}, "[Only the first 5 of 6 alternatives are searched.]\nIn no document: \"b\", \"c\", \"d\", \"e\".\n"},
		{Request{Paths: []string{"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "guides"}}, "[Left out of paths: 1. A query takes up to 100 paths, and 64 patterns.]\n1. "},
		{Request{Paths: slices.Repeat([]string{"guides"}, 102)}, "[Left out of paths: 2. A query takes up to 100 paths, and 64 patterns.]\n1. "},
	} {
		c.request.Query = cmp.Or(c.request.Query, "zebra")
		if got := answer(t, l, c.request)[0]; !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.request, got, c.want)
		}
	}
}

// TestASearchEndsWithItsContext: a filter is matched with the path of each document, so a search checks its context.
// The counts of a cancelled search do not reach the next one.
func TestASearchEndsWithItsContext(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/a.md": "# Tea\n\nBoil the water.\n"}), "docs", nil)
	want, _, err := l.Search(t.Context(), "water path:**", 10)
	if err != nil || len(want) != 1 {
		t.Fatalf("%v, %v", want, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if hits, _, err := l.Search(ctx, "water path:**", 10); len(hits) != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v, %v", hits, err)
	}
	if got, _, err := l.Search(t.Context(), "water path:**", 10); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after it: %v, %v, want %v", got, err, want)
	}
}
