package matcher

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A Pattern is a template compiled for matching decoded URIs (see the package comment). The slashes
// of its literals divide it into segments; at most one variable may span segments, and it divides
// the segments into those at the front of a URI and those at its end:
//
//	x://h/{a}/v{b}-{+m}.{c}/d
//	head: "x:" "" "h" {a}   before: "v"{b}"-"   m   after: "."{c}   tail: "d"
type Pattern struct {
	template *templates.Template
	vars     []variable // in the order of the template
	head     []segment
	spans    bool    // a variable may span segments
	before   segment // the text before it in its segment
	after    segment // the text after it in its segment
	tail     []segment
}

// A variable is a position of the template that takes a value.
type variable struct {
	name     string
	operator byte
	spans    bool
}

// A segment consists of literals with variables between them: literals[0], variable, literals[1],
// variable, and so on, up to the last literal. Each variable takes at least one byte and no slash.
type segment struct {
	literals []string
	first    int // index of the first variable in Pattern.vars
}

func (s segment) vars() int       { return len(s.literals) - 1 }
func (s segment) prefix() string  { return s.literals[0] }
func (s segment) suffix() string  { return s.literals[len(s.literals)-1] }
func (s segment) isLiteral() bool { return len(s.literals) == 1 }

// Compile prepares a template for matching. If the template is ambiguous, or no file can match it,
// the error is a [*CompileError].
func Compile(t *templates.Template) (*Pattern, error) {
	p := &Pattern{template: t}
	tokens, err := tokenize(t)
	if err != nil {
		return nil, err
	}
	cur := segment{literals: []string{""}}
	for i, tok := range tokens {
		switch {
		case tok.variable == nil:
			for n, part := range strings.Split(tok.literal, "/") {
				if n > 0 {
					p.endSegment(cur)
					cur = segment{literals: []string{""}, first: len(p.vars)}
				}
				cur.literals[len(cur.literals)-1] += part
			}
		case i > 0 && tokens[i-1].variable != nil:
			return nil, refuse(TouchingVariables, "the variables %q and %q touch: put a literal between them", tokens[i-1].variable.name, tok.variable.name)
		case tok.variable.spans:
			if p.spans {
				return nil, refuse(SecondSpanning, "more than one variable may span several segments")
			}
			p.spans, p.before = true, cur
			p.vars = append(p.vars, *tok.variable)
			cur = segment{literals: []string{""}, first: len(p.vars)}
		default:
			cur.literals = append(cur.literals, "")
			p.vars = append(p.vars, *tok.variable)
		}
	}
	p.endSegment(cur)
	seen := make(map[string]bool, len(p.vars))
	for _, v := range p.vars {
		if seen[v.name] {
			return nil, refuse(RepeatedVariable, "the variable %q occurs twice", v.name)
		}
		seen[v.name] = true
	}
	return p, p.reachable()
}

// endSegment stores a finished segment: in the head, or after the spanning variable. The first
// segment after the spanning variable ends that variable's segment; the others go to the tail.
func (p *Pattern) endSegment(s segment) {
	switch {
	case !p.spans:
		p.head = append(p.head, s)
	case p.after.literals == nil:
		p.after = s
	default:
		p.tail = append(p.tail, s)
	}
}

// reachable returns an error if no file can have a URI of this pattern.
func (p *Pattern) reachable() error {
	if len(p.head) > 0 {
		if first := p.head[0]; !strings.HasSuffix(first.suffix(), ":") || first.isLiteral() && first.prefix() == ":" {
			return refuse(NoScheme, "a resource URI starts with a scheme and \"://\"")
		} else if scheme := strings.TrimSuffix(first.prefix(), ":"); first.isLiteral() {
			if _, ok := uri.Scheme(scheme); !ok {
				return refuse(NoScheme, "%q is not a URI scheme (a letter, then letters, digits, \"+\", \"-\" and \".\")", scheme)
			}
		}
	}
	if !p.spans && len(p.head) < 3 {
		return refuse(NoScheme, "a resource URI starts with a scheme and \"://\"")
	}
	for i, s := range p.head {
		if i == 1 && !(s.isLiteral() && s.prefix() == "") {
			return refuse(NoScheme, "a resource URI has \"//\" after its scheme")
		}
		if i > 1 {
			if err := nameable(s); err != nil {
				return err
			}
		}
	}
	for _, s := range p.tail {
		if err := nameable(s); err != nil {
			return err
		}
	}
	return nil
}

func nameable(s segment) error {
	if s.isLiteral() {
		switch s.prefix() {
		case "":
			return refuse(EmptySegment, "no file has an empty segment (\"//\", or a slash at the end) in its URI")
		case ".", "..":
			return refuse(DotSegment, "no file has a segment %q in its URI", s.prefix())
		}
	}
	return nil
}

// A token is a literal in decoded form, or a variable.
type token struct {
	literal  string
	variable *variable
}

// tokenize splits a template into literals and variables. It drops expressions of a query or a
// fragment: they never name a file.
func tokenize(t *templates.Template) ([]token, error) {
	var tokens []token
	literal := func(s string) {
		if n := len(tokens); n > 0 && tokens[n-1].variable == nil {
			tokens[n-1].literal += s
		} else if s != "" {
			tokens = append(tokens, token{literal: s})
		}
	}
	for _, part := range t.Parts() {
		if part.Expression == nil {
			literal(uri.Decode(part.Literal))
			continue
		}
		e := part.Expression
		separator, lead := ",", ""
		switch e.Operator {
		case '?', '#':
			continue
		case ';', '&':
			return nil, refuse(OtherOperator, "an expression {%c…} does not name files", e.Operator)
		case '.', '/':
			separator, lead = string(e.Operator), string(e.Operator)
		}
		for i, v := range e.Variables {
			if v.Prefix > 0 {
				return nil, refuse(Prefix, "{%s:%d} holds only the start of a value", v.Name, v.Prefix)
			}
			if i == 0 {
				literal(lead)
			} else {
				literal(separator)
			}
			tokens = append(tokens, token{variable: &variable{
				name: v.Name, operator: e.Operator, spans: e.Operator == '/' && v.Explode || e.Operator == '+',
			}})
		}
	}
	// The scheme is compared in lower case (RFC 3986 section 3.1).
	if len(tokens) > 0 {
		if scheme, rest, ok := strings.Cut(tokens[0].literal, ":"); ok {
			tokens[0].literal = strings.ToLower(scheme) + ":" + rest
		}
	}
	return tokens, nil
}
