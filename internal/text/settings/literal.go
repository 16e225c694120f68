package settings

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// value returns the value that begins at token i, and the token after it.
func (p *Program) value(i, depth int) (any, int) {
	v, i := p.operand(i, depth)
	for !p.ends(i) {
		switch {
		case p.is(i, "as", "satisfies") && !p.python: // a type
			for i++; !p.ends(i); i = p.next(i) {
			}
		case p.is(i, "||", "??", "or"):
			var right any
			right, i = p.value(i+1, depth+1)
			if v == any(unset{}) {
				v = right
			} else if s, _ := v.(string); s == "" {
				v = Unknown{}
			}
		case v == any(unset{}): // a condition on the environment
			return v, p.skipped(i)
		default: // another operator
			return Unknown{}, p.skipped(i)
		}
	}
	return v, i
}

// ends reports whether a value has ended before token i.
func (p *Program) ends(i int) bool {
	t := p.tokens[i]
	return i >= len(p.tokens)-1 || t.kind == markToken && strings.Contains(",;:)]}", t.text) || p.is(i, "for") ||
		t.line && (t.kind != markToken && !p.is(i, "as", "satisfies", "if") || p.python && !t.indented || strings.Contains("{[(", t.text))
}

// operand returns a value without operators, and the token after it.
func (p *Program) operand(i, depth int) (any, int) {
	if *p.steps--; *p.steps < 0 || depth > maxDepth || i >= len(p.tokens)-1 {
		return Unknown{}, len(p.tokens) - 1
	}
	var v any = Unknown{}
	switch t := p.tokens[i]; {
	case t.kind == textToken:
		v, i = p.quoted(i, depth)
	case t.kind == numberToken:
		if i++; strings.Trim(t.text, "0123456789.") == "" {
			v = t.text
		}
	case p.is(i, "true", "True", "false", "False"):
		v, i = strings.EqualFold(t.text, "true"), i+1
	case p.is(i, "null", "undefined", "None"):
		v, i = nil, i+1
	case p.is(i, "await", "async"):
		return p.operand(i+1, depth+1)
	case p.is(i, "function"), (p.isWord(i) || p.is(i, "(")) && p.is(p.next(i), "=>"):
		return p.function(i, depth)
	case p.is(i, "process", "import") && p.is(i+1, "."): // process.env.X, import.meta.env.X
		for i++; p.is(i, ".") && p.isWord(i+1); i += 2 {
		}
		v = unset{}
	case p.is(i, "require") && p.is(i+1, "(") && p.tokens[i+2].kind == textToken:
		module, _ := unquoted(p.tokens[i+2].text)
		v, i = p.imported(module, "", depth), p.next(i+1)
	case p.isWord(i) && !p.is(i, "new", "typeof", "void", "not", "lambda"):
		v, i = p.named(t.text, depth+1), i+1
		for j := i; p.is(i, "<") && j < i+20; j++ { // a call with types
			if p.is(j, ">") && p.is(j+1, "(") {
				i = j + 1
			}
		}
		if p.is(i, "(") && !p.tokens[i].line {
			if list, _ := p.list(i, depth); !p.is(i+1, ")") || v == any(Unknown{}) { // else it is what the function returns
				arguments, _ := list.([]any)
				v = Call{t.text, arguments}
			}
			i = p.next(i)
		}
	case p.is(i, "["):
		v, i = p.list(i, depth)
	case p.is(i, "{"):
		v, i = p.object(i, depth)
	case p.is(i, "("):
		list, end := p.list(i, depth)
		if items, ok := list.([]any); ok && p.python && (len(items) != 1 || p.is(end-2, ",")) {
			v = items
		} else if ok && len(items) == 1 {
			v = items[0]
		}
		i = end
	default:
		return v, p.skipped(i + 1)
	}
	return p.members(v, i)
}

