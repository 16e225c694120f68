package explain

import "time"

// An Answer says how a file or folder is served, or why it is not served.
type Answer struct {
	Question string    `json:"question"`
	Served   bool      `json:"served"`             // as a resource, document or prompt
	File     string    `json:"file,omitempty"`     // relative to the project folder, as its author sees it
	Folder   bool      `json:"folder,omitempty"`   // it is a folder
	Made     bool      `json:"made,omitempty"`     // the server makes it; Ask does not set it
	Resource *Resource `json:"resource,omitempty"` // nil: it is not a resource
	Document *Document `json:"document,omitempty"` // nil: it is not a document
	Prompt   *Prompt   `json:"prompt,omitempty"`   // nil: it is not a prompt
	Hidden   []Hidden  `json:"hidden,omitempty"`   // why it is not served, or not in the way that its folder suggests
	Similar  []string  `json:"similar,omitempty"`  // similar URIs, if nothing was found
}

// A Resource describes how clients see a file as a resource.
type Resource struct {
	URI string `json:"uri"`

	Template  *Template  `json:"template,omitempty"` // nil: no template matches
	Variables []Variable `json:"variables,omitempty"`
	Lost      []Lost     `json:"lost,omitempty"`

	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIME        Origin `json:"mimeType"`

	Skill *Skill `json:"skill,omitempty"` // of a SKILL.md

	Form     string    `json:"form"`     // text in UTF-8, text in UTF-16 or blob; "" if the file was not read
	FormRule string    `json:"formRule"` // why
	Size     int64     `json:"size"`     // bytes
	ModTime  time.Time `json:"modTime"`
}

// A Skill describes how clients see a folder with a SKILL.md.
type Skill struct {
	Name  string `json:"name,omitempty"`
	Files int    `json:"files,omitempty"`
	Why   string `json:"why,omitempty"` // why it is not a skill for clients
}

// An Origin is a value and its source.
type Origin struct {
	Value string `json:"value,omitempty"`
	From  string `json:"from,omitempty"`
}

// A Template is an entry of templates.json.
type Template struct {
	Name        string `json:"name"`
	URITemplate string `json:"uriTemplate"`
	Line        int    `json:"line,omitempty"` // of templates.json; 0: the program adds the template
}

// A Variable is the value that a URI gives to a variable of its template.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Lost is another template that matches the URI.
type Lost struct {
	Template
	Rule    string    `json:"rule"`              // by which the winner wins
	Through *Template `json:"through,omitempty"` // of the rule of inclusion: the template that admits all URIs of the winner
}

// A Document describes how the tool for documents finds a file.
type Document struct {
	Path    string    `json:"path"`
	Title   string    `json:"title,omitempty"`
	Removed []Removal `json:"removed,omitempty"` // secrets that notes replace
	Links   []Link    `json:"links,omitempty"`
	Listed  bool      `json:"listed"` // the document is listed and searched, because it is Markdown; other files can only be read
	// Language and Version are those that lists and searches must name to find the document. "": they find it without.
	Language string `json:"language,omitempty"`
	Version  string `json:"version,omitempty"`
}

// A Removal is something that looks like a secret, in whose place clients get a note.
type Removal struct {
	Line int    `json:"line"` // from 1
	What string `json:"what"`
}

// A Link is a reference in a document of a site.
type Link struct {
	Line      int    `json:"line"`         // from 1
	Link      string `json:"link"`         // as it is written
	To        string `json:"to,omitempty"` // FILE or FILE#id
	Certainty string `json:"certainty"`    // found, absent, undecided, elsewhere or unknown

	Candidates []string `json:"candidates,omitempty"` // files of an undecided link
}

// A Prompt describes how clients see a file as a prompt.
type Prompt struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Arguments   []string `json:"arguments,omitempty"`
}

// Hidden says why a file is not served.
type Hidden struct {
	Path   string `json:"path"` // the file, or a folder above it
	Rule   string `json:"rule"` // a name such as dot-name
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"` // the hidden name, the pattern, or the other file
	Fix    string `json:"fix,omitempty"`
}
