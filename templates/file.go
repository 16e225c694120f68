package templates

import (
	"errors"
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// Entry is a definition with its template and its place in the file.
type Entry struct {
	Definition
	Template     *Template
	Index        int // position in the array, from 1
	Line, Column int // of the entry's opening brace
}

// Decode reads a templates.json. The file name only goes into the problems.
//
// It returns the entries without errors, in the order of the file, and the
// problems of all entries, in the order of their places. The same template
// twice is not a problem here. A null field counts as absent.
func Decode(file string, data []byte) ([]Entry, problems.List) {
	root, found := jsondoc.Parse(file, data)
	if root == nil {
		return nil, found
	}
	if root.Kind != jsondoc.KindArray {
		return nil, append(found, jsondoc.Problem{
			File: file, Line: root.Line, Column: root.Column,
			Reason: fmt.Sprintf("the document is %s, must be an array of templates", root.Kind),
		})
	}
	var entries []Entry
	for i, v := range root.Items {
		where := fmt.Sprintf("entry %d", i+1)
		if name := v.Member("name"); name != nil {
			if s, ok := name.Text(); ok && s != "" {
				where += " (" + jsondoc.Quote(s) + ")"
			}
		}
		o, ok := jsondoc.NewObject(file, where, v, &found)
		if !ok {
			continue
		}
		e := Entry{Index: i + 1, Line: v.Line, Column: v.Column}
		e.Template = readTemplate(o, &e.URITemplate)
		e.read(o)
		o.Done()
		if !o.Failed() {
			entries = append(entries, e)
		}
	}
	found.Sort()
	return entries, found
}

// readTemplate reads the field uriTemplate. The result is nil after an error.
func readTemplate(o *jsondoc.Object, dst *string) *Template {
	const field = "uriTemplate"
	if !o.RequiredString(field, dst) {
		return nil
	}
	v := o.Field(field)
	t, err := Parse(*dst)
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		o.Errorf(v.At(syntax.Offset), "%s %s: %s", field, jsondoc.Quote(*dst), syntax.Reason)
		return nil
	}
	return t
}

// read reads the fields other than uriTemplate.
func (d *Definition) read(o *jsondoc.Object) {
	o.RequiredString("name", &d.Name)
	o.String("title", &d.Title)
	o.String("description", &d.Description)
	readMIMEType(o, &d.MIMEType)
	o.Object("annotations", func(o *jsondoc.Object) {
		d.Annotations = &Annotations{}
		readAnnotations(o, &d.Annotations.Audience, &d.Annotations.Priority)
	})
	d.Icons = readIcons(o)
	var describe bool
	if o.Bool("describe", &describe) {
		d.Describe = &describe
	}
}
