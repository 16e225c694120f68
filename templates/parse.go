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

var (
	// variable is a varspec of RFC 6570 section 2.3: a varname with its modifier (section 2.4).
	variable = lazyregexp.New(`^(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*(?::[1-9][0-9]{0,3}|\*)?`)
	extended = lazyregexp.New(`\{\.\.\.([^{}.,:*][^{},:*]*)\}`) // the extension {...name}
)

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
			length, _ := strconv.Atoi(prefix) // 0 without a prefix
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
		if s[i] != '{' {
			size := 3 // of a triplet
			if !uri.Triplet(s, i) {
				_, size = utf8.DecodeRuneInString(s[i:])
			}
			if c := s[i : i+size]; !literal(c) {
				return &SyntaxError{i, mustBeWritten(c)}
			}
			i += size
			continue
		}
		end := strings.IndexAny(s[i+1:], "{}") + i + 1
		switch {
		case end == i:
			return &SyntaxError{i, "this { has no closing }; a { itself must be written %7B"}
		case s[end] == '{':
			return &SyntaxError{end, "a { inside an expression; the one before it is not closed"}
		case end == i+1:
			return &SyntaxError{i, "the expression is empty; it needs a variable name"}
		}
		if at := wrong(s[i+1 : end]); at >= 0 {
			return &SyntaxError{i + 1 + at, "an expression cannot go on with " + strconv.Quote(s[i+1+at:min(end+1, i+21+at)]) +
				": it has at most one operator out of " + operators + " and names of letters, digits, _ and single dots, with commas between them; a name may end with a length from :1 to :9999, or with *"}
		} else if strings.HasPrefix(s[i:], "{...") && !extended().MatchString(s[i:end+1]) {
			return &SyntaxError{i, "{...name} takes one variable name and no modifier"}
		}
		i = end + 1
	}
	return &SyntaxError{len(s), refused.Error()}
}

// wrong returns the offset in the text of an expression where it stops to be one, or -1.
func wrong(body string) int {
	i := len(body) - len(strings.TrimPrefix(body, "..."))
	if i == 0 && strings.IndexByte(operators, body[0]) >= 0 {
		i = 1
	}
	for {
		size := len(variable().FindString(body[i:]))
		if i += size; size > 0 && i == len(body) {
			return -1
		}
		switch {
		case size == 0 || body[i] != ',':
			if before := strings.TrimRight(body[:i], "0123456789"); size > 0 && strings.HasSuffix(before, ":") && body[i] >= '0' && body[i] <= '9' {
				return len(before) // the length has too many digits
			} else if size > 0 && body[i] == ':' && !strings.ContainsRune(body[i-size:i], ':') && body[i-1] != '*' {
				return i + 1 // what follows is not a length
			}
			return i
		}
		i++
	}
}

// literal reports whether a character or a triplet can stand for itself (RFC 6570 section 2.1).
func literal(c string) bool {
	_, err := uritemplate.New(c)
	return err == nil && c != "{"
}

// mustBeWritten says what to write in place of a character.
func mustBeWritten(c string) string {
	switch {
	case c == "%":
		return "a % must be followed by two hexadecimal digits; a % itself must be written %25"
	case c == "}":
		return "a } without a {; a } itself must be written %7D"
	case c == " ":
		return "a space must be written %20"
	default:
		return fmt.Sprintf("%s must be written %s", strconv.QuoteToASCII(c), uri.AppendExpanded(nil, c, false))
	}
}
