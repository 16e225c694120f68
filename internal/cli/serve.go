package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mcp-docs-server/mcp-docs-server/internal/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/stdio"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func newServe(a *app) *cobra.Command {
	return &cobra.Command{
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
			return a.serve(cmd.Context(), dir)
		},
	}
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// serve answers a client until it ends its side or ctx ends. The tree is read meanwhile: the first answers do not wait
// for it.
func (a *app) serve(ctx context.Context, dir string) error {
	p, err := a.open(dir)
	if err != nil {
		return err
	}
	defer p.files.Close()
	a.introduce(p)

	logger := slog.New(slog.NewTextHandler(a.streams.Err, nil))
	current := loader.NewCurrent()
	srv := server.New(server.Options{
		Name:    p.config.Name,
		Version: p.config.Version,
		Catalog: current,
		Limits: server.Limits{
			ReadBytes:  int64(p.config.Limits.MaxReadBytes),
			FrameBytes: int64(p.config.Limits.MaxFrameBytes),
			PageItems:  p.config.Limits.PageSize,
		},
		Logger: logger,
	})

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		if err := a.load(ctx, p, current); err != nil {
			failed <- err
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx, &stdio.Transport{In: a.streams.In, Out: a.streams.Out}) }()
	select {
	case err := <-failed:
		return err
	case err := <-ended:
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		return err
	case <-ctx.Done():
		return nil // at once: whoever sends SIGTERM does not want to wait for a client
	}
}

// load reads the tree and publishes it.
func (a *app) load(ctx context.Context, p *project, current *loader.Current) error {
	start := time.Now()
	catalog, err := loader.Scan(ctx, p.files, p.options)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	current.Publish(catalog)
	a.notices(p, catalog)
	switch n := catalog.Len(); n {
	case 0:
		if _, err := p.files.Stat(loader.Resources); errors.Is(err, os.ErrNotExist) {
			a.say("%s has no folder %s: there are no resources to list", p.dir, loader.Resources)
		} else {
			a.say("%s holds no files that are served", p.show(loader.Resources))
		}
	default:
		a.say("serving %s from %s (read in %v)", count(n, "resource"), p.show(loader.Resources), time.Since(start).Round(time.Millisecond))
	}
	return nil
}

// notices prints what a user should know of the tree.
func (a *app) notices(p *project, catalog *loader.Catalog) {
	for _, n := range catalog.Notices() {
		a.say("warning: %s: %s", printable(p.show(n.Path)), n.Reason)
	}
}

// introduce says what is served and, to somebody who started the command by hand, how to use it.
func (a *app) introduce(p *project) {
	if !p.configured {
		a.say("%s is not there: serving the folder as %q, version %s", p.show(p.configFile), p.config.Name, p.config.Version)
	}
	in, ok := a.streams.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return
	}
	abs, err := filepath.Abs(p.dir)
	if err != nil {
		abs = p.dir
	}
	fmt.Fprintf(a.streams.Err, `
This is the MCP server of %q %s, speaking JSON-RPC over standard input and output.
A client starts it by itself; add it to Claude Code, for example, with

    claude mcp add %s -- mcp-docs-server serve %s

and to other clients with the command "mcp-docs-server" and the arguments "serve", %q.
Press Ctrl-C to end it.

`, p.config.Name, p.config.Version, slug(p.config.Name), quoteArg(abs), abs)
}

func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.streams.Err, "mcp-docs-server: "+format+"\n", args...)
}
