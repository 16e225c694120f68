package settings

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A Program is a configuration in JavaScript, TypeScript or Python. It is read as far as it is data, and never run:
// literals, names that have one value in the whole file, templates of such names, spreads, sums, imports of files of the
// repository, and what a function returns in all cases. Everything else is [Unknown].
type Program struct {
	tokens []token
	python bool
	load   func(name string) any // the value of an imported module: a *Program, or Values; nil: it is not in the repository
	names  map[string]*name
	order  []string    // names
	export int         // token of the value that the program exports; 0: none
	steps  *int        // that may still be taken
	values map[any]any // of names, and of functions by their tokens
	loaded map[string]any
}

// A name is a constant, a function or an import of a program. The name "" is what the program exports.
type name struct {
	at       int // token of its value, or of the parameters of the function; 0: it is not known
	function bool
	from, of string   // the module that it is imported from, and its name there; "": the module's own value; "*": all of its names
	again    bool     // it has several values
	grows    bool     // more is added, which may be left out if it is a list
	changed  []string // first keys at which its value is changed; "": any
}

type (
	// Unknown is a value that is not known without running the program.
	Unknown struct{}
	// unset is the value of a variable of the environment.
	unset struct{}
	// A Call is a value that a call makes of others. Without a name, it is a function, and what that returns.
	Call struct {
		Name      string // of the function: "defineConfig"
		Arguments []any
	}
)

// orderKey is the key in an object under which its other keys stand in their order.
const orderKey = "\x00"

const (
	maxSteps = 1_000_000 // of a program and the programs that it imports: about one for each token that is read
	maxDepth = 200       // values in values
	maxTyped = 200       // tokens of a type, or of parameters
)

// NewProgram returns the program in a file. load returns what an imported module is: see [Program.Names] and [Values].
func NewProgram(file, src string, load func(name string) any) *Program {
	steps := maxSteps
	p := &Program{python: path.Ext(file) == ".py", load: load, steps: &steps, names: make(map[string]*name), values: make(map[any]any), loaded: make(map[string]any)}
	p.tokens = scan(src, p.python)
	p.names[""] = &name{}
	if p.python {
		p.declarePython()
	} else {
		p.declare()
	}
	p.names[""].at = p.export
	return p
}

func (p *Program) is(i int, texts ...string) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].kind <= wordToken && slices.Contains(texts, p.tokens[i].text)
}

func (p *Program) isWord(i int) bool { return i < len(p.tokens) && p.tokens[i].kind == wordToken }

// next returns the token after i, or after the bracket that begins at i.
func (p *Program) next(i int) int { return max(i, p.tokens[i].pair) + 1 }

// bind notes that a name has the value at a token. A second value makes both unknown.
func (p *Program) bind(text string, n name) {
	if had := p.names[text]; had != nil {
		had.again = true
		return
	}
	p.names[text] = &n
	p.order = append(p.order, text)
}

// bindWords notes the names between a bracket and its end, whose values are not known.
func (p *Program) bindWords(i int) {
	for end := min(p.tokens[i].pair, i+maxTyped); i < end; i++ {
		if p.isWord(i) && !p.is(i-1, ".") {
			p.bind(p.tokens[i].text, name{again: true})
		}
	}
}

