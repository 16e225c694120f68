package dtsapi

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

var (
	// Declarations with these tags are not for users.
	hidden = lazyregexp.New(`@(internal|private|hidden|ignore)\b`)
	// A link, whose text follows a "|" or a space.
	inline = lazyregexp.New(`\{@(?:link|linkcode|linkplain|inheritDoc|see)\s+([^\s|}]{1,500})[\s|]*([^}]{0,500})\}`)
	// The end of an example: a tag. A name in upper case is a decorator.
	tag = lazyregexp.New(`(?m)^@[a-z]`)
	// A line that is a heading, and one that makes a heading of the line above.
	heading   = lazyregexp.New(`^\s*#+ +(.*?)[ #]*$`)
	underline = lazyregexp.New(`^\s*(={2,}|-{2,})\s*$`)
)

// markdown returns a JSDoc comment as Markdown, or "". A tag is an item of a list, and an example without a fence is code. Headings become bold, so
// they do not look like symbols.
func markdown(comment string) string {
	var text, out strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(strings.TrimPrefix(excerpt.Cut(comment, maxComment), "/**"), "*/")) {
		line = strings.TrimPrefix(strings.Trim(line, " \t\r\n"), "*")
		text.WriteString(strings.TrimPrefix(line, " ") + "\n")
	}
	var fence directive.Fence
	for line, rest := "", text.String(); rest != ""; {
		line, rest, _ = strings.Cut(rest, "\n")
		if !fence.Read(strings.TrimLeft(line, " \t")) {
			if code, ok := strings.CutPrefix(line, "@example"); ok {
				end := append(tag().FindStringIndex(rest), len(rest))[0]
				if code += "\n" + rest[:end]; !strings.Contains(code, "```") {
					out.WriteString("\nExample:\n\n" + excerpt.Fenced(strings.Trim(code, " \n"), "ts"))
					rest = rest[end:]
					continue
				}
			}
			if strings.HasPrefix(line, "@") {
				line = "- " + line
			}
			line = heading().ReplaceAllString(inline().ReplaceAllString(line, "$2 `$1`"), "**$1**")
			line = underline().ReplaceAllString(line, "")
		}
		out.WriteString(line + "\n")
	}
	if fence != "" {
		out.WriteString(string(fence))
	}
	return strings.TrimSpace(out.String())
}
