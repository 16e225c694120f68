// Package project opens a folder that is served: it reads the settings and the contents, and
// follows changes of both. Any number of projects may be open in one process.
//
//  1. [Open] reads only the settings, which are mcp-docs-server.json and resources/templates.json.
//     [Locate] reads only the first of them.
//  2. [Project.Scan], [Project.Documents] and [Project.Prompts] each read their part once.
//  3. [Project.Live] makes a [Live] project: a [server.Server] and what keeps it up to date. The
//     server answers from the start. A request that needs a part that is not read yet waits for it.
//  4. [Live.Run] compiles the templates, reads resources, documents and prompts in parallel and
//     publishes each as soon as it is read. It then follows changes, also of the settings, until its
//     context ends.
//
// The package prints nothing. [Open] returns doubtful places in the settings; what happens later is
// an [Event]. Details, such as that folders have to be polled, go to a logger.
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Options say which project to open.
type Options struct {
	Dir string // the project folder; "" is the current one
	// the path of the configuration file, whose folder is the project, instead of Dir
	Config string
	// the folder of the documents instead of the configured one: absolute, or relative to the project folder
	Docs string

	Dependencies DependencyOptions // the dependencies that Check looks at

	Incomplete bool // the configured folder of the documents need not exist

	// Files, if not nil, are the files of the project, and replace a folder on the disk. Dir is then a name for messages only.
	Files Files
}

// Files are the files of a project. If they have a method Now() [fs.FS], they may be replaced as a whole: Now returns
// them as they are at the moment, and they never change.
type Files interface {
	fs.ReadDirFS
	fs.StatFS
	fs.ReadLinkFS
}

// A Project is a folder whose settings were read. It is immutable.
type Project struct {
	Dir        string // as the user named it
	ConfigFile string // the name of the configuration file in Dir
	Files      Files
	Folder     *rootfs.FS // the same on the disk; nil for [Options.Files]
	Docs       string     // Options.Docs relative to Dir, "." for Dir itself, or ""
	incomplete bool       // Options.Incomplete
	// Published says that the documents are read for a publication: main documents only, and something must say that they are for others.
	Published bool
	// documents of other languages and versions than the default ones are not read, see [site.Options]
	Default  bool
	Settings // as they were when the project was opened
}

// A DocsError reports a mistake in [Options.Docs].
type DocsError struct{ Reason string }

func (e *DocsError) Error() string { return e.Reason }

// Open reads the settings of a project. The error joins all mistakes in them. Doubtful places are
// in the warnings, which may come with an error too.
func Open(ctx context.Context, o Options) (p *Project, warnings jsondoc.Problems, err error) {
	p, problems, err := locate(o)
	if err != nil {
		return nil, nil, err
	}
	return p.complete(ctx, problems)
}

// Locate is Open for a project that is going to be run: it leaves the templates, which may be very
// many, to [Live.Run]. If the configuration has a mistake, Locate reads the templates too, so that
// all mistakes are reported together.
func Locate(ctx context.Context, o Options) (p *Project, warnings jsondoc.Problems, err error) {
	p, problems, err := locate(o)
	if err != nil || problems.Err() == nil {
		return p, problems, err
	}
	return p.complete(ctx, problems)
}

// complete compiles the templates of a project whose configuration was read, and closes it if there is a mistake.
func (p *Project) complete(ctx context.Context, problems jsondoc.Problems) (*Project, jsondoc.Problems, error) {
	found, err := p.compile(ctx, &p.Settings)
	problems = append(problems, found...)
	if err = cmp.Or(err, problems.Err()); err != nil {
		p.Close()
		return nil, problems.Warnings(), err
	}
	return p, problems, nil
}

// locate opens the folder and reads the configuration.
func locate(o Options) (p *Project, problems jsondoc.Problems, err error) {
	p = &Project{Dir: cmp.Or(o.Dir, "."), ConfigFile: config.File, incomplete: o.Incomplete}
	if o.Config != "" {
		info, err := os.Stat(o.Config)
		if err != nil {
			return nil, nil, PathError(o.Config, err)
		}
		if info.IsDir() {
			return nil, nil, fmt.Errorf("%s: is a folder, must be a file such as %s", o.Config, filepath.Join(o.Config, config.File))
		}
		p.Dir, p.ConfigFile = filepath.Dir(o.Config), filepath.Base(o.Config)
	}
	if p.Files = o.Files; p.Files == nil {
		info, err := os.Stat(p.Dir)
		if err != nil {
			return nil, nil, PathError(p.Dir, err)
		}
		if !info.IsDir() {
			return nil, nil, fmt.Errorf("%s: is a file, must be a folder", p.Dir)
		}
		if p.Folder, err = rootfs.Open(p.Dir); err != nil {
			return nil, nil, PathError(p.Dir, err)
		}
		p.Folder.Bound(nil)
		p.Files = p.Folder
	}
	if o.Docs != "" {
		p.Docs, err = p.docsFolder(o.Docs)
	}
	if err == nil {
		p.Settings, problems, err = p.configure()
	}
	if err != nil {
		p.Close()
		return nil, nil, err
	}
	return p, problems, nil
}

