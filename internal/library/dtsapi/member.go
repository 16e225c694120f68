package dtsapi

// A member is a member of a class, interface, enum or object type.
type member struct {
	file *file
	name string // "()" for a call, "new" for a construction, "[…]" for a computed name or an index
	doc  span
	span
	method bool
}

// members reads at most so many members in the body of a declaration. Private ones are left out.
func (d *decl) members(most int) (list []member, cut bool) {
	if d.body.end <= d.body.start {
		return nil, false
	}
	p := &parser{scanner: newScanner(d.module.file.src, d.body)}
	for p.tok.kind != 0 {
		if p.accept(";") || p.accept(",") {
			continue
		}
		if len(list) == most {
			return list, true
		}
		m := member{file: d.module.file, doc: p.tok.doc}
		start, private := p.tok.start, false
		for p.modifies() {
			private = private || p.is("private")
			p.next()
		}
		switch {
		case p.is("("), p.is("<"):
			m.name = "()"
		case p.is("["):
			m.name = "[…]"
		case p.accept("#"):
			private = true
		case p.tok.kind == 's':
			if m.name = p.quoted(); !validName(m.name) {
				m.name = "[…]"
			}
		default:
			m.name = p.name()
		}
		if m.name != "()" && m.name != "[…]" && p.tok.kind != 0 {
			_, next := p.peek()
			m.method = next == "(" || next == "<"
		}
		before := p.tok.start
		m.span = span{start, p.skip(true).end}
		if p.tok.kind != 0 && p.tok.start == before {
			p.next()
		}
		if m.name != "" && !private && !hidden(d.module.file.text(m.doc)) {
			list = append(list, m)
		}
	}
	return list, false
}

// modifies reports whether the current token is a modifier of a member and not its name.
func (p *parser) modifies() bool {
	switch p.text() {
	case "public", "private", "protected", "static", "readonly", "abstract", "declare", "override", "async", "get", "set", "accessor":
		next, text := p.peek()
		return p.tok.kind == 'w' && next.kind != 0 && (next.kind != 'p' || text == "[" || text == "#")
	}
	return false
}
