package jsondoc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Object reads known fields of a JSON object. Each method names one field, stores its value if it
// has the right kind, reports a problem otherwise, and returns whether it stored a value. An absent
// or null field does not change the destination, so the caller sets defaults first.
//
//	o, ok := jsondoc.NewObject(file, "", value, &problems)
//	if ok {
//		o.RequiredString("root", &config.Root)
//		o.Int("pageSize", &config.PageSize, 1, 1000)
//		o.Object("limits", func(o *jsondoc.Object) {
//			o.Int("fileSize", &config.Limits.FileSize, 1, 1<<30)
//		})
//		o.Done()
//	}
type Object struct {
	file, where string
	path        string // prefix of a field name in messages: "limits."
	value       *Value
	problems    *Problems
	known       []string
	failed      *bool // shared by nested objects
}

// NewObject returns a reader of v that appends to problems. where is the Where of each problem. If
// v is not an object, NewObject reports that, returns a reader of an empty object, and returns
// false.
func NewObject(file, where string, v *Value, problems *Problems) (*Object, bool) {
	o := &Object{file: file, where: where, value: v, problems: problems, failed: new(bool)}
	if v.Kind != KindObject {
		subject := "the document "
		if where != "" {
			subject = ""
		}
		o.Errorf(v, "%sis %s, must be an object", subject, v.Kind)
		o.value = &Value{Kind: KindObject, Line: v.Line, Column: v.Column}
		return o, false
	}
	return o, true
}

// Failed reports whether an error was reported through o or an object inside.
func (o *Object) Failed() bool { return *o.failed }

// Errorf reports an error at the place of v.
func (o *Object) Errorf(v *Value, format string, args ...any) {
	o.report(v.Line, v.Column, false, fmt.Sprintf(format, args...))
}

// Warnf reports a warning at the place of v.
func (o *Object) Warnf(v *Value, format string, args ...any) {
	o.report(v.Line, v.Column, true, fmt.Sprintf(format, args...))
}

func (o *Object) report(line, column int, warning bool, reason string) {
	*o.failed = *o.failed || !warning
	if len(*o.problems) >= maxProblems {
		return
	}
	*o.problems = append(*o.problems, Problem{
		File: o.file, Line: line, Column: column, Where: o.where, Reason: reason, Warning: warning,
	})
}

// Path returns a field name as messages show it, preceded by the names of the objects around it:
// "limits.fileSize".
func (o *Object) Path(name string) string { return o.path + name }

// Field marks a field as known and returns its value, or nil when absent or null. It is for fields
// for which no other method fits.
func (o *Object) Field(name string) *Value {
	o.known = append(o.known, name)
	if v := o.value.Member(name); v != nil && v.Kind != KindNull {
		return v
	}
	return nil
}

// RequiredString reads a string that must be present and not empty.
func (o *Object) RequiredString(name string, dst *string) bool {
	v := o.Field(name)
	if v == nil {
		o.Errorf(o.value, "%s is missing", o.Path(name))
		return false
	}
	if text, ok := v.Text(); ok && text == "" {
		o.Errorf(v, "%s is empty", o.Path(name))
		return false
	}
	return o.String(name, dst)
}

// String reads a string.
func (o *Object) String(name string, dst *string) bool {
	return read(o, name, "a string", dst, (*Value).Text)
}

// Bool reads a boolean.
func (o *Object) Bool(name string, dst *bool) bool {
	return read(o, name, "true or false", dst, (*Value).Bool)
}

// Int reads a whole number from lowest to highest.
func (o *Object) Int(name string, dst *int, lowest, highest int) {
	read(o, name, fmt.Sprintf("a whole number from %d to %d", lowest, highest), dst, func(v *Value) (int, bool) {
		n, ok := v.Int()
		return int(n), ok && int64(lowest) <= n && n <= int64(highest)
	})
}

