package settings

import (
	"iter"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// value returns the value of an expression. An expression is a range of tokens: [Program.parts] finds those between the commas
// of a list, [Program.end] the one in a statement.
func (p *Program) value(from, to, depth int) any {
	if *p.steps--; *p.steps < 0 || depth > maxDepth || from >= to {
		return Unknown{}
	}
	v, i := p.operand(from, to, depth+1)
	for p.python && i < to && p.is(i, "+") {
		var added any
		added, i = p.operand(i+1, to, depth+1)
		v = p.sum(v, added)
	}
	switch {
	case i == to, p.is(i, "as", "satisfies"): // a type follows
		return v
	case p.is(i, "||", "??", "or"):
		if v == any(unset{}) {
			return p.value(i+1, to, depth+1)
		} else if s, _ := v.(string); s != "" {
			return v
		}
	case v == any(unset{}): // a condition on the environment
		return v
	}
	return Unknown{}
}

// sum returns two lists as one. Of one that is not known, an item is not known.
func (p *Program) sum(a, b any) any {
	one, known := a.([]any)
	other, alsoKnown := b.([]any)
	if *p.steps -= len(one) + len(other); *p.steps < 0 || !known && !alsoKnown {
		return Unknown{}
	} else if !known {
		one = []any{more{}}
	} else if !alsoKnown {
		other = []any{more{}}
	}
	return slices.Concat(one, other)
}

// operand returns the value at the start of an expression, and the token after it.
func (p *Program) operand(from, to, depth int) (v any, i int) {
	v, i = Unknown{}, p.next(from)
	switch t := p.tokens[from]; {
	case p.is(from, "[", "{", "(") && t.pair < from: // it is not closed
		return v, to
	case t.kind == textToken:
		v, i = p.quoted(from, to, depth)
	case t.kind == numberToken:
		if strings.Trim(t.text, "0123456789.") == "" {
			v = t.text
		}
	case p.is(from, "true", "True", "false", "False"):
		v = strings.EqualFold(t.text, "true")
	case p.is(from, "null", "undefined", "None"):
		v = nil
	case p.is(from, "await", "async"):
		return p.value(i, to, depth), to
	case p.is(from, "function"), (p.isWord(from) || p.is(from, "(")) && p.is(i, "=>"):
		return p.function(from, to, depth), to
	case p.is(from, "process", "import") && p.is(i, "."): // process.env.X, import.meta.env.X
		for v = (unset{}); p.is(i, ".") && p.isWord(i+1); i += 2 {
		}
	case p.is(from, "require") && p.is(i, "(") && p.tokens[i+1].kind == textToken:
		module, _ := unquoted(p.tokens[i+1].text)
		v, i = p.imported(module, "", depth), p.next(i)
	case p.isWord(from) && !p.is(from, "new", "typeof", "void", "not", "lambda"):
		v = p.named(t.text, depth)
		if p.is(i, "<") && p.tokens[i].pair > i {
			i = p.next(i)
		}
		if i < to && p.is(i, "(") {
			if !p.is(i+1, ")") || v == any(Unknown{}) { // else it is what the function returns
				arguments, _ := p.list(i, depth).([]any)
				v = Call{t.text, arguments}
			}
			i = p.next(i)
		}
	case p.is(from, "["):
		v = p.list(from, depth)
	case p.is(from, "{"):
		v = p.object(from, depth)
	case p.is(from, "("):
		items, ok := p.list(from, depth).([]any)
		if ok && p.python && (len(items) != 1 || p.is(i-2, ",")) {
			v = items
		} else if ok && len(items) == 1 {
			v = items[0]
		}
	default:
		return v, to
	}
	return p.members(v, i, to)
}

// members returns the member of a value that an expression names, and the token after it. What a call of a member makes is not
// known.
func (p *Program) members(v any, i, to int) (any, int) {
	for i < to && p.is(i, ".", "?.", "[", "(", "!") {
		m, _ := v.(map[string]any)
		name := ""
		if p.is(i, ".", "?.") && p.isWord(i+1) {
			i++
			name = p.tokens[i].text
		}
		var known bool
		if v, known = m[name]; !known {
			v = Unknown{}
		}
		i = p.next(i)
	}
	return v, i
}

// function returns what the function at token i returns: its body is an expression, or has one statement that returns, which
// does not depend on a condition.
func (p *Program) function(i, to, depth int) any {
	for end := min(i+maxTyped, len(p.tokens)-1); i < end && !p.is(i, "{", "=>"); i = p.next(i) { // parameters, types
	}
	if p.is(i, "=>") {
		i++
	}
	if !p.is(i, "{") {
		return p.value(i, to, depth)
	}
	end, returns := p.tokens[i].pair, 0
	for j := i; j < end; j++ {
		if p.is(j, "return") {
			returns++
		}
	}
	for j := i + 1; j < end && returns == 1; j = p.next(j) {
		if p.is(j, "return") && !p.is(j-1, ")", "else") {
			return p.value(j+1, p.end(j+1), depth)
		}
	}
	return Unknown{}
}

// values of names in a template.
var filled = lazyregexp.New(`\$\{[^{}]*\}?`)

// quoted returns the text at a token, and the token after it. Python joins texts that follow each other.
func (p *Program) quoted(from, to, depth int) (any, int) {
	joined, known, i := "", true, from
	for ; i < to && p.tokens[i].kind == textToken && (p.python || i == from); i++ {
		text, all := unquoted(p.tokens[i].text)
		known = known && all
		if p.tokens[i].text[0] == '`' {
			text = filled().ReplaceAllStringFunc(text, func(place string) string {
				keys := strings.Split(strings.Trim(place, "${} \n"), ".")
				text, ok := Values{keys[0]: p.named(keys[0], depth)}.Get(keys...).(string)
				known = known && ok
				return text
			})
		}
		joined += text
	}
	if *p.steps -= len(joined); !known || *p.steps < 0 {
		return Unknown{}, i
	}
	return joined, i
}

// parts yields the ranges of tokens between marks in the brackets that begin at token i.
func (p *Program) parts(i int, marks ...string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from, end := i+1, p.tokens[i].pair; from < end; {
			to := from
			for to < end && !p.is(to, marks...) {
				to = p.next(to)
			}
			if from < to && !yield(from, to) {
				return
			}
			from = to + 1
		}
	}
}

