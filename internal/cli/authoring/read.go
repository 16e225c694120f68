package authoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// contents counts what a project serves.
func (a *app) contents(ctx context.Context, p *project.Project) (project.Contents, error) {
	s := project.Contents{Docs: p.Config.Docs}
	err := a.Line.During(command.Reading(p), func() error {
		catalog, err := p.Scan(ctx)
		if err != nil {
			return err
		}
		library, err := p.Documents(ctx)
		if err == nil {
			s.Documents, s.Served, s.Docs = library.Len(), library.Served(), library.Dir()
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
		set, err := p.Prompts(ctx)
		if err == nil {
			s.Resources, s.Prompts = catalog.Len(), len(set.Prompts())
		}
		return err
	})
	return s, err
}

// other explains an empty answer: the project has nothing to serve, or if the answer is the list of resources, other things.
func (a *app) other(ctx context.Context, p *project.Project, resources bool) error {
	s, err := a.contents(ctx, p)
	if err != nil {
		return err
	}
	if s.Resources+s.Documents+s.Prompts == 0 {
		a.Nothing(p, s)
		if s.Served != "" {
			return command.ErrFound
		}
		return nil
	}
	if !resources {
		return nil
	}
	a.Say("the project has no resources; clients get %s", command.Enumerate(command.Tally{N: s.Documents, Noun: "document"}, command.Tally{N: s.Prompts, Noun: "prompt"}))
	a.LeftOut(s.Served)
	return nil
}

// NewRead returns the command read.
func NewRead(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "read URI|PATH [DIR]",
		ValidArgsFunction: a.completeURI,
		SuggestFor:        []string{"cat", "get", "show"},
		Short:             "Write the bytes of a resource or a document to standard output",
		Long: "Write the bytes of a resource or a document to standard output: by its URI, by the path that list\n" +
			"or search prints, or by the path of its file.",
		Example: "  mcp-docs-server read docs/index.md\n" +
			"  mcp-docs-server read config://schemas/app.json",
		Args: command.Positional(1, 2, "a URI or a path, and at most one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Silent = true // about other files
			if asJSON {
				return a.readJSON(cmd.Context(), args)
			}
			return a.read(cmd.Context(), args[0], command.Arg(args, 1))
		},
	}
	command.AddJSON(cmd, &asJSON, "print the result as JSON, as a client gets it")
	a.addDependencies(cmd)
	return cmd
}

// read writes the bytes of a resource or a document.
func (a *app) read(ctx context.Context, asked, dir string) error {
	p, err := a.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer p.Close()
	catalog, err := terminal.Progress(a.Line, command.Reading(p), func() (*loader.Catalog, error) { return p.Scan(ctx) })
	if err != nil {
		return err
	}
	r, ok := catalog.Lookup(asked)
	if file := question(p, asked); !ok && !strings.Contains(asked, "://") {
		for found := range catalog.All() {
			if found.LogicalPath() == file {
				r, ok = found, true
				break
			}
		}
	}
	if !ok {
		if _, ok := catalog.LookupFolder(asked); ok {
			return fmt.Errorf("%s is a folder: list prints what is in it", asked)
		}
		if found, err := a.readOther(ctx, p, asked, a.Streams.Out); found || err != nil {
			return err
		}
		if !strings.Contains(asked, "://") {
			return a.readDocument(ctx, p, asked)
		}
		return errors.New("there is no resource " + asked + meant(catalog.Close(asked, 3)))
	}
	f, err := r.Open()
	if err != nil {
		return project.PathError(p.Show(r.Path()), err)
	}
	defer f.Close()
	_, err = io.Copy(a.Streams.Out, f)
	return err
}

// readDocument writes the bytes of a document. path is the path that "list docs" prints, or the path of the file.
func (a *app) readDocument(ctx context.Context, p *project.Project, path string) error {
	library, err := p.Documents(ctx)
	if err != nil {
		return err
	}
	if file := question(p, path); !library.Has(path) {
		for _, d := range library.All() {
			if d.File() == file {
				path = d.Path
				break
			}
		}
	}
	if found, section, ok := library.Lookup(path); ok && site.IsPDF(found) && section != "" {
		// A server makes the text of a PDF file.
		return a.serving(ctx, p, nil, func(ctx context.Context, s session) error {
			return a.askTool(ctx, s, map[string]any{"paths": []string{path}})
		})
	} else if ok && !library.Has(path) {
		path = found // as the tool finds it
	}
	if !library.Has(path) {
		// A search prints such a path.
		if rest, ok := strings.CutPrefix(path, dependencies.Folder+"/"); ok {
			if found, err := a.readOther(ctx, p, docs.DependencyURI(rest), a.Streams.Out); found || err != nil {
				return err
			}
		}
		return fmt.Errorf("there is no document %s%s", path, cmp.Or(meant(library.Near(path, 3)), "; a resource has a URI, such as notes://team/a.md"))
	}
	f, err := library.Open(path)
	if err != nil {
		return project.PathError(path, err)
	}
	defer f.Close()
	_, err = io.Copy(a.Streams.Out, f)
	return err
}

// meant returns the end of an error that suggests names.
func meant(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// readJSON prints the answer that a client gets when it reads the URI in args[0].
func (a *app) readJSON(ctx context.Context, args []string) error {
	return a.within(ctx, command.Arg(args, 1), nil, func(ctx context.Context, s session) error {
		result, err := a.answered(ctx, s, "resources/read", map[string]string{"uri": args[0]})
		if err != nil {
			return err
		}
		return a.PrintValue(result)
	})
}

// Resources that are not files. The server makes them, so commands read them like clients.

// madeByServer reports whether a project can have resources that the server makes.
func madeByServer(p *project.Project) bool {
	_, captures := webaccess.CaptureFiles(p)
	return p.Config.Index.On || captures || p.MadeOfDocuments()
}

// withOthers adds the listed resources that are not in a catalog to a list of its files.
func (a *app) withOthers(ctx context.Context, p *project.Project, catalog *loader.Catalog, all []listed) ([]listed, error) {
	if !madeByServer(p) {
		return all, nil
	}
	err := a.serving(ctx, p, nil, func(ctx context.Context, s session) error {
		type item struct {
			listed
			Annotations struct{ LastModified time.Time }
		}
		for page, err := range protocol.Pages[item](ctx, s.client, "resources/list", "resources", nil) {
			if err != nil {
				return err
			}
			for _, r := range page {
				if _, file := catalog.Exact(r.URI); !file {
					r.name, r.Name, r.ModTime = r.URI, "", r.Annotations.LastModified
					all = append(all, r.listed)
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(all, func(x, y listed) int { return view.Compare(x.name, y.name) })
	return all, err
}

// readOther writes a resource that is not a file. found is false for a resource that does not exist.
func (a *app) readOther(ctx context.Context, p *project.Project, uri string, out io.Writer) (found bool, err error) {
	ofDependency := strings.HasPrefix(strings.ToLower(uri), dependencies.Folder+"://")
	if !madeByServer(p) && !ofDependency || !strings.Contains(uri, "://") {
		return false, nil
	}
	err = a.serving(ctx, p, nil, func(ctx context.Context, s session) error {
		var read struct{ Contents []protocol.Contents }
		err := s.client.Get(ctx, "resources/read", map[string]string{"uri": uri}, &read)
		if e, ok := errors.AsType[*protocol.Error](err); ok && e.Code == codeNotFound {
			return nil
		} else if err != nil {
			return err
		}
		found = true
		for _, part := range read.Contents {
			if _, err := out.Write(part.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// codeNotFound is the error code for a resource that does not exist, as a loopback client gets it.
const codeNotFound = -32002
