// Package lazyregexp has regular expressions that are compiled when they are first used. A program
// of many commands uses few of its expressions in one run, and compiling one takes up to 0.1 ms.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// inTest reports whether the program is a test, so that no mistake waits for a user.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns an expression that is compiled by the first call. It panics if that cannot be
// done; in a test, New does.
func New(expression string) func() *regexp.Regexp {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	if inTest {
		compiled()
	}
	return compiled
}
