package config

import (
	"strings"
	"testing"

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
	for _, test := range []struct {
		json string
		want []string
	}{
		{`{`, []string{"mcp-docs-server.json:1:2: "}},
		{`[]`, []string{"mcp-docs-server.json:1:1: the document is an array, must be an object"}},
		{`{"name": 1, "package": "p", "version": "v"}`, []string{"1:10: name is a number, must be a string"}},

		{`{` + minimal + `, "sites": [{}, {"root": "../x", "lang": "fr"}, 1]}`, []string{"sites[0].root is missing", `sites[1].root is "../x", must be a folder of the project: it leads upwards`, `unknown field "sites[1].lang"`, "sites[2] is a number, must be an object"}},
		{`{` + minimal + `, "docs": "a/../.."}`, []string{"it leads upwards"}},
		{`{` + minimal + `, "docs": "a/.git", "sites": [{"root": ".aws"}]}`, []string{`docs is "a/.git", must be a folder of the project: ".git" is a hidden name, which only --docs can choose`, `sites[0].root is ".aws"`}},
		{`{` + minimal + `, "docs": ""}`, []string{`docs is "", must be a folder of the project: it is empty`}},
		{`{` + minimal + `, "docs": "/etc"}`, []string{"it is an absolute path"}},
		{`{` + minimal + `, "docs": "C:\\docs"}`, []string{"it is an absolute path"}},
		{`{` + minimal + `, "docs": "a\u0000b"}`, []string{"it has a NUL character"}},
		{`{` + minimal + `, "include": "a", "exclude": ["[b", 1]}`, []string{"include is a string, must be an array", `exclude[0] is "[b", which is not a valid`, "exclude[1] is a number"}},
		{`{` + minimal + `, "unmatched": "skip"}`, []string{`unmatched is "skip", must be "serve" or "hide"`}},
		{`{` + minimal + `, "exclude": ["a", "[b"]}`, []string{`exclude[1] is "[b", which is not a valid pattern: a bracket`}},
		{`{` + minimal + `, "include": [` + strings.Repeat(`"{a,b,c,d}{e,f,g,h}{i,j,k,l}", `, 15) + `"a"], "exclude": ["{a,b,c,d}{e,f,g,h}{i,j,k,l}"]}`, []string{"exclude[0] is one pattern too many: all patterns of include, exclude and docsExclude may expand to 1000"}},
		{`{` + minimal + `, "docsExclude": ["docs/[a", 1]}`, []string{`docsExclude[0] is "docs/[a", which is not a valid pattern: a bracket`, "docsExclude[1] is a number"}},
		{`{` + minimal + `, "include": ["` + strings.Repeat("{a,*}", 9) + `"]}`, []string{`which is too complex: its braces expand to more than 500 patterns`}},
		{`{` + minimal + `, "limits": {"pageSize": 0, "maxReadBytes": "1"}}`, []string{"limits.pageSize is 0, must be a whole number from 1 to 10000", "limits.maxReadBytes is a string"}},
		{`{` + minimal + `, "capture": 1}`, []string{"capture is a number, must be true, false or an object"}},
		{`{` + minimal + `, "capture": {"store": "disk", "ttl": "1", "allow": []}}`, []string{`capture.store is "disk", must be memory or files`, "capture.ttl is", `unknown field "capture.allow"`}},
		{`{` + minimal + `, "limitz": {}, "limits": {"pagesize": 1}}`, []string{`warning: unknown field "limitz"; did you mean "limits"?`, `warning: unknown field "limits.pagesize"; did you mean "limits.pageSize"?`}},
	} {
		_, problems := Decode(File, "docs", []byte(test.json))
		if len(problems) != len(test.want) {
			t.Errorf("%s: %v", test.json, problems)
			continue
		}
		for i, p := range problems {
			if !strings.Contains(p.String(), test.want[i]) {
				t.Errorf("%s: %q, want %q", test.json, p, test.want[i])
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
