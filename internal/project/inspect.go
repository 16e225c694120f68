package project

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

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
