// Package explain answers why a file of a project is served as it is, or is not served.
//
//	answer, err := explain.Ask(ctx, project, "docs://guide/setup.md") // or a path below the project folder
//
// A question is a URI or a path. A path may lie among the resources, the documents or the prompts;
// one file may be several of them. Where there is no such path, it is the path of a document below
// their folder, or the name of a prompt. The package has no rules of its own: it asks the loader,
// the matcher and the scans of documents and prompts, which return their decisions as values with
// names. Each spelling of a URI is looked up before it is listed.
package explain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/internal/walk"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Project is what questions are about.
type Project struct {
	Files    fs.FS          // the project folder, as for [loader.Scan]
	Docs     string         // the folder of the documents, below the project folder
	Options  loader.Options // as for serving
	MaxBytes int64          // of the largest file that clients can read

	// What a server has read already. nil: it is read for the answer.
	Catalog *loader.Catalog
	Library *docs.Library
	Prompts *prompts.Set

	// Unread: the file itself is not read, so nothing is said of its contents; see
	// [Resource.Classify].
	Unread bool
}

// An Answer is all that is known of a file or folder.
type Answer struct {
	Question string    `json:"question"`
	Served   bool      `json:"served"`             // as a resource, document or prompt
	File     string    `json:"file,omitempty"`     // below the project folder, as its author sees it
	Folder   bool      `json:"folder,omitempty"`   // it is a folder
	Made     bool      `json:"made,omitempty"`     // the server makes it; Ask does not know
	Capture  *Capture  `json:"capture,omitempty"`  // it was captured; likewise
	Resource *Resource `json:"resource,omitempty"` // nil: it is no resource
	Document *Document `json:"document,omitempty"` // nil: it is no document
	Prompt   *Prompt   `json:"prompt,omitempty"`   // nil: it is no prompt
	Hidden   []Hidden  `json:"hidden,omitempty"`   // why it is not served, or not as what its folder is for
	Similar  []string  `json:"similar,omitempty"`  // URIs or paths that look alike, for what is not there
}

// A Capture is a tier of a page of the web that was captured.
type Capture struct {
	URL      string    `json:"url"`
	Source   string    `json:"source,omitempty"` // what fetched it
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"` // zero: never
	MIMEType string    `json:"mimeType"`
	Size     int64     `json:"size"` // bytes
	File     string    `json:"file"` // where it is kept
}

// A Resource is how clients see a file as a resource.
type Resource struct {
	URI       string     `json:"uri"`
	Spellings []Spelling `json:"spellings"`

	Template  *Template  `json:"template,omitempty"` // nil: no template matches
	Variables []Variable `json:"variables,omitempty"`
	Lost      []Lost     `json:"lost,omitempty"`

	Title       Origin `json:"title"`
	Description Origin `json:"description"`
	MIME        Origin `json:"mimeType"`

	Skill *Skill `json:"skill,omitempty"` // of a SKILL.md

	Form     string    `json:"form"`     // text in UTF-8, text in UTF-16 or blob; "" if nobody can know, or the file was not read
	FormRule string    `json:"formRule"` // why
	Size     int64     `json:"size"`     // bytes
	ModTime  time.Time `json:"modTime"`
}

// A Skill is what clients see of a folder with a SKILL.md.
type Skill struct {
	Name  string `json:"name,omitempty"`
	Files int    `json:"files,omitempty"`
	Why   string `json:"why,omitempty"` // it is no skill to clients
}

// An Origin is a value and where it comes from.
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

// Lost is a template that matches the URI too.
type Lost struct {
	Template
	Rule    string    `json:"rule"`              // by which the winner wins
	Through *Template `json:"through,omitempty"` // of the rule of inclusion: the template that admits all URIs of the winner
}

// A Document is how the tool for documents finds a file.
type Document struct {
	Path      string     `json:"path"`
	Listed    bool       `json:"listed"` // it is Markdown: listed and searched; other files can only be read
	Spellings []Spelling `json:"spellings"`
}

// A Prompt is how clients see a file as a prompt.
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
	Detail string `json:"detail,omitempty"` // what makes it specific: the hidden name, the pattern, the other file
	Fix    string `json:"fix,omitempty"`
}

