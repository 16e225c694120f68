package docs

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

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
