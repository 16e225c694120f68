package dtsapi

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const link = `\{@(?:link|linkcode|linkplain|inheritDoc|see)\s+`

var (
	// Declarations with these tags are not for users.
	hidden = lazyregexp.New(`@(internal|private|hidden|ignore)\b`)
	// Links with a URL and a text, with a text, and with a target alone. The text follows a "|" or a space.
	urls   = lazyregexp.New(link + `([^\s|}]{1,500}://[^\s|}]{1,500})[\s|]+([^\s}][^}]{0,500})\}`)
	texts  = lazyregexp.New(link + `[^\s|}]{1,500}[\s|]+([^\s}][^}]{0,500})\}`)
	inline = lazyregexp.New(link + `([^\s|}]{1,500})[\s|]*\}`)
	// The beginning of a line that is a tag. In an example, a name in upper case is a decorator.
	tag = lazyregexp.New(`^@([A-Za-z]+)\b`)
	// A line that is a heading, or that makes one of the line above.
	heading = lazyregexp.New(`^(?:\s*#+ +(.*?)[ #]*|\s*(?:={2,}|-{2,})\s*)$`)
)

// markdown returns a JSDoc comment as Markdown, or "". A tag is an item of a list, and an example without a fence is code.
func markdown(comment string) string {
	comment = strings.TrimSuffix(strings.TrimPrefix(excerpt.Cut(comment, maxComment), "/**"), "*/")
	parts, example := [][]string{nil}, false
	var fence directive.Fence
	for line := range strings.Lines(comment) {
		line = strings.Trim(line, " \t\r\n")
		if rest, ok := strings.CutPrefix(line, "*"); ok {
			line = strings.TrimPrefix(rest, " ")
		}
		if f := tag().FindStringSubmatch(line); f != nil && fence == "" && (!example || f[1][0] >= 'a') {
			parts, example = append(parts, nil), f[1] == "example"
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], line)
		fence.Read(strings.TrimLeft(line, " \t"))
	}
	var out strings.Builder
	for _, lines := range parts {
		text := strings.Join(lines, "\n")
		if code, ok := strings.CutPrefix(text, "@example"); ok && !strings.Contains(code, "```") {
			out.WriteString("\nExample:\n\n" + excerpt.Fenced(strings.Trim(code, " \n"), "ts"))
			continue
		} else if strings.HasPrefix(text, "@") {
			out.WriteString("- ")
		}
		fence = ""
		for _, line := range lines {
			if !fence.Read(strings.TrimLeft(line, " \t")) {
				line = prose(line)
			}
			out.WriteString(line + "\n")
		}
		if fence != "" {
			out.WriteString(string(fence) + "\n")
		}
	}
	return strings.TrimSpace(out.String())
}

// prose returns a line of text without inline tags. Headings become bold, so they do not look like symbols.
func prose(line string) string {
	if strings.Contains(line, "{@") {
		line = urls().ReplaceAllString(line, "[$2]($1)")
		line = inline().ReplaceAllString(texts().ReplaceAllString(line, "$1"), "`$1`")
	}
	if strings.Trim(line, " #=-") == line {
		return line
	}
	if f := heading().FindStringSubmatch(line); f != nil {
		line = strings.ReplaceAll("**"+f[1]+"**", "****", "")
	}
	return line
}
