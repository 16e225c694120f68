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
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
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

	docsExclude glob.Set // of Config, and misplaced
	misplaced   []string // patterns of exclude that name documents, which is a mistake
	// Loader has the documents' folder; otherwise [documentFiles] makes resources of the documents
	docsMounted bool
}

// Source is the text of these files, "" for a file that does not exist.
type Source struct{ Config, Templates string }

// ServerOptions returns the options of a server that follow from the settings. They have no
// catalog, and a logger that discards everything.
func (p *Project) ServerOptions() server.Options {
	return server.Options{
		Name:     p.Config.Name,
		Named:    p.Config.NameGiven,
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
		s.Config, problems = config.Decode(p.Show(p.ConfigFile), p.folder(), text)
		problems = append(problems, p.siteProblems(s.Config.Sites)...)
		if p.Docs == "" && s.Config.DocsGiven && s.Config.Docs != "docs" && !p.incomplete && problems.Err() == nil {
			problems = append(problems, p.docsProblem(s.Config.Docs, text)...)
		}
	}
	if p.Docs != "" {
		s.Config.SetDocs(p.Docs)
	}
	found, misplaced := p.excludeProblems(&s.Config, text)
	s.withhold(nil)
	s.misplaced = misplaced
	return s, append(problems, found...), nil
}

// withhold leaves out the documents that docsExclude of the configuration and some patterns of exclude match.
func (s *Settings) withhold(misplaced []string) {
	s.misplaced = misplaced
	// Decode has reported a bad pattern
	s.docsExclude, _ = glob.ParseSet(slices.Concat(s.Config.DocsExclude, misplaced))
}

// excludeProblems reports the patterns of exclude in the configuration text that begin with a folder of documents, and
// returns them: exclude is about resources, and documents would stay served.
func (p *Project) excludeProblems(c *config.Config, text []byte) (problems jsondoc.Problems, misplaced []string) {
	folders := []string{c.Docs}
	for _, s := range c.Sites {
		folders = append(folders, s.Root)
	}
	folders = slices.DeleteFunc(folders, func(dir string) bool {
		info, err := p.Files.Stat(dir)
		return dir == "." || err != nil || !info.IsDir()
	})
	value, _ := jsondoc.Parse("", text)
	// where documents are as resources
	mounted := path.Join(docs.Scheme, docs.Host(c.Name))
	for i, pattern := range c.Exclude {
		below := strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
		dir := slices.IndexFunc(folders, func(dir string) bool { return walk.Holds(dir, below) })
		if _, err := glob.Parse(below); dir < 0 || err != nil {
			continue
		}
		if _, err := p.Files.Stat(mounted); c.DocsResources && walk.Holds(mounted, below) && err != nil {
			continue
		}
		misplaced = append(misplaced, below)
		if o, ok := jsondoc.NewObject(p.Show(p.ConfigFile), "", value, &problems); ok {
			o.Errorf(o.Field("exclude").Items[i], "exclude[%d] is %s, which names documents in %s/, and exclude is about resources; write it into docsExclude, or as %s for files below resources/",
				i, jsondoc.Quote(pattern), folders[dir], jsondoc.Quote(loader.Resources+"/"+below))
		}
	}
	return problems, misplaced
}

// maxCounted is the number of patterns of exclude whose documents are counted.
const maxCounted = 50

// byKind matches patterns of exclude for all files of a kind. They leave out resources, and nobody means documents.
var byKind = lazyregexp.New(`^\*\*/\*\.(?:\w+|\{[\w,]+\})$`)

// noteExcluded adds warnings to a library about patterns of exclude that match documents: they stay served.
func (p *Project) noteExcluded(s *Settings, library *docs.Library) {
	for _, pattern := range s.Config.Exclude[:min(len(s.Config.Exclude), maxCounted)] {
		set, err := glob.ParseSet([]string{pattern})
		if err != nil || byKind().MatchString(pattern) {
			continue
		}
		n := 0
		for _, d := range library.All() {
			if _, ok := set.Covers(d.File()); ok {
				n++
			}
		}
		if n > 0 {
			library.Note(p.ConfigFile, fmt.Sprintf("the pattern %s of exclude matches resources only: documents that it matches, %d, stay served; to leave them out, write it into docsExclude", jsondoc.Quote(pattern), n))
		}
	}
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
	for i, s := range sites {
		add := func(warning bool, format string, args ...any) {
			problems = append(problems, jsondoc.Problem{File: p.Show(p.ConfigFile), Line: s.Line, Column: s.Column, Warning: warning,
				Reason: fmt.Sprintf("sites[%d].", i) + fmt.Sprintf(format, args...)})
		}
		if s.Generator != "" {
			add(true, "generator is ignored: the same rules hold for all documents")
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
		if s.docsMounted = s.mountsDocs(); s.docsMounted {
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
	// A problem without a line is about our own entry, which the user cannot fix.
	problems = append(problems, slices.DeleteFunc(found, func(p jsondoc.Problem) bool { return p.Line == 0 })...)
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
	return p.docsMount(s, host), e, err
}

// docsMount returns the mount of the documents' folder.
func (p *Project) docsMount(s *Settings, host string) loader.Mount {
	files := p.docFiles(s)
	exclude := s.docsExclude
	dir, err := walk.Resolve(files.Project(), s.Config.Docs)
	if err != nil {
		dir = s.Config.Docs // then the loader says why it has no files
	}
	return loader.Mount{Dir: s.Config.Docs, Scheme: docs.Scheme, Host: host, Open: files.Open, Omit: func(name, real string, folder bool) (loader.Cause, string) {
		if pattern, ok := exclude.Covers(name); ok {
			return loader.Excluded, pattern
		}
		switch err := files.Left(dir, name, real, folder); {
		case err == nil:
			return loader.Served, ""
		case errors.Is(err, docsfs.ErrIgnored):
			return loader.Ignored, ""
		default:
			return loader.LinkRefused, "is a link to a file that " + fserr.Reason(err)
		}
	}}
}

// remount makes the mount of the documents' folder again, if there is one.
func (p *Project) remount(s *Settings) {
	s.Loader.Mounts = slices.Clone(s.Loader.Mounts)
	for i, m := range s.Loader.Mounts {
		if m.Scheme == docs.Scheme {
			s.Loader.Mounts[i] = p.docsMount(s, m.Host)
		}
	}
}

// readSource reads the two files that settings come from.
func (p *Project) readSource() (Source, error) {
	configText, configErr := p.ReadFile(p.ConfigFile)
	templatesText, templatesErr := p.ReadFile(loader.TemplatesFile)
	return Source{string(configText), string(templatesText)}, errors.Join(configErr, templatesErr)
}
