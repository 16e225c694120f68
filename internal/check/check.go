// Package check looks through a project for what its author would want to know before clients find
// it.
//
//	report, err := check.Run(ctx, project)
//	for _, f := range report.Findings { // the worst first
//		fmt.Println(f.Severity, f.Rule, f.File, f.Message)
//	}
//
// What happens, in order:
//
//  1. The project is read as for its publication, by the scans of the server. What they report and what they leave out by
//     mistake are findings: mistakes in settings, prompts and sidecars, files that are not served.
//  2. For each resource, expanding its template with the variables of its URI must give that URI again. Templates are
//     compared with the files: which win nothing, which lose all their files, which win by their position only.
//  3. Names that clients stumble over, sizes that they cannot read, and titles that they cannot tell apart are found.
//  4. Each Markdown file is read for front matter that is none and for links that lead nowhere; so are the links of prompts.
//  5. The files are checked for what publish would stop.
//
// A [Finding] is a value: its rule has a name, and it says what to do. Errors and warnings are
// problems; notes are not.
package check

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates/problems"
)

// A Project is what is checked.
type Project struct {
	Files      fs.FS // the project folder, as for [loader.Scan]
	Config     config.Config
	Configured bool           // there is a configuration file
	ConfigFile string         // its name in the project folder
	ConfigText string         // "": there is none
	Templates  string         // the text of templates.json; "": there is none
	Options    loader.Options // as for serving; Visit is called as a scan calls it, for the folders of documents and prompts too
	Problems   problems.List  // of the settings; paths are below the project folder
}

// A Report is the outcome of a check.
type Report struct {
	Findings []Finding `json:"findings"` // the worst first
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`

	Resources int   `json:"resources"`
	Documents int   `json:"documents"`
	Prompts   int   `json:"prompts"`
	Bytes     int64 `json:"bytes"` // of all files that are served
}

// Problems returns the number of errors and warnings.
func (r *Report) Problems() int { return r.Errors + r.Warnings }

// Run checks a project. The error is that of ctx, or of a folder that cannot be read.
func Run(ctx context.Context, p Project) (*Report, error) {
	c := &checker{Project: p, ctx: ctx}
	c.settings()
	opts := p.Options
	opts.Omitted = c.omitted
	contents, err := pack.Gather(ctx, pack.Project{Files: p.Files, Config: p.ConfigText, Templates: p.Templates, Docs: p.Config.Docs, Options: opts, Visit: opts.Visit})
	if err != nil {
		return nil, err
	}
	c.contents = contents
	c.read()
	c.resources()
	c.names()
	group, below := errgroup.WithContext(ctx)
	group.Go(func() error { return c.markdown(below) })
	group.Go(func() error { return c.publishing(below) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return c.report(), ctx.Err()
}

// FromProblems is the report of a project whose settings cannot be used.
func FromProblems(list problems.List) *Report {
	c := &checker{Project: Project{Problems: list}}
	c.settings()
	return c.report()
}

// A checker makes one report.
type checker struct {
	Project
	ctx      context.Context
	contents *pack.Contents

	mu       sync.Mutex // guards findings
	findings []Finding
}

// add takes a finding. It fills in what its rule says.
func (c *checker) add(r Rule, f Finding) {
	known := rules[r]
	f.Rule, f.Severity = r, cmp.Or(f.Severity, known.severity)
	f.Fix = cmp.Or(f.Fix, known.fix)
	c.mu.Lock()
	c.findings = append(c.findings, f)
	c.mu.Unlock()
}

// report sorts and counts.
func (c *checker) report() *Report {
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(rules[a.Rule].order, rules[b.Rule].order),
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Message, b.Message))
	})
	r := &Report{Findings: slices.Compact(c.findings)}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	for _, f := range r.Findings {
		switch f.Severity {
		case Error:
			r.Errors++
		case Warning:
			r.Warnings++
		case Note:
			r.Notes++
		}
	}
	if c.contents != nil {
		r.Resources, r.Documents, r.Prompts = c.contents.Resources, c.contents.Library.Len(), len(c.contents.Prompts)
		for _, f := range c.contents.Files {
			r.Bytes += f.Size
		}
	}
	return r
}

// problem takes what is wrong with a file that was read.
func (c *checker) problem(r Rule, p problems.Problem) {
	f := Finding{File: p.File, Line: p.Line, Column: p.Column, Message: p.Reason, Severity: Error}
	if p.Where != "" {
		f.Message = p.Where + ": " + p.Reason
	}
	if p.Warning {
		f.Severity = Warning
	}
	c.add(r, f)
}

// settings takes what is wrong with the settings, but for what [checker.resources] says of
// templates.
func (c *checker) settings() {
	judged := make(map[[2]int]bool)
	for i, e := range c.Options.Templates.Entries() {
		if c.Options.Templates.Verdict(i).Reason != matcher.Found {
			judged[[2]int{e.Line, e.Column}] = true
		}
	}
	for _, p := range c.Problems {
		if p.File != loader.TemplatesFile || !judged[[2]int{p.Line, p.Column}] {
			c.problem(Settings, p)
		}
	}
}

// read takes what the scans found.
func (c *checker) read() {
	for _, p := range c.contents.Problems {
		rule := Sidecar
		if strings.HasPrefix(p.File, prompts.Folder+"/") {
			rule = Prompt
		}
		c.problem(rule, p)
	}
	for _, n := range c.contents.Library.Notices() {
		c.add(NotServed, Finding{File: n.Path, Message: n.Reason})
	}
}

// omitted takes what is not served. What an author hides is no finding.
func (c *checker) omitted(o loader.Omission) {
	switch {
	case o.Cause.Hidden(), o.Cause == loader.Excluded, o.Cause == loader.NotIncluded, o.Cause == loader.Describes:
		return
	case o.Path == loader.TemplatesFile, o.Path == loader.TemplatesFile+".meta.json":
		return
	case o.Cause == loader.NoTemplate:
		c.add(Unmatched, Finding{Severity: Warning, File: o.Path, Message: "is not served: no template matches, and \"unmatched\" is \"hide\""})
		return
	}
	h := explain.HiddenOf(o)
	message := "is not served: " + h.Reason
	if h.Detail != "" {
		message += ": " + h.Detail
	}
	c.add(NotServed, Finding{File: o.Path, Message: message, Fix: h.Fix})
}