// Close closes the folder. Nothing of the project may be read after it.
func (p *Project) Close() {
	if p.Folder != nil {
		p.Folder.Close()
	}
}

// now returns the files of the project. If they may be replaced as a whole, now returns the current version, which does
// not change, so that one reading does not mix two versions.
func (p *Project) now() fs.FS {
	if replaced, ok := p.Files.(interface{ Now() fs.FS }); ok {
		return replaced.Now()
	}
	return p.Files
}

// Scan reads the tree of the resources.
func (p *Project) Scan(ctx context.Context) (*loader.Catalog, error) {
	return loader.Scan(ctx, p.now(), p.Loader)
}

// Prompts reads the folder of the prompts, and the skills if they are prompts too.
func (p *Project) Prompts(ctx context.Context) (*prompts.Set, error) {
	set, err := prompts.Scan(ctx, p.Files, prompts.Folder, nil)
	if err != nil || !p.Settings.Config.Skills.AsPrompts {
		return set, err
	}
	catalog, err := p.Scan(ctx)
	if err != nil {
		return nil, err
	}
	return skills.NewReader().Prompts(ctx, catalog, set)
}

// Show returns the path of a file of the project as the user would write it.
func (p *Project) Show(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// Place returns the project folder as the user knows it: as it was given, or its absolute path if
// it was given as ".".
func (p *Project) Place() string {
	if p.Dir != "." {
		return p.Dir
	}
	abs, _ := filepath.Abs(p.Dir) // "" after an error
	return cmp.Or(abs, p.Dir)
}

// folder returns the name of the project folder.
func (p *Project) folder() string {
	abs, _ := filepath.Abs(p.Dir) // "" after an error
	return filepath.Base(cmp.Or(abs, p.Dir))
}

// maxSource is how large a file that people write by hand may be, in bytes.
const maxSource = 16 << 20

// ReadFile reads a file that people write by hand. It returns nil if the file does not exist. Links
// are followed by the rules of resources.
func (p *Project) ReadFile(name string) ([]byte, error) {
	real, err := walk.Resolve(p.Files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, PathError(p.Show(name), err)
	}
	data, err := rootfs.ReadFile(p.Files, real, maxSource)
	if errors.Is(err, rootfs.ErrTooLarge) {
		return nil, fmt.Errorf("%s: has more than %d MiB, which is too much for a file written by hand", p.Show(name), maxSource>>20)
	} else if err != nil {
		return nil, PathError(p.Show(name), err)
	}
	return data, nil
}

// docsFolder checks the folder in [Options.Docs] and returns its path relative to the project
// folder.
func (p *Project) docsFolder(dir string) (string, error) {
	below := dir
	if filepath.IsAbs(dir) {
		abs, err := filepath.Abs(p.Dir)
		if err != nil {
			return "", PathError(p.Dir, err)
		}
		if below, err = filepath.Rel(abs, dir); err != nil {
			return "", PathError(dir, err)
		}
	}
	below = path.Clean(filepath.ToSlash(below))
	if below == ".." || strings.HasPrefix(below, "../") {
		return "", &DocsError{fmt.Sprintf("%s: must be a folder below the project folder %s", dir, p.Place())}
	}
	info, err := p.Files.Stat(below)
	if err != nil {
		return "", &DocsError{PathError(dir, err).Error()}
	}
	if !info.IsDir() {
		return "", &DocsError{dir + ": is a file, must be a folder"}
	}
	return below, nil
}

// PathError returns an error that names the path once and says what is wrong with it.
func PathError(path string, err error) error {
	return fmt.Errorf("%s: %s", path, fserr.Reason(err))
}

// Check reads the settings of a project and checks it. Mistakes in the settings are findings.
func Check(ctx context.Context, o Options) (*check.Report, error) {
	p, problems, err := locate(o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	s := &p.Settings
	found, err := p.compile(ctx, s)
	if err != nil {
		return nil, err
	}
	if problems = p.belowRoot(append(problems, found...)); problems.Err() != nil {
		return check.FromProblems(problems), nil
	}
	with := check.Project{
		Files: p.Files, Problems: problems, Options: s.Loader, Config: s.Config, ConfigFile: p.ConfigFile,
		ConfigText: s.Source.Config, Templates: s.Source.Templates,
	}
	if with.Library, err = p.readDocuments(ctx, s, docs.Reading{}); err != nil {
		return nil, err
	}
	if ecosystems, byOperator := o.Dependencies.chosen(s); len(ecosystems) > 0 {
		f, err := p.findDependencies(ctx, ecosystems, dependencies.Options{Outside: byOperator, All: o.Dependencies.All})
		if err != nil {
			return nil, err
		}
		defer f.close()
		set, err := f.set.Describe(ctx, false)
		if err != nil {
			return nil, err
		}
		with.Packages, with.PackageNotices = set.Packages(), append(f.warnings, set.Unsupported()...)
	}
	return check.Run(ctx, with)
}

// belowRoot returns problems with paths relative to the project folder.
func (p *Project) belowRoot(list jsondoc.Problems) jsondoc.Problems {
	out := slices.Clone(list)
	for i := range out {
		if rel, err := filepath.Rel(p.Dir, out[i].File); err == nil {
			out[i].File = filepath.ToSlash(rel)
		}
	}
	return out
}
