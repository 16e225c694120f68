package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// Settings are read from the files of a project that describe the others.
type Settings struct {
	Source     Source
	Configured bool // there is a configuration file
	Config     config.Config
	Loader     loader.Options // zero until the templates are compiled

	docsExclude glob.Set // of Config
	docsMounted bool     // Loader has the documents' folder; otherwise [documentFiles] makes resources of the documents
}

// Source is the text of these files, "" for a file that does not exist.
type Source struct{ Config, Templates string }

// ServerOptions returns the options of a server that follow from the settings. They have no
// catalog, and a logger that discards everything.
func (p *Project) ServerOptions() server.Options {
	return server.Options{
		Name:     p.Config.Name,
		Version:  p.Config.Version,
		Package:  cmp.Or(p.Config.Package, p.Config.Name),
		Limits:   p.limits(),
		Features: p.features(),
		Logger:   slog.New(slog.DiscardHandler),
	}
}

// limits returns the limits of a server.
func (s *Settings) limits() server.Limits {
	return server.Limits{
		ReadBytes:  int64(s.Config.Limits.MaxReadBytes),
		FrameBytes: int64(s.Config.Limits.MaxFrameBytes),
		PageItems:  s.Config.Limits.PageSize,
	}
}

// features returns which features of a server are on.
func (s *Settings) features() server.Features {
	return server.Features{ResourceTools: s.Config.Tools.Resources, Connector: s.Config.Tools.Connector}
}

// readSettings reads the configuration and the templates. The error joins all mistakes in them.
func (p *Project) readSettings(ctx context.Context) (s Settings, warnings jsondoc.Problems, err error) {
	s, problems, err := p.configure()
	if err != nil {
		return s, nil, err
	}
	found, err := p.compile(ctx, &s)
	if err != nil {
		return s, nil, err
	}
	problems = append(problems, found...)
	return s, problems.Warnings(), problems.Err()
}

// configure reads the configuration.
func (p *Project) configure() (s Settings, problems jsondoc.Problems, err error) {
	text, err := p.ReadFile(p.ConfigFile)
	if err != nil {
		return s, nil, err
	}
	s.Config = config.Default(p.folder())
	s.Source.Config = string(text)
	if text != nil {
		s.Configured = true
		s.Config, problems = config.Decode(p.Show(p.ConfigFile), text)
		problems = append(problems, p.siteProblems(s.Config.Sites)...)
		if p.Docs == "" && s.Config.DocsGiven && s.Config.Docs != "docs" && !p.incomplete && problems.Err() == nil {
			problems = append(problems, p.docsProblem(s.Config.Docs, text)...)
		}
	}
	if p.Docs != "" {
		s.Config.SetDocs(p.Docs)
	}
	s.docsExclude, _ = glob.ParseSet(s.Config.DocsExclude) // Decode has reported a bad pattern
	return s, problems, nil
}

// docsProblem reports that the key docs of the configuration text names no folder.
func (p *Project) docsProblem(dir string, text []byte) (problems jsondoc.Problems) {
	reason := "is a file, must be a folder"
	if info, err := p.Files.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		reason = "does not exist"
	} else if err != nil || info.IsDir() {
		return nil // the scan reports a folder that cannot be read
	}
	var folders []string
	entries, _ := p.Files.ReadDir(path.Dir(dir))
	for _, e := range entries {
		if e.IsDir() && !walk.Hidden(e.Name()) {
			folders = append(folders, path.Join(path.Dir(dir), e.Name()))
		}
	}
	fix := "; create it, or name another folder"
	if near, ok := nearest.One(dir, folders); ok {
		fix = "; did you mean " + near + "/?"
	} else if slices.Contains(folders, "docs") {
		fix = "; did you mean docs/?"
	}
	value, _ := jsondoc.Parse("", text)
	if o, ok := jsondoc.NewObject(p.Show(p.ConfigFile), "", value, &problems); ok {
		o.Errorf(o.Field("docs"), "docs is %s, which %s%s", jsondoc.Quote(dir), reason, fix)
	}
	return problems
}

