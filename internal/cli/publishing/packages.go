package publishing

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/listing"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/worker"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// publishToNpm publishes an npm package of a project, or writes it.
func (a *app) publishToNpm(ctx context.Context, r *publication, o publishing) error {
	if err := o.npm.Check(); err != nil {
		return command.Misuse("%v", err)
	}
	if o.npm.Tag == "" && r.origin.Tag() == "" && strings.Contains(r.info.Version, "-") && o.output == "" {
		return fmt.Errorf("version %s is a prerelease, which npm publishes under a tag of its own only: say which, as in --tag next", r.info.Version)
	}
	made, err := readme(r, cmp.Or(o.npm.Tag, r.origin.Tag(), "latest"))
	if err != nil {
		return err
	}
	return a.withServer(ctx, r, func(files []bundle.File) error {
		return a.publishPackage(ctx, r, o, npm.Docs(r.info, r.origin, append(files, made...), worker.Entry))
	})
}

// largeUpload is the size of a package in bytes above which a registry with the usual limit of 10 MB for an upload may
// refuse it: npm encodes it in base64.
const largeUpload = 7 << 20

// publishPackage publishes a package, or writes it.
func (a *app) publishPackage(ctx context.Context, r *publication, o publishing, p *npm.Package) error {
	files, err := p.All()
	if err != nil {
		return err
	}
	manifest, err := p.Manifest.JSON()
	if err != nil {
		return err
	}
	made := product{files: files, manifest: manifest, write: p.WriteTarball}
	switch {
	case o.output == "":
		made.use = func(tarball string) error { return a.upload(ctx, r, o, p.Manifest, tarball, files) }
	case !strings.HasSuffix(o.output, ".tgz"):
		made.folder = func(dir string) error { return bundle.WriteFolder(dir, files) }
	}
	return a.deliver(r, o, made)
}

// upload has npm publish a package.
func (a *app) upload(ctx context.Context, r *publication, o publishing, m npm.Manifest, tarball string, files []bundle.File) error {
	if err := a.report(r, o); err != nil {
		return err
	}
	if n := r.result.Packed; n > largeUpload {
		a.Say("warning: the package has %d bytes, and many registries take uploads of about 7 MiB; the largest files: %s", n, pack.Largest(files))
	}
	cmd, err := npm.Publish(ctx, tarball, o.npm)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.project.Dir, a.Streams.In, a.Streams.Out, &said
	if o.json {
		cmd.Stdout = a.Line.Out() // standard output is for one value
	}
	err = cmd.Run()
	r.result.Published = err == nil
	if ctx.Err() != nil && err != nil {
		return fmt.Errorf("interrupted while npm was at work, so that the package may be published or not; \"npm view %s@%s version\" prints the version if it is", r.info.Package, r.info.Version)
	} else if err == nil {
		return nil
	} else if reason := npm.Explain(said.String(), m); reason != "" {
		return errors.New("nothing is published: " + reason)
	}
	_, _ = a.Line.Out().Write(said.Bytes())
	return fmt.Errorf("nothing is published: npm publish: %w", err)
}

// readme returns a README for a project that has none: its description, and how clients start it.
func readme(r *publication, tag string) ([]bundle.File, error) {
	if slices.ContainsFunc(r.contents.Files, func(f bundle.File) bool { return bundle.Fold(strings.TrimSuffix(f.Name, path.Ext(f.Name))) == "readme" }) {
		return nil, nil
	}
	section, err := clients.Readme(clients.Package(command.ServerName(r.info.Package), r.info.Package+"@"+tag))
	if err != nil {
		return nil, err
	}
	text := "# " + excerpt.OneLine(r.info.Title) + "\n\n" + cmp.Or(r.info.Description, listing.DefaultDescription(excerpt.OneLine(r.info.Title))+".") +
		"\n\nThis package is an MCP server of these documents. It needs Node.js 18 or later, and nothing else:\n\n```sh\nnpx -y " + r.info.Package + "@" + tag + "\n```\n\n" +
		"An MCP client starts this command. With `@" + tag + "`, npx looks for a new version at each start; without it, npx keeps the version that it fetched first.\n\n" +
		section + "\nThe server has the documents, prompts, skills and resources of one version of the package. It has no web UI, no HTTP, no notifications of changes, no tools\n" +
		"for the web and no documents of dependencies; for these, run [mcp-docs-server](https://github.com/mcp-docs-server/mcp-docs-server) on the files themselves.\n"
	return []bundle.File{bundle.Bytes("README.md", []byte(text))}, nil
}

// publishDesktop writes a desktop bundle.
func (a *app) publishDesktop(ctx context.Context, r *publication, o publishing) error {
	if r.info.Description == "" || r.info.Author == "" {
		a.Say("a desktop bundle shows a description and an author: write \"description\" and \"author\" into package.json for other ones than %q and %q", listing.DefaultDescription(r.info.Title), r.info.Title)
	}
	return a.withServer(ctx, r, func(files []bundle.File) error {
		d := listing.Desktop{Info: r.info, Project: files, Entry: worker.Entry, Prompts: promptsOf(r)}
		for _, t := range r.tools {
			d.Tools = append(d.Tools, listing.Tool{Name: t.Name, Description: t.Description})
		}
		files, err := d.Files()
		if err != nil {
			return err
		}
		return a.deliver(r, o, product{
			name:  r.info.Slug() + "-" + r.info.Version + ".mcpb",
			files: files,
			write: func(w io.Writer) error { return listing.WriteZip(w, files) },
		})
	})
}

func promptsOf(r *publication) []listing.Prompt {
	var all []listing.Prompt
	for _, p := range r.contents.Prompts {
		declared := listing.Prompt{Name: p.Name, Description: p.Description, Text: p.Text(listing.Placeholder)}
		for _, argument := range p.Arguments {
			declared.Arguments = append(declared.Arguments, argument.Name)
		}
		all = append(all, declared)
	}
	return all
}

// publishServerJSON writes server.json for the MCP registry, or prints it.
func (a *app) publishServerJSON(ctx context.Context, r *publication, o publishing) error {
	s := listing.Server{Info: r.info, NPM: !o.listing.noNpm, Image: o.listing.image, Remote: o.listing.remote}
	if o.listing.desktopURL != "" {
		data, err := os.ReadFile(o.listing.desktop)
		if err != nil {
			return fmt.Errorf("--mcpb %w", project.PathError(o.listing.desktop, err))
		}
		s.DesktopURL, s.DesktopSum = o.listing.desktopURL, fmt.Sprintf("%x", sha256.Sum256(data))
	}
	data, err := s.JSON()
	if err != nil {
		return err
	}
	r.result.Manifest = data
	if o.dryRun || o.output == "" {
		if o.json {
			return nil // publish prints the result
		}
		_, err := a.Streams.Out.Write(data)
		return err
	}
	r.result.Output = o.output
	return writeFile(o.output, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
