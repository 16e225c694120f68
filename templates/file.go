package templates

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
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
func Decode(file string, data []byte) ([]Entry, jsondoc.Problems) {
	root, problems := jsondoc.Parse(file, data)
	if root == nil {
		return nil, problems
	}
	if root.Kind != jsondoc.KindArray {
		return nil, append(problems, jsondoc.Problem{
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
		o, ok := jsondoc.NewObject(file, where, v, &problems)
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
	problems.Sort()
	return entries, problems
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
	if err := clientRefusal(t.String()); err != nil {
		o.Warnf(v, "%s %s: clients written in Go cannot read this template: %v", field, jsondoc.Quote(*dst), err)
	}
	return t
}

// clientRefusal returns the error of the parser that MCP clients and servers
// written in Go use.
func clientRefusal(published string) error {
	_, err := uritemplate.New(published)
	return err
}

// read reads the fields other than uriTemplate.
func (d *Definition) read(o *jsondoc.Object) {
	o.RequiredString("name", &d.Name)
	o.String("title", &d.Title)
	o.String("description", &d.Description)
	readMIMEType(o, &d.MIMEType)
	o.Object("annotations", func(o *jsondoc.Object) {
		d.Annotations = &Annotations{}
		d.Annotations.Read(o)
	})
	d.Icons = ReadIcons(o, "icons")
	var describe bool
	if o.Bool("describe", &describe) {
		d.Describe = &describe
	}
}

// Read reads the annotations' fields.
func (a *Annotations) Read(o *jsondoc.Object) {
	if o.Strings("audience", &a.Audience) {
		for i, role := range a.Audience {
			if role != "user" && role != "assistant" {
				o.Errorf(o.Field("audience").Items[i], "%s is %q, must be \"user\" or \"assistant\"", o.Path("audience"), role)
			}
		}
	}
	var priority float64
	if o.Float("priority", &priority, 0, 1) {
		a.Priority = &priority
	}
}

// ReadIcons reads an array of icons.
func ReadIcons(o *jsondoc.Object, name string) []Icon {
	var icons []Icon
	o.Array(name, func(path string, v *jsondoc.Value) {
		o.Nested(path, v, func(o *jsondoc.Object) {
			var icon Icon
			icon.read(o)
			icons = append(icons, icon)
		})
	})
	return icons
}

func (icon *Icon) read(o *jsondoc.Object) {
	o.RequiredString("src", &icon.Src)
	readMIMEType(o, &icon.MIMEType)
	o.Strings("sizes", &icon.Sizes)
	if o.String("theme", &icon.Theme) && !slices.Contains([]string{"light", "dark"}, icon.Theme) {
		o.Errorf(o.Field("theme"), "%s is %q, must be \"light\" or \"dark\"", o.Path("theme"), icon.Theme)
	}
}

func readMIMEType(o *jsondoc.Object, dst *string) {
	const field = "mimeType"
	if !o.String(field, dst) {
		return
	}
	essence, _, parameters := strings.Cut(*dst, ";")
	essence = strings.TrimSpace(essence)
	major, minor, _ := strings.Cut(essence, "/")
	switch {
	case !restrictedName(major) || !restrictedName(minor):
		o.Errorf(o.Field(field), "%s is %q, must be type/subtype such as \"text/markdown\"", o.Path(field), *dst)
	case parameters:
		o.Warnf(o.Field(field), "%s is %q, taken without its parameters as %q", o.Path(field), *dst, essence)
	case essence != *dst:
		o.Warnf(o.Field(field), "%s is %q, taken without the spaces around it", o.Path(field), *dst)
	}
	*dst = essence
}

// restrictedName reports whether s may be the type or the subtype of a MIME
// type (RFC 6838 section 4.2).
func restrictedName(s string) bool {
	for i := range len(s) {
		alphanumeric := s[i] != '-' && s[i] != '.' && s[i] != '_' && s[i] != '~' && classes[s[i]]&unreserved != 0
		if !alphanumeric && (i == 0 || strings.IndexByte("!#$&-^_.+", s[i]) < 0) {
			return false
		}
	}
	return s != "" && len(s) <= 127
}
