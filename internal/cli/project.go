package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A project is a folder that is ready to be scanned.
type project struct {
	dir        string // as the user gave it
	configFile string // its name in the folder
	files      *rootfs.FS
	docs       string // the folder of --docs, or ""
	settings
}

// settings are what the files of a project that describe the others say.
type settings struct {
	source     source
	configured bool // there is a configuration file
	config     config.Config
	options    loader.Options
}

// source is the text that settings were read from.
type source struct{ config, templates string }

// open reads the project in dir, or the one that --config names. Warnings are printed; everything that is wrong is in the
// error.
func (a *app) open(ctx context.Context, dir string) (*project, error) {
	p, problems, err := a.locate(dir)
	if err != nil {
		return nil, err
	}
	found, err := p.compile(ctx, &p.settings)
	problems = append(problems, found...)
	a.warn(problems.Warnings())
	if err == nil {
		err = problems.Err()
	}
	if err != nil {
		p.files.Close()
		return nil, err
	}
	return p, nil
}

// locate opens the project in dir, or the one that --config names, and reads its configuration. Its templates are still to be
// compiled.
func (a *app) locate(dir string) (*project, jsondoc.Problems, error) {
	p := &project{dir: dir, configFile: config.File}
	if a.config != "" {
		if dir != "" {
			return nil, nil, &usageError{fmt.Sprintf("give either the folder %q or --config %q, not both", dir, a.config)}
		}
		info, err := os.Stat(a.config)
		if err != nil {
			return nil, nil, pathError(a.config, err)
		}
		if info.IsDir() {
			return nil, nil, fmt.Errorf("%s: is a folder, must be a file such as %s", a.config, filepath.Join(a.config, config.File))
		}
		p.dir, p.configFile = filepath.Dir(a.config), filepath.Base(a.config)
	} else if dir == "" {
		p.dir = cmp.Or(a.project, ".")
	}
	info, err := os.Stat(p.dir)
	if err != nil {
		return nil, nil, pathError(p.dir, err)
	}
	if !info.IsDir() {
		return nil, nil, fmt.Errorf("%s: is a file, must be a folder", p.dir)
	}
	if p.files, err = rootfs.Open(p.dir); err != nil {
		return nil, nil, pathError(p.dir, err)
	}
	if a.docs != "" {
		if p.docs, err = p.docsFolder(a.docs); err != nil {
			p.files.Close()
			return nil, nil, err
		}
	}
	settings, problems, err := p.configure()
	if err != nil {
		p.files.Close()
		return nil, nil, err
	}
	p.settings = settings
	return p, problems, nil
}

// read reads the configuration and the templates. The error joins everything that is wrong with them.
func (p *project) read(ctx context.Context) (s settings, warnings jsondoc.Problems, err error) {
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
func (p *project) configure() (s settings, problems jsondoc.Problems, err error) {
	configText, err := p.readFile(p.configFile)
	if err != nil {
		return s, nil, err
	}
	s.config = config.Default(p.folder())
	s.source.config = string(configText)
	if configText != nil {
		s.configured = true
		s.config, problems = config.Decode(p.show(p.configFile), configText)
	}
	if p.docs != "" {
		s.config.Docs = p.docs
	}
	return s, problems, nil
}

// compile reads the templates and makes the options of settings that were configured. There may be very many templates, so that
// it takes a while.
func (p *project) compile(ctx context.Context, s *settings) (problems jsondoc.Problems, err error) {
	var entries []templates.Entry
	file := p.show(loader.TemplatesFile)
	text, err := p.readFile(loader.TemplatesFile)
	if err != nil {
		return nil, err
	}
	s.source.templates = string(text)
	if text != nil {
		entries, problems = templates.Decode(file, text)
	}
	var mounts []loader.Mount
	if s.config.DocsResources {
		mount, entry, err := docsResources(s.config)
		if err != nil {
			return problems, fmt.Errorf("%s: docsResources: %w", p.show(p.configFile), err)
		}
		mounts = append(mounts, mount)
		if !slices.ContainsFunc(entries, func(e templates.Entry) bool { return e.Template.String() == entry.Template.String() }) {
			entries = append(entries, entry)
		}
	}
	index, found, err := matcher.NewContext(ctx, file, entries)
	if err != nil {
		return problems, err
	}
	for _, problem := range found {
		if problem.Line > 0 { // else it is about the entry of ours, and nothing that the user could mend
			problems = append(problems, problem)
		}
	}
	s.options = loader.Options{
		Mounts:        mounts,
		Templates:     index,
		HideUnmatched: s.config.Unmatched == "hide",
		Describe:      s.config.Describe,
		Include:       s.config.Include,
		Exclude:       s.config.Exclude,
	}
	return problems, nil
}

// docsResources makes resources of the documents, below docs://<name of the project>/.
func docsResources(c config.Config) (loader.Mount, templates.Entry, error) {
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
	return loader.Mount{Dir: c.Docs, Scheme: docs.Scheme, Host: host}, e, err
}

// readSource reads the two files that describe the others.
func (p *project) readSource() (source, error) {
	configText, configErr := p.readFile(p.configFile)
	templatesText, templatesErr := p.readFile(loader.TemplatesFile)
	return source{string(configText), string(templatesText)}, errors.Join(configErr, templatesErr)
}

// maxSource is how large a file that people write by hand may be.
const maxSource = 16 << 20

// readFile returns nothing for a file that is not there. Links are followed by the rules of resources.
func (p *project) readFile(name string) ([]byte, error) {
	real, err := loader.Resolve(p.files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, pathError(p.show(name), err)
	}
	f, err := p.files.Open(real)
	if err != nil {
		return nil, pathError(p.show(name), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return nil, pathError(p.show(name), err)
	}
	if len(data) > maxSource {
		return nil, fmt.Errorf("%s: has more than %d MiB, which is too much for a file written by hand", p.show(name), maxSource>>20)
	}
	return data, nil
}

// docsFolder checks the folder of --docs, which is relative to the project folder or absolute.
func (p *project) docsFolder(dir string) (string, error) {
	below := dir
	if filepath.IsAbs(dir) {
		abs, err := filepath.Abs(p.dir)
		if err != nil {
			return "", pathError(p.dir, err)
		}
		if below, err = filepath.Rel(abs, dir); err != nil {
			return "", pathError(dir, err)
		}
	}
	below = path.Clean(filepath.ToSlash(below))
	if below == "." || below == ".." || strings.HasPrefix(below, "../") {
		return "", fmt.Errorf("--docs %s: must be a folder below the project folder %s", dir, p.place())
	}
	info, err := p.files.Stat(below)
	if err != nil {
		return "", fmt.Errorf("--docs %w", pathError(dir, err))
	}
	if !info.IsDir() {
		return "", fmt.Errorf("--docs %s: is a file, must be a folder", dir)
	}
	return below, nil
}

// show is the path of a file of the project as the user would write it.
func (p *project) show(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// place is the project folder as it is named to the user: as it was given, or its absolute path where that was ".".
func (p *project) place() string {
	if p.dir != "." {
		return p.dir
	}
	if abs, err := filepath.Abs(p.dir); err == nil {
		return abs
	}
	return p.dir
}

// folder is the name of the project folder.
func (p *project) folder() string {
	if abs, err := filepath.Abs(p.dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(p.dir)
}

// pathError says what is wrong with a path, once.
func pathError(path string, err error) error {
	reason := fserr.Reason(err)
	if errors.Is(err, fs.ErrNotExist) {
		reason = "no such file or folder"
	}
	return fmt.Errorf("%s: %s", path, reason)
}
