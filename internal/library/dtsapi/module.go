package dtsapi

// A module is a file, or the body of a namespace or of an ambient module.
type module struct {
	file    *file
	parent  *module // of a body: where names that it does not declare are looked up
	all     bool    // all declarations are exported
	script  bool    // a file without imports and exports, which declares ambient modules instead of adding to modules
	decls   map[string][]*decl
	names   []string // of decls, in order
	imports map[string]reference
	exports []export
	stars   []export // export * from "x", and export * as name from "x"
	equals  string   // export = name
	ambient map[string]*module
	adds    []string // names in ambient that are modules of others, and "global", in order

	depth     int
	symbols   []symbol // see [program.exportsOf]
	byName    map[string]int
	following bool // symbols are being found
}

// A reference is a name of another module. The name "*" is the module itself.
type reference struct{ module, name string }

// An export is a name that a module exports, for a local name or a name of another module.
type export struct {
	name string
	reference
}

// A decl is a declaration.
type decl struct {
	module *module
	kind   string // class, interface, function, enum, type, const, let, var, namespace or default
	name   string
	doc    span
	head   span // without "export" and "declare", and without the body
	body   span // between the braces of a namespace, class, interface or enum, or of the last object of a type
	source span // of the whole declaration
	inner  *module
}

// merge adds the declarations of another body.
func (m *module) merge(other *module) {
	for _, name := range other.names {
		if m.decls[name] == nil {
			m.names = append(m.names, name)
		}
		m.decls[name] = append(m.decls[name], other.decls[name]...)
	}
	for name, to := range other.imports {
		m.imports[name] = to
	}
	m.exports, m.stars = append(m.exports, other.exports...), append(m.stars, other.stars...)
	m.all = m.all && other.all
}

// equal returns the namespace that "export =" names, or the module.
func (m *module) equal() *module {
	for _, d := range m.decls[m.equals] {
		if d.kind == "namespace" {
			return d.namespace()
		}
	}
	return m
}

// namespace returns the body of a namespace.
func (d *decl) namespace() *module {
	if d.inner == nil {
		body := d.body
		if d.module.depth >= maxDepth/4 {
			body.end = body.start
		}
		d.inner = parse(d.module.file, d.module, body)
	}
	return d.inner
}
