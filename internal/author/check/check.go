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
//     compared with the files: which win nothing, which lose all their files, which win by their position only. So are the
//     patterns of include and exclude: which match nothing.
//  3. Names that clients stumble over, sizes that they cannot read, and titles that they cannot distinguish are found.
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
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
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

	Read    func(n int) // is called with the number of bytes of each part of a file that is read; nil: nobody counts
	Workers int         // files that are read at a time; 0: as many as there are processors
	Most    int         // findings of a rule that are kept, beyond which they are counted; 0: all

	// Library is the documents. nil: they are read from the folder of the documents.
	Library *docs.Library
}

// A Report is the outcome of a check.
type Report struct {
	Findings []Finding `json:"findings"` // the worst first
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`

	Sites     string `json:"sites,omitempty"` // what was found that publishes the documents, in one line
	Resources int    `json:"resources"`
	Documents int    `json:"documents"`
	Prompts   int    `json:"prompts"`
	Bytes     int64  `json:"bytes"` // of all files that are served

	Left   map[Kind]int     `json:"-"` // findings beyond Project.Most, which are in the counts above
	Hidden []explain.Hidden `json:"-"` // what is not served, as [Hidden] returns it
}

// A Kind is what findings are grouped by: a rule may have findings of several severities.
type Kind struct {
	Rule     Rule
	Severity Severity
}

// Problems returns the number of errors and warnings.
func (r *Report) Problems() int { return r.Errors + r.Warnings }

func (r *Report) count(s Severity) *int {
	switch s {
	case Error:
		return &r.Errors
	case Warning:
		return &r.Warnings
	}
	return &r.Notes
}

// Run checks a project. The error is that of ctx, or of a folder that cannot be read.
func Run(ctx context.Context, p Project) (*Report, error) {
	c := newChecker(ctx, p)
	c.settings()
	var err error
	if c.use, err = loader.NewPatternUse(p.Options); err != nil {
		return nil, err
	}
	opts := p.Options
	opts.Omitted = c.omitted
	contents, err := pack.Gather(ctx, pack.Project{Files: p.Files, Config: p.ConfigText, Templates: p.Templates, Docs: p.Config.Docs, Options: opts, Visit: opts.Visit, Library: p.Library})
	if err != nil {
		return nil, err
	}
	for i, f := range contents.Files {
		contents.Files[i] = f.Attended(ctx, p.Read)
	}
	c.contents = contents
	c.read()
	c.skills()
	c.resources()
	c.patterns()
	c.names()
	c.hidden = c.withheld.all(contents, p.Config.Docs)
	group, below := errgroup.WithContext(ctx)
	if p.Workers > 0 {
		group.SetLimit(p.Workers)
	}
	group.Go(func() error { return c.markdown(below) })
	group.Go(func() error { return c.publishing(below) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return c.report(), ctx.Err()
}

// FromProblems is the report of a project whose settings cannot be used.
func FromProblems(list problems.List) *Report {
	c := newChecker(context.Background(), Project{Problems: list})
	c.settings()
	return c.report()
}

// A checker makes one report.
type checker struct {
	Project
	ctx      context.Context
	contents *pack.Contents
	withheld withheld
	use      *loader.PatternUse
	hidden   []explain.Hidden

	mu       sync.Mutex // guards the fields below
	findings []Finding
	kept     map[Kind]int // findings
	left     map[Kind]int // findings beyond Most
}

func newChecker(ctx context.Context, p Project) *checker {
	return &checker{Project: p, ctx: ctx, kept: make(map[Kind]int)}
}

// workers is how many files are read at a time.
func (c *checker) workers() int { return cmp.Or(c.Workers, runtime.GOMAXPROCS(0)) }

// add takes a finding. It fills in what its rule says.
func (c *checker) add(r Rule, f Finding) {
	known := rules()[r]
	f.Rule, f.Severity = r, cmp.Or(f.Severity, known.severity)
	f.Fix = cmp.Or(f.Fix, known.fix)
	kind := Kind{r, f.Severity}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Most > 0 && c.kept[kind] >= c.Most {
		if c.left == nil {
			c.left = make(map[Kind]int)
		}
		c.left[kind]++
		return
	}
	c.kept[kind]++
	c.findings = append(c.findings, f)
}

// report sorts and counts.
func (c *checker) report() *Report {
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(rules()[a.Rule].order, rules()[b.Rule].order),
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Message, b.Message))
	})
	r := &Report{Findings: slices.Compact(c.findings), Left: c.left, Hidden: c.hidden}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	for _, f := range r.Findings {
		*r.count(f.Severity)++
	}
	for kind, n := range c.left {
		*r.count(kind.Severity) += n
	}
	if c.contents != nil {
		r.Sites = c.contents.Library.Sites().String()
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

// skills takes what is wrong with skills.
func (c *checker) skills() {
	found, err := skills.NewReader().Problems(c.ctx, c.contents.Catalog)
	if err != nil {
		return // ctx has ended
	}
	for _, p := range found {
		c.problem(Skill, p)
	}
}

// omitted takes what is not served. What an author hides is not a finding.
func (c *checker) omitted(o loader.Omission) {
	c.withheld.omitted(o)
	c.use.Omitted(o.Path)
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
