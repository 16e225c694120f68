package publishing

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/worker"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/wrangler"
)

// defaultWorkerPort is the port of wrangler dev.
const defaultWorkerPort = 8787

// NewCloudflare returns the command cloudflare.
func NewCloudflare(shared *command.App) *cobra.Command {
	a := &app{shared}
	return command.Group(&cobra.Command{
		Use:   "cloudflare",
		Short: "Try and deploy a Cloudflare Worker of a project",
		Long: "A Cloudflare Worker gives the same answers as serve --http, without a machine.\n" +
			"dev runs it on this computer, without an account; deploy uploads it to Cloudflare.\n" +
			"publish --target cloudflare writes it to a folder.",
	}, "cloudflare dev or cloudflare deploy; publish --target cloudflare writes a Worker to a folder", newCloudflareDev(a), newCloudflareDeploy(a))
}

func newCloudflareDev(a *app) *cobra.Command {
	o := publishing{target: "cloudflare"}
	port := defaultWorkerPort
	cmd := &cobra.Command{
		Use:   "dev [DIR]",
		Short: "Run a Cloudflare Worker of a project on this computer",
		Long: "Make a Cloudflare Worker of the project in DIR, or in the current folder, run it with workerd,\n" +
			"the runtime of Cloudflare, and print its URL. No account is needed. npm fetches workerd " + wrangler.Workerd + "\n" +
			"the first time, so Node.js with npm must be installed. Only this computer can reach the Worker, so\n" +
			"it needs no token. Ctrl-C stops it.",
		Example: "  mcp-docs-server cloudflare dev --port 9000",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.runWorker(cmd.Context(), command.Arg(args, 0), o, port); cmd.Context().Err() == nil {
				return err
			}
			return nil // the user has stopped it
		},
	}
	cmd.Flags().Var(command.Whole(&port, 0, 65535), "port", "the `PORT` of the URL; 0: any that is free")
	o.addGuards(cmd)
	return onProject(cmd)
}

func newCloudflareDeploy(a *app) *cobra.Command {
	o := publishing{target: "cloudflare"}
	var account string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "deploy [DIR]",
		Short: "Deploy a Cloudflare Worker of a project",
		Long: "Make a Cloudflare Worker of the project in DIR, or in the current folder, and deploy it with\n" +
			"wrangler, the tool of Cloudflare, as the user of wrangler login, or with\n" +
			"CLOUDFLARE_API_TOKEN. npm fetches wrangler " + wrangler.Wrangler + " once, which needs Node.js 22.12 or later.",
		Example: "  mcp-docs-server cloudflare deploy --name acme-docs",
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.deployWorker(cmd.Context(), command.Arg(args, 0), o, account, dryRun)
			if errors.Is(err, context.Canceled) {
				return errors.New("interrupted; wrangler may already have deployed the Worker")
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&dryRun, "dry-run", "n", false, "let wrangler check the Worker, and deploy nothing")
	flags.StringVarP(&o.output, "output", "o", "", "the `DIR` to write the Worker to, instead of NAME-worker")
	flags.StringVar(&account, "account-id", "", "the `ID` of the Cloudflare account, if the user has several")
	o.addGuards(cmd)
	o.worker.add(cmd)
	return onProject(cmd)
}

// onProject lets a command have a project as its argument.
func onProject(cmd *cobra.Command) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = command.Positional(0, 1, "at most one folder"), command.CompleteFolders
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.TrimPrefix(f.Usage, "cloudflare: ") }) // as publish says
	return cmd
}

// cloudflare returns the tools of Cloudflare for a folder. Standard output is for results.
func (a *app) cloudflare(dir string) wrangler.Tool {
	return wrangler.Tool{Dir: dir, In: a.Streams.In, Out: a.Streams.Out, Err: a.Streams.Err}
}

// runWorker runs a Worker of the project until ctx ends.
func (a *app) runWorker(ctx context.Context, dir string, o publishing, port int) error {
	address, err := freeAddress(ctx, port)
	if err != nil {
		return err
	}
	made, err := os.MkdirTemp("", "mcp-docs-server-worker-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	// The Worker answers only requests that name this address, which stops pages of other sites (DNS rebinding).
	o.output, o.quiet, o.withErrors = filepath.Join(made, "worker"), true, true
	o.worker.open, o.worker.hosts = true, []string{"127.0.0.1"}
	if err := a.publish(ctx, dir, o); err != nil {
		return err
	}
	config, err := worker.WriteLocal(o.output, address)
	if err != nil {
		return err
	}
	return a.cloudflare(o.output).Serve(ctx, config, func(ctx context.Context) error {
		if err := awaitWorker(ctx, address); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.Streams.Out, "http://%s/mcp\n", address)
		return err
	})
}

// freeAddress returns an address of this computer on which no program listens.
func freeAddress(ctx context.Context, port int) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return "", fmt.Errorf("port %d cannot be used: %w; give another one with --port", port, err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// awaitWorker waits until a Worker answers. npm may have to fetch workerd first, so only ctx bounds
// the time; it ends when workerd ends.
func awaitWorker(ctx context.Context, address string) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// deployWorker makes a Worker of the project and deploys it.
func (a *app) deployWorker(ctx context.Context, dir string, o publishing, account string, dryRun bool) error {
	o.quiet = true
	o.use = func(made string) error {
		t := a.cloudflare(made)
		if account != "" {
			t.Env = []string{"CLOUDFLARE_ACCOUNT_ID=" + account}
		}
		args := []string{"deploy", "--config", "wrangler.jsonc"}
		if dryRun {
			args = append(args, "--dry-run")
		}
		if err := t.Deploy(ctx, args...); err != nil || dryRun || o.worker.open {
			return err
		}
		_, err := fmt.Fprintf(a.Streams.Err, "Clients need a token. Unless it has one, run in the folder %s: npx wrangler secret put MCP_DOCS_TOKEN\n", command.Printable(made))
		return err
	}
	return a.publish(ctx, dir, o)
}
