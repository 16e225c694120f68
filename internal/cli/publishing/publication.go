package publishing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A publication is a checked project that is ready for a target.
type publication struct {
	project  *project.Project
	line     *terminal.ProgressLine
	info     bundle.Info
	origin   npm.Origin
	contents *pack.Contents // with other customary files of a package: readme, licence
	allowed  bool
	tools    []tools.Tool // of the server that answered for the package
	result   *published
}

// wanting returns errors for keys of the configuration that a target writes and that are missing or wrong. The name is
// optional for all targets but a Worker, which has no other.
func wanting(p *project.Project, o publishing) (errs []error) {
	c, file := p.Config, p.Show(p.ConfigFile)
	var missing []string
	need := func(given bool, line string, wrong error) {
		if !given {
			missing = append(missing, line)
		} else if wrong != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, wrong))
		}
	}
	switch o.target {
	case "store":
	case "cloudflare":
		need(o.worker.name != "" || c.Package != "" || c.NameGiven, fmt.Sprintf(`"name": %q`, c.Name), nil)
	default:
		need(c.Package != "", fmt.Sprintf(`"package": "@me/%s"`, command.ServerName(c.Name)), npm.CheckPackage(c.Package))
		need(c.VersionGiven, `"version": "1.0.0"`, npm.CheckVersion(c.Version))
	}
	need(true, "", p.Config.CheckInstructions())
	if lines := strings.Join(missing, ", "); lines != "" {
		if !p.Configured {
			lines = "{" + lines + "}" // the whole file
		}
		errs = append(errs, fmt.Errorf("%s: --target %s needs keys that are missing; write %s", file, o.target, lines))
	}
	return errs
}

func isScattered(err error) bool {
	_, ok := errors.AsType[*project.ScatteredError](err)
	return ok
}

// gather reads a project for its publication and prints the warnings that serve would print.
func (a *app) gather(ctx context.Context, p *project.Project, o publishing) (*publication, error) {
	p.Published = true
	errs := wanting(p, o)
	r := &publication{project: p, line: a.Line}
	text, err := p.ReadFile(npm.ManifestFile)
	if err != nil {
		errs = append(errs, err)
	} else if text != nil {
		var problems jsondoc.Problems
		if r.origin, problems = npm.ReadOrigin(p.Show(npm.ManifestFile), text); problems.Err() != nil {
			errs = append(errs, problems.Err())
		}
	}
	if len(errs) > 0 {
		if _, err := p.Documents(ctx); isScattered(err) { // which also asks for a key
			errs = append(errs, err)
		}
		return nil, errors.Join(errs...)
	}
	r.info = r.origin.Info(p.Config.Name, cmp.Or(p.Config.Package, command.ServerName(p.Config.Name)), p.Config.Version)
	if p.Config.Deps {
		a.Say("left out: the documents of dependencies, because of their licences")
	}
	r.contents, err = terminal.Progress(r.line, command.Reading(p), func() (*pack.Contents, error) {
		library, err := p.Documents(ctx)
		if isScattered(err) {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Config.Docs, err)
		}
		return pack.Gather(ctx, pack.Project{
			Files: p.Files, Config: settingsOf(p), Templates: p.Source.Templates, Library: library, Release: true, Options: p.Loader,
		})
	})
	if err != nil {
		return nil, err
	}
	extra, warnings, err := pack.Root(p.Files, npm.IsExtra)
	if err != nil {
		return nil, err
	}
	// Such a file may be a document, or be included by one.
	extra = slices.DeleteFunc(extra, func(f bundle.File) bool {
		return slices.ContainsFunc(r.contents.Files, func(packed bundle.File) bool { return packed.Name == f.Name })
	})
	r.contents.Files = append(r.contents.Files, extra...)
	for i, f := range r.contents.Files {
		r.contents.Files[i] = f.Attended(ctx, r.line.Add)
	}
	return r, a.warn(p, r.contents, warnings)
}

// settingsOf returns the text of the configuration. It has the name of the project, because the folder of the package has another one.
func settingsOf(p *project.Project) string {
	if p.Config.Package == "" || strings.Contains(p.Source.Config, `"name"`) {
		return p.Source.Config
	}
	name, _ := json.Marshal(p.Config.Name) // a string has a form
	return strings.Replace(p.Source.Config, "{", fmt.Sprintf(`{"name": %s,`, name), 1)
}

// warn prints the warnings of the scan of a project. It returns an error if nothing is served.
func (a *app) warn(p *project.Project, contents *pack.Contents, more []loader.Warning) error {
	a.Warnings(p, append(contents.Notices, more...))
	for i := range contents.Problems {
		contents.Problems[i].File = p.Show(contents.Problems[i].File)
	}
	a.Warn(contents.Problems.Warnings()) // check reports the errors
	if len(contents.Library.Left()) > 0 {
		a.Say("%s", command.Printable(contents.Library.Served()))
	}
	if contents.Resources+contents.Library.Len()+len(contents.Prompts) == 0 {
		return fmt.Errorf("%s: there is nothing to publish: no resources, no documents and no prompts are served", p.Place())
	}
	return nil
}

