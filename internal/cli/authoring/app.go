// Package authoring holds the commands for the author of a project: init creates a project; list, read,
// search, call and prompt show it as clients see it; check and explain find mistakes; config prints or
// edits the configuration of a client. No command here listens for clients.
package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/resources"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// app is the shared state of commands with the methods of these commands.
type app struct {
	*command.App
	dependencies project.DependencyOptions
}

// warn prints problems of files of a project.
func (a *app) warn(p *project.Project, problems jsondoc.Problems) {
	problems = slices.Clone(problems)
	for i := range problems {
		problems[i].File = p.Show(problems[i].File)
	}
	a.Warn(problems)
}

// addDependencies adds the option --deps to a command. Without it, the configuration counts.
func (a *app) addDependencies(cmd *cobra.Command) {
	a.dependencies.Configured = true
	var flag command.DependencyFlag
	flag.Add(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		a.dependencies, err = flag.Options(cmd, true, "")
		return err
	}
}

// A session is a project that is served to a client inside the process.
type session struct {
	*project.Project
	live   *project.Live
	client *protocol.Client
}

// within serves the project in dir while use runs. See serving.
func (a *app) within(ctx context.Context, dir string, web *webaccess.Options, use func(context.Context, session) error) error {
	p, err := a.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer p.Close()
	return a.serving(ctx, p, web, use)
}

// serving serves a project while use runs, with its captures and its dependencies, which are read before use is called. With web, it has the
// tools that reach the web, if the project or the options enable them.
func (a *app) serving(ctx context.Context, p *project.Project, web *webaccess.Options, use func(context.Context, session) error) error {
	logger := command.NewLogger(a.Streams.Err, nil)
	converter := webaccess.NewConverter(logger, "")
	defer converter.Close()
	o := project.LiveOptions{Dependencies: a.dependencies, PDFs: webaccess.PDFs(converter, "")}
	if web != nil {
		with := *web
		with.Converter = converter
		access, err := webaccess.Open(with, logger, p)
		if err != nil {
			return err
		}
		defer access.Close()
		enabled, err := access.Project(ctx, p)
		if err != nil {
			return err
		}
		defer enabled.Close()
		within, cancel := context.WithCancel(ctx)
		defer enabled.Start(within)()
		defer cancel()
		ctx, o.Tools, o.Sources = within, enabled.Tools, enabled.Sources
	} else if kept, err := webaccess.OpenCaptures(ctx, p); err != nil {
		return err
	} else if kept != nil {
		defer kept.Close()
		o.Sources = []view.Source{resources.New(kept)}
	}
	return a.Running(ctx, p, o, func(ctx context.Context, live *project.Live, c *protocol.Client) error {
		if p.Config.Deps && a.dependencies.Configured || len(a.dependencies.Ecosystems) > 0 {
			if err := live.Indexed(ctx); err != nil {
				return err
			}
		}
		return use(ctx, session{p, live, c})
	})
}

// answered returns what a client gets for a call, which may have to read the project.
func (a *app) answered(ctx context.Context, s session, method string, params any) (json.RawMessage, error) {
	return terminal.Progress(a.Line, command.Reading(s.Project), func() (json.RawMessage, error) {
		result, _, err := s.client.Call(ctx, method, params)
		return result, err
	})
}

// show returns a block as text that ends with a line end. For bytes, it returns only their number.
func show(b protocol.Block, out terminal.Output) string {
	named := func(uri, mime string) string {
		return out.Bold(fmt.Sprintf("%s (%s)", terminal.OneLine(uri), terminal.OneLine(mime))) + "\n"
	}
	switch r := b.Resource; {
	case b.Type == "text":
		return lines(b.Text)
	case r != nil && r.Text != nil:
		return named(r.URI, r.MIMEType) + lines(*r.Text)
	case r != nil:
		return named(r.URI, r.MIMEType) + out.Faint("["+command.Count(len(r.Blob), "byte")+"]") + "\n"
	case b.Type == "resource_link" && b.Description == "":
		return named(b.URI, b.MIMEType)
	case b.Type == "resource_link":
		return named(b.URI, b.MIMEType) + lines(b.Description)
	}
	return out.Faint(fmt.Sprintf("[%s: %s, %s]", terminal.OneLine(b.Type), terminal.OneLine(b.MIMEType), command.Count(len(b.Data), "byte"))) + "\n"
}

// lines returns text that is safe for a terminal and ends with a line end.
func lines(text string) string {
	return strings.TrimSuffix(terminal.Text(text), "\n") + "\n"
}

const (
	// maxURIs is the maximum number of URIs that a completion returns.
	maxURIs = 500
	// completionTime is the maximum time that a completion waits for the scan of the tree.
	completionTime = 2 * time.Second
)

// completePattern completes a kind of things, or a URI if the user has begun to type one, and otherwise a folder.
func (a *app) completePattern(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 && strings.Contains(typed, ":") {
		return a.completeURI(cmd, args, typed)
	}
	if kinds := slices.DeleteFunc(kindNames(), func(name string) bool { return !strings.HasPrefix(name, typed) }); len(args) == 0 && len(kinds) > 0 {
		return kinds, cobra.ShellCompDirectiveNoFileComp
	}
	return command.CompleteFolders(cmd, args, typed)
}

// completeURI completes a URI or the path of a document, and then a folder.
func (a *app) completeURI(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return command.CompleteFolders(cmd, args, typed)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	p, err := a.Quietly().Open(ctx, "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer p.Close()
	var found []string
	add := func(name string) {
		if strings.HasPrefix(name, typed) && len(found) < maxURIs {
			found = append(found, command.Printable(name))
		}
	}
	if catalog, err := p.Scan(ctx); err == nil {
		for r := range catalog.All() {
			add(r.URI())
		}
	}
	if library, err := p.Documents(ctx); err == nil {
		for _, d := range library.All() {
			add(d.Path)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeNames completes the name of a tool or a prompt, which the server lists.
func (a *app) completeNames(ctx context.Context, web *webaccess.Options, kind string, args []string) (found []string, directive cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	_ = (&app{App: a.Quietly()}).within(ctx, "", web, func(ctx context.Context, s session) error {
		// The shell would show an error in the line that the user types.
		for list := range protocol.Pages[struct{ Name, Title string }](ctx, s.client, kind+"/list", kind, nil) {
			for _, item := range list {
				found = append(found, cobra.CompletionWithDesc(item.Name, terminal.OneLine(item.Title)))
			}
		}
		return nil
	})
	return found, cobra.ShellCompDirectiveNoFileComp
}
