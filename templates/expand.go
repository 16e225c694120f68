package templates

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Expand returns the URI for the values of the variables, by name (RFC 6570 section 3.2). It
// consists of ASCII characters that are allowed in a URI. The value of {/x*} is a list with
// slashes between the items. A variable without a value leaves nothing behind. Expand
// leaves out the expressions of a query or a fragment, {?x}, {&x}, {;x} and {#x}: they never name a
// file.
func (t *Template) Expand(values map[string]string) string {
	dst := make([]byte, 0, 2*len(t.published))
	for _, p := range t.parts {
		if p.Expression == nil {
			dst = uri.AppendExpanded(dst, p.Literal, true)
			continue
		}
		lead, separator := "", ","
		switch operator := p.Expression.Operator; operator {
		case '.', '/':
			lead, separator = string(operator), string(operator)
		case '?', '&', ';', '#':
			continue
		}
		for _, v := range p.Expression.Variables {
			value, ok := values[v.Name]
			if !ok {
				continue
			}
			items := []string{value}
			if v.Explode && separator == "/" {
				items = strings.Split(value, "/")
			}
			for _, item := range items {
				dst = append(dst, lead...)
				dst = uri.AppendExpanded(dst, item, p.Expression.Operator == '+')
				lead = separator
			}
		}
	}
	return string(dst)
}
