package templates

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/yosida95/uritemplate/v3"
)

func addSeeds(f *testing.F) {
	for _, examples := range rfcExamples {
		for _, e := range examples {
			f.Add(e[0], "value/é%20\xff")
		}
	}
	for _, seed := range []string{"a{...b}", "docs://{+p}/{a.b:3}%7e'", "{%41*}{;x}", "é\u0085{", "{x:10000}", "{a-b}"} {
		f.Add(seed, "%")
	}
}

// allowed are the texts of characters that a URI may have.
var allowed = regexp.MustCompile(`^([\w.~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$`)

// FuzzParse: the published form of a template parses to the same parts and is published unchanged,
// and the template expands to characters that are allowed in a URI.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s, value string) {
		tmpl, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(tmpl.String())
		if err != nil || again.String() != tmpl.String() || len(again.parts) != len(tmpl.parts) {
			t.Fatalf("%q is published as %q, which is published as %v, %v", s, tmpl, again, err)
		}
		values := map[string]string{}
		for _, n := range tmpl.Names() {
			values[n] = value
		}
		if expanded := tmpl.Expand(values); !allowed.MatchString(expanded) {
			t.Fatalf("%q expands to %q", s, expanded)
		}
	})
}

// FuzzClientParser: the parser that Go clients use, and that decides here too, accepts the published form of every template. Each
// mistake has a place, also in what only the extension makes a template.
func FuzzClientParser(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s, _ string) {
		tmpl, err := Parse(s)
		if err != nil {
			if _, theirs := uritemplate.New(s); theirs == nil && len(s) <= MaxLength && strings.Count(s, ",")+strings.Count(s, "{") <= MaxVariables {
				t.Fatalf("Parse(%q): %v, but clients accept it", s, err)
			}
			if syntax, ok := errors.AsType[*SyntaxError](err); !ok || syntax.Offset >= len(s) && len(s) <= MaxLength {
				t.Fatalf("Parse(%q) does not say where it is wrong: %v", s, err)
			}
			return
		}
		if _, err := uritemplate.New(tmpl.String()); err != nil {
			t.Fatalf("%q: clients refuse it: %v", s, err)
		}
	})
}
