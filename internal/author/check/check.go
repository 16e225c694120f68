// Package check finds problems in a project, so that its author can fix them before clients hit them.
//
//	report, err := check.Run(ctx, project)
//	for _, f := range report.Findings { // the worst first
//		fmt.Println(f.Severity, f.Rule, f.File, f.Message)
//	}
//
// What happens, in order:
//
//  1. The project is read as for its publication, by the scans of the server. Problems that the scans report are findings:
//     mistakes in settings, prompts and sidecars, and files that are not served by mistake.
//  2. For each resource, expanding its template with the variables of its URI must give that URI again. Templates that match no
//     file, that lose all their files to other templates, or that win only by their position are findings; so are include and
//     exclude patterns that match nothing.
//  3. Names that cause problems in clients, files that are too large for them, and titles that several resources share are
//     findings.
//  4. Each Markdown file is read for invalid front matter and for broken links. The links of prompts are checked too.
//  5. The files are checked as publish checks them.
//
// A [Finding] is a value: its rule has a name, and it says what to do. Errors and warnings are
// problems; notes are not.
package check

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// A Project is the project to check.
type Project struct {
	Files      fs.FS // the project folder, as for [loader.Scan]
	Config     config.Config
	ConfigFile string // its name in the project folder
	ConfigText string
	Templates  string
	Options    loader.Options
	Problems   problems.List // of the settings; paths are relative to the project folder

	// Packages are the dependencies whose documents are served, and PackageNotices say which files of them are left out.
	Packages       []*dependencies.Package
	PackageNotices []loader.Warning
	Library        *docs.Library
}

