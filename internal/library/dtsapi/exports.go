package dtsapi

import "strings"

// A symbol is what a module exports under a name: declarations of one module, or a module itself.
type symbol struct {
	name   string
	module *module // of the declarations; nil: there is no such export
	local  string  // the name of the declarations; "*": the module itself; "=": the module of "import x = require"
}

func (s symbol) isModule() bool { return s.local == "*" || s.local == "=" }

func (s symbol) as(name string) symbol { return symbol{name, s.module, s.local} }

// namespaces returns the modules whose exports are the members of a symbol: namespaces, or a module.
func (s symbol) namespaces() []*module {
	switch {
	case s.module == nil:
		return nil
	case s.isModule():
		return []*module{s.module}
	}
	return s.module.namespaces(s.local)
}

// exportsOf returns the exports of a module in the order of their statements. The exports of "export *" come last.
func (p *program) exportsOf(m *module) []symbol {
	if m == nil {
		return nil
	} else if m.byName != nil {
		return m.symbols
	}
	outermost := p.following == 0
	p.following++
	m.byName, m.following = make(map[string]int), true
	add := func(s symbol) {
		if _, known := m.byName[s.name]; known || s.module == nil {
			return
		}
		if p.exported++; p.exported > maxLinks && (!outermost || len(m.symbols) >= maxExports) {
			p.cut = true
			return
		}
		m.byName[s.name] = len(m.symbols)
		m.symbols = append(m.symbols, s)
	}
	for _, e := range m.exports {
		if e.name != "" {
			add(p.resolve(m, e.reference, 0).as(e.name))
		}
	}
	if m.all {
		for _, name := range m.names {
			add(symbol{name, m, name})
		}
	}
	if m.equals != "" {
		s := p.lookup(m, m.equals, 0)
		if !s.isModule() {
			add(s.as("default"))
		}
		for _, inner := range s.namespaces() {
			for _, e := range p.exportsOf(inner) {
				add(e)
			}
		}
	}
	for _, star := range m.exports {
		if star.name != "" {
			continue
		}
		for _, e := range p.exportsOf(p.find(m, star.module)) {
			if e.name != "default" {
				add(e)
			}
		}
	}
	p.following--
	m.following = false
	return m.symbols
}

// resolve returns what a reference in a module means.
func (p *program) resolve(m *module, to reference, depth int) symbol {
	if to.module == "" {
		return p.lookup(m, to.name, depth)
	}
	if other := p.find(m, to.module); other != nil {
		return p.member(other, to.name, depth)
	}
	return symbol{}
}

// member returns the export of a module with a name. The name "=" is what "require" returns.
func (p *program) member(m *module, name string, depth int) symbol {
	if name == "*" || name == "=" && m.equals == "" {
		return symbol{name, m, name}
	} else if name == "=" {
		name = "default"
	}
	symbols := p.exportsOf(m)
	if i, ok := m.byName[name]; ok {
		return symbols[i]
	}
	for _, e := range m.exports {
		if m.following && e.name == name && e.module == "" {
			return p.lookup(m, e.reference.name, depth+1)
		}
	}
	return symbol{}
}

// lookup finds the declaration of a name such as a or a.b in a module.
func (p *program) lookup(m *module, name string, depth int) (s symbol) {
	if depth > maxDepth {
		return s
	}
	first, rest, dotted := strings.Cut(name, ".")
	for scope := m; scope != nil && s.module == nil; scope = scope.parent {
		if len(scope.decls[first]) > 0 {
			s = symbol{first, scope, first}
		} else if to, ok := scope.imports[first]; ok {
			s = p.resolve(scope, to, depth+1)
		}
	}
	if !dotted {
		return s
	}
	next, _, more := strings.Cut(rest, ".")
	for _, inner := range s.namespaces() {
		found := p.member(inner, next, depth+1)
		if more || found.module == nil && len(inner.decls[next]) > 0 {
			found = p.lookup(inner, rest, depth+1)
		}
		if found.module != nil {
			return found
		}
	}
	return symbol{}
}
