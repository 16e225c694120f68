package page

import (
	"context"
	"net/http"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxQuestion is how many bytes a question may have.
const maxQuestion = 8 << 10

// An explainPage answers a question about a file.
type explainPage struct {
	frame
	Question string
	Answer   *explain.Answer // nil: no question or no answer
	Problem  string          // why there is no answer
	Pages    []link          // pages of the file
	Similar  []link
}

// explain answers a question that the viewer typed: a URI, or a path relative to the project
// folder.
func (q *request) explain() {
	page := explainPage{Question: strings.TrimSpace(q.r.URL.Query().Get("q"))}
	if page.Question != "" {
		answer, err := q.explained(page.Question)
		switch {
		case err != nil:
			page.Problem = explainError(err)
		case answer.File == "" || !answer.Served && !q.author:
			page.Problem = "There is no file or resource " + shown(page.Question) + "."
			for _, u := range answer.Similar {
				page.Similar = append(page.Similar, link{u, q.base + "/explain?" + encodeQuery("q", u)})
			}
		default:
			page.Answer, page.Pages = answer, q.pagesOf(answer)
		}
	}
	page.frame = q.frame("Explain", "explain")
	q.show("explain", page)
}

// explained answers a question about a file. It reads the file if it is small enough.
func (q *request) explained(question string) (*explain.Answer, error) {
	var answer *explain.Answer
	err := q.visit("page/explain", question, func(ctx context.Context, v server.View) (err error) {
		answer, err = q.answer(ctx, v, question)
		if err != nil || answer.Resource == nil {
			return err
		}
		catalog, err := v.Catalog(ctx)
		if err != nil {
			return err
		}
		r, ok := catalog.Lookup(answer.Resource.URI)
		switch {
		case !ok:
		case r.Size() > maxHeld || r.Size() > v.MaxRead():
			answer.Resource.FormRule = unread
		default:
			c, err := v.Read(ctx, catalog, r)
			if err != nil {
				answer.Resource.FormRule = "cannot be read: " + explainError(err)
				return nil
			}
			defer c.Release()
			answer.Resource.Classify(catalog, r, c.Files[0].Bytes())
		}
		return nil
	})
	return answer, err
}

// unread explains why the form of the contents is unknown.
const unread = "is not read here because the file is large"

// answer answers a question about a file during a visit. It does not read the file itself.
func (q *request) answer(ctx context.Context, v server.View, question string) (*explain.Answer, error) {
	if q.site.Explain == nil || len(question) > maxQuestion {
		return &explain.Answer{Question: question}, nil
	}
	answer, err := server.OnDisk(ctx, v, "an explanation", func(ctx context.Context) (*explain.Answer, error) { return q.site.Explain(ctx, question) }, func(*explain.Answer) {})
	if err == nil && !q.author {
		answer.Hidden = nil
	}
	return answer, err
}

// pagesOf returns links to the pages of a file.
func (q *request) pagesOf(a *explain.Answer) []link {
	var pages []link
	if a.Resource != nil {
		pages = append(pages, link{"Resource " + a.Resource.URI, q.base + resourcePath("/r/", a.Resource.URI)})
	}
	if a.Document != nil {
		pages = append(pages, link{"Document " + uri.Display(a.Document.Path), q.documentHref(a.Document.Path)})
	}
	if a.Prompt != nil {
		pages = append(pages, link{"Prompt " + a.Prompt.Name, q.promptHref(a.Prompt.Name)})
	}
	return pages
}

// forAuthor reports whether the viewer may see findings and hidden files, which only authors may.
// Otherwise it answers the request with an error.
func (q *request) forAuthor() bool {
	if q.site.Survey == nil {
		q.missing("This server does not check the project.")
		return false
	}
	if q.author {
		return true
	}
	q.fail(http.StatusForbidden, "Not shown here", "Findings and hidden files are shown only by servers that no other computer reaches, "+
		"without --public-url and --trusted-proxy. On the computer with the project, run mcp-docs-server check, or mcp-docs-server list --hidden.")
	return false
}

// fileHref returns the page of a file by its path relative to the project folder. For a file
// without a page, it is the explanation.
func (q *request) fileHref(path string) string {
	if path == loader.TemplatesFile {
		return q.base + "/templates"
	}
	now := q.site.Server.Current()
	if scheme, below, ok := strings.Cut(strings.TrimPrefix(path, loader.Resources+"/"), "/"); ok && strings.HasPrefix(path, loader.Resources+"/") && now.Catalog != nil {
		requested := scheme + "://"
		for i, name := range strings.Split(below, "/") {
			if i > 0 {
				requested += "/"
			}
			requested += string(uri.AppendSegment(nil, name))
		}
		if r, ok := now.Catalog.Lookup(requested); ok && r.LogicalPath() == path {
			return q.base + resourcePath("/r/", r.URI())
		}
	}
	if now.Library != nil {
		if below, ok := strings.CutPrefix(path, now.Library.Dir()+"/"); ok && now.Library.Has(below) {
			return q.documentHref(below)
		}
	}
	if now.Prompts != nil {
		for _, p := range now.Prompts.Prompts() {
			if p.File == path {
				return q.promptHref(p.Name)
			}
		}
	}
	return q.base + "/explain?" + encodeQuery("q", path)
}
