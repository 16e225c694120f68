package loader

// An AboutOrigin says where the title or the description of a resource comes from.
type AboutOrigin string

const (
	// Nowhere: the resource has none.
	Nowhere AboutOrigin = ""
	// Sidecar: the file NAME.meta.json in the same folder.
	Sidecar AboutOrigin = "its sidecar"
	// FrontMatter: the YAML at the start of a Markdown file.
	FrontMatter AboutOrigin = "its front matter"
	// FirstHeading: the first heading of a Markdown file.
	FirstHeading AboutOrigin = "its first heading"
	// SchemaField: the field of that name in a JSON Schema.
	SchemaField AboutOrigin = "its JSON Schema"
	// TemplateField: the field of that name in templates.json.
	TemplateField AboutOrigin = "its template"
)

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
