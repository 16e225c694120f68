package settings

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// A Program is a configuration in JavaScript, TypeScript or Python. It is read as far as it is data, and never run:
// literals, names that have one value in the whole file, templates of such names, spreads, imports of files of the
// repository, and functions that always return the same. Everything else is [Unknown].
type Program struct {
	tokens []token
	python bool
	load   func(name string) any // the value of an imported module: a *Program, or Values; nil: it is not in the repository
	loaded map[string]any
	names  map[string]*name
	order  []string // names
	steps  *int     // that may still be taken
}

// A name is a constant, a function or an import of a program. The name "" is what the program exports.
type name struct {
	at       int      // token of its value; 0: it is not known
	from, of string   // the module that it is imported from, and its name there, "" for the module's own value
	again    bool     // it has several values
	exported bool     // it is the program's own, whatever parameters have its name
	changed  []string // first keys at which its value is changed; "": any
	added    []int    // tokens of what is added to its value in Python; the last token: it is not known
	known    bool     // value is its value
	value    any
}

type (
	// Unknown is a value that is not known without running the program.
	Unknown struct{}
	// unset is the value of a variable of the environment, and of a condition on one: in "a || b", b counts.
	unset struct{}
	// more stands for the items of a list that are not known.
	more struct{}
	// A Call is a value that a call makes of others.
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
	p := &Program{python: path.Ext(file) == ".py", load: load, loaded: make(map[string]any), names: map[string]*name{"": {}}, steps: &steps}
	p.tokens = scan(src, p.python)
	if p.python {
		p.declarePython()
	} else {
		p.declare()
	}
	return p
}

func (p *Program) is(i int, texts ...string) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].kind <= wordToken && slices.Contains(texts, p.tokens[i].text)
}

func (p *Program) isWord(i int) bool { return i < len(p.tokens) && p.tokens[i].kind == wordToken }

// next returns the token after i, or after the bracket that begins at i.
func (p *Program) next(i int) int { return max(i, p.tokens[i].pair) + 1 }

// end returns the token after the statement that begins at token i.
func (p *Program) end(i int) int {
	for i = p.next(i); i < len(p.tokens)-1 && !p.is(i, ",", ";", ")", "]", "}"); i = p.next(i) {
		t, before := p.tokens[i], p.tokens[i-1]
		continues := t.kind == markToken && !strings.Contains("([{", t.text) && (t.indented || !p.python) || p.is(i, "as", "satisfies")
		if t.line && !continues && (before.kind != markToken || before.pair > 0) { // else it follows an operator
			break
		}
	}
	return i
}

// bind notes that a name has a value. A second value makes both unknown.
func (p *Program) bind(text string, n name) {
	had := p.names[text]
	if had == nil {
		p.order = append(p.order, text)
	} else if !n.exported {
		had.again = !had.exported
		return
	}
	p.names[text] = &n
}

// forget notes that the value of a name is not known.
func (p *Program) forget(text string) {
	p.bind(text, name{again: true})
}

// forgetAll notes that the values of the names between a bracket and its end are not known.
func (p *Program) forgetAll(i int) {
	for end := min(p.tokens[i].pair, i+maxTyped); i < end; i++ {
		if p.isWord(i) && !p.is(i-1, ".") {
			p.forget(p.tokens[i].text)
		}
	}
}

// declare notes the names of a program in JavaScript or TypeScript. A name counts in the whole file, whatever its block is.
func (p *Program) declare() {
	for i := 0; i < len(p.tokens)-1; i++ {
		if p.is(i, "(") && p.is(p.next(i), "=>", "{", ":") && !p.is(i-1, "if", "for", "while", "switch", "?") {
			p.forgetAll(i) // parameters
		}
		if !p.isWord(i) || p.is(i-1, ".", "as") {
			continue
		}
		switch text := p.tokens[i].text; {
		case p.is(i, "const", "let", "var") && p.is(i+1, "{", "["):
			p.forgetAll(i + 1)
		case p.is(i, "const", "let", "var") && p.isWord(i+1):
			p.bind(p.tokens[i+1].text, name{at: p.assigned(i + 2), exported: p.is(i-1, "export") && text == "const"})
			i++
		case text == "function":
			if p.isWord(i + 1) {
				p.bind(p.tokens[i+1].text, name{at: i})
			}
		case text == "import":
			i = max(i, p.imports(i+1))
		case text == "export" && p.is(i+1, "default"):
			p.names[""].at = i + 2
		case text == "module" && p.is(i+1, ".") && p.is(i+2, "exports"):
			if p.names[""].at = max(p.names[""].at, p.assigned(i+3)); !p.is(i+3, "=") {
				p.change("", i+3)
			}
		case p.is(i+1, "=>"), p.assigns(i + 1):
			p.forget(text)
		default:
			p.change(text, i+1)
		}
	}
}