// Ask explains a URI or a path below the project folder. The error is that of ctx or of the folders
// that cannot be read; for what is not there, the answer has no file.
func Ask(ctx context.Context, p Project, question string) (*Answer, error) {
	catalog := p.Catalog
	var err error
	if catalog == nil {
		if catalog, err = loader.Scan(ctx, p.Files, p.Options); err != nil {
			return nil, err
		}
	}
	q := &inquiry{Project: p, ctx: ctx, catalog: catalog, answer: &Answer{Question: question}}
	if strings.Contains(question, "://") {
		err = q.uri(question)
	} else {
		err = q.path(path.Clean(question))
		if err == nil && q.answer.File == "" && len(q.answer.Hidden) == 0 {
			err = q.name(question)
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	q.answer.Served = q.answer.Resource != nil || q.answer.Document != nil || q.answer.Prompt != nil ||
		q.answer.Folder && len(q.answer.Hidden) == 0
	return q.answer, err
}

// An inquiry is a question that is being answered.
type inquiry struct {
	Project
	ctx     context.Context
	catalog *loader.Catalog
	answer  *Answer
}

// uri answers a question about a URI.
func (q *inquiry) uri(question string) error {
	if r, ok := q.catalog.Lookup(question); ok {
		q.resource(r)
		return q.others(q.answer.File)
	}
	for decoded := range uri.Readings(question) {
		for _, name := range q.places(decoded) {
			e, err := loader.Explain(q.ctx, q.Files, q.Options, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return err
			}
			q.answer.File, q.answer.Folder = name, e.Folder
			if e.Cause != loader.Served {
				q.omitted(e.Omission)
			}
			return nil
		}
	}
	q.answer.Similar = q.catalog.Close(question, 3)
	return nil
}

// places returns the paths that the file of a decoded URI may have.
func (q *inquiry) places(decoded string) []string {
	scheme, below, ok := uri.Split(decoded)
	if !ok {
		return nil
	}
	var out []string
	add := func(name string) {
		if walk.ValidPath(name) {
			out = append(out, name)
		}
	}
	entries, _ := fs.ReadDir(q.Files, loader.Resources) // what cannot be read is not there
	for _, e := range entries {
		if strings.EqualFold(e.Name(), scheme) {
			add(loader.Resources + "/" + e.Name() + "/" + below)
		}
	}
	for _, m := range q.Options.Mounts {
		if m.Scheme == scheme && m.Skills {
			add(m.Dir + "/" + below)
		} else if m.Scheme == scheme {
			if rest, ok := strings.CutPrefix(below+"/", m.Host+"/"); ok {
				add(m.Dir + "/" + strings.TrimSuffix(rest, "/"))
			}
		}
	}
	return out
}

// path answers a question about a path.
func (q *inquiry) path(name string) error {
	if !walk.ValidPath(name) {
		return nil
	}
	e, err := loader.Explain(q.ctx, q.Files, q.Options, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case e.Folder:
		q.answer.File, q.answer.Folder = name, true
		if e.Cause != loader.Served {
			q.omitted(e.Omission)
		}
	case e.Cause != loader.Served:
		q.answer.File = name
		q.omitted(e.Omission)
	default:
		if r, ok := q.catalog.Lookup(e.Resource.URI()); ok {
			q.resource(r)
		}
		q.answer.File = name
	}
	return q.others(name)
}

// name answers a question about what lists show of documents and prompts: the path of a document
// below their folder, in any spelling, or the name of a prompt.
func (q *inquiry) name(question string) error {
	library, err := q.library()
	if err != nil {
		return err
	}
	if found, _, ok := library.Lookup(question); ok && found != "" && !strings.HasSuffix(found, "/") {
		return q.path(q.Docs + "/" + found)
	}
	set, err := q.prompts()
	if err != nil {
		return err
	}
	if p, ok := set.Get(question); ok {
		return q.path(p.File)
	}
	for _, p := range set.Problems().Errors() { // of a prompt that is not served
		if name := strings.TrimPrefix(p.File, prompts.Folder+"/"); strings.TrimSuffix(name, path.Ext(name)) == question {
			return q.path(p.File)
		}
	}
	return nil
}

// library returns the documents.
func (q *inquiry) library() (*docs.Library, error) {
	if q.Library == nil {
		library, err := docs.Scan(q.ctx, q.Files, q.Docs, nil, nil, nil)
		if err != nil {
			return nil, err
		}
		q.Library = library
	}
	return q.Library, nil
}

// prompts returns the prompts.
func (q *inquiry) prompts() (*prompts.Set, error) {
	if q.Prompts == nil {
		set, err := prompts.Scan(q.ctx, q.Files, prompts.Folder, nil, nil, nil)
		if err != nil {
			return nil, err
		}
		q.Prompts = set
	}
	return q.Prompts, nil
}

// others finds out what a file is besides a resource.
func (q *inquiry) others(name string) error {
	if walk.Holds(q.Docs, name) {
		if err := q.document(name); err != nil {
			return err
		}
	}
	if walk.Holds(prompts.Folder, name) {
		if err := q.prompt(name); err != nil {
			return err
		}
	}
	a := q.answer
	if a.Resource != nil || a.Document != nil || a.Prompt != nil || len(a.Hidden) > 0 || a.Folder {
		return nil
	}
	if _, err := fs.Stat(q.Files, name); err != nil {
		a.File = ""
		return nil
	}
	a.File = name
	a.Hidden = append(a.Hidden, Hidden{Path: name, Rule: "outside",
		Reason: fmt.Sprintf("is not below %s/, %s/, %s/ or %s/", loader.Resources, q.Docs, prompts.Folder, skills.Folder),
		Fix:    "move it to one of these folders"})
	return nil
}

// omitted says why something is no resource.
func (q *inquiry) omitted(o loader.Omission) { q.answer.Hidden = append(q.answer.Hidden, HiddenOf(o)) }

// document finds out how the tool for documents sees a file.
func (q *inquiry) document(name string) error {
	library, err := q.library()
	if err != nil {
		return err
	}
	below := strings.TrimPrefix(strings.TrimPrefix(name, q.Docs), "/")
	found, _, ok := library.Lookup(below)
	switch {
	case below == "" || ok && found == below+"/":
		q.answer.File, q.answer.Folder = name, true
	case ok && found == below:
		q.answer.File = name
		d := &Document{Path: found, Listed: docs.IsDocument(found)}
		without := strings.TrimSuffix(found, path.Ext(found))
		for _, s := range []Spelling{
			{found, Canonical}, {q.Docs + "/" + found, WithFolder}, {without, WithoutExtension},
			{"/" + found, LeadingSlash}, {string(uri.AppendSegment(nil, found)), Encoded},
		} {
			if target, section, ok := library.Lookup(s.Text); ok && target == found && section == "" {
				d.Spellings = addSpelling(d.Spellings, s)
			}
		}
		q.answer.Document = d
	default:
		return q.missing(name, library.Notices())
	}
	return nil
}

// prompt finds out how clients see a prompt file.
func (q *inquiry) prompt(name string) error {
	set, err := q.prompts()
	if err != nil {
		return err
	}
	for _, p := range set.Prompts() {
		if p.File == name {
			q.answer.File = name
			q.answer.Prompt = &Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
			for _, a := range p.Arguments {
				q.answer.Prompt.Arguments = append(q.answer.Prompt.Arguments, a.Name)
			}
			return nil
		}
	}
	var notices []loader.Notice
	for _, p := range set.Problems().Errors() {
		where := ""
		if p.Line > 0 {
			where = fmt.Sprintf("line %d: ", p.Line)
		}
		notices = append(notices, loader.Notice{Path: p.File, Reason: where + p.Reason})
	}
	return q.missing(name, notices)
}

// missing says why a document or prompt that is on the disk is not served: by a hidden name, or by
// what the scan reports.
func (q *inquiry) missing(name string, notices []loader.Notice) error {
	info, err := fs.Stat(q.Files, name)
	links, hasLinks := q.Files.(fs.ReadLinkFS)
	if err != nil && hasLinks {
		info, err = links.Lstat(name) // a link that leads nowhere
	}
	if err != nil {
		return nil
	}
	q.answer.File, q.answer.Folder = name, info.IsDir()
	reported := make(map[string][]string)
	for _, n := range notices {
		if n.Path != q.Docs { // which is about all documents, and hides none
			reported[n.Path] = append(reported[n.Path], n.Reason)
		}
	}
	hidden := Withheld(name, reported)
	if info.IsDir() && len(hidden) == 1 && hidden[0].unexplained() {
		return nil // nothing of it is served, which is no mistake
	}
	q.answer.Hidden = slices.DeleteFunc(q.answer.Hidden, func(h Hidden) bool { // as a resource too, which says no more
		return slices.ContainsFunc(hidden, func(other Hidden) bool { return h.Path == other.Path && h.Rule == other.Rule })
	})
	q.answer.Hidden = append(q.answer.Hidden, hidden...)
	return nil
}

// ancestors yields the folders above a path, the one closest to the root first, and then the path.
func ancestors(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(name) {
			if name[i] == '/' && !yield(name[:i]) {
				return
			}
		}
		yield(name)
	}
}
