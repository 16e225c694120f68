package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWiki has a vault of notes that link to each other by name.
func TestWiki(t *testing.T) {
	files := map[string]string{
		"Home.md":             "# Home\n\n[[Daily plan]] [[deep/Plan|the plan]] [[plan#Next steps]] [[Second name]] [[#Here]] [[gone]] [[plan#gone]]\n`[[gone]]` [[1, 2], [3]] [[1,2]] [[x]](b.md)\n\n    [[gone]]\n\n![[Plan#Next steps]]\n![[a b.png|300]] ![[plan]]\n\n## Here\n",
		"notes/deep/Plan.md":  "---\naliases: [Second name]\n---\n# The plan\n\ntext\n\n## Next steps\n\nsteps\n\n## Later\n",
		"notes/Daily plan.md": "# Daily\n", "files/a b.png": "png", "b.md": "# B\n",
	}
	s := load(t, files)
	p := s.Page("Home.md")
	var got strings.Builder
	for _, l := range s.Links(p, files["Home.md"]) {
		to := s.Resolve(p, l.Link)
		fmt.Fprintln(&got, l.Line, l.Link, to.Certainty, to)
	}
	want := "3 [[Daily plan]] found notes/Daily plan.md\n3 [[deep/Plan]] found notes/deep/Plan.md\n3 [[plan#Next steps]] found notes/deep/Plan.md#Next steps\n3 [[Second name]] found notes/deep/Plan.md\n" +
		"3 [[#Here]] found Home.md#Here\n3 [[gone]] unknown \n3 [[plan#gone]] found notes/deep/Plan.md#gone\n4 b.md found b.md\n8 [[Plan#Next steps]] found notes/deep/Plan.md#Next steps\n9 [[a b.png]] found files/a b.png\n9 [[plan]] found notes/deep/Plan.md\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	text := "# Home\n\n[Daily plan](notes/Daily%20plan.md) [the plan](notes/deep/Plan.md) [plan#Next steps](notes/deep/Plan.md#next-steps) [Second name](notes/deep/Plan.md) [#Here](Home.md#here) [[gone]] [plan#gone](notes/deep/Plan.md#gone)\n" +
		"`[[gone]]` [[1, 2], [3]] [[1,2]] [[x]](b.md)\n\n    [[gone]]\n\n## Next steps\n\nsteps\n![a b.png](files/a%20b.png) [plan](notes/deep/Plan.md)\n\n## Here\n"
	if diff := cmp.Diff(text, content(t, s, p, files["Home.md"]).Text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
