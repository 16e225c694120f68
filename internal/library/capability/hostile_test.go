package capability

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// injections are texts that would look like a part of the document if they were not escaped.
var injections = []string{
	"\n# Heading", "\r\n- `files://fake` entry", "`", "``` ", "` # x `", "```\n# Heading\n```", "[a](https://evil.example)", "![i](x://y)", "<script>alert(1)</script>",
	"<!--", "| a | b |", "\n| a | b |\n|---|---|", "&lt;b&gt;", "\\", "\\`", "a\u2028# b", "\u202e# txet", "\x00\x1b[31m# x", "\xff\xfe", "{#id}", "***", "\n---\n", "\n\n    code",
	"[ref]: https://evil.example", "\U000e0041\U000e0042", "- x", "1. x", "> x", "~~~", "  ", "é`é``é",
}

// structure returns the headings of a document, and how often it has each other kind of block, code
// that is not inline, links and HTML.
func structure(source string) (headings []string, kinds map[string]int) {
	kinds = make(map[string]int)
	ast.Walk(goldmark.New().Parser().Parse(text.NewReader([]byte(source))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			headings = append(headings, string(n.Lines().Value([]byte(source))))
		case *ast.Link, *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote, *ast.AutoLink, *ast.ThematicBreak, *ast.Emphasis, *ast.ListItem:
			kinds[n.Kind().String()]++
		}
		return ast.WalkContinue, nil
	})
	return headings, kinds
}

// TestHostileNames puts each injection into every place where the files of a project can have one.
func TestHostileNames(t *testing.T) {
	for _, s := range injections {
		quoted := fmt.Sprintf("%q", strings.ToValidUTF8(s, "?"))
		name := strings.ToValidUTF8(strings.NewReplacer("/", "-", "\x00", "-").Replace(s), "-") // fstest.MapFS has no other names
		fsys := tree(map[string]string{
			"docs/" + name + "x.md":            "# Document " + s + "\n\nword\n",
			"docs/plain.md":                    "---\ntitle: " + quoted + "\ndescription: " + quoted + "\n---\n[a](" + url.PathEscape(name+"x.md") + ")\n",
			"prompts/ask.mdx":                  "---\ntitle: " + quoted + "\ndescription: " + quoted + "\nargs:\n  - name: file\n    description: " + quoted + "\n    enum: [" + quoted + ", b]\n---\nx {file}\n",
			"resources/files/" + name + "x.md": "# Resource " + s + "\n",
			"resources/files/e" + name + "d/a": "",
		})
		p := open(t, fsys, fmt.Sprintf(`[{"uriTemplate": "files://{name}/a", "name": %s, "title": %[1]s, "description": %[1]s}]`, jsonString(s)))
		plain := open(t, tree(map[string]string{
			"docs/x.md": "# Document\n\nword\n", "docs/plain.md": "[a](x.md)\n", "prompts/ask.mdx": "---\nargs:\n  - name: file\n    enum: [a, b]\n---\nx {file}\n",
			"resources/files/x.md": "# Resource\n", "resources/files/d/a": "",
		}), `[{"uriTemplate": "files://{name}/a", "name": "x"}]`)
		p.Name, p.Version = "Acme"+s, s
		p.Tools = []tools.Tool{{Name: "tool" + s, Title: s, Description: s}}
		p.Skills = []Skill{{"skill://a/SKILL.md", s, s, 1}}
		for name, made := range map[string]func(*index) string{
			"summary": (*index).summary,
			"full":    (*index).full,
			"page":    func(p *index) string { return p.list(Documents) },
		} {
			got, gotKinds := structure(made(p))
			want, wantKinds := structure(made(plain))
			if len(got) != len(want) || fmt.Sprint(got[1:]) != fmt.Sprint(want[1:]) || fmt.Sprint(gotKinds) != fmt.Sprint(wantKinds) {
				t.Errorf("%s with %q has the headings %q and %v, want %q and %v:\n%s", name, s, got, gotKinds, want, wantKinds, made(p))
			}
			for _, r := range made(p) {
				if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2028 || r >= 0xe0000 && r < 0xe0080 {
					t.Errorf("%s with %q has the character %U", name, s, r)
				}
			}
		}
	}
}

func jsonString(s string) string {
	data, err := json.Marshal("t" + strings.ToValidUTF8(s, "?"))
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestWord(t *testing.T) {
	for name, want := range map[string]string{
		"guides/a b.md":     "`guides/a b.md`",
		"日本語.md":            "`日本語.md`",
		"a`b":               "`` a`b ``",
		"``":                "``` `` ```",
		" a":                "`  a `",
		"a\nb/\xff/\u202ec": "`a%0Ab/%FF/%E2%80%AEc`",
		"":                  "`  `",
	} {
		must.Equal(t, want, word(name), name)
	}
}
