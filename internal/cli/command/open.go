package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// Open opens the project in dir, or the project that the options name. It prints warnings; the
// error contains all mistakes.
func (a *App) Open(ctx context.Context, dir string) (*project.Project, error) {
	o, err := a.ProjectOptions(dir)
	if err != nil {
		return nil, err
	}
	return a.openBy(ctx, o, project.Open)
}

// Locate is Open without compiling the templates; the running project compiles them.
func (a *App) Locate(ctx context.Context, dir string) (*project.Project, error) {
	o, err := a.ProjectOptions(dir)
	if err != nil {
		return nil, err
	}
	return a.openBy(ctx, o, project.Locate)
}

// LocateFiles is Locate for a project that is not a folder on the disk.
func (a *App) LocateFiles(ctx context.Context, name string, files project.Files) (*project.Project, error) {
	return a.openBy(ctx, project.Options{Dir: name, Files: files}, project.Locate)
}

func (a *App) openBy(ctx context.Context, o project.Options, open func(context.Context, project.Options) (*project.Project, jsondoc.Problems, error)) (*project.Project, error) {
	var p *project.Project
	var warnings jsondoc.Problems
	err := a.Line.During(terminal.Work{Name: "reading the settings"}, func() (err error) {
		p, warnings, err = open(ctx, o)
		return err
	})
	a.Warn(warnings)
	return p, WordedDocs(err)
}

// ProjectOptions say which project a command means: the one in dir, or the one that the options of
// the program name.
func (a *App) ProjectOptions(dir string) (project.Options, error) {
	o := project.Options{Dir: dir, Config: a.Config, Docs: a.Docs}
	if a.Config != "" {
		if dir != "" {
			return o, Misuse(fmt.Sprintf("give either the folder %q or --config %q, not both", dir, a.Config))
		}
	} else if dir == "" {
		o.Dir = a.Project
	}
	return o, nil
}

// WordedDocs names the option in an error about its value.
func WordedDocs(err error) error {
	if wrong, ok := errors.AsType[*project.DocsError](err); ok {
		return fmt.Errorf("--docs %w", wrong)
	}
	return err
}
