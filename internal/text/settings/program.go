package settings

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Program is a configuration in JavaScript, TypeScript or Python. It is read as far as it is data, and never run:
// literals, constants, templates, spreads, sums, choices whose condition is known, imports of files of the repository, and
// what a function of the program returns. Everything else is [Unknown].
type Program struct {
	src    string
	tokens []token
	python bool
	load   func(name string) any // the value of an imported module: a *Program, or Values; nil: it is not in the repository
	names  *scope
	export int            // token of the value that the program exports; 0: none
	steps  *int           // that may still be taken
	values map[int]any    // by token, of values that have a name
	given  map[string]int // how often a name gets another value
	// first keys at which the value of a name is changed; of what the program exports: of the name ""
	changed map[string][]string
	foreign map[reference]any // values of other modules
}

// A scope has the tokens at which the values of names begin (0: the value is not known), and names that are imported.
type scope struct {
	parent    *scope
	names     map[string]int
	imported  map[string]reference
	functions map[string]int // tokens of their parameters
}

// A reference is a name in another module. "": the module's own value; "*": all of its names.
type reference struct{ from, name string }

type (
	// Unknown is a value that is not known without running the program.
	Unknown struct{}
	// A Call is a value that a call makes of others.
	Call struct {
		Name      string // of the function: "defineConfig"
		Arguments []any
	}
	function struct {
		of         *Program
		names      *scope
		parameters int // token at which they begin
		body       int // token of its block, or of its value
		block      bool
	}
)

// orderKey is the key in an object under which its other keys stand in their order.
const orderKey = "\x00"

const (
	maxSteps = 1_000_000 // of a program and the programs that it imports: about one for each token that is read
	maxDepth = 200       // values in values
)

// NewProgram returns the program in a file. load returns what an imported module is: see [Program.Names] and [Values].
func NewProgram(file, src string, load func(name string) any) *Program {
	steps := maxSteps
	p := &Program{src: src, python: path.Ext(file) == ".py", load: load, steps: &steps, values: make(map[int]any), given: make(map[string]int),
		changed: make(map[string][]string), foreign: make(map[reference]any)}
	p.tokens = scan(src, p.python)
	p.changes()
	p.names = p.declared(0, len(p.tokens)-1, nil)
	return p
}

func (p *Program) text(i int) string { return p.src[p.tokens[i].start:p.tokens[i].end] }

func (p *Program) is(i int, text string) bool {
	return i < len(p.tokens) && p.tokens[i].kind <= wordToken && p.text(i) == text
}

// next returns the token after i, or after the bracket that begins at i.
func (p *Program) next(i int) int {
	if pair := int(p.tokens[i].pair); pair > i {
		return pair + 1
	}
	return i + 1
}

// changes notes the names that get another value, and those whose value is changed.
func (p *Program) changes() {
	within := false // a function of Python, whose names are its own
	for i := 0; i < len(p.tokens)-1; i++ {
		t := p.tokens[i]
		if p.python && t.line && !t.indented {
			within = p.is(i, "def") || p.is(i, "class") || p.is(i, "async")
		}
		if p.python && (within || p.is(i, "(")) { // arguments have names
			i = p.next(i) - 1
			continue
		}
		if t.kind != wordToken || i > 0 && p.is(i-1, ".") {
			continue
		}
		if p.assigns(i + 1) {
			declared := i > 0 && (p.is(i-1, "const") || p.is(i-1, "let") || p.is(i-1, "var"))
			if p.python {
				declared = t.line && !t.indented && p.is(i+1, "=")
			}
			if !declared {
				p.given[p.text(i)]++
			}
			continue
		}
		name, j := p.text(i), i+1
		if name == "module" && p.is(j, ".") && p.is(j+1, "exports") {
			name, j = "", j+2
		}
		first := j
		for p.is(j, ".") && p.tokens[j+1].kind == wordToken || p.is(j, "[") && !p.tokens[j].line {
			if p.is(j, ".") {
				j++
			}
			j = p.next(j)
		}
		if j > first && p.assigns(j) {
			key := ""
			if k := p.tokens[first+1].kind; p.is(first, ".") || k == textToken && p.is(first+2, "]") {
				key = strings.TrimPrefix(p.text(first+1), orderKey)
			}
			p.changed[name] = append(p.changed[name], key)
		}
	}
}

// assigns reports whether an operator at token i gives another value to what is before it.
func (p *Program) assigns(i int) bool {
	return p.is(i, "=") || p.is(i, "+=") || p.is(i, "??=") || (p.is(i, "||") || p.is(i, "&&")) && p.is(i+1, "=")
}

// asChanged returns the value of a name, in which what the program changes later is not known.
func (p *Program) asChanged(name string, v any) any {
	changed := p.changed[name]
	m, ok := v.(map[string]any)
	if len(changed) == 0 {
		return v
	}
	if !ok || slices.Contains(changed, "") {
		return Unknown{}
	}
	m = maps.Clone(m)
	order, _ := m[orderKey].([]string)
	order = slices.Clip(order)
	for _, key := range changed {
		if _, ok := m[key]; !ok {
			order = append(order, key)
		}
		m[key] = Unknown{}
	}
	m[orderKey] = order
	return m
}

