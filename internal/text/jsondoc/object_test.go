package jsondoc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
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
	if diff := cmp.Diff(want, problems.Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(settings{Watch: true, PageSize: 50}, got); diff != "" {
		t.Errorf("a wrong field was stored (-want +got):\n%s", diff)
	}
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
	if diff := cmp.Diff(want, problems.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
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
		if got := tt.problem.String(); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.problem, got, tt.want)
		}
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
