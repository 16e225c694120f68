package templates

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	values := Values{
		"e":      String("é€😀"),
		"bytes":  String("a\xff\xc3"),
		"pct":    String("a%20b%zz%"),
		"low":    String("%c3%a9x"),
		"half":   String("%c3x%80y"),
		"odd":    Pairs(Pair{"a&b é%20", "c&d"}, Pair{"none", ""}),
		"gaps":   List("", "x", ""),
		"blank":  List(""),
		"none":   List(),
		"empty":  String(""),
		"%41":    String("triplet"),
		"A":      String("letter"),
		"a.b":    String("dotted"),
		"quotes": String(`'"`),
	}
	tests := []struct{ template, want string }{
		{"é/%c3%A9/'", "%C3%A9/%c3%A9/'"},
		{"{e}", "%C3%A9%E2%82%AC%F0%9F%98%80"},
		{"{+e}", "%C3%A9%E2%82%AC%F0%9F%98%80"},
		{"{e:1}", "%C3%A9"},
		{"{e:2}", "%C3%A9%E2%82%AC"},
		{"{+e:9999}", "%C3%A9%E2%82%AC%F0%9F%98%80"},
		{"{bytes}", "a%FF%C3"},
		{"{+bytes}", "a%FF%C3"},
		{"{bytes:2}", "a%FF"},
		{"{pct}", "a%2520b%25zz%25"},
		{"{+pct}", "a%20b%25zz%25"},
		{"{#pct}", "#a%20b%25zz%25"},
		{"{pct:2}", "a%25"},
		{"{+pct:2}", "a%20"},
		{"{+low:1}", "%c3%a9"},
		{"{+low:2}", "%c3%a9x"},
		{"{low:1}", "%25"},
		{"{+half:1}", "%c3"},
		{"{+half:3}", "%c3x%80"},
		{"{?odd*}", "?a&b%20%C3%A9%20=c%26d&none="},
		{"{;odd*}", ";a&b%20%C3%A9%20=c%26d;none"},
		{"{odd*}", "a%26b%20%C3%A9%2520=c%26d,none="},
		{"{?odd}", "?odd=a%26b%20%C3%A9%2520,c%26d,none,"},
		{"{gaps}", ",x,"},
		{"{/gaps*}", "//x/"},
		{"{?gaps*}", "?gaps=&gaps=x&gaps="},
		{"{;gaps*}", ";gaps;gaps=x;gaps"},
		{"{?blank}", "?blank="},
		{"{?none,none*,none:3}", ""},
		{"{?empty:3}", "?empty="},
		{"{;empty:3}", ";empty"},
		{"{%41}{A}{a.b}", "tripletletterdotted"},
		{"{?%41,a.b}", "?%41=triplet&a.b=dotted"},
		{"{quotes}{+quotes}", "%27%22'%22"},
		{"{...pct}", "a%20b%25zz%25"},
		{"", ""},
	}
	for _, tt := range tests {
		tmpl, err := Parse(tt.template)
		if err != nil {
			t.Fatalf("Parse(%q): %v", tt.template, err)
		}
		if got, err := tmpl.Expand(values); err != nil || got != tt.want {
			t.Errorf("%q expands to %q, %v, want %q", tt.template, got, err, tt.want)
		}
	}
}

func TestExpandRefusesPrefixOfList(t *testing.T) {
	for _, in := range []string{"{keys:1}", "{+keys:1}", "{list:1}", "{?x,list:1}"} {
		tmpl, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Expand(rfcValues); err == nil || got != "" {
			t.Errorf("%q expands to %q, %v", in, got, err)
		}
	}
	tmpl, _ := Parse("{keys:1}")
	_, err := tmpl.Expand(rfcValues)
	if want := `variable "keys" has the prefix modifier :1 and can only be a string`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestValueOf(t *testing.T) {
	tests := []struct {
		in   any
		want Value
	}{
		{nil, Value{}},
		{"s", String("s")},
		{"", String("")},
		{true, String("true")},
		{37.76, String("37.76")},
		{1e21, String("1000000000000000000000")},
		{float32(0.1), String("0.1")},
		{-3, String("-3")},
		{uint8(3), String("3")},
		{json.Number("1e3"), String("1e3")},
		{List("a"), List("a")},
		{[]string{"a", ""}, List("a", "")},
		{[]string{}, Value{}},
		{[]any{"a", nil, 1.5, false}, List("a", "1.5", "false")},
		{[]any{nil}, Value{}},
		{map[string]string{"b": "2", "a": "1"}, Pairs(Pair{"a", "1"}, Pair{"b", "2"})},
		{map[string]any{"b": 2, "a": "1", "c": nil}, Pairs(Pair{"a", "1"}, Pair{"b", "2"})},
		{map[string]any{"c": nil}, Value{}},
	}
	for _, tt := range tests {
		got, err := ValueOf(tt.in)
		if err != nil {
			t.Errorf("ValueOf(%#v): %v", tt.in, err)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(Value{})); diff != "" {
			t.Errorf("ValueOf(%#v) (-want +got):\n%s", tt.in, diff)
		}
	}
	for in, want := range map[any]string{
		math.NaN():     "the number NaN cannot be expanded",
		math.Inf(1):    "the number +Inf cannot be expanded",
		struct{}{}:     "a struct {} cannot be expanded",
		[1]string{"a"}: "a [1]string cannot be expanded",
	} {
		if _, err := ValueOf(in); err == nil || err.Error() != want {
			t.Errorf("ValueOf(%#v): %v, want %s", in, err, want)
		}
	}
	if _, err := ValueOf([]any{"a", []any{}}); err == nil || err.Error() != "item 2: a []interface {} cannot be expanded" {
		t.Errorf("nested list: %v", err)
	}
	if _, err := ValueOf(map[string]any{"k": map[string]any{}}); err == nil || err.Error() != `member "k": a map[string]interface {} cannot be expanded` {
		t.Errorf("nested map: %v", err)
	}
}

func TestValuesAreCopies(t *testing.T) {
	items := []string{"a"}
	v := List(items...)
	items[0] = "b"
	tmpl, _ := Parse("{x}")
	if got, _ := tmpl.Expand(Values{"x": v}); got != "a" {
		t.Errorf("a list changes with its source: %q", got)
	}
}
