package site

import "testing"

func TestSlugs(t *testing.T) {
	rules := []*Slug{GitHub, pythonSlug, viteSlug, docutils, asciidocSlug, latin, hexoSlug, docsifySlug, pandoc, juliaSlug}
	for _, row := range [][]string{
		{"server.port", "serverport", "serverport", "server-port", "server-port", "_server_port", "server-port", "server-port", "serverport", "server.port", "server.port"},
		{"a & b", "a--b", "a-b", "a-b", "a-b", "_a_b", "a-b", "a-b", "a--b", "a-b", "a-&-b"},
		{"1. First", "1-first", "1-first", "_1-first", "first", "_1_first", "1-first", "1-First", "_1-first", "first", "1.-First"},
		{"Ünï", "ünï", "uni", "uni", "uni", "_ünï", "uni", "Uni", "ünï", "ünï", "Ünï"},
		{"list_categories", "list_categories", "list_categories", "list-categories", "list-categories", "_list_categories", "list-categories", "list-categories", "list_categories", "list_categories", "list_categories"},
		{"日本", "日本", "", "日本", "", "_日本", "", "日本", "日本", "日本", "日本"},
	} {
		for i, rule := range rules {
			if got := rule.of(row[0]); got != row[i+1] {
				t.Errorf("rule %d: %q gives %q, want %q", i, row[0], got, row[i+1])
			}
		}
	}
}
