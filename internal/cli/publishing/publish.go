// Package publishing holds the commands that make a project available to others: publish, for npm
// packages, desktop bundles, server.json, Cloudflare Workers and the store of replicas; cloudflare, which
// deploys a Worker; and store, which lists, restores and removes versions there. It reads options, asks for a check of the
// files and reports to the user; the packages of internal/publish make the files.
package publishing

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/pack"
)

// publishing holds the options of publish.
type publishing struct {
	target string
	dryRun bool
	json   bool
	output string // a file, for npm also a folder; "" for the default of the target

	withErrors bool
	allow      []string
	maxSize    int // MiB

	npm     npm.PublishOptions
	listing listingOptions
	worker  workerOptions
	store   storeTarget

	use func(made string) error // uses the product instead of a report, or nil
}

// addChecks adds the options of the check for errors, secrets and sizes.
func (o *publishing) addChecks(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.withErrors, "with-errors", false, "publish in spite of the errors that check finds, but never in spite of secrets")
	flags.StringArrayVar(&o.allow, "allow", nil, "publish this `FILE` in spite of all findings in it; a path or a pattern such as docs/**/*.md; may be given more than once")
	o.maxSize = pack.MaxTotal >> 20
	flags.Var(command.Whole(&o.maxSize, 1, math.MaxInt32), "max-size", "the maximum size of all files together, in `MiB`")
}

// listingOptions holds the options of the target server-json.
type listingOptions struct {
	image, desktop, desktopURL, remote string
	noNpm                              bool
}

func (o *listingOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.image, "image", "", "server-json: the pushed container image, a `REFERENCE` such as ghcr.io/acme/docs:1.0.0")
	flags.StringVar(&o.desktopURL, "mcpb-url", "", "server-json: the `URL` of the desktop bundle, an asset of a release on GitHub or GitLab")
	flags.StringVar(&o.desktop, "mcpb", "", "server-json: a `FILE` with the desktop bundle of --mcpb-url, for its SHA-256 sum")
	flags.StringVar(&o.remote, "remote", "", "server-json: the `URL` of the server over streamable HTTP")
	flags.BoolVar(&o.noNpm, "no-npm", false, "server-json: the project is not on npm")
}

// targets holds the forms of publication by their names for --target.
var targets = map[string]func(a *app, ctx context.Context, r *publication, o publishing) error{
	"npm":         (*app).publishToNpm,
	"mcpb":        (*app).publishDesktop,
	"server-json": (*app).publishServerJSON,
	"cloudflare":  (*app).publishWorker,
	"store":       (*app).publishToStore,
}

// targetNames has the same names in the order of the documentation.
var targetNames = []string{"npm", "mcpb", "server-json", "cloudflare", "store"}

