package tools

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// namesWait is how long a list of tools waits for the names of the documents, which are in the description of their tool. A walk of
// 100,000 files takes less, and clients wait at least five seconds for a server to start.
const namesWait = 2 * time.Second

// Await waits for the names of the documents, if the project has a tool for them, before a list is sent to a client. The error is
// ctx.Err().
func (s *Set) Await(ctx context.Context) error {
	if s.docsName == "" {
		return ctx.Err()
	}
	waiting, cancel := context.WithTimeout(ctx, namesWait)
	defer cancel()
	if _, err := s.names.Load(waiting); err != nil {
		// the list takes the texts after this, and SetNames stores them before it loads described
		s.described.Store(true)
	}
	return ctx.Err()
}

// docsTool returns the tool that reads and searches the documents.
func (s *Set) docsTool(texts *texts) Tool {
	description := texts.tool
	if s.features.Load().Summary {
		description += " The resource capability-index://summary says in few tokens what else there is."
	}
	schema := listedSchema
	if texts.onlyTexts {
		schema = searchedSchema // there are no documents to read
	}
	return Tool{
		Name:        s.docsName,
		Title:       texts.name + " documentation",
		Description: description,
		Schema:      schema().JSON,
		Hints:       reading,
		Run:         s.callDocs,
	}
}

// docsArguments are the arguments in the order in which people fill them in. Earlier versions listed queryKeywords.
type docsArguments struct {
	Query        string   `json:"query" doc:"What the heading or the sentence that answers the question would say: translate the question into the terms of this subject first, in two to six words. \"Quotation marks\" find text letter by letter"`
	Alternatives []string `json:"alternatives" doc:"Three more guesses of such a heading or sentence, each with other terms than the query, the most likely first. The index knows few synonyms, so these decide whether the page is found; up to five"`
	Paths        []string `json:"paths" doc:"Paths of documents or folders to read; next to a query, the only ones that it searches, or patterns such as guides/**."`
	Keywords     []string `json:"queryKeywords"`
	Section      string   `json:"section" doc:"Only the part of each document below this heading; \"page 7\" of a PDF file"`
	Offset       int      `json:"offset" schema:"minimum=0" doc:"Of a read: the line to start at, from 1"`
	Limit        int      `json:"limit" schema:"minimum=0" doc:"Of a read: the number of lines"`
	Page         int      `json:"page" schema:"minimum=0" doc:"Of a query: the page of results, from 1"`
}

var (
	docsSchema     = lenient[docsArguments]()
	listedSchema   = SchemaOf[docsArguments]("queryKeywords")
	searchedSchema = SchemaOf[struct {
		docsArguments
		Paths []string `json:"paths" doc:"The only files that a query searches: folders, files or patterns, such as resources/config/**"`
	}]("queryKeywords", "section", "offset", "limit")
)

func (s *Set) callDocs(ctx context.Context, c Call) (*Output, error) {
	var args docsArguments
	if err := c.read(docsSchema(), &args); err != nil {
		return nil, err
	}
	library, err := s.complete(ctx, func(l *docs.Library) bool { return l.Completes(docs.Request(args)) })
	if err != nil {
		return nil, err
	}
	texts, err := onDisk(ctx, s, func(ctx context.Context) ([]string, error) { return library.Answer(ctx, docs.Request(args)) })
	if _, ok := errors.AsType[docs.RequestError](err); ok {
		return nil, &Mistake{err}
	} else if err != nil {
		return nil, err
	}
	images, err := onDisk(ctx, s, func(ctx context.Context) (map[int]docs.Image, error) {
		return library.ImagesOf(ctx, docs.Request(args))
	})
	if err != nil {
		return nil, err
	}
	out := &Output{}
	for i, text := range texts {
		if image, ok := images[i]; ok {
			out.blocks = append(out.blocks, Block{Text: "The image " + image.Path + " follows."}, Block{Image: &Image{image.MIME, image.Data}})
			continue
		}
		out.blocks = append(out.blocks, Block{Text: text})
	}
	return out, nil
}

// dependenciesWait is how long a call waits for the first reading of the dependencies. Then it is answered without them.
const dependenciesWait = 200 * time.Millisecond

// documentsWait is how long a call waits for the names of the documents. A client may give up after 60 s.
const documentsWait = 20 * time.Second

// complete returns the documents. At the start, a site has only its default language and version; complete waits for the
// other ones if enough reports that the present documents do not suffice for a request.
func (s *Set) complete(ctx context.Context, enough func(*docs.Library) bool) (*docs.Library, error) {
	if library := s.library.Peek(); library == nil || library.Dependencies().Pending() {
		waiting, cancel := context.WithTimeout(ctx, dependenciesWait)
		_, _ = s.library.Until(waiting, func(l *docs.Library) bool { return !l.Dependencies().Pending() })
		cancel()
	}
	waiting, cancel := context.WithTimeout(ctx, documentsWait)
	defer cancel()
	library, err := s.library.Until(waiting, func(l *docs.Library) bool { return !l.Sites().Quick() || enough(l) })
	if err != nil && ctx.Err() == nil {
		err = &Mistake{errors.New("the documents of the project are still being read: ask again in some seconds")}
	}
	return library, err
}

// texts are what a list of tools depends on, and are computed once, not for each list and call.
type texts struct {
	name, tool string
	onlyTexts  bool
	resources  bool // there are resources
}

// listed returns the present texts.
func (s *Set) listed() *texts {
	if t := s.texts.Load(); t != nil {
		return t
	}
	s.describe()
	return s.texts.Load()
}

// describe computes the texts, and reports whether they differ from those in lists.
func (s *Set) describe() (changed bool) {
	s.describing.Lock()
	defer s.describing.Unlock()
	return s.replace(s.names.Peek())
}

// replace is describe with these names. describing is held.
func (s *Set) replace(names *site.Names) (changed bool) {
	f := s.features.Load()
	files := s.hasFiles()
	d := description{name: s.name, resources: files, dependencies: f.Dependencies}
	if names != nil {
		if d.documents = *names; !s.chosen {
			d.name = cmp.Or(subjectOf(names.Title), s.name)
		}
	}
	now := &texts{cmp.Or(excerpt.Name(d.name), s.name), d.tool(), d.onlyTexts(), files || f.Summary || f.Dependencies || len(s.others) > 0}
	was := s.texts.Swap(now)
	return was != nil && *was != *now
}

// SetNames publishes what the names of the documents' files tell. It reports whether that changes the list of tools for clients: the
// first names change it only if a client listed the tools before.
func (s *Set) SetNames(names site.Names) (changed bool) {
	s.describing.Lock()
	defer s.describing.Unlock()
	changed = s.replace(&names) // before the names are published, for which lists wait
	first := s.names.Publish(&names) == nil
	return changed && (!first || s.described.Load())
}

// ResourcesChanged must be called when resources have come or gone. It reports whether that changes the list of tools.
func (s *Set) ResourcesChanged() bool { return s.texts.Load() != nil && s.describe() }
