package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSyntaxErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "f:1:1: the file is empty"},
		{" \n\t", "f:2:2: the file is empty"},
		{"[1, 2,]", "f:1:6: this comma is one too many: no value follows before the closing ]"},
		{"{\n  \"a\": 1,\n}", "f:2:9: this comma is one too many: no value follows before the closing }"},
		{"[1,,2]", "f:1:4: this comma is one too many: it follows another one"},
		{"[,1]", "f:1:2: expected a value, found ,"},
		{"['a']", `f:1:2: text must stand in double quotes ("), not in '`},
		{"[“a”]", `f:1:2: text must stand in double quotes ("), not in “`},
		{"{'a': 1}", `f:1:2: a key must stand in double quotes ("), not in '`},
		{"{a: 1}", `f:1:2: a key must stand in double quotes: "a"`},
		{"{1: 1}", `f:1:2: a key must stand in double quotes: "1"`},
		{"{[]: 1}", "f:1:2: expected a key in double quotes, found ["},
		{"{,}", "f:1:2: expected a key in double quotes, found ,"},
		{"// x\n[]", "f:1:1: JSON has no comments"},
		{"[1, /* x */ 2]", "f:1:5: JSON has no comments"},
		{"[1 // x\n]", "f:1:4: JSON has no comments"},
		{"{\n# x\n\"a\": 1}", "f:2:1: JSON has no comments"},
		{"{\"a\" /**/: 1}", "f:1:6: JSON has no comments"},
		{"[] // x", "f:1:4: JSON has no comments"},
		{"[\"é\" \"b\"]", "f:1:5: a comma is missing here, before the next value"},
		{"{\"a\": 1\n\"b\": 2}", "f:1:8: a comma is missing here, before the next value"},
		{"{\"a\" 1}", `f:1:5: a colon is missing after the key "a"`},
		{"{\"a\" = 1}", `f:1:5: a colon is missing after the key "a"`},
		{"{\"a\": }", `f:1:7: the key "a" has no value`},
		{"{\"a\":", "f:1:6: the file ends where a value is expected"},
		{"{\"a\": 1", "f:1:8: the object that begins in line 1 has no closing }"},
		{"\n{", "f:2:2: the object that begins in line 2 has no closing }"},
		{"[1", "f:1:3: the array that begins in line 1 has no closing ]"},
		{"[", "f:1:2: the array that begins in line 1 has no closing ]"},
		{"[1,", "f:1:4: the array that begins in line 1 has no closing ]"},
		{"[1}", "f:1:3: expected a comma or the closing ], found }"},
		{"[\"abc", "f:1:2: the string that begins here has no closing quote"},
		{"[\"abc\n\"]", "f:1:2: the string that begins here has no closing quote in its line; a line break is written \\n"},
		{"[\"a\tb\"]", "f:1:4: a tab in a string must be written \\t"},
		{"[\"\x01\"]", "f:1:3: the control character U+0001 in a string must be written \\u0001"},
		{`["C:\dir"]`, `f:1:5: \d is not an escape; a backslash itself is written \\`},
		{`["\`, `f:1:3: the file ends inside a string`},
		{`["\u12G4"]`, `f:1:3: \u must be followed by four hexadecimal digits`},
		{`["\ud800"]`, `f:1:3: this \u escape is one half of a surrogate pair`},
		{`["\udc00\ud800"]`, `f:1:3: this \u escape is one half of a surrogate pair`},
		{"[True]", "f:1:2: True must be written true"},
		{"[undefined]", `f:1:2: "undefined" is not a JSON value; text must stand in double quotes`},
		{"[NaN]", `f:1:2: "NaN" is not a JSON value; text must stand in double quotes`},
		{"[+1]", "f:1:2: a number cannot begin with +"},
		{"[.5]", "f:1:2: a number cannot begin with ."},
		{"[01]", "f:1:2: a number cannot begin with 0"},
		{"[-]", "f:1:2: a digit must follow the minus sign"},
		{"[1.]", "f:1:2: a digit must follow the decimal point"},
		{"[1e+]", "f:1:2: a digit must follow the e of the exponent"},
		{"[0x10]", `f:1:2: "0x10" is not a number; text must stand in double quotes`},
		{"[1.2.3]", `f:1:2: "1.2" is not a number; text must stand in double quotes`},
		{"[12px]", `f:1:2: "12px" is not a number; text must stand in double quotes`},
		{"[] []", "f:1:4: unexpected [ after the end of the document"},
		{"{}\n}", "f:2:1: unexpected } after the end of the document"},
		{"[]\x00", "f:1:3: unexpected character U+0000 after the end of the document"},
		{"[\u00a01]", "f:1:2: expected a value, found character U+00A0"},
		{"[\"\xff\"]", "f:1:3: byte 0xFF is not UTF-8; the file must be saved as UTF-8"},
		{"\xff\xfe[\x00", "f:1:1: the file is UTF-16; it must be saved as UTF-8"},
		{"\r\n\r[x", `f:3:2: "x" is not a JSON value; text must stand in double quotes`},
		{strings.Repeat("x", 99), "f:1:1: \"" + strings.Repeat("x", 80) + "…\" is not a JSON value; text must stand in double quotes"},
		{strings.Repeat("[", 201), "f:1:201: arrays and objects are nested more than 200 deep"},
	}
	for _, tt := range tests {
		v, problems := Parse("f", []byte(tt.in))
		if v != nil {
			t.Errorf("Parse(%q) returns a value", tt.in)
		}
		if got := problems.Error(); got != tt.want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestParsePlaces(t *testing.T) {
	const doc = "\xef\xbb\xbf{\n\t\"é\": [true, \"\\u00e9\\ud83d\\ude00/\"],\r\n  \"n\": -1.5e2, \"z\": null }"
	v, problems := Parse("f", []byte(doc))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	var walk func(v *Value)
	walk = func(v *Value) {
		got = append(got, fmt.Sprintf("%d:%d %s %s", v.Line, v.Column, v.Kind, v.text))
		for _, m := range v.Members {
			got = append(got, fmt.Sprintf("%d:%d key %s", m.Line, m.Column, m.Key))
			walk(m.Value)
		}
		for _, item := range v.Items {
			walk(item)
		}
	}
	walk(v)
	want := []string{
		"1:1 an object ",
		"2:2 key é",
		"2:7 an array ",
		"2:8 a boolean true",
		"2:14 a string é😀/",
		"3:3 key n",
		"3:8 a number -1.5e2",
		"3:16 key z",
		"3:21 null null",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestParseKeyGivenTwice(t *testing.T) {
	v, problems := Parse("f", []byte("{\"a\": 1, \"b\": 2,\n\"a\": 3}"))
	if got, want := problems.Error(), `f:2:1: warning: "a" is given twice in this object; the last one counts`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if problems.Err() != nil {
		t.Errorf("Err = %v for a warning", problems.Err())
	}
	if n, _ := v.Member("a").Int(); n != 3 || len(v.Members) != 2 {
		t.Errorf("a = %d with %d members", n, len(v.Members))
	}
}

func TestScalars(t *testing.T) {
	tests := []struct {
		in      string
		integer int64
		isInt   bool
		float   float64
		isFloat bool
	}{
		{"0", 0, true, 0, true},
		{"-12", -12, true, -12, true},
		{"2.0", 2, true, 2, true},
		{"1e3", 1000, true, 1000, true},
		{"1.5", 0, false, 1.5, true},
		{"9223372036854775807", 1<<63 - 1, true, 1 << 63, true},
		{"1e300", 0, false, 1e300, true},
		{"1e999", 0, false, 0, false},
		{`"1"`, 0, false, 0, false},
	}
	for _, tt := range tests {
		v, problems := Parse("f", []byte(tt.in))
		if v == nil {
			t.Fatal(problems)
		}
		if n, ok := v.Int(); n != tt.integer || ok != tt.isInt {
			t.Errorf("%s: Int = %d, %v", tt.in, n, ok)
		}
		if f, ok := v.Float(); ok != tt.isFloat || ok && f != tt.float {
			t.Errorf("%s: Float = %g, %v", tt.in, f, ok)
		}
	}
}

func TestAt(t *testing.T) {
	tests := []struct {
		in           string
		offset, want int
	}{
		{`"abc"`, 0, 2},
		{`"abc"`, 3, 5},
		{`"éa"`, 2, 3},
		{`"a\nb"`, 1, 3},
		{`"a\nb"`, 2, 1},
		{`"abc"`, 4, 1},
		{`"abc"`, -1, 1},
		{`12`, 0, 1},
	}
	for _, tt := range tests {
		v, _ := Parse("f", []byte(tt.in))
		if got := v.At(tt.offset).Column; got != tt.want {
			t.Errorf("%s: At(%d).Column = %d, want %d", tt.in, tt.offset, got, tt.want)
		}
	}
}

// FuzzParse: Parse accepts what encoding/json accepts and reads the same values, except for input
// that Parse refuses on purpose. Every problem has a place.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u00e9\n",true,false,null,{}]}`, `[1,]`, "\"\\ud83d\\ude00\"", "{\"a\":1,\"a\":2}", "// c", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, problems := Parse("f", data)
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Reason == "" {
				t.Fatalf("problem without a place: %+v", p)
			}
		}
		if (v == nil) != (problems.Err() != nil) {
			t.Fatalf("value %v with problems %v", v, problems)
		}
		trimmed := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.UseNumber()
		var want any
		ok := json.Valid(trimmed) && d.Decode(&want) == nil
		if v == nil {
			reason := problems[0].Reason
			onPurpose := strings.Contains(reason, "surrogate") || strings.Contains(reason, "UTF-") || strings.Contains(reason, "nested")
			if ok && !onPurpose {
				t.Fatalf("refused %q: %v", data, problems)
			}
			return
		}
		if !ok {
			t.Fatalf("accepted %q", data)
		}
		if diff := cmp.Diff(want, plain(v)); diff != "" {
			t.Fatalf("%q (-encoding/json +jsondoc):\n%s", data, diff)
		}
	})
}

func plain(v *Value) any {
	switch v.Kind {
	case KindObject:
		object := map[string]any{}
		for _, m := range v.Members {
			object[m.Key] = plain(m.Value)
		}
		return object
	case KindArray:
		array := []any{}
		for _, item := range v.Items {
			array = append(array, plain(item))
		}
		return array
	case KindString:
		return v.text
	case KindNumber:
		return json.Number(v.text)
	case KindBool:
		return v.text == "true"
	}
	return nil
}