// declared returns the names that statements from token i to end declare, but not those in blocks.
func (p *Program) declared(i, end int, parent *scope) *scope {
	s := &scope{parent, make(map[string]int), make(map[string]reference), make(map[string]int)}
	for ; i < end; i = p.next(i) {
		t := p.tokens[i]
		if t.kind != wordToken || i > 0 && (p.is(i-1, ".") || p.is(i-1, "as")) {
			continue
		}
		if p.python {
			if t.line && !t.indented {
				p.assigned(s, i)
			}
			continue
		}
		switch p.text(i) {
		case "const", "let", "var":
			if name, value := p.text(i+1), p.value(i+2); value > 0 && p.tokens[i+1].kind == wordToken {
				s.names[name] = value
			}
		case "function":
			if j := i + 1; p.tokens[j].kind == wordToken {
				s.functions[p.text(j)] = j + 1
			}
		case "import":
			p.importing(s, i+1)
		case "export":
			if p.is(i+1, "default") {
				p.export = i + 2
			}
		case "module":
			if p.is(i+1, ".") && p.is(i+2, "exports") && p.is(i+3, "=") {
				p.export = i + 4
			}
		}
	}
	return s
}

// maxType bounds the tokens of a type.
const maxType = 200

// value returns the token after "=" or ": Type =", or 0.
func (p *Program) value(i int) int {
	if p.is(i, ":") {
		for end := min(i+maxType, len(p.tokens)-1); i < end && !p.is(i, "=") && !p.is(i, ";"); i = p.next(i) {
		}
	}
	if p.is(i, "=") {
		return i + 1
	}
	return 0
}

// assigned notes the assignment to a name of Python at token i.
func (p *Program) assigned(s *scope, i int) {
	name := p.text(i)
	if value := p.value(i + 1); value > 0 {
		s.names[name] = value
		return
	}
	if p.is(i+1, "+=") || p.is(i+1, ".") && (p.is(i+2, "extend") || p.is(i+2, "append") || p.is(i+2, "update")) {
		p.given[name]++ // more is added: what was there stays, unless it is a text
	}
}

// importing notes the names that an import after token i brings.
func (p *Program) importing(s *scope, i int) {
	var names [][2]string // as imported, as exported
	for ; i < len(p.tokens)-1 && !p.is(i, "from"); i++ {
		switch {
		case p.is(i, "import"):
			return
		case p.is(i, "*") && p.is(i+1, "as"):
			names = append(names, [2]string{p.text(i + 2), "*"})
			i += 2
		case p.is(i, "{"):
			for end := p.next(i) - 1; i < end; i++ {
				if p.tokens[i].kind != wordToken {
					continue
				}
				name := p.text(i)
				if p.is(i+1, "as") {
					i += 2
				}
				names = append(names, [2]string{p.text(i), name})
			}
		case p.tokens[i].kind == wordToken:
			names = append(names, [2]string{p.text(i), ""})
		case !p.is(i, ","):
			return
		}
	}
	if i+1 < len(p.tokens) && p.tokens[i+1].kind == textToken {
		for _, n := range names {
			s.imported[n[0]] = reference{p.text(i + 1), n[1]}
		}
	}
}

// Exported returns the value that the program exports. A call such as defineConfig({…}) stands for the object in it, and a
// function for what it returns.
func (p *Program) Exported() Values {
	if p.export == 0 {
		return nil
	}
	v := p.exports(0)
	for range maxDepth {
		switch x := v.(type) {
		case map[string]any:
			return x
		case function:
			v = x.call(0)
		case Call:
			v = nil
			for _, argument := range x.Arguments {
				switch argument.(type) {
				case map[string]any, function, Call:
					v = argument
				}
			}
		default:
			return nil
		}
	}
	return nil
}

// exports returns the value that the program exports, as it is written.
func (p *Program) exports(depth int) any {
	return p.once(p.export, func() any {
		v, _ := p.expression(p.export, p.names, depth)
		return p.asChanged("", v)
	})
}

// Names returns the value of each name at the top level of the program.
func (p *Program) Names() Values {
	v := make(Values, len(p.names.names))
	order := slices.SortedFunc(maps.Keys(p.names.names), func(a, b string) int { return p.names.names[a] - p.names.names[b] })
	for _, name := range order {
		v[name] = p.named(name, p.names, 0)
	}
	v[orderKey] = order
	return v
}

