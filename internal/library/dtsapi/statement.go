package dtsapi

import (
	"slices"
	"strings"
	"unicode"
)

// parse reads the statements of a part of a file.
func parse(f *file, parent *module, part span) *module {
	m := &module{file: f, parent: parent, decls: make(map[string][]*decl), imports: make(map[string]reference), ambient: make(map[string]*module), script: true}
	if parent != nil {
		m.depth = parent.depth + 1
	}
	p := &parser{scanner: newScanner(f.src, part), module: m}
	for p.tok.kind != 0 {
		before := p.tok.start
		p.statement()
		if p.tok.kind != 0 && p.tok.start == before {
			p.next()
		}
	}
	if parent != nil && !p.exporting {
		m.all = true
	}
	return m
}

type parser struct {
	*scanner
	module    *module
	exporting bool // the part has a list of exports, so other declarations are not exported
}

// statement reads one statement, and moves on by a token at least if there is one.
func (p *parser) statement() {
	doc := p.tok.doc
	exported, isDefault := false, false
	if p.is("export") || p.is("import") {
		p.module.script = false
	}
	if p.accept("export") {
		exported = true
		switch {
		case p.is("=") || p.is("default"):
			isDefault = p.is("default")
			p.next()
			if !isDefault || !p.declares() {
				p.assigned(doc, isDefault)
				return
			}
		case p.accept("as"): // export as namespace X
			p.skip(false)
			return
		case p.is("*") || p.is("{"):
			p.list()
			return
		case p.is("type"):
			if _, next := p.peek(); next == "{" || next == "*" {
				p.next()
				p.list()
				return
			}
		}
	}
	if p.is("import") {
		p.imported(exported)
		return
	}
	name, ok := p.declaration(doc, isDefault)
	if !ok {
		p.skip(false)
		return
	}
	if isDefault {
		p.export("default", reference{"", name})
	} else if exported {
		for _, name := range strings.Split(name, " ") {
			p.export(name, reference{"", name})
		}
	}
}

func (p *parser) export(name string, to reference) {
	if name != "" && to.name != "" && len(p.module.exports) < maxExports {
		p.module.exports = append(p.module.exports, export{name, to})
	}
}

var declaring = []string{"declare", "abstract", "async", "class", "interface", "function", "enum", "const", "let", "var", "type", "namespace", "module", "global"}

// declares reports whether a declaration begins.
func (p *parser) declares() bool { return p.tok.kind == 'w' && slices.Contains(declaring, p.text()) }

// assigned reads what follows "export =" and "export default".
func (p *parser) assigned(doc span, isDefault bool) {
	part := p.skip(false)
	name := strings.TrimSpace(p.src[part.start:part.end])
	if validName(strings.ReplaceAll(name, ".", "")) {
		if isDefault {
			p.export("default", reference{"", name})
		} else {
			p.module.equals = name
		}
		return
	}
	p.add(&decl{kind: "default", name: "default", doc: doc, head: part, source: part})
	p.export("default", reference{"", "default"})
}

// from reads "from" and the name of a module.
func (p *parser) from() (name string) {
	if p.accept("from") {
		name = p.quoted()
		p.skip(false)
	}
	return name
}

// list reads * and {…} after "export".
func (p *parser) list() {
	p.exporting = true
	if p.accept("*") {
		name := ""
		if p.accept("as") {
			name = p.name()
			p.next()
		}
		if from := p.from(); from != "" && len(p.module.stars) < maxModules {
			p.module.stars = append(p.module.stars, export{name, reference{from, "*"}})
		}
		return
	}
	names := p.names()
	from := p.from()
	for _, e := range names {
		p.export(e.name, reference{from, e.reference.name})
	}
}

// name returns the name that is the current token, or "".
func (p *parser) name() string {
	if name := p.text(); p.tok.kind == 'w' && validName(name) {
		return name
	}
	return ""
}

// names reads {a, type b, c as d}.
func (p *parser) names() (list []export) {
	p.next()
	for p.tok.kind != 0 && !p.accept("}") {
		if _, next := p.peek(); p.is("type") && next != "," && next != "}" && next != "as" {
			p.next()
		}
		e := export{name: p.name()}
		e.reference.name = e.name
		p.next()
		if p.accept("as") {
			e.name = p.name()
			p.next()
		}
		list = append(list, e)
		for p.tok.kind != 0 && !p.is("}") && !p.accept(",") {
			p.next()
		}
	}
	return list
}