// Float reads a number from lowest to highest.
func (o *Object) Float(name string, dst *float64, lowest, highest float64) bool {
	return read(o, name, fmt.Sprintf("a number from %g to %g", lowest, highest), dst, func(v *Value) (float64, bool) {
		f, ok := v.Float()
		return f, ok && lowest <= f && f <= highest
	})
}

// read reads a field with a function that returns false for a value that is not as wanted.
func read[T any](o *Object, name, want string, dst *T, value func(*Value) (T, bool)) bool {
	v := o.Field(name)
	if v == nil {
		return false
	}
	got, ok := value(v)
	return store(o, v, o.Path(name), want, dst, got, ok)
}

// Strings reads an array of strings. Every item that is not a string is
// reported; the destination is set only when there is none.
func (o *Object) Strings(name string, dst *[]string) bool {
	items := []string{}
	good := true
	there := o.Array(name, func(path string, v *Value) {
		var item string
		text, ok := v.Text()
		good = store(o, v, path, "a string", &item, text, ok) && good
		items = append(items, item)
	})
	if there && good {
		*dst = items
	}
	return there && good
}

// Array calls each with every item of an array and with the path of the item,
// such as "icons[0]". It returns whether the field is an array.
func (o *Object) Array(name string, each func(path string, v *Value)) bool {
	v := o.Field(name)
	if v == nil {
		return false
	}
	if v.Kind != KindArray {
		o.wrong(v, o.Path(name), "an array")
		return false
	}
	for i, item := range v.Items {
		each(o.Path(name)+"["+strconv.Itoa(i)+"]", item)
	}
	return true
}

// Object reads an object: read reads its fields, and then Object reports the unknown ones.
func (o *Object) Object(name string, read func(*Object)) {
	if v := o.Field(name); v != nil {
		o.Nested(o.Path(name), v, read)
	}
}

// Switch reads a setting that true or an object turns on and false turns off. read reads the fields
// of the object.
func (o *Object) Switch(name string, on *bool, read func(*Object)) {
	switch v := o.Field(name); {
	case v == nil:
	case v.Kind == KindObject:
		*on = true
		o.Nested(o.Path(name), v, read)
	default:
		b, ok := v.Bool()
		store(o, v, o.Path(name), "true, false or an object", on, b, ok)
	}
}

// Nested does for a value what [Object.Object] does for a field; it is for
// objects in arrays. Messages put path before the names of the fields.
func (o *Object) Nested(path string, v *Value, read func(*Object)) bool {
	if v.Kind != KindObject {
		o.wrong(v, path, "an object")
		return false
	}
	inner := &Object{file: o.file, where: o.where, path: path + ".", value: v, problems: o.problems, failed: o.failed}
	read(inner)
	inner.Done()
	return true
}

// Done warns about every field that no method has named so far.
func (o *Object) Done() {
	for _, m := range o.value.Members {
		if m.Key == "$schema" || slices.Contains(o.known, m.Key) {
			continue
		}
		reason := "unknown field " + Quote(o.Path(m.Key))
		if name, ok := nearest.One(m.Key, o.known); ok {
			reason += "; did you mean " + Quote(o.Path(name)) + "?"
		}
		o.report(m.Line, m.Column, true, reason)
	}
}

// store sets dst when the value is good and reports it otherwise. It is a function with the reader as a parameter because methods have no
// type parameters.
func store[T any](o *Object, v *Value, path, want string, dst *T, value T, good bool) bool {
	if good {
		*dst = value
	} else {
		o.wrong(v, path, want)
	}
	return good
}

// wrong reports a value of the wrong kind or outside its range. The message shows a number outside
// its range, because the number is what is wrong.
func (o *Object) wrong(v *Value, path, want string) {
	is := string(v.Kind)
	if v.Kind == KindNumber && len(v.text) <= 40 && strings.Contains(want, "number") {
		is = v.text
	}
	o.Errorf(v, "%s is %s, must be %s", path, is, want)
}
