package prompts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// The types of an argument. MCP sends all of them as strings.
const (
	TypeString  = "string"
	TypeNumber  = "number"  // a decimal number as Go and JSON write it
	TypeBoolean = "boolean" // "true" or "false"
)

var types = []string{TypeString, TypeNumber, TypeBoolean}

// An Argument is a parameter of a prompt.
type Argument struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Type        string   `json:"-"` // [TypeString], [TypeNumber] or [TypeBoolean]
	Required    bool     `json:"required"`
	Enum        []string `json:"-"` // if not empty: all allowed values
	Default     *string  `json:"-"` // nil if there is none
}

// blank reports whether an empty string counts as an argument that is not given.
func (a *Argument) blank() bool {
	return !a.Required && (a.Type != TypeString || len(a.Enum) > 0 && !slices.Contains(a.Enum, ""))
}

// flaw returns what is wrong with a value, as the end of a sentence about the argument, or "".
func (a *Argument) flaw(value string) string {
	switch {
	case a.Type == TypeNumber && !isNumber(value):
		return "is " + jsondoc.Quote(value) + ", must be a number"
	case a.Type == TypeBoolean && value != "true" && value != "false":
		return "is " + jsondoc.Quote(value) + `, must be "true" or "false"`
	case len(a.Enum) > 0 && !a.lists(value):
		return "is " + jsondoc.Quote(value) + ", must be " + oneOf(a.Enum) + meant(value, a.Enum)
	}
	return ""
}

// lists reports whether the enumeration contains a value. Numbers are compared by value, not by
// spelling.
func (a *Argument) lists(value string) bool {
	if a.Type != TypeNumber {
		return slices.Contains(a.Enum, value)
	}
	n, _ := strconv.ParseFloat(value, 64)
	return slices.ContainsFunc(a.Enum, func(s string) bool {
		m, _ := strconv.ParseFloat(s, 64)
		return m == n
	})
}

// isNumber reports whether a string is a finite decimal number. Go also accepts infinities,
// hexadecimal digits and the like, which the reader of the prompt may not.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.Trim(s, "+-.0123456789eE") == ""
}

// oneOf lists values for a message, the first of them if there are many.
func oneOf(values []string) string {
	const most = 20
	var quoted []string
	for _, v := range values[:min(len(values), most)] {
		quoted = append(quoted, jsondoc.Quote(v))
	}
	text := "one of " + strings.Join(quoted, ", ")
	if more := len(values) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
