package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/survey"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

const (
	// maxFindings is how many findings of each rule the page of all rules shows.
	maxFindings = 10
	// maxHiddenShown is how many hidden files a page lists.
	maxHiddenShown = 200
	// firstCheckWait is how long a page waits for the first check, so that a small project is shown
	// at once.
	firstCheckWait = 600 * time.Millisecond
)

// A surveyPage shows the result of the last check of a project.
type surveyPage struct {
	frame
	Question string // always empty; the page contains the form of explain
	Report   *check.Report
	Problem  string
	Busy     bool // the first check has not ended yet
	Again    bool // the report is out of date and a new check is running
}

// look returns the result of the last check and fills in a page. It waits a little for the first
// check.
func (q *request) look(page *surveyPage, title, section string) survey.State {
	s := q.site.Survey
	changed := s.Changed()
	state := s.Look()
	if state.Report == nil && state.Running {
		timer := time.NewTimer(firstCheckWait)
		defer timer.Stop()
		select {
		case <-changed:
			state = s.Look()
		case <-timer.C:
		case <-q.ctx.Done():
		}
	}
	page.frame = q.frame(title, section)
	page.Events = fmt.Sprintf("%s/events?survey=%d", q.base, state.Number)
	page.Report = state.Report
	page.Busy = state.Running && state.Report == nil
	page.Again = state.Running && state.Report != nil
	page.Refresh = state.Running
	if state.Err != nil && !page.Busy {
		page.Problem = "The project cannot be checked: " + explainError(state.Err)
	}
	return state
}

type checkPage struct {
	surveyPage
	Groups []findingGroup
	Rule   string // the only rule that is shown, or ""
}

// A findingGroup has the findings of one rule and severity.
type findingGroup struct {
	Severity, Rule, Title string
	Total                 int
	Findings              []finding
	Left                  int
	More                  string // the page of the rule, where it shows more
}

type finding struct {
	Place, Href, Message, URI, URIHref, Fix string
}

// check shows the findings by rule, the most severe first.
func (q *request) check() {
	if !q.forAuthor() {
		return
	}
	var page checkPage
	state := q.look(&page.surveyPage, "Check", "check")
	page.Rule = q.r.URL.Query().Get("rule")
	err := q.visit("page/check", page.Rule, func(context.Context, server.View) error {
		if state.Report != nil {
			page.Groups = q.groups(state.Report, page.Rule)
		}
		return nil
	})
	if err != nil {
		q.failed(err)
		return
	}
	if page.Rule != "" {
		page.Crumbs = []link{{"Check", q.base + "/check"}}
	}
	q.show("check", page)
}

// groups groups findings by rule. If only is not empty, it returns that rule's group with all
// findings that were kept.
func (q *request) groups(r *check.Report, only string) []findingGroup {
	var groups []findingGroup
	var last check.Kind
	for _, f := range r.Findings {
		if only != "" && string(f.Rule) != only {
			continue
		}
		kind := check.Kind{Rule: f.Rule, Severity: f.Severity}
		if kind != last {
			last = kind
			groups = append(groups, findingGroup{Severity: f.Severity.String(), Rule: string(f.Rule), Title: f.Rule.Title(), Total: r.Left[kind], Left: r.Left[kind]})
		}
		g := &groups[len(groups)-1]
		g.Total++
		if only == "" && len(g.Findings) == maxFindings {
			g.Left++
			g.More = q.base + "/check?" + encodeQuery("rule", g.Rule)
			continue
		}
		g.Findings = append(g.Findings, q.finding(f))
	}
	for i := range groups { // findings with the same fix show it once
		g := &groups[i]
		for j := range g.Findings[:len(g.Findings)-1] {
			if g.Findings[j].Fix == g.Findings[j+1].Fix {
				g.Findings[j].Fix = ""
			}
		}
	}
	return groups
}

func (q *request) finding(f check.Finding) finding {
	out := finding{Message: uri.Display(f.Message), Fix: f.Fix}
	if f.File != "" {
		out.Place, out.Href = uri.Display(f.File), q.fileHref(f.File)
		if f.Line > 0 {
			out.Place += fmt.Sprintf(":%d", f.Line)
		}
	}
	if f.URI != "" && !strings.Contains(f.Message, f.URI) {
		out.URI, out.URIHref = f.URI, q.base+"/explain?"+encodeQuery("q", f.URI)
	}
	return out
}

type hiddenPage struct {
	surveyPage
	Hidden []hiddenItem
	Total  int
	Left   int // files that no page shows
	Next   string
}

type hiddenItem struct {
	explain.Hidden
	Name, Href string
}

// hidden lists the files that are not served, with the rules that hide them.
func (q *request) hidden() {
	if !q.forAuthor() {
		return
	}
	var page hiddenPage
	state := q.look(&page.surveyPage, "Not served", "hidden")
	after := q.r.URL.Query().Get("after")
	err := q.visit("page/hidden", "", func(context.Context, server.View) error {
		if state.Report == nil {
			return nil
		}
		page.Total = state.Hidden
		page.Left = state.Hidden - len(state.Report.Hidden)
		for _, h := range state.Report.Hidden {
			if after != "" && h.Path <= after {
				continue
			}
			if len(page.Hidden) == maxHiddenShown {
				page.Next = "?" + encodeQuery("after", page.Hidden[len(page.Hidden)-1].Path)
				break
			}
			item := hiddenItem{h, uri.Display(h.Path), q.base + "/explain?" + encodeQuery("q", h.Path)}
			item.Detail = uri.Display(h.Detail)
			page.Hidden = append(page.Hidden, item)
		}
		return nil
	})
	if err != nil {
		q.failed(err)
		return
	}
	q.show("hidden", page)
}