// imported reads an import.
func (p *parser) imported(exported bool) {
	p.next()
	if _, next := p.peek(); p.is("type") && next != "from" && next != "," && next != "=" {
		p.next()
	}
	var list []export
	for p.tok.kind != 0 && !p.is("from") && !p.is("=") {
		switch {
		case p.tok.kind == 's': // import "x"
			p.skip(false)
			return
		case p.is("{"):
			list = append(list, p.names()...)
		case p.accept("*"):
			p.accept("as")
			list = append(list, export{p.name(), reference{"", "*"}})
			p.next()
		case p.name() != "":
			list = append(list, export{p.name(), reference{"", "default"}})
			p.next()
		case p.is(","):
			p.next()
		default:
			p.skip(false)
			return
		}
	}
	from := ""
	if !p.accept("=") {
		from = p.from()
	} else if p.accept("require") {
		p.next()
		from = p.quoted()
		p.skip(false)
		for i := range list {
			list[i].reference.name = "="
		}
	} else { // import a = b.c
		part := p.skip(false)
		for i := range list {
			list[i].reference.name = strings.TrimSpace(p.src[part.start:part.end])
		}
	}
	for _, e := range list {
		p.module.imports[e.name] = reference{from, e.reference.name}
		if exported {
			p.export(e.name, reference{"", e.name})
		}
	}
}

// add adds a declaration to the module.
func (p *parser) add(d *decl) {
	m := p.module
	d.module = m
	if m.decls[d.name] == nil {
		m.names = append(m.names, d.name)
	}
	m.decls[d.name] = append(m.decls[d.name], d)
}

// declaration reads a declaration and returns its name, or its names with spaces.
func (p *parser) declaration(doc span, isDefault bool) (name string, ok bool) {
	p.accept("declare")
	d := &decl{doc: doc}
	start := p.tok.start
	for p.is("abstract") || p.is("async") || p.is("const") {
		if _, next := p.peek(); p.is("const") && next != "enum" {
			break
		}
		p.next()
	}
	if !p.declares() {
		return "", false
	}
	d.kind = p.text()
	if d.kind == "global" {
		if _, next := p.peek(); next != "{" {
			return "", false
		}
		p.ambient("global")
		return "", true
	}
	p.next()
	if p.tok.kind == 's' && d.kind == "module" {
		p.ambient(p.quoted())
		return "", true
	}
	p.accept("*")
	if p.is("{") || p.is("[") { // const {a, b}: T
		return "", false
	}
	d.name = p.name()
	if d.name == "" || isDefault && (d.name == "extends" || d.name == "implements") {
		if !isDefault {
			return "", false
		}
		d.name = "default"
	} else {
		p.next()
	}
	switch d.kind {
	case "module", "namespace":
		d.kind = "namespace"
		for p.accept(".") { // namespace a.b: described as a
			p.next()
		}
		d.body = p.braces()
		d.head = span{start, d.body.start}
	case "class", "interface", "enum":
		d.body = p.braces()
		d.head = span{start, d.body.start}
	case "type":
		rest := p.skipTo(false, &d.body)
		d.head = span{start, rest.end}
	case "function":
		d.head = span{start, p.skip(false).end}
	default:
		return p.variables(d, start), true
	}
	d.source = span{start, p.prev.end}
	p.add(d)
	return d.name, true
}

// variables reads the declarations after const, let or var.
func (p *parser) variables(d *decl, start int) string {
	var names []string
	for {
		rest := p.skipTo(true, &d.body)
		d.head = span{start, max(rest.end, start)}
		d.source = d.head
		p.add(d)
		names = append(names, d.name)
		if !p.accept(",") || p.name() == "" {
			break
		}
		start = p.tok.start
		d = &decl{doc: d.doc, kind: d.kind, name: p.name()}
		p.next()
	}
	if p.is(";") {
		p.next()
	}
	return strings.Join(names, " ")
}

// ambient reads the body of declare module "x" and of declare global.
func (p *parser) ambient(name string) {
	if p.next(); !p.is("{") {
		p.skip(false)
		return
	}
	body := p.braces()
	if p.module.depth > 0 || name == "" {
		return
	}
	inner := parse(p.module.file, p.module, body)
	if other := p.module.ambient[name]; other != nil {
		other.merge(inner)
		return
	}
	p.module.ambient[name] = inner
	p.module.adds = append(p.module.adds, name)
}

// validName reports whether a text is an identifier without escapes.
func validName(name string) bool {
	return name != "" && len(name) <= 200 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
