package matcher

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

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
			values[v.Name] = uri.Reserved(v.Value) // the expansion does not encode "%", "?" and "#"
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
