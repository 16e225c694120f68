package publishing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// The version of Cloudflare's tool, which npx fetches once and keeps, and the version of Node.js that it needs.
const (
	wrangler     = "4.164.0"
	wranglerNode = "v22.12.0"
)

// stopDelay is how long wrangler may take to end by itself.
const stopDelay = 2 * time.Second

// NewCloudflare returns the command cloudflare.
func NewCloudflare(shared *command.App) *cobra.Command {
	a := &app{shared}
	return command.Group(&cobra.Command{
		Use:   "cloudflare",
		Short: "Deploy a Cloudflare Worker of a project",
		Long: "A Cloudflare Worker gives the same answers as serve --http, without a machine.\n" +
			"deploy uploads it to Cloudflare. publish --target cloudflare writes it to a folder,\n" +
			"in which npx wrangler dev runs it on this computer, without an account.",
	}, "cloudflare deploy; publish --target cloudflare writes a Worker to a folder", newCloudflareDeploy(a))
}

func newCloudflareDeploy(a *app) *cobra.Command {
	o := publishing{target: "cloudflare"}
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "deploy [DIR]",
		Short: "Deploy a Cloudflare Worker of a project",
		Long: "Make a Cloudflare Worker of the project in DIR, or in the current folder, and deploy it with\n" +
			"wrangler, the tool of Cloudflare, as the user of wrangler login, or with\n" +
			"CLOUDFLARE_API_TOKEN. npm fetches wrangler " + wrangler + " once, which needs Node.js 22.12 or later.",
		Example:           "  mcp-docs-server cloudflare deploy --name acme-docs",
		Args:              command.Positional(0, 1, "at most one folder"),
		ValidArgsFunction: command.CompleteFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.use = func(made string) error { return a.deploy(cmd.Context(), made, dryRun, o.worker.open) }
			err := a.publish(cmd.Context(), command.Arg(args, 0), o)
			if errors.Is(err, context.Canceled) {
				return errors.New("interrupted; wrangler may already have deployed the Worker")
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&dryRun, "dry-run", "n", false, "let wrangler check the Worker, and deploy nothing")
	flags.StringVarP(&o.output, "output", "o", "", "the `DIR` to write the Worker to, instead of NAME-worker")
	o.addChecks(cmd)
	o.worker.add(cmd)
	flags.VisitAll(func(f *pflag.Flag) { f.Usage = strings.TrimPrefix(f.Usage, "cloudflare: ") }) // as publish says
	return cmd
}

// deploy deploys the Worker in a folder. wrangler may ask the user questions, so it gets standard input and output. On Windows, npx is a batch
// file, whose arguments must not be paths that a user chose.
func (a *app) deploy(ctx context.Context, dir string, dryRun, open bool) error {
	npx, err := findNode(ctx)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, npx, "--yes", "wrangler@"+wrangler, "deploy", "--config", "wrangler.jsonc")
	if dryRun {
		cmd.Args = append(cmd.Args, "--dry-run")
	}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, a.Streams.In, a.Streams.Out, a.Streams.Err
	cmd.Env = append(os.Environ(), "NO_UPDATE_NOTIFIER=1", "WRANGLER_SEND_METRICS=false")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopDelay
	err = cmd.Run()
	switch exit, ended := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil:
		return ctx.Err()
	case ended:
		return fmt.Errorf("wrangler ended with code %d; what it printed says why", exit.ExitCode())
	case err != nil:
		return fmt.Errorf("wrangler: %w", err)
	case !dryRun && !open:
		fmt.Fprintf(a.Streams.Err, "Clients need a token. Unless it has one, run in the folder %s: npx wrangler secret put MCP_DOCS_TOKEN\n", command.Printable(dir))
	}
	return nil
}

// findNode returns the path of npx. Node.js must be new enough for wrangler.
func findNode(ctx context.Context) (npx string, err error) {
	const needs = "wrangler, which deploys the Worker, needs Node.js 22.12.0 or later, with npm"
	if npx, err = exec.LookPath("npx"); err != nil {
		return "", errors.New(needs + ", and npx is not installed: install a newer one (nodejs.org)")
	}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if version := strings.TrimSpace(string(out)); err != nil || semver.Compare(version, wranglerNode) < 0 { // an invalid version is less
		return "", fmt.Errorf("%s, and \"node --version\" says %q: install a newer one (nodejs.org)", needs, version)
	}
	return npx, nil
}
