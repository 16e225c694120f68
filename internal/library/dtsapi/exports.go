package dtsapi

import "strings"

// A target is declarations of one name in a module, or the module itself.
type target struct {
	module *module // nil: there are none
	local  string  // the name of the declarations; "*": the module itself; "=": the module of "import x = require"
}

// A symbol is what a module exports under a name.
type symbol struct {
	name string
	target
}

func (t target) isModule() bool { return t.local == "*" || t.local == "=" }

func (t target) as(name string) symbol { return symbol{name, t} }

// namespaces returns the modules whose exports are the members of a target: namespaces, or a module.
func (t target) namespaces() []*module {
	switch {
	case t.module == nil:
		return nil
	case t.isModule():
		return []*module{t.module}
	}
	return t.module.namespaces(t.local)
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
	m.byName, m.following = make(map[string]target), true
	add := func(s symbol) {
		if _, known := m.byName[s.name]; known || s.module == nil {
			return
		}
		if p.exported++; p.exported > maxLinks && (!outermost || len(m.symbols) >= maxExports) {
			p.cut = true
			return
		}
		m.byName[s.name] = s.target
		m.symbols = append(m.symbols, s)
	}
	for _, e := range m.exports {
		if e.name != "" {
			add(p.resolve(m, e.reference, 0).as(e.name))
		}
	}
	if m.all {
		for _, name := range m.names {
			add(symbol{name, target{m, name}})
		}
	}
	if m.equals != "" {
		to := p.lookup(m, m.equals, 0)
		if !to.isModule() {
			add(to.as("default"))
		}
		for _, inner := range to.namespaces() {
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
func (p *program) resolve(m *module, to reference, depth int) target {
	if to.module == "" {
		return p.lookup(m, to.name, depth)
	}
	if other := p.find(m, to.module); other != nil {
		return p.member(other, to.name, depth)
	}
	return target{}
}

// member returns the export of a module with a name. The name "=" is what "require" returns.
func (p *program) member(m *module, name string, depth int) target {
	if name == "*" || name == "=" && m.equals == "" {
		return target{m, name}
	} else if name == "=" {
		name = "default"
	}
	p.exportsOf(m)
	if to, ok := m.byName[name]; ok {
		return to
	}
	for _, e := range m.exports {
		if m.following && e.name == name && e.module == "" {
			return p.lookup(m, e.reference.name, depth+1)
		}
	}
	return target{}
}

// lookup finds the declaration of a name such as a or a.b in a module.
func (p *program) lookup(m *module, name string, depth int) (to target) {
	if depth > maxDepth {
		return to
	}
	first, rest, dotted := strings.Cut(name, ".")
	for scope := m; scope != nil && to.module == nil; scope = scope.parent {
		if len(scope.decls[first]) > 0 {
			to = target{scope, first}
		} else if imported, ok := scope.imports[first]; ok {
			to = p.resolve(scope, imported, depth+1)
		}
	}
	if !dotted {
		return to
	}
	next, _, more := strings.Cut(rest, ".")
	for _, inner := range to.namespaces() {
		found := p.member(inner, next, depth+1)
		if more || found.module == nil && len(inner.decls[next]) > 0 {
			found = p.lookup(inner, rest, depth+1)
		}
		if found.module != nil {
			return found
		}
	}
	return target{}
}
