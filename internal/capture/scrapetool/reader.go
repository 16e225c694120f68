package scrapetool

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// A reader reads the arguments of a call, and collects what is wrong with them.
type reader struct {
	given map[string]json.RawMessage
	wrong []string
}

// maxWrong is how many mistakes are named: more would make an answer many times as large as the
// arguments.
const maxWrong = 20

func (r *reader) fail(name, format string, args ...any) {
	if len(r.wrong) < maxWrong {
		r.wrong = append(r.wrong, name+": "+fmt.Sprintf(format, args...))
	}
}

// value decodes an argument if it was given, and is not null.
func value[T any](r *reader, name, kind string, dst *T) bool {
	raw, ok := r.given[name]
	if !ok || string(raw) == "null" {
		return false
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		r.fail(name, "must be %s", kind)
		return false
	}
	*dst = v
	return true
}

// number decodes a whole number from least to most.
func (r *reader) number(name string, byDefault, least, most int) int {
	n := float64(byDefault)
	if value(r, name, "a number", &n) && (n != math.Trunc(n) || n < float64(least) || n > float64(most)) {
		r.fail(name, "is %s, must be a whole number from %d to %d", strconv.FormatFloat(n, 'g', -1, 64), least, most)
		return byDefault
	}
	return int(n)
}

func (r *reader) choice(name, byDefault string, allowed ...string) string {
	v := byDefault
	if value(r, name, "a string", &v) && !slices.Contains(allowed, v) {
		r.fail(name, "%s", nearest.NotOneOf(v, allowed))
		return byDefault
	}
	return v
}

func (r *reader) bool(name string, byDefault bool) bool {
	v := byDefault
	value(r, name, "true or false", &v)
	return v
}

// An argumentError says what is wrong with arguments. Its text begins an answer.
type argumentError struct{ reason string }

func (e *argumentError) Error() string { return "Invalid arguments: " + e.reason }

func invalid(reason string) error { return &tools.Mistake{Err: &argumentError{reason}} }
