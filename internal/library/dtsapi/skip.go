package dtsapi

import "strings"

// braces skips to the next braces and over them, and returns the part between them.
func (p *parser) braces() (body span) {
	depth := 0 // of other brackets
	for p.tok.kind != 0 {
		switch p.text() {
		case "<", "(", "[":
			depth++
		case ">", ")", "]":
			depth = max(depth-1, 0)
		case "{":
			if inner := p.block(); depth == 0 {
				return inner
			}
			continue
		case ";", "}":
			if depth == 0 {
				return span{p.tok.start, p.tok.start}
			}
		}
		p.next()
	}
	return span{len(p.src), len(p.src)}
}

// block skips from a "{" over its "}", and returns the part between them.
func (p *parser) block() span {
	start, depth := p.tok.end, 0
	for p.tok.kind != 0 {
		if p.is("{") {
			depth++
		} else if p.is("}") {
			if depth--; depth == 0 {
				end := p.tok.start
				p.next()
				return span{start, end}
			}
		}
		p.next()
	}
	return span{start, len(p.src)}
}

// skip skips to the end of a statement, or of a member of a class or object, and over a ";". With list, a comma ends it too.
func (p *parser) skip(list bool) span { return p.skipTo(list, nil) }

// skipTo is skip. If the statement ends with an object type that is not one of several types, it sets body to the part between the braces.
func (p *parser) skipTo(list bool, body *span) span {
	part := span{p.tok.start, p.tok.start}
	var open []byte // brackets
	angles := 0     // of these are "<", which may be signs of an expression
	var object span
	only := true // no "|" and no "?" of a conditional type was outside brackets
	for first := true; p.tok.kind != 0; first = false {
		t := p.text()
		if p.tok.kind == 's' {
			t = "''"
		}
		if len(open) == 0 && !first && p.tok.newline && ends(p.scanner) && !continues(t) {
			break
		}
		if len(open) == 0 && (t == "}" || list && t == ",") {
			break
		}
		if t == ";" && angles == len(open) {
			break
		}
		switch t {
		case "(", "[", "{", "<":
			if t == "{" && len(open) == 0 {
				object.start = p.tok.end
			}
			if open = append(open, t[0]); t == "<" {
				angles++
			}
		case ">":
			if n := len(open); n > 0 && open[n-1] == '<' {
				open = open[:n-1]
				angles--
			}
		case ")", "]", "}":
			i := len(open) - 1
			for ; i >= 0 && open[i] == '<'; i-- {
				angles--
			}
			if open = open[:max(i, 0)]; len(open) == 0 && t == "}" {
				object.end = p.tok.start
			}
		case "|", "?":
			only = only && len(open) > 0
		}
		part.end = p.tok.end
		p.next()
	}
	if body != nil && only && object.end > object.start && object.end+1 == part.end {
		*body = object
	}
	if p.is(";") && !list {
		p.next()
	}
	return part
}

// ends reports whether a statement can end before the current token.
func ends(s *scanner) bool {
	switch s.prev.kind {
	case 'w':
		switch s.src[s.prev.start:s.prev.end] {
		case "extends", "keyof", "infer", "is", "typeof", "readonly", "unique", "new", "asserts", "in", "as":
			return false
		}
		return true
	case 's':
		return true
	}
	return strings.Contains(")]}>?!*", s.src[s.prev.start:s.prev.end])
}

// continues reports whether a token at the beginning of a line cannot begin a statement.
func continues(t string) bool {
	switch t {
	case "|", "&", "=>", "?", ":", "=", ".", ",", ")", "]", ">", "extends", "is":
		return true
	}
	return false
}
