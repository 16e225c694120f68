package config

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const minimal = `"name": "Acme", "package": "@acme/docs", "version": "1.0.0"`

func TestDecode(t *testing.T) {
	folder := Default("docs")
	base := folder
	base.Name, base.Package, base.Version, base.NameGiven, base.VersionGiven = "Acme", "@acme/docs", "1.0.0", true, true
	with := func(change func(*Config)) Config {
		c := base
		change(&c)
		return c
	}
	for _, test := range []struct {
		json string
		want Config
	}{
		{`{` + minimal + `}`, base},
		{`{"$schema": "x", ` + minimal + `}`, base},
		{`{}`, folder},
		{`{"name": "", "package": "@acme/docs", "version": "1.0.0"}`, with(func(c *Config) { c.Name = "docs" })},
		{`{"docsExclude": ["drafts"]}`, func() Config { c := folder; c.DocsExclude = []string{"drafts"}; return c }()},
		{`{` + minimal + `, "docs": "./guides/"}`, with(func(c *Config) { c.Docs, c.DocsGiven = "guides", true })},
		{`{` + minimal + `, "docs": null, "unmatched": "hide", "include": ["**/*.md"], "exclude": ["a"]}`,
			with(func(c *Config) { c.Unmatched, c.Include, c.Exclude = "hide", []string{"**/*.md"}, []string{"a"} })},
		{`{` + minimal + `, "docs": "./."}`, with(func(c *Config) { c.Sites = []Site{{Root: "."}} })},
		{`{` + minimal + `, "sites": []}`, with(func(c *Config) { c.Sites = []Site{} })},
		{`{` + minimal + `, "sites": [{"root": "a/b/", "generator": "Hugo", "language": "fr", "version": "2"}, {"root": "."}]}`,
			with(func(c *Config) {
				c.Sites = []Site{{"a/b", "Hugo", "fr", "2", 1, 73}, {Root: ".", Line: 1, Column: 146}}
			})},
		{`{` + minimal + `, "instructions": "Ask first."}`, with(func(c *Config) { c.Instructions = "Ask first." })},
		{`{` + minimal + `, "describe": true, "docsResources": true}`, with(func(c *Config) { c.Describe, c.DocsResources = true, true })},
		{`{` + minimal + `, "docsExclude": ["docs/internal/**"]}`, with(func(c *Config) { c.DocsExclude = []string{"docs/internal/**"} })},
		{`{` + minimal + `, "index": true}`, with(func(c *Config) { c.Index.On = true })},
		{`{` + minimal + `, "index": false}`, base},
		{`{` + minimal + `, "index": {"expose": ["summary", "stats"], "ttl": "30s"}}`,
			with(func(c *Config) { c.Index = Index{true, []string{"summary", "stats"}, "30s"} })},
		{`{` + minimal + `, "capture": true}`, with(func(c *Config) { c.Capture.On = true })},
		{`{` + minimal + `, "capture": {"store": "files", "ttl": "0s"}}`, with(func(c *Config) { c.Capture = Capture{true, "files", "0s"} })},
		{`{` + minimal + `, "tools": {"resources": false, "connector": true}}`, with(func(c *Config) { c.Tools = Tools{Connector: true} })},
		{`{` + minimal + `, "limits": {"maxReadBytes": 1, "maxFrameBytes": 2048, "pageSize": 3}}`,
			with(func(c *Config) { c.Limits = Limits{1, 2048, 3} })},
	} {
		got, problems := Decode(File, "docs", []byte(test.json))
		if len(problems) > 0 {
			t.Errorf("%s: %v", test.json, problems)
		}
		must.Equal(t, test.want, got, test.json)
	}
}

func TestProblems(t *testing.T) {
	many := strings.Repeat(`"{a,b,c,d}{e,f,g,h}{i,j,k,l}", `, 15)
	table := append(given.Cases(t, "problems.txt"),
		given.Case{
			Name: `"include": [` + many + `"a"], "exclude": ["{a,b,c,d}{e,f,g,h}{i,j,k,l}"]`,
			Text: "exclude[0] is one pattern too many: include, exclude and docsExclude may have 1000",
		},
		given.Case{Name: `"include": ["` + strings.Repeat("{a,*}", 9) + `"]`, Text: "which is too complex: its braces expand to more than 500 patterns"})
	for _, c := range table {
		text, want := c.Name, strings.Split(c.Text, "\n")
		if strings.HasPrefix(text, `"`) {
			text = `{` + minimal + `, ` + text + `}`
		}
		_, problems := Decode(File, "docs", []byte(text))
		if len(problems) != len(want) {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		for i, p := range problems {
			if !strings.Contains(p.String(), want[i]) {
				t.Errorf("%s: %q, want %q", text, p, want[i])
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{` + minimal + `, "limits": {"pageSize": 3}, "docs": "x", "include": ["**"]}`)
	f.Fuzz(func(t *testing.T, s string) {
		c, problems := Decode(File, "docs", []byte(s))
		if problems.Err() == nil && (c.Name == "" || c.Docs == "" || c.Limits.PageSize < 1 || c.Limits.MaxReadBytes < 1 || c.Limits.MaxFrameBytes < 1) {
			t.Errorf("%q is accepted as %+v", s, c)
		}
	})
}
