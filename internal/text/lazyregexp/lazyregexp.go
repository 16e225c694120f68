// Package lazyregexp provides regular expressions that are compiled when they are first used. A
// program with many commands uses few of its expressions in one run, and compiling one takes up to
// 0.1 ms.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// inTest reports whether the program is a test. Tests compile each expression at once, so that
// mistakes do not reach users.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns a function that returns the compiled expression. The first call compiles it, and
// panics if the expression is invalid; in a test, New compiles it.
func New(expression string) func() *regexp.Regexp {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	if inTest {
		compiled()
	}
	return compiled
}

var compiled sync.Map // of *regexp.Regexp, by expression

// Compiled returns an expression, which it compiles at the first call. It is for expressions that are made of others.
func Compiled(expression string) *regexp.Regexp {
	if re, ok := compiled.Load(expression); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(expression)
	compiled.Store(expression, re)
	return re
}
