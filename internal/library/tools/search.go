package tools

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// The two tools that ChatGPT's connectors require by name. They answer with JSON as a text. An id is
// the URI of a resource, or docs://<project>/<path> for a document, even if documents are not served
// as resources.

const (
	// maxFound is how many documents a search returns at most, and how many resources.
	maxFound = 10
	// maxWords is how many words of a query are compared with resources.
	maxWords = 20
)

func (s *Set) connectorTools() []Tool {
	return []Tool{{
		Name:        "search",
		Title:       "Search",
		Description: "Search documents and resources. Returns ids, titles and urls; read one with fetch.",
		Schema:      searchSchema().JSON,
		Hints:       reading, Run: s.callSearch,
	}, {
		Name:        "fetch",
		Title:       "Fetch",
		Description: "Return the text of a document or resource that search found.",
		Schema:      fetchSchema().JSON,
		Hints:       reading, Run: s.callFetch,
	}}
}

type searchArguments struct {
	Query string `json:"query" schema:"required" doc:"Words to search for"`
}

type fetchArguments struct {
	ID string `json:"id" schema:"required" doc:"An id that search returned"`
}

var searchSchema, fetchSchema = lenient[searchArguments](), lenient[fetchArguments]()

// A Found is a result of a search.
type Found struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"` // never empty: clients do not cite results without a URL

	Document string   `json:"-"` // the path of a document; "" for a resource
	Hit      docs.Hit `json:"-"` // the best passage, or none
}

