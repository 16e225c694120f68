package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestParseSyntaxErrors(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "f:1:1: is not valid JSON: the text ends too early"},
		{" \n\t", "f:2:2: is not valid JSON: the text ends too early"},
		{"{\n  \"a\": 1,\n}", "f:3:1: is not valid JSON: unexpected '}' where a key must begin; the comma before it may be one too many"},
		{"['a']", "f:1:2: is not valid JSON: unexpected \"'\" where a value must begin; text must stand in double quotes"},
		{"[1, /* x */ 2]", "f:1:5: is not valid JSON: unexpected '/' where a value must begin; JSON has no comments"},
		{"{\n# x\n\"a\": 1}", "f:2:1: is not valid JSON: unexpected '#' where a key must begin; JSON has no comments"},
		{"[\"é\" \"b\"]", "f:1:6: is not valid JSON: unexpected '\"' after an item: a comma or ] is missing"},
		{"\n{", "f:2:2: is not valid JSON: the text ends too early"},
		{"[1}", "f:1:3: is not valid JSON: unexpected '}' after an item: a comma or ] is missing"},
		{"[\"abc\n\"]", "f:1:6: is not valid JSON: unexpected '\\n' in a string"},
		{"[] []", "f:1:4: is not valid JSON: unexpected '[' after the end"},
		{"[\"\xff\"]", "f:1:3: byte 0xFF is not UTF-8; the file must be saved as UTF-8"},
		{"\xff\xfe[\x00", "f:1:1: byte 0xFF is not UTF-8; the file must be saved as UTF-8"},
		{strings.Repeat("[", 200) + strings.Repeat("]", 200), ""},
		{strings.Repeat("[", 201) + strings.Repeat("]", 201), "f:1:201: arrays and objects are nested more than 200 deep"},
		{strings.Repeat("[", 100_000), "f:1:10001: is not valid JSON: unexpected '[' exceeded max depth"},
	} {
		v, problems := Parse("f", []byte(test.in))
		if got := problems.Error(); (v == nil) != (test.want != "") || got != test.want {
			t.Errorf("%.60q\n got %s\nwant %s", test.in, got, test.want)
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
	must.Equal(t, want, got, "tree")
}

func TestParseKeyGivenTwice(t *testing.T) {
	v, problems := Parse("f", []byte("{\"a\": 1, \"b\": 2,\n\"a\": 3}"))
	must.Equal(t, `f:2:1: warning: "a" is given twice in this object; the last one counts`, problems.Error())
	if n, _ := v.Member("a").Int(); n != 3 || len(v.Members) != 2 || problems.Err() != nil {
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
			onPurpose := strings.Contains(reason, "UTF-") || strings.Contains(reason, "nested")
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

type settings struct {
	Root     string
	Watch    bool
	PageSize int
	Ratio    float64
	Hide     []string
	Limits   struct{ FileSize, Files int }
	Icons    []string
}

func readSettings(doc string) (settings, Problems) {
	s := settings{PageSize: 50, Watch: true}
	v, problems := Parse("c.json", []byte(doc))
	if v == nil {
		return s, problems
	}
	o, ok := NewObject("c.json", "", v, &problems)
	if !ok {
		return s, problems
	}
	o.RequiredString("root", &s.Root)
	o.Bool("watch", &s.Watch)
	o.Int("pageSize", &s.PageSize, 1, 1000)
	o.Float("ratio", &s.Ratio, 0, 1)
	o.Strings("hide", &s.Hide)
	o.Object("limits", func(o *Object) {
		o.Int("fileSize", &s.Limits.FileSize, 1, 1<<20)
		o.Int("files", &s.Limits.Files, 1, 100)
	})
	o.Array("icons", func(path string, v *Value) {
		o.Nested(path, v, func(o *Object) {
			var src string
			if o.RequiredString("src", &src) {
				s.Icons = append(s.Icons, src)
			}
		})
	})
	o.Done()
	problems.Sort()
	return s, problems
}

func TestObject(t *testing.T) {
	got, problems := readSettings(`{
  "$schema": "https://example.com/schema.json",
  "root": "docs",
  "watch": null,
  "ratio": 0.5,
  "hide": ["*.bak", "tmp/**"],
  "limits": {"fileSize": 4096},
  "icons": [{"src": "a.png"}]
}`)
	if len(problems) > 0 {
		t.Errorf("problems:\n%v", problems)
	}
	want := settings{Root: "docs", Watch: true, PageSize: 50, Ratio: 0.5, Hide: []string{"*.bak", "tmp/**"}, Icons: []string{"a.png"}}
	want.Limits.FileSize = 4096
	must.Equal(t, want, got, "settings")
}

func TestObjectReportsEverything(t *testing.T) {
	got, problems := readSettings(`{
  "rooot": "docs",
  "watch": "yes",
  "pageSize": 0, "ratio": 1e999,
  "hide": ["a", 1, null],
  "limits": {"fileSize": "1M", "filez": 3, "zzz": 1},
  "icons": [7, {"src": ""}, {}]
}`)
	want := strings.TrimSpace(`
c.json:1:1: root is missing
c.json:2:3: warning: unknown field "rooot"; did you mean "root"?
c.json:3:12: watch is a string, must be true or false
c.json:4:15: pageSize is 0, must be a whole number from 1 to 1000
c.json:4:27: ratio is 1e999, must be a number from 0 to 1
c.json:5:17: hide[1] is a number, must be a string
c.json:5:20: hide[2] is null, must be a string
c.json:6:26: limits.fileSize is a string, must be a whole number from 1 to 1048576
c.json:6:32: warning: unknown field "limits.filez"; did you mean "limits.files"?
c.json:6:44: warning: unknown field "limits.zzz"
c.json:7:13: icons[0] is a number, must be an object
c.json:7:24: icons[1].src is empty
c.json:7:29: icons[2].src is missing`)
	must.Equal(t, want, problems.Error(), "problems")
	must.Equal(t, settings{Watch: true, PageSize: 50}, got, "a wrong field was stored")
	if e, w := len(problems.Errors()), len(problems.Warnings()); e != 10 || w != 3 {
		t.Errorf("%d errors and %d warnings", e, w)
	}
}

func TestObjectWrongContainers(t *testing.T) {
	tests := []struct{ in, want string }{
		{`[]`, "c.json:1:1: the document is an array, must be an object"},
		{`{"root": "r", "limits": []}`, "c.json:1:25: limits is an array, must be an object"},
		{`{"root": "r", "hide": "x"}`, "c.json:1:23: hide is a string, must be an array"},
		{`{"root": true}`, "c.json:1:10: root is a boolean, must be a string"},
		{`{"root": null}`, "c.json:1:1: root is missing"},
	}
	for _, tt := range tests {
		if _, problems := readSettings(tt.in); problems.Error() != tt.want {
			t.Errorf("%s\n got %v\nwant %s", tt.in, problems, tt.want)
		}
	}
}

func TestObjectWhereAndFailed(t *testing.T) {
	var problems Problems
	v, _ := Parse("t.json", []byte(`{"a": {"b": 1}}`))
	o, _ := NewObject("t.json", `entry 2 ("x")`, v, &problems)
	o.Warnf(v, "looks odd")
	if o.Failed() {
		t.Error("a warning fails the object")
	}
	o.Object("a", func(o *Object) {
		var s string
		o.String("b", &s)
	})
	if !o.Failed() {
		t.Error("an error in a nested object does not fail the outer one")
	}
	want := "t.json:1:1: warning: entry 2 (\"x\"): looks odd\nt.json:1:13: entry 2 (\"x\"): a.b is a number, must be a string"
	must.Equal(t, want, problems.Error())
}

func TestProblemString(t *testing.T) {
	tests := []struct {
		problem Problem
		want    string
	}{
		{Problem{File: "f", Line: 3, Column: 5, Where: "entry 2", Reason: "x"}, "f:3:5: entry 2: x"},
		{Problem{File: "f", Line: 3, Reason: "x", Warning: true}, "f:3: warning: x"},
		{Problem{File: "f", Column: 5, Reason: "x"}, "f: x"},
		{Problem{Reason: "x"}, "x"},
	}
	for _, tt := range tests {
		must.Equal(t, tt.want, tt.problem.String(), tt.problem)
	}
}

func TestSwitch(t *testing.T) {
	for _, tt := range []struct {
		in       string
		on, read bool // read: the inner field has a value
		problem  string
	}{
		{`{}`, false, false, ""},
		{`{"x": null}`, false, false, ""},
		{`{"x": true}`, true, false, ""},
		{`{"x": false}`, false, false, ""},
		{`{"x": {}}`, true, false, ""},
		{`{"x": {"y": "z"}}`, true, true, ""},
		{`{"x": 1}`, false, false, "c.json:1:7: x is a number, must be true, false or an object"},
		{`{"x": {"y": 1}}`, true, false, "c.json:1:13: x.y is a number, must be a string"},
		{`{"x": {"z": 1}}`, true, false, "c.json:1:8: warning: unknown field \"x.z\""},
	} {
		v, problems := Parse("c.json", []byte(tt.in))
		o, _ := NewObject("c.json", "", v, &problems)
		var on bool
		var inner string
		o.Switch("x", &on, func(o *Object) { o.String("y", &inner) })
		if o.Done(); on != tt.on || (inner != "") != tt.read || problems.Error() != tt.problem {
			t.Errorf("%s: %v, %q, %v", tt.in, on, inner, problems)
		}
	}
}
