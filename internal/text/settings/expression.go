package settings

import (
	"slices"
	"strconv"
	"strings"
)

// expression returns the value that begins at token i, and the token after it.
func (p *Program) expression(i int, s *scope, depth int) (any, int) {
	v, i := p.operation(i, s, depth, 0)
	switch {
	case p.is(i, "?"):
		yes, j := p.expression(i+1, s, depth+1)
		if !p.is(j, ":") {
			return Unknown{}, j
		}
		no, j := p.expression(j+1, s, depth+1)
		switch truth(v) {
		case "yes":
			return yes, j
		case "no":
			return no, j
		}
		return Unknown{}, j
	case p.python && (p.is(i, "if") || p.is(i, "for")) && (!p.tokens[i].line || p.tokens[i].indented):
		return Unknown{}, i
	}
	return v, i
}

// operators are the operators between two values, by how strongly they bind.
var operators = map[string]int{"||": 1, "??": 1, "or": 1, "&&": 2, "and": 2, "+": 3, "==": 4, "===": 4, "!=": 4, "!==": 4, "<": 4, ">": 4, "<=": 4, ">=": 4,
	"-": 5, "*": 5, "/": 5, "%": 5, "in": 4, "instanceof": 4}

func (p *Program) operation(i int, s *scope, depth, above int) (any, int) {
	v, i := p.operand(i, s, depth)
	for i < len(p.tokens)-1 && p.tokens[i].kind <= wordToken {
		operator := p.text(i)
		strength := operators[operator]
		if strength <= above {
			break
		}
		right, j := p.operation(i+1, s, depth+1, strength)
		i = j
		a, known := v.(string)
		b, also := right.(string)
		list, lists := v.([]any)
		more, moreLists := right.([]any)
		switch {
		case operator == "+" && known && also && !(isNumber(a) && isNumber(b)) && len(a)+len(b) <= *p.steps:
			*p.steps -= len(a) + len(b)
			v = a + b
		case operator == "+" && lists && moreLists && len(list)+len(more) <= *p.steps:
			*p.steps -= len(list) + len(more)
			v = slices.Concat(list, more)
		case strength == 4 && strings.HasSuffix(operator, "=") && same(v, right) != "":
			v = (same(v, right) == "yes") == (operator[0] == '=')
		case strength == 1 && truth(v) == "no", strength == 2 && truth(v) == "yes":
			v = right
		case strength <= 2 && truth(v) != "":
		default:
			v = Unknown{}
		}
	}
	return v, i
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789.") == "" }

// unset is the value of a variable of the environment.
type unset struct{}

// truth returns "yes" or "no" for a value that counts as true or false, and "" if it is not known.
func truth(v any) string {
	switch x := v.(type) {
	case nil, unset:
		return "no"
	case bool:
		if !x {
			return "no"
		}
	case string:
		if x == "" {
			return "no"
		}
		if isNumber(x) && strings.Trim(x, "0.") == "" {
			return "" // 0 and "0" differ
		}
	case Unknown, Call:
		return ""
	}
	return "yes"
}

// same returns "yes" or "no" for two values that are known to be equal or to differ, and "" otherwise.
func same(a, b any) string {
	scalar := func(v any) (string, bool) {
		switch x := v.(type) {
		case nil, unset:
			return "unset", true
		case bool:
			return strconv.FormatBool(x), true
		case string:
			return "=" + x, true
		}
		return "", false
	}
	x, known := scalar(a)
	y, also := scalar(b)
	switch {
	case !known || !also:
		return ""
	case x == y:
		return "yes"
	}
	return "no"
}

// operand returns a value without operators between values, and the token after it.
func (p *Program) operand(i int, s *scope, depth int) (any, int) {
	if *p.steps--; *p.steps < 0 || depth > maxDepth || i >= len(p.tokens)-1 {
		return Unknown{}, len(p.tokens) - 1
	}
	var v any = Unknown{}
	switch t := p.tokens[i]; t.kind {
	case textToken, rawToken:
		for v = ""; p.tokens[i].kind == textToken || p.tokens[i].kind == rawToken; i++ {
			text := p.text(i)
			if p.tokens[i].kind == textToken {
				text = unescaped(text)
			}
			*p.steps -= len(text)
			if v = v.(string) + text; !p.python {
				i++
				break
			}
		}
		if p.python && p.tokens[i].kind == opaqueToken {
			return Unknown{}, i + 1
		}
	case numberToken:
		if number := p.text(i); isNumber(number) {
			v = number
		}
		i++
	case wordToken:
		v, i = p.word(i, s, depth)
	case opaqueToken:
		i++
	default:
		switch p.text(i) {
		case "[":
			v, i = p.list(i, s, depth)
		case "{":
			v, i = p.object(i, s, depth)
		case "`":
			v, i = p.template(i, s, depth)
		case "(":
			end := p.next(i)
			switch {
			case p.is(end, "=>"):
				v, i = p.made(i, end, s), p.skipped(end+1)
			case p.python:
				list, _ := p.list(i, s, depth)
				v, i = list, end
				if items, ok := list.([]any); ok && len(items) == 1 && !p.is(end-2, ",") {
					v = items[0]
				}
			default:
				v, _ = p.expression(i+1, s, depth+1)
				i = end
			}
		case "!", "-", "+", "~":
			var x any
			not := p.is(i, "!")
			x, i = p.operand(i+1, s, depth+1)
			if known := truth(x); not && known != "" {
				v = known == "no"
			}
		default:
			return v, i + 1
		}
	}
	return p.continued(v, i, s, depth)
}

// word returns the value of a word, and the token after it.
func (p *Program) word(i int, s *scope, depth int) (any, int) {
	switch text := p.text(i); text {
	case "true", "True":
		return true, i + 1
	case "false", "False":
		return false, i + 1
	case "null", "undefined", "None":
		return nil, i + 1
	case "await", "typeof", "void", "yield", "not":
		v, j := p.operand(i+1, s, depth+1)
		if text != "await" {
			v = Unknown{}
		}
		return v, j
	case "new", "lambda", "class":
		return Unknown{}, p.skipped(i + 1)
	case "async":
		return p.operand(i+1, s, depth+1)
	case "function":
		for i++; p.is(i, "*") || i < len(p.tokens) && p.tokens[i].kind == wordToken; i++ {
		}
		if !p.is(i, "(") {
			return Unknown{}, min(i, len(p.tokens)-1)
		}
		f := p.made(i, p.next(i), s)
		return f, p.next(f.(function).body)
	case "process", "import":
		if p.is(i+1, ".") && (p.is(i+2, "env") || p.is(i+2, "meta")) {
			name := ""
			for i++; p.is(i, ".") || p.is(i, "?.") || p.is(i, "["); i = p.next(i) {
				if !p.is(i, "[") {
					i++
				}
				name = p.text(min(i, len(p.tokens)-1))
			}
			switch name { // what they are when a site is built
			case "NODE_ENV", "MODE":
				return "production", i
			case "PROD":
				return true, i
			case "DEV":
				return false, i
			}
			return unset{}, i
		}
	case "require":
		if p.is(i+1, "(") && p.tokens[i+2].kind == textToken && p.is(i+3, ")") {
			return p.imported(reference{p.text(i + 2), ""}, depth+1), i + 4
		}
	default:
		switch {
		case p.is(i+1, "=>"):
			return p.made(i, i+1, s), p.skipped(i + 2)
		case p.tokens[i].kind != wordToken:
			return Unknown{}, i + 1
		case p.is(i+1, "<"): // a call with types
			for j := i + 2; j < min(i+20, len(p.tokens)-1) && !p.is(j, ";"); j++ {
				if p.is(j, ">") && p.is(j+1, "(") {
					return p.called(p.named(text, s, depth+1), text, j+1, s, depth)
				}
			}
		case p.is(i+1, "("):
			return p.called(p.named(text, s, depth+1), text, i+1, s, depth)
		}
		return p.named(text, s, depth+1), i + 1
	}
	return Unknown{}, i + 1
}

// called returns the value of a call whose arguments begin at token i, and the token after it.
func (p *Program) called(f any, name string, i int, s *scope, depth int) (any, int) {
	end := p.next(i)
	if f, ok := f.(function); ok {
		return f.call(depth + 1), end
	}
	arguments, _ := p.list(i, s, depth)
	list, _ := arguments.([]any)
	return Call{name, list}, end
}

// continued returns a value with what is written behind it: members, calls, types.
func (p *Program) continued(v any, i int, s *scope, depth int) (any, int) {
	for i < len(p.tokens)-1 {
		switch text := p.text(i); {
		case p.tokens[i].kind > wordToken:
			return v, i
		case (text == "." || text == "?.") && p.tokens[i+1].kind == wordToken:
			v, i = member(v, p.text(i+1)), i+2
		case text == "[" && !p.tokens[i].line:
			key, _ := p.expression(i+1, s, depth+1)
			name, _ := key.(string)
			v, i = member(v, name), p.next(i)
		case text == "(" && !p.tokens[i].line:
			switch f := v.(type) {
			case function:
				v = f.call(depth + 1)
			default:
				v = Unknown{}
			}
			i = p.next(i)
		case text == "!" && !p.is(i+1, "="):
			i++
		case (text == "as" || text == "satisfies") && !p.python:
			for i++; i < len(p.tokens)-1 && !p.tokens[i].line && !strings.Contains(",;)]}", p.text(i)); i = p.next(i) {
			}
		default:
			return v, i
		}
	}
	return v, i
}

func member(v any, name string) any {
	if m, ok := v.(map[string]any); ok && name != "" && name != orderKey {
		if x, ok := m[name]; ok {
			return x
		}
	}
	return Unknown{}
}

// skipped returns the token at which an expression that is not read ends.
func (p *Program) skipped(i int) int {
	for ; i < len(p.tokens)-1; i = p.next(i) {
		if t := p.tokens[i]; t.kind == markToken && (p.is(i, ",") || p.is(i, ";") || t.pair > 0 && int(t.pair) < i) {
			return i
		}
	}
	return i
}

// list returns the values between the brackets that begin at token i, and the token after them.
func (p *Program) list(i int, s *scope, depth int) (any, int) {
	end := p.next(i) - 1
	if end <= i {
		return Unknown{}, len(p.tokens) - 1
	}
	list := []any{}
	for i++; i < end; i++ {
		spread := p.is(i, "...") || p.python && p.is(i, "*")
		if spread {
			i++
		}
		v, j := p.expression(i, s, depth+1)
		if p.python && p.is(j, "for") {
			return Unknown{}, end + 1
		}
		if more, ok := v.([]any); spread && ok {
			if *p.steps -= len(more); *p.steps < 0 {
				return Unknown{}, end + 1
			}
			list = append(list, more...)
		} else {
			list = append(list, v)
		}
		i = p.skipped(max(i, j))
	}
	return list, end + 1
}

// object returns the object whose brace is at token i, and the token after it.
func (p *Program) object(i int, s *scope, depth int) (any, int) {
	end := p.next(i) - 1
	if end <= i {
		return Unknown{}, len(p.tokens) - 1
	}
	m := make(map[string]any)
	order := []string{}
	set := func(key string, v any) {
		if _, again := m[key]; !again {
			order = append(order, key)
		}
		m[key] = v
	}
	for i++; i < end; i++ {
		j := i
		var key, v any = nil, Unknown{}
		if (p.is(i, "async") || p.is(i, "get")) && p.tokens[i+1].kind == wordToken {
			i++
		}
		switch t := p.tokens[i]; {
		case p.is(i, "...") || p.python && p.is(i, "*") && p.is(i+1, "*"):
			if p.python {
				i++
			}
			v, j = p.expression(i+1, s, depth+1)
			if more, ok := v.(map[string]any); ok {
				names, _ := more[orderKey].([]string)
				*p.steps -= len(names)
				for _, name := range names {
					set(name, more[name])
				}
			}
		case p.is(i, "["):
			key, _ = p.expression(i+1, s, depth+1)
			j = p.next(i)
		case p.python:
			key, j = p.expression(i, s, depth+1)
		case t.kind == textToken:
			key, j = unescaped(p.text(i)), i+1
		case t.kind == wordToken || t.kind == numberToken:
			if key, j = p.text(i), i+1; p.is(j, ",") || j == end {
				v = p.named(p.text(i), s, depth+1)
			}
		}
		switch {
		case p.is(j, ":"):
			v, j = p.expression(j+1, s, depth+1)
		case p.is(j, "("): // a method
			v, j = p.made(j, p.next(j), s), end
			if f := v.(function); f.block {
				j = p.next(f.body)
			}
		}
		if name, ok := key.(string); ok && name != orderKey {
			set(name, v)
		}
		i = p.skipped(max(i, j))
	}
	m[orderKey] = order
	return m, end + 1
}

// template returns the text of a template, and the token after it.
func (p *Program) template(i int, s *scope, depth int) (any, int) {
	end := p.next(i) - 1
	if end <= i {
		return Unknown{}, len(p.tokens) - 1
	}
	var b strings.Builder
	known := true
	for i++; i < end; i = p.next(i) {
		if p.tokens[i].kind == textToken {
			b.WriteString(unescaped(p.text(i)))
			continue
		}
		v, _ := p.expression(i+1, s, depth+1)
		text, ok := v.(string)
		known = known && ok
		b.WriteString(text)
	}
	if *p.steps -= b.Len(); !known || *p.steps < 0 {
		return Unknown{}, end + 1
	}
	return b.String(), end + 1
}

// unescaped returns a text without its escapes.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if r, _, rest, err := strconv.UnquoteChar(text[i:], 0); err == nil {
				b.WriteRune(r)
				i = len(text) - len(rest) - 1
				continue
			}
			switch i++; text[i] {
			case '\n':
			case 'u', 'x': // code points in braces, and halves of pairs
				b.WriteByte('\\')
				b.WriteByte(text[i])
			default:
				b.WriteByte(text[i])
			}
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