// declare notes the names of a program in JavaScript or TypeScript. A name counts in the whole file, whatever its block is.
func (p *Program) declare() {
	for i := 0; i < len(p.tokens)-1; i++ {
		if p.is(i, "(") && p.tokens[i].pair > 0 && p.is(p.next(i), "=>", "{", ":") && !p.is(i-1, "if", "for", "while", "switch", "?") {
			p.bindWords(i) // parameters
		}
		if !p.isWord(i) || p.is(i-1, ".", "as") {
			continue
		}
		switch text := p.tokens[i].text; text {
		case "const", "let", "var":
			if p.is(i+1, "{", "[") {
				p.bindWords(i + 1)
			} else if p.isWord(i + 1) {
				p.bind(p.tokens[i+1].text, name{at: p.assigned(i + 2)})
				i++
			}
		case "function":
			if i += 1; p.is(i, "*") {
				i++
			}
			if p.isWord(i) && p.is(i+1, "(") {
				p.bind(p.tokens[i].text, name{at: i + 1, function: true})
			}
		case "import":
			i = max(i, p.imports(i+1))
		case "export":
			if p.is(i+1, "default") {
				p.export = i + 2
			}
		case "module":
			if p.is(i+1, ".") && p.is(i+2, "exports") && p.is(i+3, "=") {
				p.export = i + 4
			} else if p.is(i+1, ".") && p.is(i+2, "exports") {
				p.change(p.names[""], i+3)
			}
		default:
			if p.is(i+1, "=>") || p.assigns(i+1) {
				p.bind(text, name{again: true})
				p.names[text].again = true
			} else if n := p.names[text]; n != nil {
				p.change(n, i+1)
			}
		}
	}
}

// declarePython notes the names at the top of a program in Python.
func (p *Program) declarePython() {
	for i := 0; i < len(p.tokens)-1; i = p.next(i) {
		t := p.tokens[i]
		switch {
		case !t.line || t.kind != wordToken:
		case !t.indented && p.is(i, "def", "class", "async"): // its names are its own
			for i++; i < len(p.tokens)-1 && !(p.tokens[i].line && !p.tokens[i].indented); i = p.next(i) {
			}
			i--
		case p.assigned(i+1) > 0 && t.indented:
			p.bind(t.text, name{again: true})
			p.names[t.text].again = true
		case p.assigned(i+1) > 0:
			p.bind(t.text, name{at: p.assigned(i + 1)})
		case p.names[t.text] == nil:
		case p.is(i+1, "+=") || p.is(i+1, ".") && p.is(i+2, "extend", "append", "update"):
			p.names[t.text].grows = true
		default:
			p.change(p.names[t.text], i+1)
		}
	}
}

// assigned returns the token after "=" or ": Type =", or 0.
func (p *Program) assigned(i int) int {
	if p.is(i, ":") {
		for end := min(i+maxTyped, len(p.tokens)-1); i < end && !p.is(i, "=", ";"); i = p.next(i) {
		}
	}
	if p.is(i, "=") {
		return i + 1
	}
	return 0
}

// assigns reports whether an operator at token i gives another value to what is before it.
func (p *Program) assigns(i int) bool {
	return p.is(i, "=", "+=") || p.is(i, "||", "&&", "??") && p.is(i+1, "=")
}

// change notes that the members of a value at token i get another value there.
func (p *Program) change(n *name, i int) {
	first := i
	for p.is(i, ".") && p.isWord(i+1) || p.is(i, "[") && !p.tokens[i].line {
		if p.is(i, ".") {
			i++
		}
		i = p.next(i)
	}
	if i > first && p.assigns(i) {
		key := ""
		if p.is(first, ".") {
			key = p.tokens[first+1].text
		} else if t := p.tokens[first+1]; t.kind == textToken && p.is(first+2, "]") {
			key, _ = unquoted(t.text)
		}
		n.changed = append(n.changed, key)
	}
}

// imports notes the names that an import after token i brings, and returns its last token.
func (p *Program) imports(i int) int {
	var found [][2]string // as imported, as exported
	for first := i; i < len(p.tokens)-1 && !p.is(i, "from", "import"); i++ {
		switch t := p.tokens[i]; {
		case p.is(i, "*") && p.is(i+1, "as"):
			found = append(found, [2]string{p.tokens[i+2].text, "*"})
			i += 2
		case p.isWord(i) && p.is(i+1, "as"):
			found = append(found, [2]string{p.tokens[i+2].text, t.text})
			i += 2
		case p.isWord(i) && i > first && !p.is(i-1, "type") && p.is(i-1, "{", ","):
			found = append(found, [2]string{t.text, t.text})
		case p.isWord(i):
			found = append(found, [2]string{t.text, ""})
		case !p.is(i, ",", "{", "}"):
			return i - 1
		}
	}
	if p.is(i, "import") {
		return i - 1
	}
	if p.tokens[min(i+1, len(p.tokens)-1)].kind == textToken {
		module, _ := unquoted(p.tokens[i+1].text)
		for _, n := range found {
			p.bind(n[0], name{from: module, of: n[1]})
		}
	}
	return i
}

