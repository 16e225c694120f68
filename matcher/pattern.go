package matcher

import (
	"errors"
	"fmt"
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
	vars     []variable
	head     []segment
	spans    bool    // a variable may span segments
	before   segment // literal before it in its segment
	after    segment // literal after it in its segment
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
	first    int // index in Pattern.vars
}

func (s segment) vars() int       { return len(s.literals) - 1 }
func (s segment) prefix() string  { return s.literals[0] }
func (s segment) suffix() string  { return s.literals[len(s.literals)-1] }
func (s segment) isLiteral() bool { return len(s.literals) == 1 }

// Compile prepares a template for matching. The error says why the template is ambiguous, or why no file can match it.
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
			return nil, fmt.Errorf("the variables %q and %q touch: put a literal between them", tokens[i-1].variable.name, tok.variable.name)
		case tok.variable.spans:
			if p.spans {
				return nil, errors.New("more than one variable may span several segments")
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
			return nil, fmt.Errorf("the variable %q occurs twice", v.name)
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
			return errors.New("a resource URI starts with a scheme and \"://\"")
		} else if scheme := strings.TrimSuffix(first.prefix(), ":"); first.isLiteral() {
			if _, ok := uri.Scheme(scheme); !ok {
				return fmt.Errorf("%q is not a URI scheme (a letter, then letters, digits, \"+\", \"-\" and \".\")", scheme)
			}
		}
	}
	if !p.spans && len(p.head) < 3 {
		return errors.New("a resource URI starts with a scheme and \"://\"")
	}
	for i, s := range p.head {
		if i == 1 && !(s.isLiteral() && s.prefix() == "") {
			return errors.New("a resource URI has \"//\" after its scheme")
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
			return errors.New("no file has an empty segment (\"//\", or a slash at the end) in its URI")
		case ".", "..":
			return fmt.Errorf("no file has a segment %q in its URI", s.prefix())
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
			return nil, fmt.Errorf("an expression {%c…} does not name files", e.Operator)
		case '.', '/':
			separator, lead = string(e.Operator), string(e.Operator)
		}
		for i, v := range e.Variables {
			if v.Prefix > 0 {
				return nil, fmt.Errorf("{%s:%d} holds only the start of a value", v.Name, v.Prefix)
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

// A Variable is the value that a matched URI gives to a variable of its template, in decoded form.
// The value of a variable that spans segments holds slashes.
type Variable struct {
	Name  string
	Value string

	operator byte
}

// Expand returns the URI that the template has for these values: a URI of the same file.
func (p *Pattern) Expand(vars []Variable) string {
	values := make(map[string]string, len(vars))
	for _, v := range vars {
		values[v.Name] = v.Value
		if v.operator == '+' {
			values[v.Name] = uri.Reserved(v.Value) // the expansion keeps "%", "?" and "#"
		}
	}
	return p.template.Expand(values)
}

// Matches reports whether a decoded URI matches the pattern.
func (p *Pattern) Matches(decoded string) bool { return p.match(decoded, nil) }

// Match returns the variables of a decoded URI in the order of the template. If the URI can be
// split in several ways, earlier variables take as much as they can.
func (p *Pattern) Match(decoded string) ([]Variable, bool) {
	spans := make([]string, len(p.vars))
	if !p.match(decoded, spans) {
		return nil, false
	}
	out := make([]Variable, len(p.vars))
	for i, v := range p.vars {
		out[i] = Variable{Name: v.name, Value: spans[i], operator: v.operator}
	}
	return out, true
}

// match works from both ends towards the spanning variable and never backtracks: each segment has
// one possible position. values, unless nil, has room for every variable.
func (p *Pattern) match(s string, values []string) bool {
	for i, seg := range p.head {
		part, rest, more := strings.Cut(s, "/")
		if more == (i == len(p.head)-1 && !p.spans) || !seg.match(part, values) {
			return false
		}
		s = rest
	}
	return !p.spans || p.matchRest(s, values)
}

// matchRest matches the text after the head of a pattern with a spanning variable.
func (p *Pattern) matchRest(s string, values []string) bool {
	if !strings.HasPrefix(s, p.before.prefix()) { // most patterns are refused here
		return false
	}
	for i := len(p.tail) - 1; i >= 0; i-- {
		cut := strings.LastIndexByte(s, '/')
		if cut < 0 || !p.tail[i].match(s[cut+1:], values) {
			return false
		}
		s = s[:cut]
	}
	return p.matchSpan(s, values)
}

// matchSpan matches the text between head and tail: the segments of the spanning variable.
func (p *Pattern) matchSpan(s string, values []string) bool {
	end, ok := p.after.matchEnd(s, values)
	if !ok {
		return false
	}
	start, ok := p.before.matchStart(s, end, values)
	if !ok {
		return false
	}
	if values != nil {
		values[p.after.first-1] = s[start:end]
	}
	return true
}

// match reports whether the segment matches the whole text, which has no slash.
func (s segment) match(text string, values []string) bool {
	if s.isLiteral() {
		return text == s.literals[0]
	}
	text, ok := strings.CutPrefix(text, s.prefix())
	if !ok {
		return false
	}
	end, ok := s.place(text, 1, values)
	if values != nil && ok {
		values[s.first] = text[:end]
	}
	return ok && end > 0
}

// place finds the literals from the one with the number first to the last, which is at the end of text. It places them as far right as
// possible, the last first, so that earlier variables take as much as they can, and returns where they start. It needs no second
// attempt: if any placement works, this one does.
func (s segment) place(text string, first int, values []string) (start int, ok bool) {
	start, ok = len(text)-len(s.suffix()), strings.HasSuffix(text, s.suffix())
	for i := s.vars() - 1; i >= first && ok; i-- {
		end := start
		start = strings.LastIndex(text[:max(end-1, 0)], s.literals[i])
		if ok = start >= 0; ok && values != nil {
			values[s.first+i] = text[start+len(s.literals[i]) : end]
		}
	}
	return start, ok
}

// matchEnd places the segment at the end of text, as far right as possible, and returns its start,
// which is the end of the spanning variable.
func (s segment) matchEnd(text string, values []string) (int, bool) {
	low := strings.LastIndexByte(text, '/') + 1
	start, ok := s.place(text[low:], 0, values)
	return low + start, ok && low+start > 0
}

// matchStart places the segment at the start of text[:limit], leaving at least one byte, as far right as possible, and
// returns its end, which is the start of the spanning variable.
func (s segment) matchStart(text string, limit int, values []string) (int, bool) {
	text = text[:limit-1]
	if s.isLiteral() {
		return len(s.prefix()), strings.HasPrefix(text, s.prefix())
	}
	text, _, _ = strings.Cut(text, "/")
	at := strings.LastIndex(text, s.suffix())
	if at < 0 {
		return 0, false
	}
	end := at + len(s.suffix())
	return end, s.match(text[:end], values)
}

// Offered returns the value in the form in which a client passes it to its own expansion of the
// template: a string that JSON can represent.
func (v Variable) Offered() string {
	if v.operator == '+' {
		return uri.Reserved(v.Value)
	}
	return uri.Display(v.Value)
}

// Literal returns the literal that every decoded URI of the pattern starts with.
func (p *Pattern) Literal() string {
	var b strings.Builder
	for _, s := range p.head {
		b.WriteString(s.prefix())
		if !s.isLiteral() {
			return b.String()
		}
		b.WriteByte('/')
	}
	if p.spans {
		b.WriteString(p.before.prefix())
	}
	return b.String()
}
