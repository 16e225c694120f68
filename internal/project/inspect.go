package project

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// Check reads the settings of a project and checks it. Mistakes in the settings are findings. If
// visit is not nil, Check calls it with each folder whose changes matter, before it reads the
// folder. It calls read with the number of bytes of each part of a file that it reads.
func Check(ctx context.Context, o Options, visit func(dir string), read func(n int)) (*check.Report, error) {
	p, problems, err := locate(o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	found, err := p.compile(ctx, &p.Settings)
	if err != nil {
		return nil, err
	}
	return p.check(ctx, &p.Settings, append(problems, found...), check.Project{Read: read}, o.Dependencies, visit)
}

// check checks the project with these settings and the problems that were found in them.
func (p *Project) check(ctx context.Context, s *Settings, problems jsondoc.Problems, with check.Project, o DependencyOptions, visit func(dir string)) (report *check.Report, err error) {
	problems = p.belowRoot(problems)
	if problems.Err() != nil {
		return check.FromProblems(problems), nil
	}
	with.Files, with.Problems, with.Options = p.Files, problems, s.Loader
	with.Config, with.Configured, with.ConfigFile = s.Config, s.Configured, p.ConfigFile
	with.ConfigText, with.Templates = s.Source.Config, s.Source.Templates
	with.Options.Visit = visit
	if with.Library, err = p.readDocuments(ctx, s, false, nil, visit, nil); err != nil {
		return nil, err
	}
	if ecosystems, byOperator := o.chosen(s); len(ecosystems) > 0 {
		f, err := p.findDependencies(ctx, ecosystems, dependencies.Options{Outside: byOperator, All: o.All})
		if err != nil {
			return nil, err
		}
		defer f.close()
		with.Packages, with.PackageNotices = f.set.Packages(), f.notices
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

// maxFindings is how many findings of a kind a check of a live project keeps.
const maxFindings = 200

// Check checks the project as it is on the disk now. Settings with a mistake, which are not in
// force, are checked too. It reads one file at a time, in parallel with answers to clients, and
// keeps [maxFindings] findings of a kind.
func (l *Live) Check(ctx context.Context) (*check.Report, error) {
	s, problems, err := l.project.configure()
	if err != nil {
		return nil, err
	}
	found, err := l.project.compile(ctx, &s)
	if err != nil {
		return nil, err
	}
	return l.project.check(ctx, &s, append(problems, found...), check.Project{Workers: 1, Most: maxFindings}, l.deps.options, nil)
}

// Changed returns a channel that is closed at the next change of the project.
func (l *Live) Changed() <-chan struct{} { return l.changes.Changed() }

// errReading means that the project has not been read yet.
var errReading = errors.New("the project is still being read; ask again later")

// Explain answers a question as [explain.Ask] does, from what the server has read. It does not read
// the file itself.
func (l *Live) Explain(ctx context.Context, question string) (*explain.Answer, error) {
	catalog, library, set := l.catalog.Peek(), l.documents.Peek(), l.prompts.Peek()
	if catalog == nil || library == nil || set == nil {
		return nil, errReading
	}
	if filepath.IsAbs(question) {
		if dir, err := filepath.Abs(l.project.Dir); err == nil {
			if below, err := filepath.Rel(dir, question); err == nil && filepath.IsLocal(below) {
				question = filepath.ToSlash(below)
			}
		}
	}
	s := l.settings.Load()
	return explain.Ask(ctx, explain.Project{
		Files: l.project.Files, Docs: s.Config.Docs, Options: s.Loader,
		Catalog: catalog, Library: library, Prompts: set, Unread: true,
	}, question)
}
