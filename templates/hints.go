package templates

import (
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// A Sidecar describes one file. It is a small JSON file in the same folder, with the fields that
// templates have for all their resources.
type Sidecar struct {
	Title       string
	Description string
	Audience    []string // user, assistant
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
		c := s[i]
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alphanumeric && (i == 0 || strings.IndexByte("!#$&-^_.+", c) < 0) {
			return false
		}
	}
	return s != "" && len(s) <= 127
}
