package publishing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// publishToNpm publishes an npm package of a project, or writes it.
func (a *app) publishToNpm(ctx context.Context, r *publication, o publishing) error {
	if err := o.npm.publish.Check(); err != nil {
		return command.Misuse(err.Error())
	}
	if o.npm.publish.Tag == "" && r.origin.Tag() == "" && strings.Contains(r.info.Version, "-") && o.output == "" {
		return fmt.Errorf("version %s is a prerelease, which npm publishes under a tag of its own only: say which, as in --tag next", r.info.Version)
	}
	for _, f := range r.all() {
		if top, _, _ := strings.Cut(f.Name, "/"); bundle.Fold(top) == "bin" {
			return fmt.Errorf("%s cannot be published with npm: the package has its command in the folder \"bin\"; give your folder another name", command.Printable(f.Name))
		}
	}
	p, err := a.npmPackage(ctx, r, o)
	if err != nil {
		return err
	}
	files, err := p.All()
	if err != nil {
		return err
	}
	if o.dryRun || strings.HasSuffix(o.output, ".tgz") {
		manifest, err := p.Manifest.JSON()
		if err != nil {
			return err
		}
		return a.deliver(ctx, r, o, product{files: files, manifest: manifest, write: p.WriteTarball})
	}
	r.result.hold(files)
	a.reportOmitted(r.contents.Omitted, o)
	if o.output != "" {
		r.result.Output = o.output
		return r.line.During(packing(files), func() error { return bundle.WriteFolder(o.output, files) })
	}
	dir, err := os.MkdirTemp("", "mcp-docs-server-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tarball := filepath.Join(dir, p.FileName())
	sum := &meter{Hash: sha256.New()}
	if err := r.line.During(packing(files), func() error {
		return writeFile(ctx, tarball, func(w io.Writer) error { return p.WriteTarball(io.MultiWriter(w, sum)) })
	}); err != nil {
		return err
	}
	if err := a.printProduct(r, o, sum); err != nil {
		return err
	}
	err = a.tool(r.project, o).Publish(ctx, tarball, o.npm.publish)
	r.result.Published = err == nil
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted while npm was at work, so that the package may be published or not; \"npm view %s@%s version\" prints the version if it is", r.info.Package, r.info.Version)
	}
	return err
}

// tool returns npm with the project as its working folder, so that it finds the author's .npmrc.
func (a *app) tool(p *project.Project, o publishing) npm.Tool {
	errs := a.Line.Out() // standard error itself, so that npm finds a terminal
	out := a.Streams.Out
	if o.json {
		out = errs // standard output is for one value
	}
	return npm.Tool{Dir: p.Dir, In: a.Streams.In, Out: out, Err: errs}
}

func (a *app) npmPackage(ctx context.Context, r *publication, o publishing) (*npm.Package, error) {
	made, err := readme(r)
	if err != nil {
		return nil, err
	}
	files := append(r.all(), made...)
	if o.npm.selfContained == "" {
		version, err := cliVersion(o.programs.version, command.Version())
		if err != nil {
			return nil, err
		}
		if err := a.checkPublished(ctx, r, o, version); err != nil {
			return nil, err
		}
		return npm.Docs(r.info, r.origin, files, version), nil
	}
	platforms, err := npm.ParsePlatforms(o.npm.selfContained)
	if err != nil {
		return nil, command.Misuse("--self-contained: " + err.Error())
	}
	programs, err := a.programs(ctx, r, o, platforms)
	if err != nil {
		return nil, err
	}
	return npm.SelfContained(r.info, r.origin, files, programs), nil
}

// checkPublished returns an error if the registry does not have the program that a package depends
// on, because nobody could install the package. If nothing is published, a failure to ask the
// registry is only a warning.
func (a *app) checkPublished(ctx context.Context, r *publication, o publishing, version string) error {
	if o.npm.noCheck {
		return nil
	}
	var there bool
	err := r.line.During(progress.Work{Name: "asking the registry for " + npm.CLI}, func() (err error) {
		there, err = a.tool(r.project, o).Published(ctx, npm.CLI, version)
		return err
	})
	switch {
	case there:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		err = fmt.Errorf("it is not known whether the registry has %s@%s, on which the package depends: %w; --no-check leaves out the question", npm.CLI, version, err)
		if o.output == "" && !o.dryRun {
			return err
		}
	default:
		err = fmt.Errorf("the registry has no %s@%s, on which the package depends, so nobody could install it; give a version that is there with --cli-version, or --no-check if yours has it later", npm.CLI, version)
		if !o.dryRun {
			return err
		}
	}
	a.Say("warning: %v", err)
	return nil
}

// readme returns a README for a project that has none: its description, and how clients start it.
func readme(r *publication) ([]bundle.File, error) {
	if slices.ContainsFunc(r.all(), func(f bundle.File) bool { return bundle.Fold(strings.TrimSuffix(f.Name, path.Ext(f.Name))) == "readme" }) {
		return nil, nil
	}
	name := command.ServerName(r.info.Package)
	section, err := clients.Readme(clients.Package(strings.Trim(name[:min(len(name), clients.MaxName)], "-"), r.info.Package))
	if err != nil {
		return nil, err
	}
	text := "# " + excerpt.OneLine(r.info.Title) + "\n\n"
	if r.info.Description != "" {
		text += r.info.Description + "\n\n"
	}
	text += "An MCP server of this documentation. It needs Node.js 18 or later:\n\n```sh\nnpx -y " + r.info.Package + "\n```\n\n" + section
	return []bundle.File{bundle.Bytes("README.md", bundle.ModePlain, []byte(text))}, nil
}
