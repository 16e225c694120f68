package authoring

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/resources"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/loopback"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

// within serves the project in dir to a client inside the process while use runs.
func (a *app) within(ctx context.Context, dir string, use func(context.Context, *project.Project, *loopback.Client) error) error {
	p, err := a.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer p.Close()
	return a.serving(ctx, p, func(ctx context.Context, _ *project.Live, c *loopback.Client) error { return use(ctx, p, c) })
}

// withinWeb is within with the tools that reach the web, if the project or o enables them.
func (a *app) withinWeb(ctx context.Context, dir string, o webaccess.Options, use func(context.Context, *loopback.Client) error) error {
	p, err := a.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer p.Close()
	return a.servingWeb(ctx, p, o, use)
}

// servingWeb is withinWeb for a project that is open.
func (a *app) servingWeb(ctx context.Context, p *project.Project, o webaccess.Options, use func(context.Context, *loopback.Client) error) error {
	access, err := webaccess.Open(o, command.NewLogger(a.Streams.Err), p)
	if err != nil {
		return err
	}
	defer access.Close()
	web, err := access.Project(ctx, p)
	if err != nil {
		return err
	}
	defer web.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer web.Start(ctx)()
	defer cancel()
	live := project.LiveOptions{Tools: web.Tools, Sources: web.Sources}
	return a.running(ctx, p, live, func(ctx context.Context, _ *project.Live, c *loopback.Client) error { return use(ctx, c) })
}

// running is [command.App.Running] with the dependencies, which are read before use is called.
func (a *app) running(ctx context.Context, p *project.Project, o project.LiveOptions, use func(context.Context, *project.Live, *loopback.Client) error) error {
	o.Dependencies = a.dependencies
	return a.Running(ctx, p, o, func(ctx context.Context, live *project.Live, c *loopback.Client) error {
		if p.Config.Deps && o.Dependencies.Configured || len(o.Dependencies.Ecosystems) > 0 {
			if err := live.Indexed(ctx); err != nil {
				return err
			}
		}
		return use(ctx, live, c)
	})
}

// serving serves a project to a client inside the process while use runs.
func (a *app) serving(ctx context.Context, p *project.Project, use func(context.Context, *project.Live, *loopback.Client) error) error {
	kept, err := webaccess.OpenCaptures(ctx, p)
	if err != nil {
		return err
	}
	var sources []view.Source
	if kept != nil {
		defer kept.Close()
		listed, err := resources.New(kept)
		if err != nil {
			return err
		}
		sources = append(sources, listed)
	}
	return a.running(ctx, p, project.LiveOptions{Sources: sources}, use)
}

// printJSON prints a result as a client gets it, indented.
func (a *app) printJSON(result json.RawMessage) error {
	var out bytes.Buffer
	if err := json.Indent(&out, result, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := a.Streams.Out.Write(terminal.JSON(out.Bytes()))
	return err
}

// A block is a part of a message or of the answer of a tool (MCP, data type ContentBlock).
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text"`
	MIMEType string    `json:"mimeType"`
	Data     []byte    `json:"data"`
	Resource *embedded `json:"resource"`

	URI         string `json:"uri"` // URI and Description belong to a resource_link
	Description string `json:"description"`
}

// An embedded is an embedded resource: a text or a blob.
type embedded struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     []byte  `json:"blob"`
}

// show returns a block as text that ends with a line end. For bytes, it returns only their number.
func (b *block) show(out terminal.Output) string {
	switch {
	case b.Type == "text":
		return lines(b.Text)
	case b.Resource != nil:
		head := out.Bold(fmt.Sprintf("%s (%s)", terminal.Line(b.Resource.URI), terminal.Line(b.Resource.MIMEType))) + "\n"
		if b.Resource.Text != nil {
			return head + lines(*b.Resource.Text)
		}
		return head + out.Faint("["+command.Count(len(b.Resource.Blob), "byte")+"]") + "\n"
	case b.Type == "resource_link":
		head := out.Bold(fmt.Sprintf("%s (%s)", terminal.Line(b.URI), terminal.Line(b.MIMEType))) + "\n"
		if b.Description == "" {
			return head
		}
		return head + lines(b.Description)
	}
	return out.Faint(fmt.Sprintf("[%s: %s, %s]", terminal.Line(b.Type), terminal.Line(b.MIMEType), command.Count(len(b.Data), "byte"))) + "\n"
}

// lines returns text that is safe for a terminal and ends with a line end.
func lines(text string) string {
	text = terminal.Text(text)
	if len(text) > 0 && text[len(text)-1] == '\n' {
		return text
	}
	return text + "\n"
}
