package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// open opens the project in dir, or the project that the options name. It prints warnings; the
// error contains all mistakes.
func (a *app) open(ctx context.Context, dir string) (*project.Project, error) {
	return a.openBy(ctx, dir, project.Open)
}

// locate is open without the templates, which are compiled when the project runs.
func (a *app) locate(ctx context.Context, dir string) (*project.Project, error) {
	return a.openBy(ctx, dir, project.Locate)
}

func (a *app) openBy(ctx context.Context, dir string, open func(context.Context, project.Options) (*project.Project, jsondoc.Problems, error)) (*project.Project, error) {
	o, err := a.projectOptions(dir)
	if err != nil {
		return nil, err
	}
	var p *project.Project
	var warnings jsondoc.Problems
	err = a.line.During(progress.Work{Name: "reading the settings"}, func() (err error) {
		p, warnings, err = open(ctx, o)
		return err
	})
	a.warn(warnings)
	return p, wordedDocs(err)
}

// projectOptions say which project a command means: the one in dir, or the one that the options of
// the program name.
func (a *app) projectOptions(dir string) (project.Options, error) {
	o := project.Options{Dir: dir, Config: a.config, Docs: a.docs}
	if a.config != "" {
		if dir != "" {
			return o, misuse(fmt.Sprintf("give either the folder %q or --config %q, not both", dir, a.config))
		}
	} else if dir == "" {
		o.Dir = a.project
	}
	return o, nil
}

// wordedDocs names the option in an error about its value.
func wordedDocs(err error) error {
	if wrong, ok := errors.AsType[*project.DocsError](err); ok {
		return fmt.Errorf("--docs %w", wrong)
	}
	return err
}