// describe returns the description of an omitted file.
func describe(l pack.Unpacked) string {
	if l.Hidden {
		return command.Printable(l.Path) + " (hidden)"
	}
	return command.Printable(l.Path) + " (not served)"
}

// checked returns an error if check finds errors other than secrets, which guard reports.
func (a *app) checked(ctx context.Context, dir string, r *publication, o publishing) error {
	options, err := a.ProjectOptions(dir)
	if err != nil {
		return err
	}
	if o.withErrors {
		a.Warn(slices.DeleteFunc(r.contents.Problems, func(p jsondoc.Problem) bool { return p.Warning }))
		return nil
	}
	report, err := terminal.Progress(r.line, terminal.Work{Name: "checking"}, func() (*check.Report, error) { return project.Check(ctx, options) })
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range report.Findings {
		if f.Severity != check.Error || f.Rule == check.Secret {
			continue
		}
		errs = append(errs, fmt.Errorf("%s: %s", command.Place(r.project.Show(f.File), f.Line, 0), command.Printable(f.Message)))
	}
	if len(errs) == 0 {
		return nil
	}
	more := ""
	if n := len(errs) - command.MaxLines; n > 0 {
		errs, more = errs[:command.MaxLines], fmt.Sprintf(" and %d more", n)
	}
	return errors.Join(append(errs, fmt.Errorf("nothing is published: correct these errors%s, which \"mcp-docs-server check\" explains, or publish with --with-errors", more))...)
}

// guard returns an error if files need a check by the user first, unless the options allow them by
// name.
func (a *app) guard(ctx context.Context, r *publication, o publishing) error {
	for _, pattern := range o.allow {
		if !doublestar.ValidatePattern(pattern) {
			return command.Misuse("--allow %q is neither a path nor a valid glob pattern", pattern)
		}
	}
	files := r.contents.Files
	work := terminal.Work{Name: "looking for secrets", Total: bundle.Total(files), Unit: terminal.Bytes}
	findings, err := terminal.Progress(r.line, work, func() ([]pack.Finding, error) { return pack.Inspect(ctx, files, int64(o.maxSize)<<20) })
	if err != nil {
		return err
	}
	// Parts of this file are in the published files.
	if origin, err := r.project.ReadFile(npm.ManifestFile); err != nil {
		return err
	} else if origin != nil {
		manifest := []bundle.File{bundle.Bytes(npm.ManifestFile, origin)}
		found, err := pack.Inspect(ctx, manifest, 0)
		if err != nil {
			return err
		}
		findings, files = append(findings, found...), slices.Concat(files, manifest)
	}
	for _, f := range r.contents.Removed[:min(len(r.contents.Removed), command.MaxLines)] {
		a.Say("warning: %s", f)
	}
	var errs []error
	for _, f := range findings {
		if !slices.ContainsFunc(o.allow, func(pattern string) bool { return f.File != "" && pack.Allowed(pattern, f.File) }) {
			errs = append(errs, errors.New(f.String()))
		} else {
			r.allowed = true
		}
	}
	for _, pattern := range o.allow {
		if !slices.ContainsFunc(files, func(f bundle.File) bool { return pack.Allowed(pattern, f.Name) }) {
			a.Say("warning: --allow %s: the package has no such file", command.Printable(pattern))
		}
	}
	if len(errs) > 0 {
		errs = append(errs, errors.New("nothing is published: take this out; or move the file out of the project or give it a name that begins with a dot (\"exclude\" in mcp-docs-server.json leaves out files below resources/ only); or allow a file with --allow FILE and its size with --max-size"))
	}
	return errors.Join(errs...)
}

// guardAnswers returns an error if the files of a server have secrets, although the project has none that would stop its
// publication. If the user has allowed some, the answers have them too.
func (a *app) guardAnswers(ctx context.Context, r *publication, files []bundle.File) error {
	found, err := pack.Inspect(ctx, files, 0)
	if err != nil || r.allowed {
		return err
	}
	var errs []error
	for _, f := range found {
		errs = append(errs, fmt.Errorf("the answers that clients get have a secret: %s", f))
	}
	return errors.Join(errs...)
}

// reportOutside prints which files from elsewhere documents show or include, so that they are packed: the user may not expect them.
func (a *app) reportOutside(outside []string) {
	if len(outside) == 0 {
		return
	}
	var names []string
	for _, name := range outside[:min(len(outside), command.MaxLines)] {
		names = append(names, command.Printable(name))
	}
	if more := len(outside) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	a.Say("includes %s from outside the documents, or with hidden names: %s", command.Count(len(outside), "file"), strings.Join(names, ", "))
}

// reportOmitted prints the omitted files, because the user may want to publish them.
func (a *app) reportOmitted(left []pack.Unpacked) {
	for _, l := range left[:min(len(left), command.MaxLines)] {
		a.Say("left out: %s", describe(l))
	}
	if more := len(left) - command.MaxLines; more > 0 {
		a.Say("left out: and %d more; --dry-run lists all", more)
	}
}
