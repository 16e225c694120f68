// Package macro reads the calls of templates that stand alone in a line of a document.
package macro

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxLine is the number of bytes of a line of a call.
const maxLine = 1000

// A Call is a call of a template that stands alone in a line:
//
//	{{ code_block('guide/csv', 'read') }}   {{< readfile "x.yaml" >}}   {% include "x.md" start="a" %}   {{#include x.rs:part}}
//	include-code::./Class[tag=x]
type Call struct {
	Name     string // in lower case
	Args     []Argument
	Raw      string // the arguments as written
	Function bool   // they stand in parentheses
}

// An Argument is an argument of a call.
type Argument struct{ Key, Value string }

// Lines returns the macro that begins in line i as one line, and the last line of it.
func Lines(lines []string, i int) (call string, last int) {
	call = strings.TrimSpace(lines[i])
	for last = i; strings.HasPrefix(call, "{{") && !strings.Contains(call, "}}") || strings.HasPrefix(call, "{%") && !strings.Contains(call, "%}"); {
		if last++; last == len(lines) || last > i+8 || len(lines[last]) > maxLine || strings.TrimSpace(lines[last]) == "" {
			return call, i
		}
		call += " " + strings.TrimSpace(lines[last])
	}
	return call, last
}

// Read reads a line that is a macro.
func Read(line string) (m Call, ok bool) {
	line = strings.TrimSpace(line)
	if rest, found := strings.CutPrefix(line, "include-code::"); found && strings.HasSuffix(rest, "]") {
		target, options, _ := strings.Cut(rest[:len(rest)-1], "[")
		return Call{"include-code", []Argument{{"", target}}, options, false}, true
	}
	opens, closes := "{{", "}}"
	if strings.HasPrefix(line, "{%") {
		opens, closes = "{%", "%}"
	}
	if len(line) < 6 || !strings.HasPrefix(line, opens) || !strings.HasSuffix(line, closes) || strings.Count(line, opens) > 1 {
		return m, false
	}
	inner := strings.TrimSpace(strings.TrimRight(strings.TrimLeft(line[2:len(line)-2], "<%-"), " >%-/"))
	if strings.HasPrefix(inner, "/") || strings.Contains(inner, " | ") || strings.Contains(inner, " . ") || strings.HasSuffix(inner, " .") {
		return m, false // the end of a pair, an example, or a template of Go
	}
	end := strings.IndexAny(inner, " \t(")
	if end <= 0 {
		return m, false
	}
	m = Call{strings.ToLower(inner[:end]), nil, inner[end:], inner[end] == '('}
	key := ""
	for _, token := range tokens().FindAllStringSubmatch(m.Raw, 2*maxArgs+2) {
		if token[1] != "" {
			key = strings.ToLower(token[1])
			continue
		}
		m.Args = append(m.Args, Argument{key, strings.Join(token[2:], "")})
		key = ""
	}
	return m, len(m.Args) <= maxArgs
}

// tokens matches the name of an argument, or a value.
var tokens = lazyregexp.New(`([^\s,()\[\]="'` + "`" + `]+)=|"([^"]*)"?|'([^']*)'?|` + "`([^`]*)`?" + `|([^\s,()\[\]="']+)`)

const maxArgs = 20
