package jsondoc

// object reads an object whose opening brace comes next.
func (p *parser) object(at place) *Value {
	v := &Value{Kind: KindObject, Line: at.line, Column: at.column}
	index := map[string]int{}
	p.pos++
	p.space()
	if p.next() == '}' {
		p.pos++
		return v
	}
	for {
		m, ok := p.member(at)
		if !ok {
			return nil
		}
		if i, twice := index[m.Key]; twice {
			p.warnings = append(p.warnings, Problem{File: p.file, Line: m.Line, Column: m.Column, Warning: true,
				Reason: Quote(m.Key) + " is given twice in this object; the last one counts"})
			v.Members[i] = m
		} else {
			index[m.Key] = len(v.Members)
			v.Members = append(v.Members, m)
		}
		if more := p.separator(at, '}'); p.failure != nil {
			return nil
		} else if !more {
			return v
		}
	}
}

// member reads a key, the colon and the value.
func (p *parser) member(object place) (Member, bool) {
	at := p.here()
	switch {
	case p.next() == '"':
	case p.comment():
		return Member{}, false
	case p.pos == len(p.data):
		p.fail(at, "the object that begins in line %d has no closing }", object.line)
		return Member{}, false
	case p.wrongQuote():
		p.fail(at, "a key must stand in double quotes (\"), not in %s", p.found())
		return Member{}, false
	case p.identifier() != "":
		p.fail(at, "a key must stand in double quotes: %s", Quote(p.identifier()))
		return Member{}, false
	default:
		p.fail(at, "expected a key in double quotes, found %s", p.found())
		return Member{}, false
	}
	key := p.quoted(at)
	if p.failure != nil {
		return Member{}, false
	}
	end := p.here()
	p.space()
	if p.next() != ':' {
		if !p.comment() {
			p.fail(end, "a colon is missing after the key %s", Quote(key.text))
		}
		return Member{}, false
	}
	p.pos++
	p.space()
	if c := p.next(); c == ',' || c == '}' {
		p.fail(p.here(), "the key %s has no value", Quote(key.text))
		return Member{}, false
	}
	v := p.value()
	return Member{Key: key.text, Line: at.line, Column: at.column, Value: v}, p.failure == nil
}

// array reads an array whose opening bracket comes next.
func (p *parser) array(at place) *Value {
	v := &Value{Kind: KindArray, Line: at.line, Column: at.column}
	p.pos++
	p.space()
	if p.next() == ']' {
		p.pos++
		return v
	}
	for {
		if p.pos == len(p.data) {
			return p.fail(p.here(), "the array that begins in line %d has no closing ]", at.line)
		}
		item := p.value()
		if p.failure != nil {
			return nil
		}
		v.Items = append(v.Items, item)
		if more := p.separator(at, ']'); p.failure != nil {
			return nil
		} else if !more {
			return v
		}
	}
}

// separator reads the comma or the closing bracket after a value, up to the next item, and reports
// whether there is a next item.
func (p *parser) separator(container place, closing byte) (more bool) {
	end := p.here()
	p.space()
	at := p.here()
	switch c := p.next(); {
	case c == closing:
		p.pos++
		return false
	case c == ',':
		p.pos++
		p.space()
		if c := p.next(); c == '}' || c == ']' {
			p.fail(at, "this comma is one too many: no value follows before the closing %c", c)
		} else if c == ',' {
			p.fail(p.here(), "this comma is one too many: it follows another one")
		}
		return p.failure == nil
	case p.comment():
	case p.pos == len(p.data):
		name := "object"
		if closing == ']' {
			name = "array"
		}
		p.fail(at, "the %s that begins in line %d has no closing %c", name, container.line, closing)
	case c == '}' || c == ']' || c == ':' || c == ';' || c == '=':
		p.fail(at, "expected a comma or the closing %c, found %c", closing, c)
	default:
		// The place where the comma belongs helps more than the start of the
		// next value, which is usually a line further down.
		p.fail(end, "a comma is missing here, before the next value")
	}
	return false
}