// Exported returns the value that the program exports. A call such as defineConfig({…}) stands for the object in it, and a
// function for what it returns.
func (p *Program) Exported() Values {
	v := p.named("", 0)
	for range maxDepth {
		call, ok := v.(Call)
		if !ok {
			break
		}
		v = nil
		for _, argument := range call.Arguments {
			switch argument.(type) {
			case map[string]any, Call:
				v = argument
			}
		}
	}
	m, _ := v.(map[string]any)
	return m
}

// Names returns the value of each name of the program.
func (p *Program) Names() Values {
	v := make(Values, len(p.order))
	for _, name := range p.order {
		v[name] = p.named(name, 0)
	}
	v[orderKey] = p.order
	return v
}

// named returns the value of a name. A value that is made of itself is not known. In an object, what the program changes
// later is not known.
func (p *Program) named(text string, depth int) any {
	n := p.names[text]
	if n == nil || n.again {
		return Unknown{}
	}
	return p.once(text, func() (v any) {
		switch {
		case n.function:
			return p.function(n.at, depth)
		case n.from != "":
			return p.imported(n.from, n.of, depth)
		}
		v = Unknown{}
		if n.at > 0 {
			v, _ = p.value(n.at, depth)
		}
		m, object := v.(map[string]any)
		if _, list := v.([]any); n.grows && !list || n.changed != nil && (!object || slices.Contains(n.changed, "")) {
			return Unknown{}
		} else if n.changed == nil {
			return v
		}
		order := slices.Clip(Values(m).Keys())
		m = maps.Clone(m)
		for _, key := range n.changed {
			if _, known := m[key]; !known {
				order = append(order, key)
			}
			m[key] = Unknown{}
		}
		m[orderKey] = order
		return m
	})
}

// once returns the value of a name, or of the function at a token.
func (p *Program) once(at any, make func() any) any {
	if _, known := p.values[at]; !known {
		p.values[at] = Unknown{}
		p.values[at] = make()
	}
	return p.values[at]
}

// imported returns a value of another module.
func (p *Program) imported(from, of string, depth int) any {
	if _, known := p.loaded[from]; !known && p.load != nil {
		p.loaded[from] = p.load(from)
	}
	switch m := p.loaded[from].(type) {
	case Values:
		return map[string]any(m)
	case *Program:
		m.steps = p.steps
		if of == "*" {
			return map[string]any(m.Names())
		}
		return m.named(of, depth+1)
	}
	return Unknown{}
}

// function returns the function with the parameters at token i: what it returns, if that does not depend on a condition.
func (p *Program) function(i, depth int) any {
	return p.once(i, func() any { return Call{"", []any{p.returned(i, depth)}} })
}

func (p *Program) returned(i, depth int) any {
	for end := min(i+maxTyped, len(p.tokens)-1); i < end && !p.is(i, "{", "=>"); i = p.next(i) { // parameters, types
	}
	if p.is(i, "=>") {
		i++
	}
	if !p.is(i, "{") {
		v, _ := p.value(i, depth+1)
		return v
	}
	end := p.tokens[i].pair
	for i++; i < end; i++ {
		switch {
		case p.is(i, "=>") && p.is(i+1, "{"), p.is(i, "function"): // its values are its own
			for ; i < end && !p.is(i, "{"); i = p.next(i) {
			}
			i = max(i, p.tokens[i].pair)
		case p.is(i, "if", "else", "for", "while", "switch", "try", "catch"):
			for i++; i < end && !p.is(i, "{", "return", ";"); i = p.next(i) {
			}
			for after := p.next(i); i < after; i++ {
				if p.is(i, "return") {
					return Unknown{}
				}
			}
			i--
		case p.is(i, "return"):
			v, _ := p.value(i+1, depth+1)
			return v
		}
	}
	return Unknown{}
}

