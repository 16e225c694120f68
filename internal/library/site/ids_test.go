package site

import "testing"

// TestIDs compares ids with the headings and the ids of a page by their letters and digits.
func TestIDs(t *testing.T) {
	for _, test := range []struct {
		page, text string
		has, lacks []string
	}{
		{"docs/a.md", "# A\n\n## What's `a/b`?\n\n## Same\n\n## Same\n\n## D & E {#own-id}\n\n## ![logo](i.png) Title\n\n## 10&nbsp;km\n\n## 2. Über uns\n", []string{"a", "What-s-a/b", "same", "same-1", "same-2", "d--e", "d-amp-e", "own-id", "-title", "10-km", "über-uns", "2-uber-uns", "top"}, []string{"gone", "sam"}},
		{"docs/a.md", "<a name=foo></a> <p id=\"b&#x5F;c\"> <ParamField body=\"api.key\" />\n\n> #### In a quote\n\n!!! note\n\n    ## In a note\n\n(own/label)=\n\n:::{note}\n:name: the-note\n:::\n\n[^1]: note\n", []string{"foo", "b_c", "api-key", "in-a-quote", "in-a-note", "own/label", "the-note", "1"}, []string{"bar"}},
		{"docs/a.rst", "Top\n===\n\n.. _My Label:\n\nPart one\n--------\n", []string{"top", "my-label", "part-one"}, []string{"gone"}},
		{"docs/a.adoc", "= A\n\n== Own parts\n\n[#set]\ntext\n\n[[[book]]] [[x,y]] anchor:z[]\n", []string{"_own_parts", "set", "book", "x", "z"}, []string{"gone"}},
	} {
		s := load(t, map[string]string{test.page: test.text})
		p := s.Page(test.page)
		for _, id := range test.has {
			if to := s.withID(p, Target{File: p.File}, id); to.Lacks {
				t.Errorf("%s lacks %q", test.page, id)
			}
		}
		for _, id := range test.lacks {
			if to := s.withID(p, Target{File: p.File}, id); !to.Lacks {
				t.Errorf("%s has %q", test.page, id)
			}
		}
	}
}
