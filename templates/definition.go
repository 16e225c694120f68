package templates

// Definition is an entry of templates.json. Its fields are the fields of a resource template of the
// Model Context Protocol, and Describe. The jsonschema tags hold the descriptions in the JSON
// Schema that editors show.
type Definition struct {
	URITemplate string       `json:"uriTemplate" jsonschema:"URI template (RFC 6570) of the resources, such as docs://guides/{name}.md"`
	Name        string       `json:"name" jsonschema:"short name of the template, for programs and as the title where there is none"`
	Title       string       `json:"title,omitempty" jsonschema:"name of the template as people read it"`
	Description string       `json:"description,omitempty" jsonschema:"what the template is for, written for a model that decides whether to use it"`
	MIMEType    string       `json:"mimeType,omitempty" jsonschema:"MIME type of every resource of the template, as type/subtype without parameters; leave it out when they differ"`
	Annotations *Annotations `json:"annotations,omitempty" jsonschema:"hints for clients"`
	Icons       []Icon       `json:"icons,omitempty" jsonschema:"icons that clients may show"`
	Describe    *bool        `json:"describe,omitempty" jsonschema:"whether the resources take their title and description from their own files and the files next to them; what the configuration says unless given"`
}

// Annotations are hints for clients.
type Annotations struct {
	Audience []string `json:"audience,omitempty" jsonschema:"who the resources are for: user, assistant or both"`
	Priority *float64 `json:"priority,omitempty" jsonschema:"how important the resources are, from 0 (optional) to 1 (required)"`
}

// Icon is an image that clients may show.
type Icon struct {
	Src      string   `json:"src" jsonschema:"https or data URI of the image"`
	MIMEType string   `json:"mimeType,omitempty" jsonschema:"MIME type of the image"`
	Sizes    []string `json:"sizes,omitempty" jsonschema:"sizes of the image in pixels such as 48x48, or any"`
	Theme    string   `json:"theme,omitempty" jsonschema:"background the image is made for: light or dark"`
}
