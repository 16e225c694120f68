package site

import "strings"

// maxMarkedLine is the number of bytes of a line of a call, and of one with the mark of a region.
const maxMarkedLine = 1000

// A macroCall is a call of a template that stands alone in a line:
//
//	{{ code_block('guide/csv', 'read') }}   {{< readfile "x.yaml" >}}   {% include "x.md" start="a" %}   {{#include x.rs:part}}
//	include-code::./Class[tag=x]
type macroCall struct {
	Name     string // in lower case
	Args     []macroArgument
	Raw      string // the arguments as written
	Function bool   // they stand in parentheses
}

// A macroArgument is an argument of a call.
type macroArgument struct{ Key, Value string }

// macroLines returns the macro that begins in line i as one line, and the last line of it.
func macroLines(lines []string, i int) (call string, last int) {
	call = strings.TrimSpace(lines[i])
	for last = i; strings.HasPrefix(call, "{{") && !strings.Contains(call, "}}") || strings.HasPrefix(call, "{%") && !strings.Contains(call, "%}"); {
		if last++; last == len(lines) || last > i+8 || len(lines[last]) > maxMarkedLine || strings.TrimSpace(lines[last]) == "" {
			return call, i
		}
		call += " " + strings.TrimSpace(lines[last])
	}
	return call, last
}

// readMacro reads a line that is a macro.
func readMacro(line string) (m macroCall, ok bool) {
	line = strings.TrimSpace(line)
	if rest, found := strings.CutPrefix(line, "include-code::"); found && strings.HasSuffix(rest, "]") {
		target, options, _ := strings.Cut(rest[:len(rest)-1], "[")
		return macroCall{"include-code", []macroArgument{{"", target}}, options, false}, true
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
	m = macroCall{strings.ToLower(inner[:end]), nil, inner[end:], inner[end] == '('}
	key := ""
	for rest := m.Raw; rest != ""; {
		switch c := rest[0]; {
		case c == '"' || c == '\'' || c == '`':
			value, after, _ := strings.Cut(rest[1:], rest[:1])
			m.Args = append(m.Args, macroArgument{key, value})
			key, rest = "", after
		case strings.IndexByte(" \t,()[]", c) >= 0:
			rest = rest[1:]
		default:
			n := strings.IndexAny(rest, " \t,()[]=\"'")
			if n < 0 {
				n = len(rest)
			}
			word, after := rest[:max(n, 1)], rest[max(n, 1):]
			if rest = after; strings.HasPrefix(after, "=") {
				key, rest = strings.ToLower(word), after[1:]
				continue
			}
			m.Args = append(m.Args, macroArgument{key, word})
			key = ""
		}
		if len(m.Args) > 20 {
			return m, false
		}
	}
	return m, true
}