// A Report is the outcome of a check.
type Report struct {
	Findings []Finding `json:"findings"` // the worst first
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`

	Served string `json:"served,omitempty"` // counts of Markdown files, in one line
	// what publishes the documents, in one line
	Sites     string `json:"sites,omitempty"`
	Resources int    `json:"resources"`
	Documents int    `json:"documents"`
	Prompts   int    `json:"prompts"`
	Bytes     int64  `json:"bytes"` // of all files that are served
}

func (r *Report) count(s Severity) *int {
	switch s {
	case Error:
		return &r.Errors
	case Warning:
		return &r.Warnings
	}
	return &r.Notes
}

// Run checks a project. The error comes from ctx, or from a folder that cannot be read.
func Run(ctx context.Context, p Project) (*Report, error) {
	c := &checker{Project: p, ctx: ctx}
	c.settings()
	contents, err := p.gather(ctx, c.omitted)
	if err != nil {
		return nil, err
	}
	for i, f := range contents.Files {
		contents.Files[i] = f.Attended(ctx, nil)
	}
	c.contents = contents
	c.read()
	c.skills()
	c.resources()
	c.patterns()
	c.names()
	if contents.Resources+contents.Library.Len()+len(contents.Prompts)+c.dependencies() == 0 {
		f := Finding{Severity: Note, Message: fmt.Sprintf("there is nothing to serve: no resources in %s/<scheme>/, no documents, no prompts in %s/ and no skills in %s/", loader.Resources, prompts.Folder, skills.Folder)}
		for i, left := range contents.Library.Left() {
			if f.Severity = Error; i < 3 {
				f.Message += fmt.Sprintf("; %s %s", left.File, left.Hidden)
			}
		}
		c.add(Nothing, f)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.markdown(groupCtx) })
	group.Go(func() error { return c.publishing(groupCtx) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return c.report(), ctx.Err()
}

// gather reads the project as for its publication.
func (p Project) gather(ctx context.Context, omitted func(loader.Skipped)) (*pack.Contents, error) {
	p.Options.Omitted = omitted
	return pack.Gather(ctx, pack.Project{Files: p.Files, Config: p.ConfigText, Templates: p.Templates, Options: p.Options, Library: p.Library})
}

// FromProblems returns the report about a project whose settings are invalid.
func FromProblems(list problems.List) *Report {
	c := &checker{Project: Project{Problems: list}, ctx: context.Background()}
	c.settings()
	return c.report()
}

// A checker makes one report.
type checker struct {
	Project
	ctx      context.Context
	contents *pack.Contents
	withheld withheld
	included atomic.Int64 // see maxIncluded

	mu       sync.Mutex // guards findings and left
	findings []Finding
	left     []string // the paths that the scan leaves out
}

// add adds a finding. It completes the finding with the severity and the fix of its rule.
func (c *checker) add(r Rule, f Finding) {
	known := rules[r.order()]
	f.Rule, f.Severity = r, cmp.Or(f.Severity, known.severity)
	f.Fix = cmp.Or(f.Fix, known.fix)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.findings = append(c.findings, f)
}

// about adds a finding about a resource.
func (c *checker) about(rule Rule, r loader.Resource, format string, values ...any) {
	c.add(rule, Finding{File: r.LogicalPath(), URI: r.URI(), Message: fmt.Sprintf(format, values...)})
}

// report sorts and counts the findings.
func (c *checker) report() *Report {
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity),
			cmp.Compare(a.Rule.order(), b.Rule.order()), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Message, b.Message))
	})
	r := &Report{Findings: slices.Compact(c.findings)}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	for _, f := range r.Findings {
		*r.count(f.Severity)++
	}
	if c.contents != nil {
		r.Sites, r.Served = c.contents.Library.Sites().String(), c.contents.Library.Served()
		r.Resources, r.Documents, r.Prompts = c.contents.Resources, c.contents.Library.Len(), len(c.contents.Prompts)
		for _, f := range c.contents.Files {
			r.Bytes += f.Size
		}
	}
	return r
}

// problem adds a problem of a file as a finding.
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

// losing are the rules of templates that win no URI.
var losing = map[matcher.Reason]Rule{matcher.Unmatched: Unmatchable, matcher.TooMany: Unmatchable, matcher.Repeated: Repeated, matcher.Covered: Shadowed}

// settings adds the problems of the settings, which are about templates too.
func (c *checker) settings() {
	rules := make(map[[2]int]Rule) // by the place of a template
	for i, e := range c.Options.Templates.Entries() {
		rules[[2]int{e.Line, e.Column}] = losing[c.Options.Templates.Verdict(i).Reason]
	}
	for _, p := range c.Problems {
		rule := Settings
		if p.File == loader.TemplatesFile {
			rule = cmp.Or(rules[[2]int{p.Line, p.Column}], rule)
		}
		c.problem(rule, p)
	}
}

// read adds the problems that the scans found.
func (c *checker) read() {
	for _, p := range c.contents.Problems {
		rule := Sidecar
		if strings.HasPrefix(p.File, prompts.Folder+"/") {
			rule = Prompt
		}
		c.problem(rule, p)
	}
	unopened := make(map[string]bool)
	for _, f := range c.findings { // of resources
		unopened[f.File] = unopened[f.File] || f.Rule == NotServed
	}
	for _, p := range c.contents.Library.Sites().Hidden() {
		if p.Err != nil {
			unopened[p.File] = true
			why := explain.Unpublished(c.contents.Library.Sites(), p)
			f := Finding{Severity: Error, File: p.File, Message: "is not served: " + p.Hidden, Fix: why.Fix}
			named := c.Config.DocsGiven && walk.Holds(c.Config.Docs, p.File)
			if why.Rule == "link-refused" || !named && (why.Rule == "too-large" || why.Rule == "too-deep") {
				f.Severity = Warning
			}
			c.add(NotServed, f)
		}
	}
	for _, n := range c.contents.Library.Warnings() {
		switch {
		case unopened[n.Path]:
		case slices.Contains(c.contents.Library.Sites().Warnings(), n):
			c.add(Settings, Finding{File: n.Path, Line: n.Line, Message: n.Reason})
		case n.Path == c.ConfigFile:
			c.add(Settings, Finding{Severity: Warning, File: n.Path, Message: n.Reason})
		default:
			f := Finding{File: n.Path, Message: n.Reason}
			if strings.HasSuffix(n.Reason, fs.ErrPermission.Error()) {
				f.Fix = "allow this user to read it"
			}
			c.add(NotServed, f)
		}
	}
}

// skills adds the problems of skills.
func (c *checker) skills() {
	found, err := skills.NewReader().Problems(c.ctx, c.contents.Catalog)
	if err != nil {
		return // ctx has ended
	}
	for _, p := range found {
		c.problem(Skill, p)
	}
}

// omitted adds a file that is not served. A file that its author hides is not a finding.
func (c *checker) omitted(o loader.Skipped) {
	c.withheld.omitted(o)
	c.mu.Lock()
	c.left = append(c.left, o.Path)
	c.mu.Unlock()
	switch {
	case o.Cause == loader.HiddenName, o.Cause == loader.Excluded, o.Cause == loader.Ignored, o.Cause == loader.NotIncluded, o.Cause == loader.Describes,
		o.Path == loader.TemplatesFile, o.Path == loader.TemplatesFile+".meta.json":
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

// A Severity says how bad a finding is. Notes are not problems.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// severities are all severities, the worst first.
var severities = []Severity{Error, Warning, Note}

// A Finding is something about a project that its author should know.
type Finding struct {
	Severity Severity `json:"severity"`
	Rule     Rule     `json:"rule"`
	File     string   `json:"file,omitempty"`   // "": the finding is about the project
	Line     int      `json:"line,omitempty"`   // from 1; 0: the whole file
	Column   int      `json:"column,omitempty"` // in characters from 1; 0: unknown
	URI      string   `json:"uri,omitempty"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix,omitempty"`
}

