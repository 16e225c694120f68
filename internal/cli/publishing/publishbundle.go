package publishing

import (
	"context"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/mcpb"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/worker"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// publishDesktop writes a desktop bundle.
func (a *app) publishDesktop(ctx context.Context, r *publication, o publishing) error {
	if r.info.Description == "" || r.info.Author == "" {
		a.Say("a desktop bundle shows a description and an author: write \"description\" and \"author\" into package.json for other ones than %q and %q", mcpb.DefaultDescription(r.info.Title), r.info.Title)
	}
	return a.withServer(ctx, r, o, func(files []bundle.File) error {
		d := mcpb.Desktop{Info: r.info, Project: files, Entry: worker.Entry, Tools: a.tools(r), Prompts: promptsOf(r)}
		files, err := d.Files()
		if err != nil {
			return err
		}
		return a.deliver(ctx, r, o, product{
			name:  r.info.Slug() + "-" + r.info.Version + ".mcpb",
			files: files,
			write: func(w io.Writer) error { return mcpb.Write(w, d) },
		})
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
