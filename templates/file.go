package templates

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// Entry is a definition with its template and its place in the file.
type Entry struct {
	Definition
	Template     *Template
	Index        int
	Line, Column int
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

// A Sidecar describes one file. It is a small JSON file in the same folder, with the fields that
// templates have for all their resources.
type Sidecar struct {
	Title       string
	Description string
	Audience    []string
	Priority    *float64 // from 0 to 1
	Icons       []Icon
}

// DecodeSidecar reads a sidecar. The file name only goes into the problems; if one of them is an
// error, the result is empty.
func DecodeSidecar(file string, data []byte) (Sidecar, problems.List) {
	v, found := jsondoc.Parse(file, data)
	if found.Err() != nil {
		return Sidecar{}, found
	}
	o, ok := jsondoc.NewObject(file, "", v, &found)
	if !ok {
		return Sidecar{}, found
	}
	var s Sidecar
	o.String("title", &s.Title)
	o.String("description", &s.Description)
	readAnnotations(o, &s.Audience, &s.Priority)
	s.Icons = readIcons(o)
	o.Done()
	found.Sort()
	if found.Err() != nil {
		return Sidecar{}, found
	}
	return s, found
}

// readAnnotations reads the members of annotations.
func readAnnotations(o *jsondoc.Object, audience *[]string, priority **float64) {
	if o.Strings("audience", audience) {
		for i, role := range *audience {
			if role != "user" && role != "assistant" {
				o.Errorf(o.Field("audience").Items[i], "%s is %q, must be \"user\" or \"assistant\"", o.Path("audience"), role)
			}
		}
	}
	var value float64
	if o.Float("priority", &value, 0, 1) {
		*priority = &value
	}
}

// readIcons reads the member icons.
func readIcons(o *jsondoc.Object) []Icon {
	var icons []Icon
	o.Array("icons", func(path string, v *jsondoc.Value) {
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

// readMIMEType reads the member mimeType: type/subtype. Parameters are taken off with a warning.
func readMIMEType(o *jsondoc.Object, dst *string) {
	const field = "mimeType"
	if !o.String(field, dst) {
		return
	}
	essence, _, parameters := strings.Cut(*dst, ";")
	essence = strings.TrimSpace(essence)
	major, minor, _ := strings.Cut(essence, "/")
	switch {
	case !restrictedName().MatchString(major) || !restrictedName().MatchString(minor):
		o.Errorf(o.Field(field), "%s is %q, must be type/subtype such as \"text/markdown\"", o.Path(field), *dst)
	case parameters:
		o.Warnf(o.Field(field), "%s is %q, taken without its parameters as %q", o.Path(field), *dst, essence)
	}
	*dst = essence
}

// restrictedName matches the type or the subtype of a MIME type (RFC 6838 section 4.2).
var restrictedName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$`)