// members returns a value with the members that are written behind it. What a call of a member makes is not known.
func (p *Program) members(v any, i int) (any, int) {
	for p.is(i, ".", "?.", "[", "(", "!") && !p.tokens[i].line || p.is(i, ".", "?.") {
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

// function returns what the function at token i returns, and the token after it: its body has one statement that returns,
// which does not depend on a condition.
func (p *Program) function(i, depth int) (any, int) {
	for end := min(i+maxTyped, len(p.tokens)-1); i < end && !p.is(i, "{", "=>"); i = p.next(i) { // parameters, types
	}
	if p.is(i, "=>") {
		i++
	}
	if !p.is(i, "{") {
		return p.value(i, depth+1)
	}
	end, returns := p.tokens[i].pair, 0
	for j := i; j < end; j++ {
		if p.is(j, "return") {
			returns++
		}
	}
	for j := i + 1; j < end && returns == 1; j = p.next(j) {
		if p.is(j, "return") && !p.is(j-1, ")", "else") {
			v, _ := p.value(j+1, depth+1)
			return v, end + 1
		}
	}
	return Unknown{}, p.next(i)
}

// values of names in a template.
var filled = lazyregexp.New(`\$\{\s*([\pL_$][\pL\pN_$]*)((?:\.[\pL\pN_$]+)*)\s*\}|\$\{`)

// quoted returns the text at token i, and the token after it. Python joins texts that follow each other.
func (p *Program) quoted(i, depth int) (any, int) {
	joined, known := "", true
	for first := i; p.tokens[i].kind == textToken && (p.python || i == first); i++ {
		text, all := unquoted(p.tokens[i].text)
		known = known && all
		if p.tokens[i].text[0] == '`' {
			text = filled().ReplaceAllStringFunc(text, func(place string) string {
				m := filled().FindStringSubmatch(place)
				v := p.named(m[1], depth+1)
				for key := range strings.FieldsFuncSeq(m[2], func(r rune) bool { return r == '.' }) {
					v = Values{"": v}.Get("", key)
				}
				text, ok := v.(string)
				known = known && ok && m[1] != ""
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

// skipped returns the token at which an expression that is not read ends.
func (p *Program) skipped(i int) int {
	for ; i < len(p.tokens)-1; i = p.next(i) {
		if t := p.tokens[i]; p.is(i, ",", ";") || t.pair > 0 && t.pair < i {
			return i
		}
	}
	return len(p.tokens) - 1
}

// list returns the values between the brackets that begin at token i, and the token after them.
func (p *Program) list(i, depth int) (any, int) {
	end := p.tokens[i].pair
	if end <= i {
		return Unknown{}, len(p.tokens) - 1
	}
	list := []any{}
	for i++; i < end; i++ {
		spread := p.is(i, "...", "*")
		if spread {
			i++
		}
		v, j := p.value(i, depth+1)
		more, ok := v.([]any)
		if *p.steps -= len(more); p.is(j, "for") || *p.steps < 0 {
			return Unknown{}, end + 1
		}
		if spread && ok {
			list = append(list, more...)
		} else {
			list = append(list, v)
		}
		i = p.skipped(max(i, j))
	}
	return list, end + 1
}

// put sets a key of an object, which keeps the order of its keys.
func put(m map[string]any, key string, v any) {
	if _, again := m[key]; !again {
		order, _ := m[orderKey].([]string)
		m[orderKey] = append(order, key)
	}
	m[key] = v
}

// object returns the object whose brace is at token i, and the token after it.
func (p *Program) object(i, depth int) (any, int) {
	end := p.tokens[i].pair
	if end <= i {
		return Unknown{}, len(p.tokens) - 1
	}
	m := map[string]any{orderKey: []string{}}
	for i++; i < end; i++ {
		j := i
		var key, v any = nil, Unknown{}
		switch t := p.tokens[j]; {
		case p.is(j, "...", "**"):
			v, j = p.value(j+1, depth+1)
			if more, ok := v.(map[string]any); ok {
				*p.steps -= len(more)
				for _, name := range Values(more).Keys() {
					put(m, name, more[name])
				}
			} else { // it may replace each of the keys before it
				names := Values(m).Keys()
				*p.steps -= len(names)
				for _, name := range names {
					m[name] = Unknown{}
				}
			}
		case p.is(j, "["):
			key, _ = p.value(j+1, depth+1)
			j = p.next(j)
		case p.python:
			key, j = p.value(j, depth+1)
		case t.kind == textToken:
			key, j = p.quoted(j, depth)
		case t.kind == wordToken || t.kind == numberToken:
			if key, j = t.text, j+1; p.is(j, ",") || j == end {
				v = p.named(t.text, depth+1)
			}
		}
		if p.is(j, ":") {
			v, j = p.value(j+1, depth+1)
		}
		if name, ok := key.(string); ok && name != orderKey {
			put(m, name, v)
		}
		i = p.skipped(max(i, min(j, end)))
	}
	return m, end + 1
}
