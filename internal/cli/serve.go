package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/stdio"
	"github.com/mcp-docs-server/mcp-docs-server/internal/watch"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func newServe(a *app) *cobra.Command {
	var w watching
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Serve a project over standard input and output (the default command)",
		Long: "Serve the project in DIR, or in the current folder, to one MCP client over standard\n" +
			"input and output. MCP clients start this command themselves.",
		Args:              positional(0, 1, "at most one folder"),
		ValidArgsFunction: completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := ""
			if len(args) > 0 {
				dir = args[0]
			}
			return a.serve(cmd.Context(), dir, w)
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&w.poll, "poll", 0, "look for changes every so often instead of waiting for the system to tell, as on network drives")
	flags.Lookup("poll").NoOptDefVal = watch.DefaultPoll.String()
	flags.BoolVar(&w.off, "no-watch", false, "read the project once and do not follow changes")
	return cmd
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// serve answers a client until it ends its side or ctx ends. The templates are compiled and the tree is read meanwhile: the
// first answers do not wait for them.
func (a *app) serve(ctx context.Context, dir string, w watching) error {
	p, problems, err := a.locate(dir)
	if err != nil {
		return err
	}
	defer p.files.Close()
	if problems.Err() != nil { // what is wrong with the templates is reported with it
		more, err := p.compile(ctx, &p.settings)
		problems = append(problems, more...)
		a.warn(problems.Warnings())
		if ctx.Err() != nil {
			return nil
		}
		return cmp.Or(err, problems.Err())
	}
	a.warn(problems)
	a.introduce(p)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, err := newLive(a, p, w)
	if err != nil {
		return err
	}
	described := p.server(l.logger)
	described.Instructions = func() string { return p.instructions(l.config.Load()) }
	described.Catalog = l.current
	described.Find = func(ctx context.Context, uri string) (loader.Resource, bool, error) {
		opts, err := l.firstOptions(ctx)
		if err != nil {
			return loader.Resource{}, false, err
		}
		return loader.Find(ctx, p.files, opts, uri)
	}
	described.Live = l.liveness
	srv := server.New(described)
	failed := make(chan error, 1)
	go func() {
		if err := l.run(ctx, srv); err != nil {
			failed <- err
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx, &stdio.Transport{In: a.streams.In, Out: a.streams.Out, Handler: srv}) }()
	select {
	case err := <-failed:
		return err
	case err := <-ended:
		if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
			return err
		}
		// A client that leaves at once does not hide what is wrong with the templates.
		select {
		case <-l.compiled:
		case err := <-failed:
			return err
		case <-ctx.Done():
		}
		return nil
	case <-ctx.Done():
		return nil // at once: whoever sends SIGTERM does not want to wait for a client
	}
}

// server describes the server of a project, as its configuration does.
func (p *project) server(logger *slog.Logger) server.Options {
	return server.Options{
		Name:     p.config.Name,
		Version:  p.config.Version,
		Package:  cmp.Or(p.config.Package, p.config.Name),
		Limits:   limitsOf(p.config),
		Features: featuresOf(p.config),
		Logger:   logger,
	}
}

func featuresOf(c config.Config) server.Features {
	return server.Features{ResourceTools: c.Tools.Resources, Connector: c.Tools.Connector}
}

func limitsOf(c config.Config) server.Limits {
	return server.Limits{
		ReadBytes:  int64(c.Limits.MaxReadBytes),
		FrameBytes: int64(c.Limits.MaxFrameBytes),
		PageItems:  c.Limits.PageSize,
	}
}

// notices prints what a user should know of the tree.
func (a *app) notices(p *project, notices []loader.Notice) {
	for _, n := range notices[:min(len(notices), maxLines)] {
		a.sayWarning(fmt.Sprintf("warning: %s: %s", printable(p.show(n.Path)), n.Reason))
	}
	if more := len(notices) - maxLines; more > 0 {
		a.say("warning: and %d more", more)
	}
}

// warn prints what is doubtful in the files of a project.
func (a *app) warn(warnings jsondoc.Problems) {
	for _, w := range warnings[:min(len(warnings), maxLines)] {
		a.sayWarning(w.String())
	}
	if more := len(warnings) - maxLines; more > 0 {
		a.say("and %d more warnings", more)
	}
}

// sayWarning prints a warning, unless there are too many.
func (a *app) sayWarning(line string) {
	ok, dropped := a.warnings.allow(line, time.Now())
	switch {
	case !ok && dropped > 0:
		a.say("warning: there are too many warnings: for now one is printed every %v", warningsEvery)
	case dropped > 0:
		a.say("warning: %s were left out, as there were too many", count(dropped, "warning"))
	}
	if ok {
		a.say("%s", line)
	}
}

// linePrefix begins each line on standard error.
const linePrefix = "mcp-docs-server: "

func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.streams.Err, linePrefix+format+"\n", args...)
}
