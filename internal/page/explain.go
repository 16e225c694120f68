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
	Answer   *explain.Answer // nil: there is no question, or no answer
	Problem  string          // why there is no answer
	Pages    []link          // of the file
	Similar  []link
}

// explain answers a question that somebody types: a URI, or a path below the project folder.
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

// explained asks about a file, which is read if it is small enough.
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

// unread says why nothing is known of the contents of a file.
const unread = "is not read for this page, since it is large"

// answer asks about a file during a visit. The file itself is not read.
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

// pagesOf are the pages of a file.
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

// forAuthor refuses what only authors may see, unless the viewer is one.
func (q *request) forAuthor() bool {
	if q.author {
		return true
	}
	q.fail(http.StatusForbidden, "Not shown here", "What a check finds and what is hidden is shown by servers that only their own computer reaches, "+
		"without --public-url and --trusted-proxy. On the computer with the project, run mcp-docs-server check, or mcp-docs-server list --hidden.")
	return false
}

// fileHref is the page of a file of the project, by its path below the project folder; for one that
// is not served, the page that says why.
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
