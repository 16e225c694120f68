package settings

import (
	"maps"
	"path"
	"slices"
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

// A Text is a text in a navigation.
type Text struct {
	Key, Text string
	Label     string   // of the object that has the text
	Groups    []string // labels of the objects whose lists hold the text, and keys of lists that begin with a capital
}

const (
	maxTexts  = 10_000 // of a navigation
	maxGroups = 20     // that hold a text
)

// Texts returns the texts in a value, in order, but not those of labels.
func Texts(v any) (texts []Text) {
	left := 10 * maxTexts // values, since one may be in many lists
	var walk func(v any, at Text, depth int)
	walk = func(v any, at Text, depth int) {
		if left--; left < 0 || depth > maxDepth || len(texts) >= maxTexts {
			return
		}
		inside := func(label string) {
			if label != "" && len(at.Groups) < maxGroups {
				at.Groups = append(slices.Clip(at.Groups), label)
			}
		}
		switch x := v.(type) {
		case string:
			at.Text = x
			texts = append(texts, at)
		case []any:
			if label := at.Label; label == "" && at.Key != "" && at.Key[0] >= 'A' && at.Key[0] <= 'Z' {
				inside(at.Key)
			} else {
				inside(label)
			}
			for _, e := range x {
				walk(e, Text{Groups: at.Groups}, depth+1)
			}
		case Call: // a helper that makes a group
			for _, e := range x.Arguments {
				walk(e, at, depth+1)
			}
		case map[string]any:
			if at.Key == "autogenerate" {
				inside(at.Label)
			}
			label := ""
			for _, key := range labelKeys {
				if text, ok := x[key].(string); ok && label == "" {
					label = text
				}
			}
			for _, key := range Values(x).Keys() {
				if !slices.Contains(labelKeys, key) {
					walk(x[key], Text{Key: key, Label: label, Groups: at.Groups}, depth+1)
				}
			}
		}
	}
	walk(v, Text{}, 0)
	return texts
}

// labelKeys are the keys of what an object in a navigation is called.
var labelKeys = []string{"label", "text", "title"}
