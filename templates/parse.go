package templates

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse reads a URI template. The error is a [*SyntaxError].
func Parse(s string) (*Template, error) {
	if len(s) > MaxLength {
		return nil, &SyntaxError{MaxLength, fmt.Sprintf("a template has at most %d bytes, this one has %d", MaxLength, len(s))}
	}
	p := &parser{s: s}
	if err := p.template(); err != nil {
		return nil, err
	}
	return &Template{published: p.published.String(), parts: p.parts, names: p.names}, nil
}

type parser struct {
	s         string
	pos       int
	variables int
	published strings.Builder
	parts     []Part
	names     []string
}

func (p *parser) fail(offset int, format string, args ...any) error {
	return &SyntaxError{offset, fmt.Sprintf(format, args...)}
}

func (p *parser) template() error {
	for p.pos < len(p.s) {
		start := p.pos
		if p.s[p.pos] == '{' {
			e, err := p.expression()
			if err != nil {
				return err
			}
			p.parts = append(p.parts, Part{Expression: e})
			continue
		}
		if err := p.literal(); err != nil {
			return err
		}
		p.parts = append(p.parts, Part{Literal: p.s[start:p.pos]})
		p.published.WriteString(p.s[start:p.pos])
	}
	return nil
}

// literal reads up to the next expression.
func (p *parser) literal() error {
	for p.pos < len(p.s) && p.s[p.pos] != '{' {
		if triplet(p.s, p.pos) {
			p.pos += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(p.s[p.pos:])
		if reason := literalProblem(r, size, p.s[p.pos]); reason != "" {
			return p.fail(p.pos, "%s", reason)
		}
		p.pos += size
	}
	return nil
}

const spread = "..." // the extension {...name}

// expression reads an expression whose opening brace comes next.
func (p *parser) expression() (*Expression, error) {
	open := p.pos
	body := p.s[open+1:]
	switch end := strings.IndexAny(body, "{}"); {
	case end < 0:
		return nil, p.fail(open, "this { has no closing }; a { itself must be written %%7B")
	case body[end] == '{':
		return nil, p.fail(open+1+end, "a { inside an expression; the one before it is not closed")
	case end == 0:
		return nil, p.fail(open, "the expression is empty; it needs a variable name")
	default:
		body = body[:end]
	}
	p.pos++
	e := &Expression{}
	extended := strings.HasPrefix(body, spread)
	switch c := body[0]; {
	case extended:
		e.Operator = '+'
		p.pos += len(spread)
	case strings.IndexByte("+#./;?&", c) >= 0:
		e.Operator = c
		p.pos++
	case strings.IndexByte("=,!@|", c) >= 0:
		return nil, p.fail(p.pos, "the operator %c is reserved and has no meaning yet", c)
	}
	first := p.pos
	end := open + 1 + len(body)
	for {
		v, err := p.variable(end, e.Operator != 0 && p.pos == first)
		if err != nil {
			return nil, err
		}
		e.Variables = append(e.Variables, v)
		if extended && (p.pos < end || v.Explode || v.Prefix > 0) {
			return nil, p.fail(open, "{...name} takes one variable name and no modifier")
		}
		if p.pos == end {
			break
		}
		p.pos++ // the comma
	}
	p.pos = end + 1
	if extended {
		p.published.WriteString("{+" + e.Variables[0].Name + "}")
	} else {
		p.published.WriteString(p.s[open:p.pos])
	}
	return e, nil
}

// variable reads a name and its modifier, up to the comma or the end of the expression (RFC 6570
// sections 2.3 and 2.4). After an operator, a second operator is reported as such and not as a
// wrong name.
func (p *parser) variable(end int, afterOperator bool) (Variable, error) {
	start := p.pos
	if p.variables++; p.variables > MaxVariables {
		return Variable{}, p.fail(start, "a template has at most %d variables", MaxVariables)
	}
	if err := p.name(end, afterOperator); err != nil {
		return Variable{}, err
	}
	v := Variable{Name: p.s[start:p.pos]}
	if !slices.Contains(p.names, v.Name) {
		p.names = append(p.names, v.Name)
	}
	switch {
	case p.pos == end:
	case p.s[p.pos] == '*':
		v.Explode = true
		p.pos++
	case p.s[p.pos] == ':':
		p.pos++
		digits := p.pos
		for p.pos < end && '0' <= p.s[p.pos] && p.s[p.pos] <= '9' && p.pos-digits < 5 {
			v.Prefix = v.Prefix*10 + int(p.s[p.pos]-'0')
			p.pos++
		}
		if v.Prefix == 0 || p.pos-digits > 4 || p.s[digits] == '0' {
			return v, p.fail(digits, "the prefix length after : must be a number from 1 to 9999")
		}
	}
	if p.pos == end || p.s[p.pos] == ',' {
		return v, nil
	}
	switch c := p.s[p.pos]; {
	case (v.Explode || v.Prefix > 0) && (c == '*' || c == ':'):
		return v, p.fail(p.pos, "a variable takes one modifier, either :%s or *", "length")
	case v.Prefix > 0:
		return v, p.fail(p.pos, "the prefix length after : must be a number from 1 to 9999")
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.pos:])
	return v, p.fail(p.pos, "%q cannot follow the modifier *", r)
}

// name reads a variable name, up to a comma, a modifier or the end.
func (p *parser) name(end int, afterOperator bool) error {
	start := p.pos
	for p.pos < end {
		switch c := p.s[p.pos]; {
		case c == '_' || c != '-' && c != '.' && c != '~' && classes[c]&unreserved != 0:
			p.pos++
		case triplet(p.s[:end], p.pos):
			p.pos += 3
		case c == '.':
			if p.pos > start && p.s[p.pos-1] != '.' && p.pos+1 < end && strings.IndexByte(".,:*", p.s[p.pos+1]) < 0 {
				p.pos++
				continue
			}
			return p.fail(p.pos, "a dot in a variable name must stand between other characters")
		case c == ',' || c == ':' || c == '*':
			if p.pos > start {
				return nil
			}
			return p.fail(p.pos, "a variable name is missing before %c", c)
		case p.pos == start && afterOperator && strings.IndexByte("+#/;?&", c) >= 0:
			return p.fail(p.pos, "a second operator %c; an expression has at most one", c)
		default:
			return p.fail(p.pos, "%s", p.nameProblem())
		}
	}
	if p.pos == start {
		return p.fail(p.pos, "a variable name is missing before }")
	}
	return nil
}

// nameProblem explains why the next character cannot stand in a name.
func (p *parser) nameProblem() string {
	r, size := utf8.DecodeRuneInString(p.s[p.pos:])
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte 0x%02X is not UTF-8", p.s[p.pos])
	case r == ' ':
		return "a space cannot stand in an expression"
	case r == '-':
		return "a - cannot stand in a variable name; _ can"
	case r == '%':
		return "a % in a variable name must be followed by two hexadecimal digits"
	}
	return fmt.Sprintf("%q cannot stand in a variable name, which has letters, digits, _ and single dots", r)
}