// operators are the operators between two values, by how strongly they bind.
var operators = map[string]int{"||": 1, "??": 1, "or": 1, "&&": 2, "==": 3, "===": 3, "!=": 3, "!==": 3, "+": 4}

// value returns the value that begins at token i, and the token after it.
func (p *Program) value(i, depth int) (any, int) {
	v, i := p.operation(i, depth, 0)
	switch {
	case p.is(i, "?"):
		yes, i := p.value(i+1, depth+1)
		if !p.is(i, ":") {
			return Unknown{}, p.skipped(i)
		}
		no, i := p.value(i+1, depth+1)
		return map[string]any{"yes": yes, "no": no, "": Unknown{}}[truth(v)], i
	case p.ends(i) || p.python && p.is(i, "for"):
		return v, i
	}
	return Unknown{}, p.skipped(i)
}

func (p *Program) operation(i, depth, above int) (any, int) {
	v, i := p.operand(i, depth)
	for !p.ends(i) {
		if p.is(i, "as", "satisfies") && !p.python {
			for i++; !p.ends(i); i = p.next(i) {
			}
			continue
		}
		operator := p.tokens[i].text
		strength := operators[operator]
		if strength <= above {
			break
		}
		var right any
		right, i = p.operation(i+1, depth+1, strength)
		switch known := truth(v); {
		case operator == "+":
			v = p.sum(v, right)
		case v == any(unset{}) && operator[:2] == "==" && truth(right) == "yes": // a build may set it
			v = Unknown{}
		case strength == 3 && known != "" && truth(right) != "":
			v = scalar(v) == scalar(right) == (operator[0] == '=')
		case strength == 3, known == "":
			v = Unknown{}
		case (known == "yes") == (operator == "&&"):
			v = right
		}
	}
	return v, i
}

// truth returns "yes" or "no" for a value that counts as true or false, and "" if it is not known.
func truth(v any) string {
	switch s := scalar(v); {
	case s == "" || s == "false":
		return "no"
	case s == unknown || isNumber(s) && strings.Trim(s, "0.") == "": // 0 and "0" differ
		return ""
	}
	return "yes"
}

const unknown = "\x00"

// scalar returns a value as a text that it can be compared by: a variable of the environment is not set.
func scalar(v any) string {
	switch v.(type) {
	case Unknown, Call, map[string]any, []any:
		return unknown
	}
	return Scalar(v)
}

// ends reports whether a value has ended before token i.
func (p *Program) ends(i int) bool {
	t := p.tokens[i]
	return i >= len(p.tokens)-1 || t.kind == markToken && strings.Contains(",;:)]}", t.text) || t.line && (t.kind != markToken && !p.is(i, "as", "satisfies", "for", "if") || p.python && !t.indented || strings.Contains("{[(", t.text))
}