// list returns the values in the brackets that begin at token i.
func (p *Program) list(i, depth int) any {
	list := []any{}
	for from, to := range p.parts(i, ",", "for") {
		spread := p.is(from, "...", "*")
		if spread {
			from++
		}
		v := p.value(from, to, depth)
		more, ok := v.([]any)
		if *p.steps -= len(more); p.is(to, "for") || *p.steps < 0 {
			return Unknown{}
		}
		if spread && ok {
			list = append(list, more...)
		} else {
			list = append(list, v)
		}
	}
	return list
}

// put sets a key of an object, which keeps the order of its keys.
func put(m map[string]any, key string, v any) {
	if _, again := m[key]; !again {
		order, _ := m[orderKey].([]string)
		m[orderKey] = append(order, key)
	}
	m[key] = v
}

// object returns the object whose brace is at token i.
func (p *Program) object(i, depth int) any {
	m := map[string]any{orderKey: []string{}}
	for from, to := range p.parts(i, ",") {
		if p.is(from, "...", "**") {
			p.spread(m, p.value(from+1, to, depth))
			continue
		}
		colon := from
		for colon < to && !p.is(colon, ":") {
			colon = p.next(colon)
		}
		var key, v any = nil, Unknown{}
		switch t := p.tokens[from]; {
		case p.is(from, "["):
			key = p.value(from+1, t.pair, depth)
		case t.kind == textToken || p.python:
			key = p.value(from, colon, depth)
		case t.kind == wordToken || t.kind == numberToken:
			if key = t.text; from+1 == to {
				v = p.named(t.text, depth)
			}
		}
		if colon < to {
			v = p.value(colon+1, to, depth)
		}
		if name, ok := key.(string); ok && name != orderKey {
			put(m, name, v)
		}
	}
	return m
}

// spread puts the keys of a value into an object. One that is not known may replace each of the keys before it.
func (p *Program) spread(m map[string]any, v any) {
	more, known := v.(map[string]any)
	if !known {
		more = m
	}
	names := Values(more).Keys()
	*p.steps -= len(names)
	for _, name := range names {
		if known {
			put(m, name, more[name])
		} else {
			m[name] = Unknown{}
		}
	}
}
