package loader

import "fmt"

// An AboutOrigin says where the title or the description of a resource comes from.
type AboutOrigin uint8

const (
	// Nowhere: the resource has none.
	Nowhere AboutOrigin = iota
	// Sidecar: the file NAME.meta.json in the same folder.
	Sidecar
	// FrontMatter: the YAML at the start of a Markdown file.
	FrontMatter
	// FirstHeading: the first heading of a Markdown file.
	FirstHeading
	// SchemaField: the field of that name in a JSON Schema.
	SchemaField
	// TemplateField: the field of that name in templates.json.
	TemplateField
)

// String names the origin, as in "the title comes from its first heading".
func (o AboutOrigin) String() string {
	switch o {
	case Nowhere:
		return "nowhere"
	case Sidecar:
		return "its sidecar"
	case FrontMatter:
		return "its front matter"
	case FirstHeading:
		return "its first heading"
	case SchemaField:
		return "its JSON Schema"
	case TemplateField:
		return "its template"
	}
	return fmt.Sprintf("AboutOrigin(%d)", uint8(o))
}

// AboutOrigin returns where the title and the description that [Catalog.About] returns come from.
// It reads the file and its sidecar.
func (c *Catalog) AboutOrigin(r Resource) (title, description AboutOrigin) {
	if c.describes(r.dir, r.file()) {
		d := c.describe(r, c.MIME(r))
		title, description = d.title, d.description
		if d.sidecar.Title != "" {
			title = Sidecar
		}
		if d.sidecar.Description != "" {
			description = Sidecar
		}
	}
	if entry, ok := r.Template(); ok && description == Nowhere && c.options.Templates.Entries()[entry].Description != "" {
		description = TemplateField
	}
	return title, description
}