func (p *Program) sum(a, b any) any {
	x, known := a.(string)
	y, also := b.(string)
	if *p.steps -= len(x) + len(y); known && also && !(isNumber(x) && isNumber(y)) && *p.steps > 0 {
		return x + y
	}
	list, lists := a.([]any)
	more, moreLists := b.([]any)
	if *p.steps -= len(list) + len(more); lists && moreLists && *p.steps > 0 {
		return slices.Concat(list, more)
	}
	return Unknown{}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789.") == "" }

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
		if i++; isNumber(t.text) {
			v = t.text
		}
	case p.is(i, "true", "True"), p.is(i, "false", "False"):
		v, i = strings.EqualFold(t.text, "true"), i+1
	case p.is(i, "null", "undefined", "None"):
		v, i = nil, i+1
	case p.is(i, "await", "async"):
		return p.operand(i+1, depth+1)
	case p.is(i, "function"):
		if i++; p.is(i, "*") {
			i++
		}
		if p.isWord(i) {
			i++
		}
		if !p.is(i, "(") {
			return v, i
		}
		v = p.function(i, depth)
		for i = p.next(i); i < len(p.tokens)-1 && !p.is(i, "{"); i = p.next(i) {
		}
		i = p.next(min(i, len(p.tokens)-2))
	case (p.isWord(i) || p.is(i, "(")) && p.is(p.next(i), "=>"):
		return p.function(i, depth), p.skipped(p.next(i))
	case p.is(i, "process", "import") && p.is(i+1, ".") && p.is(i+2, "env", "meta"):
		for i++; p.is(i, ".", "[", "?."); i = p.next(i) {
			if !p.is(i, "[") {
				i++
			}
		}
		if v = (unset{}); p.is(i-1, "NODE_ENV", "MODE", "PROD") { // what they are when a site is built
			v = "production"
		}
	case p.is(i, "require") && p.is(i+1, "(") && p.tokens[i+2].kind == textToken:
		module, _ := unquoted(p.tokens[i+2].text)
		v, i = p.imported(module, "", depth), p.next(i+1)
	case p.isWord(i) && !p.is(i, "new", "typeof", "void", "not", "lambda"):
		v, i = p.named(t.text, depth+1), i+1
		call := i
		for n := 0; p.is(call, "<") && n < 20 && !p.is(i+n, ">"); n++ { // a call with types
			if p.is(i+n+1, ">") && p.is(i+n+2, "(") {
				call = i + n + 2
			}
		}
		if p.is(call, "(") && !p.tokens[call].line {
			if f, ok := v.(Call); ok && f.Name == "" {
				v = f.Arguments[0]
			} else {
				arguments, _ := p.list(call, depth)
				list, _ := arguments.([]any)
				v = Call{t.text, list}
			}
			i = p.next(call)
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
	return p.members(v, i, depth)
}

// members returns a value with the members and calls that are written behind it.
func (p *Program) members(v any, i, depth int) (any, int) {
	for i < len(p.tokens)-1 {
		key := any("")
		switch {
		case p.is(i, ".", "?.") && p.isWord(i+1):
			key, i = p.tokens[i+1].text, i+2
		case p.is(i, "[") && !p.tokens[i].line:
			key, _ = p.value(i+1, depth+1)
			i = p.next(i)
		case p.is(i, "(") && !p.tokens[i].line:
			i = p.next(i)
		case p.is(i, "!") && !p.python:
			i++
			continue
		default:
			return v, i
		}
		m, _ := v.(map[string]any)
		name, _ := key.(string)
		var known bool
		if v, known = m[name]; !known || name == orderKey {
			v = Unknown{}
		}
	}
	return v, i
}

// values of names in a template.
var filled = lazyregexp.New(`\$\{\s*([\pL_$][\pL\pN_$]*)((?:\.[\pL\pN_$]+)*)\s*\}|\$\{`)

// quoted returns the text at token i, and the token after it. Python joins texts that follow each other.
func (p *Program) quoted(i, depth int) (any, int) {
	joined, known := "", true
	for ; p.tokens[i].kind == textToken; i++ {
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
		if joined += text; !p.python {
			i++
			break
		}
	}
	if *p.steps -= len(joined); !known || *p.steps < 0 {
		return Unknown{}, i
	}
	return joined, i
}

// skipped returns the token at which an expression that is not read ends.
func (p *Program) skipped(i int) int {
	for ; i < len(p.tokens)-1; i = p.next(i) {
		if t := p.tokens[i]; t.kind == markToken && (p.is(i, ",", ";") || t.pair > 0 && t.pair < i) {
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
func (p *Program) object(i, depth int) (any, int) {
	end := p.tokens[i].pair
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
		for p.is(j, "async", "get", "*") && p.isWord(j+1) {
			j++
		}
		switch t := p.tokens[j]; {
		case p.is(j, "...", "**"):
			v, j = p.value(j+1, depth+1)
			if more, ok := v.(map[string]any); ok {
				names := Values(more).Keys()
				*p.steps -= len(names)
				for _, name := range names {
					set(name, more[name])
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
		} else if p.is(j, "(") { // a method
			for ; j < end && !p.is(j, "{"); j = p.next(j) {
			}
			j = p.next(j)
		}
		if name, ok := key.(string); ok && name != orderKey {
			set(name, v)
		}
		i = p.skipped(max(i, min(j, end)))
	}
	m[orderKey] = order
	return m, end + 1
}