// A fetched is a document or resource.
type fetched struct {
	Found
	Text     string            `json:"text"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

func (s *Set) callSearch(ctx context.Context, c Call) (*Output, error) {
	var args searchArguments
	if err := c.read(searchSchema(), &args); err != nil {
		return nil, err
	}
	results, err := s.Search(ctx, c.Caller, args.Query)
	if err != nil {
		return nil, err
	}
	// fetch has no prompts
	results = slices.DeleteFunc(results, func(f Found) bool { return f.Hit.Prompt() != "" })
	return asText(map[string]any{"results": results})
}

// Search returns the results of the tool search for a caller, even if the tool is off. Errors are as
// for [Set.Call].
func (s *Set) Search(ctx context.Context, caller, query string) ([]Found, error) {
	if strings.TrimSpace(query) == "" {
		return nil, badCall("query is missing")
	}
	library, err := s.documents(ctx, func(l *docs.Library) bool { return l.Completes(docs.Request{Query: query}) })
	if err != nil {
		return nil, err
	}
	v, err := s.views.Load(ctx, caller)
	if err != nil {
		return nil, err
	}
	return onDisk(ctx, s, func(ctx context.Context) ([]Found, error) {
		results, err := s.searchDocuments(ctx, v, library, query)
		if err != nil {
			return nil, err
		}
		return s.searchResources(ctx, v, library, query, results)
	})
}

// documents returns the documents, or none if the project has no tool for them. enough is as for [Set.complete].
func (s *Set) documents(ctx context.Context, enough func(*docs.Library) bool) (*docs.Library, error) {
	if s.docsName == "" {
		return nil, nil
	}
	return s.complete(ctx, enough)
}

func (s *Set) searchDocuments(ctx context.Context, v view.View, library *docs.Library, query string) ([]Found, error) {
	hits, _, err := library.Search(ctx, query, 3*maxFound)
	if err != nil {
		return nil, err
	}
	results := []Found{}
	for _, hit := range hits {
		if len(results) == maxFound {
			break
		}
		if hit.Package != nil {
			hit.URI = docs.DependencyURI(strings.TrimPrefix(hit.Path, dependencies.Folder+"/"))
		}
		if name := hit.Prompt(); name != "" {
			results = append(results, Found{ID: hit.URI, Title: cmp.Or(hit.Heading, name), URL: hit.URI, Hit: hit})
			continue
		}
		if hit.URI != "" {
			// it may have been removed meanwhile
			if r, ok := v.Lookup(hit.URI); ok && r.URI() == hit.URI {
				f, _ := resource(v, r)
				f.Hit = hit
				results = append(results, f)
			}
			continue
		}
		if s.subject(v, library, docs.URI(s.name, hit.Path)).path != hit.Path {
			continue // a resource has the same URI
		}
		f := s.document(library, hit.Path)
		f.Hit = hit
		results = append(results, f)
	}
	return results, nil
}

// document returns the id and title of a document.
func (s *Set) document(library *docs.Library, path string) Found {
	id := docs.URI(s.name, path)
	title, _ := library.About(path)
	return Found{ID: id, Title: cmp.Or(title, uri.Display(path)), URL: id, Document: path}
}

// DocumentType returns the MIME type of a document.
func DocumentType(path string) string {
	if mime, ok := media.ByName(path); ok {
		return mime
	}
	return "text/markdown"
}

// resource returns the id and title of a resource, and its description.
func resource(v view.View, r view.Item) (f Found, description string) {
	id := r.URI()
	if o := r.Other; o != nil {
		return Found{ID: id, Title: cmp.Or(o.Title, o.Name), URL: id}, o.Title + "\n" + o.Description
	}
	about := v.Files.Metadata(r.File)
	return Found{ID: id, Title: cmp.Or(about.Title, r.File.DisplayName()), URL: id}, about.Title + "\n" + about.Description
}

// searchResources adds resources that have all words of the query in URI, title or description.
func (s *Set) searchResources(ctx context.Context, v view.View, library *docs.Library, query string, results []Found) ([]Found, error) {
	words := strings.Fields(strings.ToLower(excerpt.Cut(query, 4<<10)))
	words = words[:min(len(words), maxWords)]
	ids := make(map[string]bool)
	for _, r := range results {
		ids[r.ID] = true
	}
	n, visited := 0, 0
	for r := range v.After("") {
		if visited++; visited%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f, description := resource(v, r)
		text := searchText(f, description)
		if ids[f.ID] || slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			continue
		}
		results = append(results, s.named(v, library, r, f))
		if n++; n == maxFound {
			break
		}
	}
	return results, nil
}

// named returns the id and title that fetch uses for a resource, which may also be a document.
func (s *Set) named(v view.View, library *docs.Library, r view.Item, f Found) Found {
	if isDocument(r) {
		if subject := s.subject(v, library, f.ID); subject.isDocument {
			return s.document(library, subject.path)
		}
	}
	return f
}

// isDocument reports whether a resource may be a document.
func isDocument(r view.Item) bool {
	if r.Other != nil {
		return r.Other.Document != ""
	}
	return r.File.Mounted()
}

// Citations are the ids and titles that the tools search and fetch use. A Worker, which has no files,
// gets its answers from them.
type Citations struct {
	set     *Set
	view    view.View
	library *docs.Library
}

// NewCitations returns the citations of a project.
func NewCitations(project string, v view.View, library *docs.Library) Citations {
	return Citations{&Set{name: project}, v, library}
}

// Document returns how a document is named, and whether its URI is cited: otherwise a resource has the
// same URI.
func (c Citations) Document(path string) (f Found, cited bool) {
	f = c.set.document(c.library, path)
	return f, c.set.subject(c.view, c.library, f.ID).path == path
}

// Resource returns the title of the resource with exactly this URI.
func (c Citations) Resource(uri string) (title string, ok bool) {
	r, ok := c.view.Files.Exact(uri)
	if !ok {
		return "", false
	}
	f, _ := resource(c.view, view.Item{File: r})
	return f.Title, true
}

// A CitedResource is a resource that search can find.
type CitedResource struct {
	Found
	// differs from Found.Title if the resource is also a document with another title
	ResourceTitle string
	// the text that search looks through: URI, title and description, in lower case
	Text string
}

// Resources yields all resources in the order in which search finds them.
func (c Citations) Resources() iter.Seq[CitedResource] {
	return func(yield func(CitedResource) bool) {
		for r := range c.view.After("") {
			f, description := resource(c.view, r)
			text := searchText(f, description)
			if !yield(CitedResource{c.set.named(c.view, c.library, r, f), f.Title, text}) {
				return
			}
		}
	}
}

// searchText returns the text of a resource that search looks through.
func searchText(f Found, description string) string {
	return strings.ToLower(uri.Decode(f.ID) + "\n" + description)
}