// NewPublish returns the command publish.
func NewPublish(shared *command.App) *cobra.Command {
	a := &app{shared}
	var o publishing
	cmd := &cobra.Command{
		Use:   "publish [DIR]",
		Short: "Publish a project as a package that clients start",
		Long: "Pack the files that a server of the project in DIR, or in the current folder, serves,\n" +
			"check them for secrets, and make a package of the kind that --target names:\n\n" +
			"  npm          an npm package, published with npm: others start the server with npx\n" +
			"  mcpb         a desktop bundle, a file that Claude Desktop and others install\n" +
			"  server-json  server.json, with which the MCP registry lists the other packages\n" +
			"  cloudflare   a Cloudflare Worker, a folder that wrangler deploys\n" +
			"  store        a version in the PostgreSQL database that the replicas of a server share:\n" +
			"               those with serve --from NAME serve it at once",
		Example: "  mcp-docs-server publish --dry-run\n" +
			"  mcp-docs-server publish --target store --store postgres://docs@db.example.com/docs --to handbook\n" +
			"  mcp-docs-server publish --access public\n" +
			"  mcp-docs-server publish --target mcpb\n" +
			"  mcp-docs-server publish --target server-json --image ghcr.io/acme/docs:1.0.0 --output server.json",
		Args:              command.Positional(0, 1, "at most one folder"),
		ValidArgsFunction: command.CompleteFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkTarget(cmd.Flags()); err != nil {
				return err
			}
			return a.publish(cmd.Context(), command.Arg(args, 0), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.target, "target", "npm", "the `TARGET`, the kind of package: "+strings.Join(targetNames, ", "))
	flags.BoolVarP(&o.dryRun, "dry-run", "n", false, "show what would be published, and write nothing")
	flags.StringVarP(&o.output, "output", "o", "", "the `PATH` to write to; for npm, instead of publishing, a file if it ends in .tgz, otherwise a new folder; for cloudflare, a folder")
	command.AddJSON(cmd, &o.json, "print what is published, its files and its sums as JSON")
	o.addChecks(cmd)
	flags.StringVar(&o.npm.Tag, "tag", "", "npm: the `TAG` of the version, instead of latest")
	flags.StringVar(&o.npm.Access, "access", "", "npm: the `ACCESS` to the package, public or restricted")
	command.Choices(cmd, "access", "public", "restricted")
	flags.StringVar(&o.npm.OTP, "otp", "", "npm: the one-time `PASSWORD`")
	flags.BoolVar(&o.npm.Provenance, "provenance", false, "npm: record where the package was built, on GitHub Actions and GitLab")
	o.listing.add(cmd)
	o.worker.add(cmd)
	o.store.add(cmd)
	command.Choices(cmd, "target", targetNames...)
	return cmd
}

// checkTarget returns an error for an unknown target, and for given options that the target does not have.
func (o publishing) checkTarget(flags *pflag.FlagSet) (err error) {
	if _, ok := targets[o.target]; !ok {
		return command.Misuse("--target is %q, must be one of %s", o.target, strings.Join(targetNames, ", "))
	}
	flags.Visit(func(f *pflag.Flag) {
		if with := targetsWith(f); with != nil && !slices.Contains(with, o.target) && err == nil {
			err = command.Misuse("--%s is for --target %s and has no meaning for %s", f.Name, strings.Join(with, ", "), o.target)
		}
	})
	return err
}

// targetsWith returns the targets that have an option, or nil if all have it: its usage begins with their names.
func targetsWith(f *pflag.Flag) (names []string) {
	list, _, _ := strings.Cut(f.Usage, ": ")
	for name := range strings.SplitSeq(list, ", ") {
		name, _, _ = strings.Cut(name, " with ")
		if _, ok := targets[name]; !ok {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// check returns an error for invalid options.
func (o publishing) check() error {
	switch {
	case o.dryRun && o.output != "":
		return command.Misuse("give either --dry-run, which writes nothing, or --output, not both")
	case (o.listing.desktop == "") != (o.listing.desktopURL == ""):
		return command.Misuse("--mcpb-url, which says where the desktop bundle is, and --mcpb, the file itself, go together: give both or none")
	}
	return nil
}

func (a *app) publish(ctx context.Context, dir string, o publishing) error {
	if err := o.check(); err != nil {
		return err
	}
	if a.Docs != "" {
		return command.Misuse("publish does not take --docs: the folder of the documents is part of what is published, as the key \"docs\" of mcp-docs-server.json")
	}
	p, err := a.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer p.Close()
	r, err := a.gather(ctx, p, o)
	if err != nil {
		return err
	}
	if o.output != "" {
		if err := r.outside(o.output); err != nil {
			return err
		}
	}
	if o.target == "npm" {
		a.Warnings(p, bundle.Unportable(r.contents.Files))
	}
	if err := errors.Join(a.checked(ctx, dir, r, o), a.guard(ctx, r, o)); err != nil {
		return err
	}
	r.result = newPublished(o, r.info, r.contents)
	if err := targets[o.target](a, ctx, r, o); err != nil || !o.json {
		return err
	}
	return a.PrintValue(r.result)
}

// app is the shared state of commands with the methods of these commands.
type app struct{ *command.App }
