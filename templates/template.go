package templates

import (
	"fmt"
	"slices"
)

// Bounds on templates. Handwritten templates stay far below; the bounds keep the work per request
// small for any file.
const (
	MaxLength    = 8 << 10 // bytes of a template
	MaxVariables = 256     // variables of a template, repeated ones included
)

// Template is a parsed URI template. It is immutable and safe for concurrent
// use. The zero Template is the empty template.
type Template struct {
	published string
	parts     []Part
	names     []string
}

// Part is a piece of a template. Exactly one of its fields is set.
type Part struct {
	Literal    string // as written: triplets encoded, other characters not
	Expression *Expression
}

// Expression is the content of a pair of braces (RFC 6570 section 2.2).
type Expression struct {
	Operator  byte // one of + # . / ; ? & or 0 for simple expansion
	Variables []Variable
}

// Variable is a variable of an expression with its modifier (section 2.4). At
// most one of Prefix and Explode is set.
type Variable struct {
	Name    string // as written; triplets belong to the name (section 2.3)
	Prefix  int    // most characters to take, 1 to 9999, or 0 for all
	Explode bool
}

// SyntaxError says why a string is not a URI template.
type SyntaxError struct {
	Offset int // offset of the offending byte
	Reason string
}

// Error returns the offset and the reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason)
}

// String returns the template in the form any RFC 6570 implementation reads:
// as it was parsed, with {+name} for {...name}.
func (t *Template) String() string { return t.published }

// Names returns the names of the variables, each once, in the order in which
// they first occur.
func (t *Template) Names() []string { return slices.Clone(t.names) }

// Parts returns a copy of the template's parts. Literals do not neighbour each
// other and are not empty.
func (t *Template) Parts() []Part {
	parts := slices.Clone(t.parts)
	for i, p := range parts {
		if p.Expression != nil {
			parts[i].Expression = &Expression{p.Expression.Operator, slices.Clone(p.Expression.Variables)}
		}
	}
	return parts
}