// A Rule is the name of the rule that a finding breaks.
type Rule string

// A rule holds the properties of all findings of a rule.
type rule struct {
	name       Rule
	severity   Severity
	title, fix string
}

// rules are all rules. newRule adds them.
var rules []rule

// The rules, in the order in which findings of one severity are shown.
var (
	Settings      = newRule("settings", Error, "mistakes in the settings", "correct the file")
	Instructions  = newRule("instructions-long", Error, "instructions that are too long", "shorten \"instructions\" in mcp-docs-server.json")
	RoundTrip     = newRule("round-trip", Error, "URIs that their own template does not give back", "change the template so that its variables hold all of the name, or rename the file")
	Secret        = newRule("publish-secret", Error, "secrets; publish stops at them, and clients can read them, unless a note replaces them", "take it out; if it is not a secret, publish with --allow FILE")
	TooLarge      = newRule("size-unreadable", Error, "files that no client can read", "split the file, hide it, or raise \"limits\" in mcp-docs-server.json")
	BrokenLink    = newRule("link-broken", Error, "links that lead nowhere", "correct the link")
	BrokenPart    = newRule("anchor-broken", Note, "links to headings that are not found", "correct what follows \"#\", unless a build makes the heading")
	Prompt        = newRule("prompt", Error, "mistakes in prompts", "correct the file")
	Skill         = newRule("skill", Error, "mistakes in skills", "correct the file")
	Sidecar       = newRule("sidecar", Error, "mistakes in files that describe others", "correct the file")
	NotServed     = newRule("not-served", Warning, "files that are not served", "give it a name and a place that is served, or hide it with a name that begins with a dot")
	Unmatchable   = newRule("template-unmatchable", Warning, "templates that can match no file", "change the template, or keep it if it is for clients only")
	Repeated      = newRule("template-repeated", Warning, "templates that are repeated", "remove one of them")
	Shadowed      = newRule("template-shadowed", Warning, "templates that never win", "make the template more specific than the winner, or remove it")
	Unused        = newRule("template-unused", Warning, "templates without files", "add a file that it matches, or remove the template")
	Unmatched     = newRule("file-unmatched", Note, "resources without a template", "add a template to resources/templates.json, so that clients see what the file is")
	PatternUnused = newRule("pattern-unused", Note, "patterns that match nothing", "correct the pattern, or remove it: include and exclude match paths below resources/, docsExclude paths below the project folder")
	FrontMatter   = newRule("front-matter", Warning, "front matter that cannot be read", "correct the front matter: YAML stands between lines ---")
	PublishSize   = newRule("publish-size", Warning, "more bytes than publish allows", "leave files out, or publish with --max-size")
	Publish       = newRule("publish-settings", Warning, "settings that publish refuses", "correct the file before you publish")
	Unportable    = newRule("name-unportable", Warning, "names that some systems cannot hold", "rename the file, so that a package can be unpacked everywhere")
	HostName      = newRule("name-host", Warning, "URI hosts that some clients refuse", "rename the file or folder to letters, digits, \"-\", \".\" and \"_\"")
	FileHost      = newRule("file-host", Note, "files whose names are hosts of URIs", "")
	SchemeName    = newRule("name-scheme", Warning, "URI schemes that mean something else", "rename the folder")
	AwkwardName   = newRule("name-awkward", Note, "names that cause problems in clients", "use letters, digits, \"-\", \".\" and \"_\"")
	LargeAnswer   = newRule("size-frame", Warning, "files that are too large for common clients", "split the file")
	Empty         = newRule("size-empty", Note, "empty files", "fill or remove the file")
	Pointer       = newRule("lfs-pointer", Warning, "files that were not fetched from Git LFS", "run \"git lfs pull\"")
	Elsewhere     = newRule("link-elsewhere", Note, "links that are not resolved", "nothing, if the published site has these pages")
	Dependencies  = newRule("dependencies", Note, "dependencies whose documents are not served", "nothing, if the package has none")
	Nothing       = newRule("nothing-served", Note, "a project without files to serve", "put Markdown into the folder of your documents, or name another folder: \"--docs FOLDER\"; put other files below resources/SCHEME/HOST/: those in resources/acme/subs/ are acme://subs/...")
)

// newRule adds a rule after the others.
func newRule(name Rule, severity Severity, title, fix string) Rule {
	rules = append(rules, rule{name, severity, title, fix})
	return name
}

// order returns the index of a rule.
func (r Rule) order() int {
	return slices.IndexFunc(rules, func(known rule) bool { return known.name == r })
}

// Title describes the findings of the rule, in the plural.
func (r Rule) Title() string { return rules[r.order()].title }
