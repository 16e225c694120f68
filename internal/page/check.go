package page

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

type checkPage struct {
	frame
	Findings []Finding
	Left     int
}

// maxFindings is how many findings are shown.
const maxFindings = 500

// check shows what is wrong or doubtful in the project.
func (q *request) check() {
	page := checkPage{frame: q.frame("Check", "check")}
	err := q.visit("page/check", "", func(ctx context.Context, v server.View) (err error) {
		if q.site.Check != nil {
			page.Findings, err = q.site.Check(ctx)
			return err
		}
		catalog, err := v.Catalog(ctx)
		if err != nil {
			return err
		}
		library, err := v.Library(ctx)
		if err != nil {
			return err
		}
		for _, notices := range [][]loader.Notice{catalog.Notices(), library.Notices()} {
			for _, n := range notices {
				page.Findings = append(page.Findings, Finding{Place: uri.Display(n.Path), Text: n.Reason})
			}
		}
		index := catalog.Templates()
		for i, e := range index.Entries() {
			if verdict := index.Verdict(i); verdict.Reason != 0 {
				page.Findings = append(page.Findings, Finding{Place: loader.TemplatesFile, Text: e.Template.String() + ": " + verdictText(verdict)})
			}
		}
		return nil
	})
	if err != nil {
		q.failed(err)
		return
	}
	if len(page.Findings) > maxFindings {
		page.Left = len(page.Findings) - maxFindings
		page.Findings = page.Findings[:maxFindings]
	}
	q.show("check", page)
}
