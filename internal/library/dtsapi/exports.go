package dtsapi

import "strings"

// A target is declarations of one name in a module, or the module itself.
type target struct {
	module *module // nil: there are none
	local  string  // the name of the declarations; "*": the module itself; "=": the module of "import x = require"
}

// A symbol is a name that a module imports or exports, and what it refers to. Modules with "export *" share it.
type symbol struct {
	name, other string  // other: the module that it comes from, or ""
	from        *module // with the statement
	ref         string  // a name in the module, or of the other one. "*" is the other one itself.
	followed    bool
	found       target
}

func (t target) isModule() bool { return t.local == "*" || t.local == "=" }

// space returns the module whose exports are the members of a target: a namespace, or a module. It may be nil.
func (t target) space() *module {
	if t.module == nil || t.isModule() {
		return t.module
	}
	return t.module.spaces[t.local]
}

// exportsOf returns the exports of a module in the order of their statements. The exports of "export *" come last.
func (p *program) exportsOf(m *module) []*symbol {
	if m == nil {
		return nil
	} else if m.byName != nil {
		return m.symbols
	}
	outermost := p.listing == 0
	p.listing++
	m.byName = make(map[string]*symbol)
	add := func(s *symbol) {
		if m.byName[s.name] != nil || !valid().MatchString(s.name) {
			return
		}
		if p.exported++; p.exported > maxLinks && (!outermost || len(m.symbols) >= maxExports) {
			p.cut = true
			return
		}
		m.byName[s.name], m.symbols = s, append(m.symbols, s)
	}
	for _, s := range m.exports {
		add(s)
	}
	for _, s := range p.exportsOf(p.lookup(m, m.equals, 0).space()) {
		add(s)
	}
	for _, name := range m.stars {
		for _, s := range p.exportsOf(p.find(m, name)) {
			if s.name != "default" {
				add(s)
			}
		}
	}
	p.listing--
	return m.symbols
}

// follow returns what a symbol refers to. One that refers to itself has no declarations.
func (p *program) follow(s *symbol, depth int) target {
	if s.followed {
		return s.found
	}
	if s.followed = true; s.other == "" {
		s.found = p.lookup(s.from, s.ref, depth)
	} else {
		s.found = p.member(p.find(s.from, s.other), s.ref, depth)
	}
	return s.found
}

// member returns the export of a module with a name. The name "=" is what "require" returns.
func (p *program) member(m *module, name string, depth int) target {
	if m == nil || name == "*" || name == "=" && m.equals == "" {
		return target{m, name}
	} else if name == "=" {
		name = "default"
	}
	if p.exportsOf(m); m.byName[name] != nil {
		return p.follow(m.byName[name], depth+1)
	}
	return target{}
}

// lookup finds the declaration of a name such as a or a.b in a module.
func (p *program) lookup(m *module, name string, depth int) (to target) {
	if depth > maxDepth || name == "" {
		return to
	}
	first, rest, _ := strings.Cut(name, ".")
	for scope := m; scope != nil && to.module == nil; scope = scope.parent {
		if len(scope.decls[first]) > 0 {
			to = target{scope, first}
		} else if imported := scope.imports[first]; imported != nil {
			to = p.follow(imported, depth+1)
			break
		}
	}
	for rest != "" {
		inner := to.space()
		first, rest, _ = strings.Cut(rest, ".")
		if to = p.member(inner, first, depth+1); to.module == nil && inner != nil && len(inner.decls[first]) > 0 {
			to = target{inner, first}
		}
	}
	return to
}
