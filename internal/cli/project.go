package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A project is a folder that is ready to be scanned.
type project struct {
	dir        string // as the user gave it
	configFile string // its name in the folder
	configured bool   // the file is there
	config     config.Config
	files      *rootfs.FS
	options    loader.Options
}

// open reads the project in dir, or the one that --config names. Warnings are printed; everything that is wrong is in the
// error.
func (a *app) open(dir string) (*project, error) {
	p := &project{dir: dir, configFile: config.File}
	if a.config != "" {
		if dir != "" {
			return nil, &usageError{fmt.Sprintf("give either the folder %q or --config %q, not both", dir, a.config)}
		}
		info, err := os.Stat(a.config)
		if err != nil {
			return nil, pathError(a.config, err)
		}
		if info.IsDir() {
			return nil, fmt.Errorf("%s: is a folder, must be a file such as %s", a.config, filepath.Join(a.config, config.File))
		}
		p.dir, p.configFile = filepath.Dir(a.config), filepath.Base(a.config)
	} else if dir == "" {
		p.dir = "."
	}
	info, err := os.Stat(p.dir)
	if err != nil {
		return nil, pathError(p.dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file, must be a folder", p.dir)
	}
	if p.files, err = rootfs.Open(p.dir); err != nil {
		return nil, pathError(p.dir, err)
	}
	if err := p.read(a); err != nil {
		p.files.Close()
		return nil, err
	}
	return p, nil
}

// read reads the configuration and the templates.
func (p *project) read(a *app) error {
	var problems jsondoc.Problems
	data, err := p.readFile(p.configFile)
	switch {
	case err != nil:
		return err
	case data == nil:
		p.config = config.Default(p.folder())
	default:
		p.configured = true
		p.config, problems = config.Decode(p.show(p.configFile), data)
	}
	var docsErr error
	if a.docs != "" {
		docsErr = p.setDocs(a.docs)
	}

	data, err = p.readFile(loader.TemplatesFile)
	if err != nil {
		return err
	}
	var entries []templates.Entry
	file := p.show(loader.TemplatesFile)
	if data != nil {
		var found jsondoc.Problems
		entries, found = templates.Decode(file, data)
		problems = append(problems, found...)
	}
	index, found := matcher.New(file, entries)
	problems = append(problems, found...)

	for _, warning := range problems.Warnings() {
		fmt.Fprintf(a.streams.Err, "mcp-docs-server: %s\n", warning)
	}
	p.options = loader.Options{
		Templates:     index,
		HideUnmatched: p.config.Unmatched == "hide",
		Include:       p.config.Include,
		Exclude:       p.config.Exclude,
	}
	return errors.Join(problems.Err(), docsErr)
}

// readFile returns nothing for a file that is not there.
func (p *project) readFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(p.files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, pathError(p.show(name), err)
	}
	return append([]byte{}, data...), nil
}

// setDocs takes the folder of --docs, which is relative to the project folder or absolute.
func (p *project) setDocs(dir string) error {
	below := dir
	if filepath.IsAbs(dir) {
		abs, err := filepath.Abs(p.dir)
		if err != nil {
			return pathError(p.dir, err)
		}
		if below, err = filepath.Rel(abs, dir); err != nil {
			return pathError(dir, err)
		}
	}
	below = path.Clean(filepath.ToSlash(below))
	if below == "." || below == ".." || strings.HasPrefix(below, "../") {
		return fmt.Errorf("--docs %s: must be a folder below the project folder %s", dir, p.dir)
	}
	info, err := p.files.Stat(below)
	if err != nil {
		return fmt.Errorf("--docs %w", pathError(dir, err))
	}
	if !info.IsDir() {
		return fmt.Errorf("--docs %s: is a file, must be a folder", dir)
	}
	p.config.Docs = below
	return nil
}

// show is the path of a file of the project as the user would write it.
func (p *project) show(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// folder is the name of the project folder.
func (p *project) folder() string {
	if abs, err := filepath.Abs(p.dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(p.dir)
}

// pathError says what is wrong with a path, once.
func pathError(path string, err error) error {
	reason := err.Error()
	var inner *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = "no such file or folder"
	case errors.As(err, &inner):
		reason = inner.Err.Error()
	}
	return fmt.Errorf("%s: %s", path, reason)
}
