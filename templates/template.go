// Package templates parses URI templates of RFC 6570, level 4, expands templates that name files, and
// reads the file that lists the templates of a project.
//
//	t, err := templates.Parse("docs://{version}/{+path}")
//	uri := t.Expand(map[string]string{
//		"version": "v2",
//		"path":    "guides/setup.md",
//	}) // docs://v2/guides/setup.md
//
// A template is literal text with expressions in braces. [Parse] accepts the
// grammar of RFC 6570 section 2 with the apostrophe as a literal (erratum
// 6937), and one extension: {...name} means {+name} and is published as that.
// It refuses everything else with the offset of the offending byte, and bounds
// what it accepts by [MaxLength] and [MaxVariables]. The operators = , ! @ |
// are reserved (section 2.2) and refused.
//
// [Template.Expand] follows section 3: letters, digits and - . _ ~ stand for themselves; {+x} and
// literals also keep reserved characters and triplets such as %20. Every other byte becomes a
// triplet with upper-case digits. Text that is not UTF-8 is encoded like any other, byte by byte.
//
// [Decode] reads templates.json, an array with one [Definition] per template.
// It reports every mistake of the file, not only the first, and returns the
// entries that have none.
package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Bounds on templates. Handwritten templates stay far below; the bounds keep the work per request
// small for any file.
const (
	MaxLength    = 8 << 10
	MaxVariables = 256 // repeated ones included
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
	Literal    string // triplets as written
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
	Name    string // triplets included (section 2.3)
	Prefix  int    // maximum length, 1 to 9999, or 0 for all
	Explode bool
}