// declarePython notes the names at the top of a program in Python.
func (p *Program) declarePython() {
	for i := 0; i < len(p.tokens)-1; i = p.next(i) {
		t := p.tokens[i]
		switch {
		case !t.line || t.kind != wordToken || p.is(i-1, "."):
		case !t.indented && p.is(i, "def", "class", "async"): // its names are its own
			for i++; i < len(p.tokens)-1 && !(p.tokens[i].line && !p.tokens[i].indented); i = p.next(i) {
			}
			i--
		case p.assigned(i+1) > 0 && !t.indented:
			p.bind(t.text, name{at: p.assigned(i + 1)})
		case p.names[t.text] != nil && (p.is(i+1, "+=") || p.is(i+1, ".") && p.is(i+2, "append", "extend") && p.is(i+3, "(")):
			at := i + 2
			if t.indented || p.is(i+1, ".") {
				at = len(p.tokens) - 1
			}
			p.names[t.text].added = append(p.names[t.text].added, at)
		case p.assigned(i+1) > 0, p.is(i+1, "+="), p.is(i+1, ".") && p.is(i+3, "("): // a method may change it
			p.forget(t.text)
		default:
			p.change(t.text, i+1)
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

// change notes that a member of a name gets another value, if the tokens from i on say so.
func (p *Program) change(text string, i int) {
	first, key := i, ""
	for p.is(i, ".") && p.isWord(i+1) || p.is(i, "[") && !p.tokens[i].line {
		if p.is(i, ".") {
			i++
		}
		i = p.next(i)
	}
	if n := p.names[text]; n != nil && i > first && p.assigns(i) {
		if p.is(first, ".") {
			key = p.tokens[first+1].text
		}
		n.changed = append(n.changed, key)
	}
}

// imports notes the names that an import after token i brings, and returns its last token.
func (p *Program) imports(i int) int {
	var found [][2]string // as imported, as exported
	for first := i; i < len(p.tokens)-1 && !p.is(i, "from", "import"); i++ {
		switch t := p.tokens[i]; {
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

// Exported returns the value that the program exports. A call such as defineConfig({…}) stands for the last object in it.
func (p *Program) Exported() Values { return objectOf(p.named("", 0)) }

func objectOf(v any) Values {
	m, _ := v.(map[string]any)
	call, _ := v.(Call)
	for _, argument := range slices.Backward(call.Arguments) {
		switch argument.(type) {
		case map[string]any, Call:
			return objectOf(argument)
		}
	}
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
	if !n.known {
		n.known, n.value = true, Unknown{}
		n.value = p.read(n, depth)
	}
	return n.value
}

func (p *Program) read(n *name, depth int) (v any) {
	v = Unknown{}
	switch {
	case n.from != "":
		return p.imported(n.from, n.of, depth)
	case n.at > 0:
		v = p.value(n.at, p.end(n.at), depth)
	}
	for _, at := range n.added {
		v = p.sum(v, p.value(at, p.end(at), depth))
	}
	if n.changed == nil {
		return v
	}
	m, object := v.(map[string]any)
	if !object || slices.Contains(n.changed, "") {
		return Unknown{}
	}
	m = maps.Clone(m)
	m[orderKey] = slices.Clip(Values(m).Keys())
	for _, key := range n.changed {
		put(m, key, Unknown{})
	}
	return m
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
		return m.named(of, depth+1)
	}
	return Unknown{}
}
