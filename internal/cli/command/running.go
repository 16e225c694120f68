package command

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// Running runs a project and calls use with it and with a client inside the process. It stops the
// project when use returns. The project has no captures, and only the tools in o.
func (a *App) Running(ctx context.Context, p *project.Project, o project.LiveOptions, use func(context.Context, *project.Live, *server.Client) error) error {
	o.NoWatch, o.PDFs.Asked = true, true
	live, err := p.Live(o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := live.Run(ctx); err != nil {
			cancel(err) // calls would wait forever for the scans
		}
	}()
	err = use(ctx, live, server.NewClient(live.Server()))
	cause := context.Cause(ctx)
	cancel(nil)
	<-ended
	if err != nil && cause != nil {
		return cause
	}
	return err
}
