package publishing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/worker"
)

// workerOptions holds the options of the target cloudflare.
type workerOptions struct {
	name    string
	open    bool
	hosts   []string
	origins []string
}

func (o *workerOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.name, "name", "", "cloudflare: the `NAME` of the Worker, instead of the name of the package")
	flags.BoolVar(&o.open, "no-auth", false, "cloudflare: everybody may read the project; otherwise clients need the token that is a secret of the Worker")
	flags.StringArrayVar(&o.hosts, "allow-host", nil, "cloudflare: answer only requests that name this `HOST`; may be given more than once")
	flags.StringArrayVar(&o.origins, "allow-origin", nil, "cloudflare: allow requests of pages of this `ORIGIN`, such as https://app.example.com; may be given more than once")
}

// worker returns the options of a Worker of a project.
func (o workerOptions) worker(r *publication) (worker.Options, error) {
	w := worker.Options{Name: cmp.Or(o.name, worker.Name(r.info.Slug())), Open: o.open, Hosts: o.hosts, Origins: o.origins, Version: command.Version()}
	if err := w.Check(); err != nil {
		return w, command.Misuse("%v", err)
	}
	return w, nil
}

// publishWorker writes a Cloudflare Worker.
func (a *app) publishWorker(ctx context.Context, r *publication, o publishing) error {
	options, err := o.worker.worker(r)
	if err != nil {
		return err
	}
	build := func(ctx context.Context, p worker.Project) ([]bundle.File, error) {
		return worker.Build(ctx, p, options)
	}
	return a.withAnswers(ctx, r, r.project, build, func(files []bundle.File) error {
		if notice := worker.Notice(files); notice != "" {
			a.Say("warning: %s", notice)
		}
		return a.deliver(r, o, product{
			name:   options.Name + "-worker",
			files:  files,
			folder: func(dir string) error { return worker.Write(dir, files) },
			use:    o.use,
		})
	})
}

// contentOf returns a resource that was read, and releases it.
func contentOf(read *contents.Contents, err error) (worker.Content, error) {
	if err != nil {
		return worker.Content{}, err
	}
	defer read.Release()
	c := &read.Files[0]
	whole := worker.Content{MIMEType: c.MIME, IsText: c.IsText}
	if c.IsText {
		whole.Data = []byte(c.Text())
	} else {
		whole.Data = bytes.Clone(c.Bytes())
	}
	return whole, nil
}

// withServer makes the server for Node of the project, and calls use with all files of the project and of the server.
// It serves the files that are published, from a folder of their own, because clients get the same answers from them.
func (a *app) withServer(ctx context.Context, r *publication, use func([]bundle.File) error) error {
	made, err := os.MkdirTemp("", "mcp-docs-server-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	files := r.contents.Files
	for _, f := range files {
		if top, _, _ := strings.Cut(f.Name, "/"); bundle.Fold(top) == "bin" {
			return fmt.Errorf("%s cannot be published: the package has its server in the folder \"bin\"; give your folder another name", command.Printable(f.Name))
		}
	}
	dir := filepath.Join(made, "project")
	same := slices.Clone(files)
	for i := range same {
		// two packages of the same files have the same bytes
		same[i].ModTime = time.Unix(0, 0)
	}
	if err := bundle.WriteFolder(dir, same); err != nil {
		return err
	}
	p, _, err := project.Open(ctx, project.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer p.Close()
	return a.withAnswers(ctx, r, p, func(ctx context.Context, p worker.Project) ([]bundle.File, error) {
		return worker.Server(ctx, p, files)
	}, func(server []bundle.File) error {
		for i, f := range server {
			server[i] = f.Attended(ctx, r.line.Add)
		}
		if err := a.guardAnswers(ctx, r, server); err != nil {
			return err
		}
		return use(slices.Concat(files, server))
	})
}

// withAnswers serves a project to a client inside the process, makes files from the answers, and calls use with them. Their
// contents are read from the project when they are written.
func (a *app) withAnswers(ctx context.Context, r *publication, served *project.Project, build func(context.Context, worker.Project) ([]bundle.File, error), use func([]bundle.File) error) error {
	converter := webaccess.NewConverter(command.NewLogger(a.Streams.Err, nil), "")
	defer converter.Close()
	return a.Running(ctx, served, project.LiveOptions{PDFs: webaccess.PDFs(converter, "")}, func(ctx context.Context, live *project.Live, c *protocol.Client) error {
		p := worker.Project{Client: c, Config: served.Config}
		if err := r.line.During(terminal.Work{Name: "indexing the documents"}, func() error { return live.Indexed(ctx) }); err != nil {
			return err
		}
		// The list waits until the prompts are read.
		if _, _, err := c.Call(ctx, "prompts/list", nil); err != nil {
			return err
		}
		// The capability index needs a view of the whole project.
		if err := live.Server().Visit(ctx, &protocol.Call{Method: "publish"}, func(ctx context.Context, v server.View) (err error) {
			if p.Library, err = v.Library(ctx); err != nil {
				return err
			}
			p.View, err = v.Everything(ctx)
			p.Whole = func(ctx context.Context, it view.Item) (worker.Content, error) {
				return contentOf(v.Read(ctx, p.View, it))
			}
			return err
		}); err != nil {
			return err
		}
		p.Prompts, p.Tools = live.Server().State().Prompts, live.Server().Tools()
		r.tools = p.Tools
		files, err := terminal.Progress(r.line, terminal.Work{Name: "computing the answers"}, func() ([]bundle.File, error) { return build(ctx, p) })
		if err != nil {
			return err
		}
		return use(files)
	})
}

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
		Long: "A Cloudflare Worker gives the same answers as serve --http, without a machine. In the folder\n" +
			"that publish --target cloudflare writes, npx wrangler dev runs it without an account.",
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
	// The help of publish names the target of each of these flags.
	flags.VisitAll(func(f *pflag.Flag) { f.Usage = strings.TrimPrefix(f.Usage, "cloudflare: ") })
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
	// An invalid version counts as an old one.
	if version := strings.TrimSpace(string(out)); err != nil || semver.Compare(version, wranglerNode) < 0 {
		return "", fmt.Errorf("%s, and \"node --version\" says %q: install a newer one (nodejs.org)", needs, version)
	}
	return npx, nil
}