// named returns the value of a name.
func (p *Program) named(name string, s *scope, depth int) any {
	for ; s != nil; s = s.parent {
		if at, ok := s.names[name]; ok && at == 0 {
			return Unknown{}
		} else if ok {
			return p.once(at, func() any {
				v, _ := p.expression(at, s, depth)
				if _, list := v.([]any); p.given[name] > 0 && !(p.python && list) {
					return Unknown{} // it gets another value somewhere
				}
				return p.asChanged(name, v)
			})
		}
		if at, ok := s.functions[name]; ok && p.is(at, "(") {
			return p.made(at, p.next(at), s)
		}
		if ref, ok := s.imported[name]; ok {
			return p.imported(ref, depth)
		}
	}
	return Unknown{}
}

// once returns the value at a token. A value that is made of itself is not known.
func (p *Program) once(at int, make func() any) any {
	if _, known := p.values[at]; !known {
		p.values[at] = Unknown{}
		p.values[at] = make()
	}
	return p.values[at]
}

// imported returns a value of another module.
func (p *Program) imported(ref reference, depth int) any {
	if _, known := p.foreign[ref]; !known {
		p.foreign[ref] = Unknown{}
		p.foreign[ref] = p.imports(ref, depth)
	}
	return p.foreign[ref]
}

func (p *Program) imports(ref reference, depth int) any {
	if p.load == nil || depth > maxDepth {
		return Unknown{}
	}
	switch m := p.load(ref.from).(type) {
	case Values:
		return map[string]any(m)
	case *Program:
		m.steps = p.steps
		switch ref.name {
		case "":
			if m.export > 0 {
				return m.exports(depth + 1)
			}
		case "*":
			return map[string]any(m.Names())
		default:
			return m.named(ref.name, m.names, depth+1)
		}
	}
	return Unknown{}
}

// call returns what a function returns, without knowing its arguments.
func (f function) call(depth int) any {
	p := f.of
	return p.once(-f.body, func() any {
		own := &scope{parent: f.names, names: make(map[string]int)}
		for i := f.parameters; i < f.body; i++ {
			if p.tokens[i].kind == wordToken {
				own.names[p.text(i)] = 0
			}
		}
		if !f.block {
			v, _ := p.expression(f.body, own, depth+1)
			return v
		}
		end := p.next(f.body) - 1
		s := p.declared(f.body+1, end, own)
		for i := f.body + 1; i < end; i = p.next(i) {
			if p.conditional(i) && p.returns(i) {
				return Unknown{}
			}
			if p.is(i, "return") {
				v, _ := p.expression(i+1, s, depth+1)
				return v
			}
		}
		return Unknown{}
	})
}

// conditional reports whether a condition decides about the statement at token i.
func (p *Program) conditional(i int) bool {
	i--
	for _, word := range []string{"else", "do", "try", "catch", "finally"} {
		if p.is(i, word) {
			return true
		}
	}
	if !p.is(i, ")") {
		return false
	}
	if i = int(p.tokens[i].pair) - 1; i > 0 && p.is(i, "await") {
		i--
	}
	for _, word := range []string{"if", "for", "while", "switch", "catch"} {
		if i > 0 && p.is(i, word) {
			return true
		}
	}
	return false
}

// returns reports whether the statement at token i returns a value, or one in its block does.
func (p *Program) returns(i int) bool {
	for end := p.next(i); i < end; i++ {
		if p.is(i, "return") {
			return true
		}
		if p.is(i, "{") && !p.conditional(i) { // of a function, or an object
			i = p.next(i) - 1
		}
	}
	return false
}

// made returns the function with the parameters at a token, whose body begins at token i.
func (p *Program) made(parameters, i int, s *scope) any {
	if p.is(i, ":") { // the type of its result
		for end := min(i+maxType, len(p.tokens)-1); i < end && !p.is(i, "{") && !p.is(i, "=>") && !p.is(i, ";"); i = p.next(i) {
		}
	}
	if p.is(i, "=>") {
		i++
	}
	return function{p, s, parameters, i, p.is(i, "{")}
}

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

// Keys returns the keys of an object in the order of its file, or of their names if the file has no order.
func (v Values) Keys() []string {
	if order, ok := v[orderKey].([]string); ok {
		return order
	}
	return slices.Sorted(maps.Keys(v))
}

// Unknown reports whether the value at a path of keys is there, but not known.
func (v Values) Unknown(keys ...string) bool {
	for i := range keys {
		switch v.Get(keys[:i+1]...).(type) {
		case Unknown, unset, Call:
			return true
		}
	}
	return false
}

// Calls returns the first argument of each call of a function in a value, if it is an object.
func Calls(v any, name string) (objects []Values) {
	left := 10_000
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		if left--; left < 0 || depth > maxDepth {
			return
		}
		switch x := v.(type) {
		case []any:
			for _, e := range x {
				walk(e, depth+1)
			}
		case map[string]any:
			for _, key := range Values(x).Keys() {
				walk(x[key], depth+1)
			}
		case Call:
			if x.Name == name && len(x.Arguments) > 0 {
				if m, ok := x.Arguments[0].(map[string]any); ok {
					objects = append(objects, m)
				}
			}
		}
	}
	walk(v, 0)
	return objects
}
