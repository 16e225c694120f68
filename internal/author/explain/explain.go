// Package explain answers why a file of a project is served as it is, or is not served.
//
//	answer, err := explain.Ask(ctx, project, "docs://guide/setup.md") // or a path in the project folder
//
// A question is a URI or a path. The path may be in the folder of resources, documents or prompts;
// one file may be several of these. If that path does not exist, the question is looked up as the path
// of a document relative to the folder of documents, and as the name of a prompt. The package has no rules of its own:
// the loader, the matcher and the scans of documents and prompts return their decisions as named
// values.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Project is the project of a question.
type Project struct {
	Files    fs.FS  // the project folder, as for [loader.Scan]
	Docs     string // the folder of the documents, in the project folder
	Options  loader.Options
	MaxBytes int64 // the size of the largest file that clients can read

	Library *docs.Library
}

// Ask explains a URI or a path in the project folder. The error comes from ctx or from folders that
// cannot be read; if nothing is found, the answer has no file.
func Ask(ctx context.Context, p Project, question string) (*Answer, error) {
	catalog, err := loader.Scan(ctx, p.Files, p.Options)
	if err != nil {
		return nil, err
	}
	set, err := prompts.Scan(ctx, p.Files, prompts.Folder, nil)
	if err != nil {
		return nil, err
	}
	q := &inquiry{Project: p, ctx: ctx, catalog: catalog, prompts: set, answer: &Answer{Question: question}}
	if strings.Contains(question, "://") {
		err = q.uri(question)
	} else {
		err = q.path(path.Clean(question))
		if err == nil && q.answer.File == "" && len(q.answer.Hidden) == 0 {
			err = q.name(question)
		}
	}
	err = cmp.Or(err, ctx.Err())
	q.answer.Served = q.answer.Resource != nil || q.answer.Document != nil || q.answer.Prompt != nil ||
		q.answer.Folder && len(q.answer.Hidden) == 0
	return q.answer, err
}

// An inquiry is the state of Ask.
type inquiry struct {
	Project
	ctx     context.Context
	catalog *loader.Catalog
	prompts *prompts.Set
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
				q.omitted(e.Skipped)
			}
			return nil
		}
	}
	q.answer.Similar = q.catalog.Close(question, 3)
	return nil
}

// places returns the possible paths of the file that a decoded URI names.
func (q *inquiry) places(decoded string) []string {
	scheme, rest, ok := uri.Split(decoded)
	if !ok {
		return nil
	}
	var out []string
	add := func(name string) {
		if walk.ValidPath(name) {
			out = append(out, name)
		}
	}
	// a folder that cannot be read counts as empty
	entries, _ := fs.ReadDir(q.Files, loader.Resources)
	for _, e := range entries {
		if strings.EqualFold(e.Name(), scheme) {
			add(loader.Resources + "/" + e.Name() + "/" + rest)
		}
	}
	for _, m := range q.Options.Mounts {
		if m.Scheme == scheme && m.Skills {
			add(m.Dir + "/" + rest)
		} else if m.Scheme == scheme {
			if name, ok := strings.CutPrefix(rest+"/", m.Host+"/"); ok {
				add(m.Dir + "/" + strings.TrimSuffix(name, "/"))
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
			q.omitted(e.Skipped)
		}
	case e.Cause != loader.Served:
		q.answer.File = name
		q.omitted(e.Skipped)
	default:
		if r, ok := q.catalog.Lookup(e.Resource.URI()); ok {
			q.resource(r)
		}
		q.answer.File = name
	}
	return q.others(name)
}

// name answers a question with a name from a list: the path of a document relative to the folder of
// documents, in any spelling, or the name of a prompt.
func (q *inquiry) name(question string) error {
	if found, _, ok := q.Library.Lookup(question); ok && found != "" && !strings.HasSuffix(found, "/") {
		return q.path(q.Library.FileOf(found))
	}
	if p, ok := q.prompts.Get(question); ok {
		return q.path(p.File)
	}
	// a prompt with an error is not served
	for _, p := range q.prompts.Problems().Errors() {
		if name := strings.TrimPrefix(p.File, prompts.Folder+"/"); strings.TrimSuffix(name, path.Ext(name)) == question {
			return q.path(p.File)
		}
	}
	return nil
}

// others answers whether a file is a document or a prompt.
func (q *inquiry) others(name string) error {
	if err := q.document(name); err != nil {
		return err
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
	if reason := q.Library.Sites().Unnamed(name); reason != "" {
		a.Hidden = append(a.Hidden, Unpublished(q.Library.Sites(), &site.Page{File: name, Hidden: reason}))
		return nil
	}
	a.Hidden = append(a.Hidden, Hidden{Path: name, Rule: "outside",
		Reason: fmt.Sprintf("is not below %s/, %s/, %s/ or %s/", loader.Resources, q.Docs, prompts.Folder, skills.Folder),
		Fix:    "move it to one of these folders"})
	return nil
}

// prompt answers how clients see a prompt file.
func (q *inquiry) prompt(name string) error {
	for _, p := range q.prompts.Prompts() {
		if p.File == name {
			q.answer.File = name
			q.answer.Prompt = &Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
			for _, a := range p.Arguments {
				q.answer.Prompt.Arguments = append(q.answer.Prompt.Arguments, a.Name)
			}
			return nil
		}
	}
	return q.missing(name, Reported(nil, q.prompts.Problems(), q.Docs))
}

// An Answer says how a file or folder is served, or why it is not served.
type Answer struct {
	Question string `json:"question"`
	Served   bool   `json:"served"` // as a resource, document or prompt
	// relative to the project folder, as its author sees it
	File     string    `json:"file,omitempty"`
	Folder   bool      `json:"folder,omitempty"`
	Made     bool      `json:"made,omitempty"` // the server makes it; Ask does not set it
	Resource *Resource `json:"resource,omitempty"`
	Document *Document `json:"document,omitempty"`
	Prompt   *Prompt   `json:"prompt,omitempty"`
	// why it is not served as its folder suggests
	Hidden  []Hidden `json:"hidden,omitempty"`
	Similar []string `json:"similar,omitempty"` // similar URIs, if nothing was found
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

	// text in UTF-8, text in UTF-16 or blob; "" if the file was not read
	Form     string    `json:"form"`
	FormRule string    `json:"formRule"`
	Size     int64     `json:"size"` // bytes
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
	// of templates.json; 0: the program adds the template
	Line int `json:"line,omitempty"`
}

// A Variable is the value that a URI gives to a variable of its template.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Lost is another template that matches the URI.
type Lost struct {
	Template
	Rule string `json:"rule"` // by which the winner wins
	// of the rule of inclusion: the template that admits all URIs of the winner
	Through *Template `json:"through,omitempty"`
}

// A Document describes how the tool for documents finds a file.
type Document struct {
	Path    string    `json:"path"`
	Title   string    `json:"title,omitempty"`
	Removed []Removal `json:"removed,omitempty"` // secrets that notes replace
	Links   []Link    `json:"links,omitempty"`
	Listed  bool      `json:"listed"` // and searched; other files can only be read
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
	Line int    `json:"line"`         // from 1
	Link string `json:"link"`         // as it is written
	To   string `json:"to,omitempty"` // FILE or FILE#id
	// found, absent, undecided, elsewhere or unknown
	Certainty string `json:"certainty"`

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
	Rule   string `json:"rule"` // a name such as hidden-name
	Reason string `json:"reason"`
	// the hidden name, the pattern, or the other file
	Detail string `json:"detail,omitempty"`
	Fix    string `json:"fix,omitempty"`
}