// siteProblems reports the entries of "sites" that do not name a site.
func (p *Project) siteProblems(sites []config.Site) (problems jsondoc.Problems) {
	known := site.Names()
	for i, s := range sites {
		add := func(warning bool, format string, args ...any) {
			problems = append(problems, jsondoc.Problem{File: p.Show(p.ConfigFile), Line: s.Line, Column: s.Column, Warning: warning,
				Reason: fmt.Sprintf("sites[%d].", i) + fmt.Sprintf(format, args...)})
		}
		if s.Generator != "" && !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, s.Generator) }) {
			reason := "must be one of " + strings.Join(known, ", ")
			if near, ok := nearest.One(s.Generator, known); ok {
				reason = fmt.Sprintf("did you mean %q?", near)
			}
			add(false, "generator is %s, which is not known; %s", jsondoc.Quote(s.Generator), reason)
		}
		if info, err := p.Files.Stat(s.Root); err != nil || !info.IsDir() {
			add(true, "root is %s, which is not a folder of the project", jsondoc.Quote(s.Root))
		}
	}
	return problems
}

// compile reads the templates and completes s with the options of the loader. Very many templates
// take a while.
func (p *Project) compile(ctx context.Context, s *Settings) (problems jsondoc.Problems, err error) {
	var entries []templates.Entry
	file := p.Show(loader.TemplatesFile)
	text, err := p.ReadFile(loader.TemplatesFile)
	if err != nil {
		return nil, err
	}
	s.Source.Templates = string(text)
	if text != nil {
		entries, problems = templates.Decode(file, text)
	}
	mounts := []loader.Mount{skills.Mount()}
	if s.Config.DocsResources {
		mount, entry, err := p.docsResources(s)
		if err != nil {
			return problems, fmt.Errorf("%s: docsResources: %w", p.Show(p.ConfigFile), err)
		}
		if s.docsMounted = p.scansDocs(ctx, s); s.docsMounted {
			mounts = append(mounts, mount)
		}
		if !slices.ContainsFunc(entries, func(e templates.Entry) bool { return e.Template.String() == entry.Template.String() }) {
			entries = append(entries, entry)
		}
	}
	index, found, err := matcher.NewContext(ctx, file, entries)
	if err != nil {
		return problems, err
	}
	for _, problem := range found {
		if problem.Line > 0 { // a problem without a line is about our own entry, which the user cannot fix
			problems = append(problems, problem)
		}
	}
	s.Loader = loader.Options{
		Mounts:        mounts,
		Templates:     index,
		HideUnmatched: s.Config.Unmatched == "hide",
		Describe:      s.Config.Describe,
		Include:       s.Config.Include,
		Exclude:       s.Config.Exclude,
	}
	return problems, nil
}

// docsResources returns what makes the documents resources: a mount and a template for docs://<name
// of the project>/.
func (p *Project) docsResources(s *Settings) (loader.Mount, templates.Entry, error) {
	c := &s.Config
	host := docs.Host(c.Name)
	// A quote is plain in a URI, but not in a template (RFC 6570 section 2.1).
	literal := strings.ReplaceAll(string(uri.AppendHost(nil, host)), "'", "%27")
	e := templates.Entry{Definition: templates.Definition{
		URITemplate: docs.Scheme + "://" + literal + "/{+path}",
		Name:        c.Name + " documents",
		Description: "Documentation of " + c.Name + ".",
	}}
	var err error
	e.Template, err = templates.Parse(e.URITemplate) // the name may be too long
	files := p.docFiles(s)
	return loader.Mount{Dir: c.Docs, Scheme: docs.Scheme, Host: host, Open: files.Open, Omit: func(name, real string, folder bool) (loader.Cause, string) {
		if pattern, ok := s.docsExclude.Covers(name); ok {
			return loader.Excluded, pattern
		}
		if files.Ignored(name, folder) || files.Ignored(real, folder) {
			return loader.Ignored, ""
		}
		return loader.Served, ""
	}}, e, err
}

// readSource reads the two files that settings come from.
func (p *Project) readSource() (Source, error) {
	configText, configErr := p.ReadFile(p.ConfigFile)
	templatesText, templatesErr := p.ReadFile(loader.TemplatesFile)
	return Source{string(configText), string(templatesText)}, errors.Join(configErr, templatesErr)
}
