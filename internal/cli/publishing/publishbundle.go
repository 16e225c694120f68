package publishing

import (
	"context"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/mcpb"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/worker"
)

// publishDesktop writes a desktop bundle.
func (a *app) publishDesktop(ctx context.Context, r *publication, o publishing) error {
	if r.info.Description == "" || r.info.Author == "" {
		a.Say("a desktop bundle shows a description and an author: write \"description\" and \"author\" into package.json for other ones than %q and %q", mcpb.DefaultDescription(r.info.Title), r.info.Title)
	}
	return a.withServer(ctx, r, func(files []bundle.File) error {
		d := mcpb.Desktop{Info: r.info, Project: files, Entry: worker.Entry, Prompts: promptsOf(r)}
		for _, t := range r.tools {
			d.Tools = append(d.Tools, mcpb.Tool{Name: t.Name, Description: t.Description})
		}
		files, err := d.Files()
		if err != nil {
			return err
		}
		return a.deliver(r, o, product{
			name:  r.info.Slug() + "-" + r.info.Version + ".mcpb",
			files: files,
			write: func(w io.Writer) error { return mcpb.Write(w, d) },
		})
	})
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
