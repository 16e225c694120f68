package templates

import (
	"strings"
	"testing"

	"github.com/yosida95/uritemplate/v3"
)

func addSeeds(f *testing.F) {
	for _, examples := range rfcExamples {
		for _, e := range examples {
			f.Add(e[0], "value/é%20\xff", "k")
		}
	}
	for _, seed := range []string{"a{...b}", "docs://{+p}/{a.b:3}%7e'", "{%41*}{;x}", "é\u0085{", "{x:10000}", "{a-b}"} {
		f.Add(seed, "", "%")
	}
}

// FuzzParse: the published form of a template parses to the same parts and is published unchanged,
// and the template expands to characters that are allowed in a URI.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s, value, name string) {
		tmpl, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(tmpl.String())
		if err != nil || again.String() != tmpl.String() || len(again.parts) != len(tmpl.parts) {
			t.Fatalf("%q is published as %q, which is published as %v, %v", s, tmpl, again, err)
		}
		// Each variable gets a kind of value; a prefix goes with strings only.
		for _, v := range []Value{String(value), List(value, "", name), Pairs(Pair{name, value}, Pair{value, ""})} {
			values := Values{}
			for _, n := range tmpl.Names() {
				values[n] = v
			}
			uri, err := tmpl.Expand(values)
			if err != nil && (v.kind == text || !strings.Contains(s, ":")) {
				t.Fatalf("%q: %v", s, err)
			}
			for i := range len(uri) {
				if classes[uri[i]]&(unreserved|reserved) == 0 && !triplet(uri, i) {
					t.Fatalf("%q expands to %q, which has %q", s, uri, uri[i])
				}
			}
		}
	})
}

// FuzzClientParser: the parser that Go clients use accepts the published form of every template,
// and refuses the templates that Parse refuses, apart from the bounds and the extension. For plain
// values both parsers expand to the same URI.
func FuzzClientParser(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s, value, name string) {
		tmpl, err := Parse(s)
		if err != nil {
			if _, theirs := uritemplate.New(s); theirs == nil && len(s) <= MaxLength && strings.Count(s, ",")+strings.Count(s, "{") <= MaxVariables {
				t.Fatalf("Parse(%q): %v, but clients accept it", s, err)
			}
			return
		}
		if err := clientRefusal(tmpl.String()); err != nil {
			t.Fatalf("%q: clients refuse it: %v", s, err)
		}
		// Clients expand characters beyond ASCII and the byte 0 wrongly, keep no
		// triplets, cut no lists, and end an exploded pair without a value with
		// a comma.
		if !plain(s) || !plain(value) || !plain(name) || value == "" || name == "" {
			return
		}
		theirs := uritemplate.MustNew(tmpl.String())
		for _, v := range []struct {
			ours   Value
			theirs uritemplate.Value
		}{
			{String(value), uritemplate.String(value)},
			{List(value, "", name), uritemplate.List(value, "", name)},
			{Pairs(Pair{"k", value}, Pair{"n", name}), uritemplate.KV("k", value, "n", name)},
		} {
			ours, clients := Values{}, uritemplate.Values{}
			for _, n := range tmpl.Names() {
				ours[n], clients[n] = v.ours, v.theirs
			}
			got, err := tmpl.Expand(ours)
			if err != nil {
				continue
			}
			want, err := theirs.Expand(clients)
			if err != nil || got != want {
				t.Fatalf("%q expands to %q, for clients to %q, %v", s, got, want, err)
			}
		}
	})
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] == 0 || s[i] >= 0x80 || s[i] == '%' {
			return false
		}
	}
	return true
}
