package publishing

import (
	"context"
	"io"
	"path"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/mcpb"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/oci"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// publishDesktop writes a desktop bundle.
func (a *app) publishDesktop(ctx context.Context, r *publication, o publishing) error {
	d := mcpb.Desktop{Info: r.info, Project: r.all(), Tools: a.tools(r), Prompts: promptsOf(r)}
	if err := d.Check(); err != nil {
		return err
	}
	var err error
	if d.Binaries, d.Licences, err = a.programsFor(ctx, r, o, mcpb.Platforms); err != nil {
		return err
	}
	files, err := d.Files()
	if err != nil {
		return err
	}
	return a.deliver(ctx, r, o, product{
		name:  r.info.Slug() + "-" + r.info.Version + ".mcpb",
		files: files,
		write: func(w io.Writer) error { return mcpb.Write(w, d) },
	})
}

// tools returns the tools that a server of the project lists.
func (a *app) tools(r *publication) []mcpb.Tool {
	o := r.project.ServerOptions()
	o.Catalog = current.New[loader.Catalog]()
	o.Catalog.Publish(r.contents.Catalog)
	srv := server.New(o)
	srv.SetLibrary(r.contents.Library)
	var tools []mcpb.Tool
	for _, t := range srv.Tools() {
		tools = append(tools, mcpb.Tool{Name: t.Name, Description: t.Description})
	}
	return tools
}

func promptsOf(r *publication) []mcpb.Prompt {
	var all []mcpb.Prompt
	for _, p := range r.contents.Prompts {
		declared := mcpb.Prompt{Name: p.Name, Description: p.Description, Text: p.Text(mcpb.Placeholder)}
		for _, argument := range p.Arguments {
			declared.Arguments = append(declared.Arguments, argument.Name)
		}
		all = append(all, declared)
	}
	return all
}

// publishImage writes a container image.
func (a *app) publishImage(ctx context.Context, r *publication, o publishing) error {
	img := oci.Image{Info: r.info, Project: r.all()}
	if err := img.Check(); err != nil {
		return err
	}
	var err error
	if img.Binaries, img.Licences, err = a.programsFor(ctx, r, o, oci.Platforms); err != nil {
		return err
	}
	var files []bundle.File
	for _, platform := range oci.Platforms {
		program := img.Binaries[platform]
		program.Name = executable.File(platform) // distinct names, although the image uses one name for all
		files = append(files, program)
	}
	for _, f := range img.Licences {
		f.Name = path.Join(oci.LicencesDir, f.Name)
		files = append(files, f)
	}
	for _, f := range r.all() {
		f.Name = path.Join("project", f.Name)
		files = append(files, f)
	}
	return a.deliver(ctx, r, o, product{
		name:  r.info.Slug() + "-" + r.info.Version + ".oci.tar",
		files: files,
		write: func(w io.Writer) error { return oci.Write(w, img) },
	})
}
