package dtsapi

import (
	"slices"
	"strings"
)

// A symbol is what a module exports under a name: declarations of one module, or a module itself.
type symbol struct {
	name   string
	module *module // of the declarations
	local  string  // the name of the declarations; "*": the module itself
}

// exportsOf returns the exports of a module in the order of their statements. The exports of "export *" come last.
func (p *program) exportsOf(m *module) []symbol {
	if m.byName != nil || m.following {
		return m.symbols
	}
	m.following = true
	outermost := p.following == 0
	p.following++
	byName := make(map[string]int)
	add := func(s symbol) {
		if _, known := byName[s.name]; !known && s.module != nil {
			if p.exported++; p.exported > maxLinks && (!outermost || len(m.symbols) >= maxExports) {
				p.cut = true
				return
			}
			byName[s.name] = len(m.symbols)
			m.symbols = append(m.symbols, s)
		}
	}
	for _, e := range m.exports {
		to := m
		if e.module != "" {
			to = p.find(m, e.module)
			if to == nil {
				continue
			}
			add(p.member(to, e.reference.name, e.name, 0))
			continue
		}
		add(p.lookup(to, e.reference.name, e.name, 0))
	}
	if m.all {
		for _, name := range m.names {
			add(symbol{name, m, name})
		}
	}
	if m.equals != "" {
		s := p.lookup(m, m.equals, "default", 0)
		if s.local != "*" {
			add(s)
		}
		for _, inner := range p.namespaces(s) {
			for _, e := range p.exportsOf(inner) {
				add(e)
			}
		}
	}
	for _, star := range m.stars {
		to := p.find(m, star.module)
		switch {
		case to == nil:
		case star.name != "":
			add(symbol{star.name, to, "*"})
		default:
			for _, e := range p.exportsOf(to) {
				if e.name != "default" {
					add(e)
				}
			}
		}
	}
	m.byName, m.following = byName, false
	p.following--
	return m.symbols
}

// namespaces returns the modules whose exports are the members of a symbol: namespaces, or a module.
func (p *program) namespaces(s symbol) (list []*module) {
	if s.module == nil {
		return nil
	}
	if s.local == "*" {
		return []*module{s.module}
	}
	for _, d := range s.module.decls[s.local] {
		if d.kind == "namespace" {
			list = append(list, d.namespace())
		}
	}
	return list
}

// member returns the export of a module with a name, as a symbol with another name. If the export does not exist, the module of the symbol is nil.
func (p *program) member(m *module, name, as string, depth int) symbol {
	switch {
	case depth > maxDepth:
		return symbol{}
	case name == "*":
		return symbol{as, m, "*"}
	case name == "=": // require
		if m.equals == "" {
			return symbol{as, m, "*"}
		}
		name = "default"
	}
	symbols := p.exportsOf(m)
	if i, ok := m.byName[name]; ok {
		return symbol{as, symbols[i].module, symbols[i].local}
	}
	for _, s := range symbols { // while its exports are being found
		if s.name == name {
			return symbol{as, s.module, s.local}
		}
	}
	if m.following {
		for _, e := range m.exports {
			if e.name == name && e.module == "" {
				return p.lookup(m, e.reference.name, as, depth+1)
			}
		}
	}
	return symbol{}
}

// lookup finds the declaration of a name such as a or a.b in a module, and returns it as a symbol with another name.
func (p *program) lookup(m *module, name, as string, depth int) symbol {
	if depth > maxDepth {
		return symbol{}
	}
	first, rest, dotted := strings.Cut(name, ".")
	s := symbol{}
	for scope := m; scope != nil && s.module == nil; scope = scope.parent {
		to, imported := scope.imports[first]
		switch {
		case len(scope.decls[first]) > 0:
			s = symbol{as, scope, first}
		case imported && to.module == "":
			s = p.lookup(scope, to.name, as, depth+1)
		case imported:
			if other := p.find(scope, to.module); other != nil {
				s = p.member(other, to.name, as, depth+1)
			}
		}
	}
	if !dotted || s.module == nil {
		return s
	}
	for _, inner := range p.namespaces(s) {
		next, more, dotted := strings.Cut(rest, ".")
		if dotted {
			return p.lookup(inner, next+"."+more, as, depth+1)
		}
		if found := p.member(inner, next, as, depth+1); found.module != nil {
			return found
		}
		if len(inner.decls[next]) > 0 {
			return symbol{as, inner, next}
		}
	}
	return symbol{}
}

// bases returns the types that a declaration extends, implements or is another name of, as they are written.
func (d *decl) bases() (names []string) {
	s := newScanner(d.module.file.src, d.head)
	mark := map[string]string{"class": "extends", "interface": "extends", "type": "=", "const": ":", "let": ":", "var": ":"}[d.kind]
	reading := d.kind == "default"
	for depth := 0; s.tok.kind != 0 && (mark == "extends" || len(names) == 0); {
		switch t := s.text(); {
		case t == "<" || t == "(":
			depth++
		case t == ">" || t == ")":
			depth--
		case depth > 0:
		case t == mark:
			reading = true
		case t == "implements":
			reading = false
		case reading && s.tok.kind == 'w':
			names = append(names, dotted(s))
			continue
		case reading && mark != "extends": // an object or something else
			return nil
		}
		s.next()
	}
	return slices.DeleteFunc(names, func(name string) bool { return !validName(strings.ReplaceAll(name, ".", "")) })
}

// dotted reads a.b.c.
func dotted(s *scanner) string {
	start, end := s.tok.start, s.tok.end
	for s.next(); s.is("."); s.next() {
		s.next()
		end = s.tok.end
	}
	return s.src[start:end]
}
