package site

import (
	"cmp"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
)

// A form is a line that names a file whose text stands in its place, or a text that only a program makes.
type form struct {
	hints string // one, or two with " | " between them: each line of the form has one of them
	// pattern matches one line. Its groups are named: file; lines, part or region; heading; name (of a component); fence (a language) or
	// literal: the text is code; made: the text is not in the project.
	pattern string
	code    bool // the text is code: it stands in a fence, unless the line is in one
	outside bool // lines in code are examples of the form
	options bool // lines after it may have options, ":lines: 1-3", and a fence ends it
}

// forms are the forms of all generators. Macros are another one, see [macro.Read].
var forms = []form{
	{hints: wikiHint, pattern: `^\s*!\[\[(?P<file>[^\[\]|#]+)(?:#(?P<heading>[^\[\]|]+))?(?:\|[^\[\]]*)?\]\]\s*$`, outside: true},
	{hints: "@include", pattern: `^\s*(?:<!--\s*)?@include:?\s+` + file + `(?:#(?P<part>[\w.-]+))?(?:\{(?P<lines>[^}]*)\})?\s*(?:-->\s*)?$`, outside: true},
	{hints: "<<<", pattern: `^\s*<<<\s+(?P<file>[^\s{#\[]+)(?:#(?P<part>[\w*.-]+))?(?:\s*\{(?P<lines>[^}]*)\})?(?:\s*\[[^\]]*\])?\s*$`, code: true, outside: true},
	{hints: "@[code", pattern: `^\s*@\[code(?:\{(?P<part>[^}]*)\})?(?P<fence>\s+\w+)?[^\]]*\]\((?P<file>[^)#]+)(?:#(?P<region>[\w.-]+))?\)`, code: true, outside: true},
	{hints: `from " | from '`, pattern: `^\s*import\s+(?:\{\s*(?:\w+\s+as\s+)?)?(?P<name>\w+)(?:\s*\})?\s+from\s+["'](?:[\w!-]*!)?(?P<file>[^"'!?]+)(?:\?raw)?["'];?\s*$`, outside: true},
	{hints: "<include", pattern: `^\s*<include[^>]*>(?P<file>[^<#]+)(?:#(?P<part>[\w-]+))?</include>\s*$`},
	{hints: "<Snippet | <Include", pattern: `^\s*<(?:Snippet|Include)\s[^>]*?(?:file|src|path)=["'](?P<file>[^"']+)["'][^>]*>(?:</\w+>)?\s*$`, outside: true},
	{hints: "8<", pattern: `^\s*-{1,}8<-{1,}\s+["'](?P<file>(?:https?://)?[^"':]+)(?::(?P<part>[^"']+))?["']\s*$`},
	{hints: "{*", pattern: `^\s*\{\*\s*` + file + `(?P<part>(?:\s+\w+\[[^\]]*\])*)\s*\*\}\s*$`, code: true},
	{hints: "{!", pattern: `^\s*\{!>?\s*` + file + `(?:\[(?P<part>[^\]]*)\])?\s*!\}\s*$`},
	{hints: "[!INCLUDE | [!code-", pattern: `^\s*\[!(?:INCLUDE|code-(?P<fence>\w+))\s*\[[^\]]*\]\((?P<file>[^)#?]+)(?:[#?](?P<part>[^)]*))?\)\]\s*$`},
	{hints: ":::code", pattern: `^\s*:::code\s(?P<part>[^:]*?source="(?P<file>[^":]+)"[^:]*):::\s*$`, code: true},
	{hints: "':include | \":include", pattern: `^\s*\[[^\]]*\]\((?P<file>[^\s)]+)\s+['"]:include(?P<part>[^'"]*)['"]\)\s*$`, outside: true},
	{hints: "include::", pattern: `^include::(?P<file>[^\[]+)\[(?P<part>[^\]]*)\]\s*$`},
	{hints: "include:: | include}", pattern: "^\\s*(?:\\.\\.\\s+|[`:]{3,}\\{)(?P<literal>literal)?include(?:::|\\})\\s*(?P<file>[^\\s<]\\S*)\\s*$", options: true},
	{hints: "#+", pattern: `^#\+(?i:include):\s+` + file + `(?:\s+(?P<literal>(?i:src|example))(?P<fence>\s+[\w+-]+)?)?(?P<part>.*)$`},
	{hints: ".. ", pattern: `^\s*\.\. (?:` + made + `|program-output|command-output)::\s+(?P<made>\S.*)$`, outside: true, options: true},
	{hints: "{auto | {click}", pattern: "^\\s*[`:]{3,}\\{(?:" + made + ")\\}\\s*(?P<made>\\S+)\\s*$", outside: true, options: true},
	{hints: "::: ", pattern: `^\s*:::\s+(?P<made>mkdocs-\w+|[A-Za-z_]\w*(?:[.:]+\w+)+)\s*$`, outside: true, options: true},
	{hints: "```@docs | ```@autodocs", pattern: "^(?P<made>```)@(?:auto)?docs\\b", options: true},
}

const (
	file     = `["']?(?P<file>[^\s"'\[\]{}<>|:]+)["']?`
	made     = `auto[a-z]+|click|argparse|doxygen[a-z]+` // directives whose text only a program makes
	wikiHint = "![["
)

// formsIn returns which of the forms occur in lines of a text.
func formsIn(text string, of []form) (found []form) {
	for _, f := range of {
		one, other, two := strings.Cut(f.hints, " | ")
		if strings.Contains(text, one) || two && strings.Contains(text, other) {
			found = append(found, f)
		}
	}
	return found
}

// formOf returns the form that a line has, with the groups of its pattern.
func formOf(forms []form, line string, code place) (*form, map[string]string) {
	for _, f := range formsIn(line, forms) {
		re := compile(f.pattern)
		if m := re.FindStringSubmatch(line); m != nil && (code == inProse || !f.outside) {
			groups := make(map[string]string)
			for j, name := range re.SubexpNames() {
				groups[name] = cmp.Or(m[j], groups[name])
			}
			return &f, groups
		}
	}
	return nil, nil
}

// block returns the last line of a form that begins in line i, and adds the lines of its options to the part. A fence ends them, or
// the first line that is neither an option nor indented.
func (f *form) block(lines []string, i int, groups map[string]string) (last int) {
	fence := directive.Fence(directive.OpenFence(strings.TrimSpace(lines[i])))
	if strings.Contains(lines[i], ":{") {
		fence = ":::"
	}
	for last = i; f.options && last+1 < len(lines) && last < i+200; last++ {
		next := strings.TrimRight(lines[last+1], " \t\r\n")
		trimmed := strings.TrimLeft(next, " \t")
		if fence != "" && fence.Read(trimmed) && fence == "" {
			return last + 1
		}
		option := len(next) < maxFormLine && compile(`^\s*:[\w-]+:`).MatchString(next)
		if !option && (groups["made"] == "" || fence == "" && (next == "" || next == trimmed)) {
			break
		}
		if len(groups["part"]) < maxOptions {
			groups["part"] += "\n" + next
		}
	}
	return last
}