// SyntaxError says why a string is not a URI template.
type SyntaxError struct {
	Offset int
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

// Definition is an entry of templates.json. Its fields are the fields of a resource template of the
// Model Context Protocol, and Describe. The jsonschema tags hold the descriptions in the JSON
// Schema that editors show.
type Definition struct {
	URITemplate string       `json:"uriTemplate" jsonschema:"URI template (RFC 6570) of the resources, such as docs://guides/{name}.md"`
	Name        string       `json:"name" jsonschema:"short name of the template, for programs and as the title where there is none"`
	Title       string       `json:"title,omitempty" jsonschema:"name of the template as people read it"`
	Description string       `json:"description,omitempty" jsonschema:"what the template is for, written for a model that decides whether to use it"`
	MIMEType    string       `json:"mimeType,omitempty" jsonschema:"MIME type of all resources of the template, as type/subtype; leave it out when they differ"`
	Annotations *Annotations `json:"annotations,omitempty" jsonschema:"hints for clients"`
	Icons       []Icon       `json:"icons,omitempty" jsonschema:"icons that clients may show"`
	Describe    *bool        `json:"describe,omitempty" jsonschema:"whether titles and descriptions come from the files; default: what the configuration says"`
}

// Annotations are hints for clients.
type Annotations struct {
	Audience []string `json:"audience,omitempty" jsonschema:"who the resources are for: user, assistant or both"`
	Priority *float64 `json:"priority,omitempty" jsonschema:"how important the resources are, from 0 (optional) to 1 (required)"`
}

// Icon is an image that clients may show.
type Icon struct {
	Src      string   `json:"src" jsonschema:"https or data URI of the image"`
	MIMEType string   `json:"mimeType,omitempty" jsonschema:"MIME type of the image"`
	Sizes    []string `json:"sizes,omitempty" jsonschema:"sizes of the image in pixels such as 48x48, or any"`
	Theme    string   `json:"theme,omitempty" jsonschema:"background the image is made for: light or dark"`
}

// extended matches the extension {...name}.
var extended = lazyregexp.New(`\{\.\.\.([^{}.,:*][^{},:*]*)\}`)

const operators = "+#./;?&"

// Parse reads a URI template. The error is a [*SyntaxError]. Package uritemplate decides what a template is; what is added here
// is the extension {...name}, the place and the reason of a mistake, and the parts.
func Parse(s string) (*Template, error) {
	if len(s) > MaxLength {
		return nil, &SyntaxError{MaxLength, fmt.Sprintf("a template has at most %d bytes, this one has %d", MaxLength, len(s))}
	}
	t := &Template{published: extended().ReplaceAllString(s, "{+$1}")}
	if _, err := uritemplate.New(t.published); err != nil {
		return nil, explain(s, err)
	}
	variables := 0
	for rest := t.published; rest != ""; {
		literal, body, found := strings.Cut(rest, "{")
		if literal != "" {
			t.parts = append(t.parts, Part{Literal: literal})
		}
		if !found {
			break
		}
		body, rest, _ = strings.Cut(body, "}")
		e := &Expression{}
		if strings.IndexByte(operators, body[0]) >= 0 {
			e.Operator, body = body[0], body[1:]
		}
		for v := range strings.SplitSeq(body, ",") {
			if variables++; variables > MaxVariables {
				return nil, &SyntaxError{len(s) - len(rest) - 1 - len(body), fmt.Sprintf("a template has at most %d variables", MaxVariables)}
			}
			name, explode := strings.CutSuffix(v, "*")
			name, prefix, _ := strings.Cut(name, ":")
			length, _ := strconv.Atoi(prefix)
			e.Variables = append(e.Variables, Variable{name, length, explode})
			if !slices.Contains(t.names, name) {
				t.names = append(t.names, name)
			}
		}
		t.parts = append(t.parts, Part{Expression: e})
	}
	return t, nil
}

// explain returns the first mistake in a template that uritemplate refuses.
func explain(s string, refused error) error {
	for i := 0; i < len(s); {
		size := 3
		switch {
		case s[i] == '{':
			end := strings.IndexAny(s[i+1:], "{}") + i + 1
			switch {
			case end == i:
				return &SyntaxError{i, "this { has no closing }; a { itself must be written %7B"}
			case s[end] == '{':
				return &SyntaxError{end, "a { inside an expression; the one before it is not closed"}
			}
			size = end + 1 - i
			if _, err := uritemplate.New(extended().ReplaceAllString(s[i:end+1], "{+$1}")); err != nil {
				return &SyntaxError{i, strconv.Quote(s[i:end+1]) + " is not an expression: it has at most one operator out of " + operators +
					" and names of letters, digits, _ and single dots, with commas between them; a name may end with a length from :1 to :9999, or with *; {...name} takes one name"}
			}
		case !uri.Triplet(s, i):
			_, size = utf8.DecodeRuneInString(s[i:])
			if c := s[i : i+size]; !literal(c) {
				return &SyntaxError{i, mustBeWritten(c)}
			}
		}
		i += size
	}
	return &SyntaxError{len(s), refused.Error()}
}

// literal reports whether a character or a triplet can stand for itself (RFC 6570 section 2.1).
func literal(c string) bool {
	_, err := uritemplate.New(c)
	return err == nil && c != "{"
}

// mustBeWritten says what to write in place of a character.
func mustBeWritten(c string) string {
	if c == "%" {
		return "a % must be followed by two hexadecimal digits; a % itself must be written %25"
	}
	return fmt.Sprintf("%s must be written %s", strconv.QuoteToASCII(c), uri.AppendExpanded(nil, c, false))
}

// Expand returns the URI for the values of the variables, by name (RFC 6570 section 3.2). It
// consists of ASCII characters that are allowed in a URI. The value of {/x*} is a list with
// slashes between the items. A variable without a value leaves nothing behind. Expand
// leaves out the expressions of a query or a fragment, {?x}, {&x}, {;x} and {#x}: they never name a
// file.
func (t *Template) Expand(values map[string]string) string {
	dst := make([]byte, 0, 2*len(t.published))
	for _, p := range t.parts {
		if p.Expression == nil {
			dst = uri.AppendExpanded(dst, p.Literal, true)
			continue
		}
		lead, separator := "", ","
		switch operator := p.Expression.Operator; operator {
		case '.', '/':
			lead, separator = string(operator), string(operator)
		case '?', '&', ';', '#':
			continue
		}
		for _, v := range p.Expression.Variables {
			value, ok := values[v.Name]
			if !ok {
				continue
			}
			items := []string{value}
			if v.Explode && separator == "/" {
				items = strings.Split(value, "/")
			}
			for _, item := range items {
				dst = append(dst, lead...)
				dst = uri.AppendExpanded(dst, item, p.Expression.Operator == '+')
				lead = separator
			}
		}
	}
	return string(dst)
}
