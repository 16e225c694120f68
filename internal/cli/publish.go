package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/npm"
)

// publishing is what the options of publish say.
type publishing struct {
	target string
	dryRun bool
	output string // a file or folder; "" to publish

	allow       []string
	maxSize     int // MiB
	maxFileSize int // MiB

	cliVersion    string
	selfContained string // platforms, or "" for none
	binaries      string // the folder with the programs, or ""
	npm           npm.PublishOptions
}

// A target is where a publication goes: it writes it, or publishes it.
type target func(a *app, ctx context.Context, r *publication, o publishing) error

// targets by the name that --target gives them.
var targets = map[string]target{"npm": (*app).publishToNpm}

func newPublish(a *app) *cobra.Command {
	var o publishing
	cmd := &cobra.Command{
		Use:   "publish [DIR]",
		Short: "Publish a project as a package that clients start",
		Long: "Pack the files that a server of the project in DIR, or in the current folder, shows,\n" +
			"check them for secrets, and publish them to npm: others start the server of the\n" +
			"project with npx then. npm itself must be installed, and says who you are.",
		Args:              positional(0, 1, "at most one folder"),
		ValidArgsFunction: completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := ""
			if len(args) > 0 {
				dir = args[0]
			}
			return a.publish(cmd.Context(), dir, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.target, "target", "npm", "where to publish: "+strings.Join(slices.Sorted(maps.Keys(targets)), ", "))
	flags.BoolVarP(&o.dryRun, "dry-run", "n", false, "show what would be published, and write nothing")
	flags.StringVarP(&o.output, "output", "o", "", "write the package to this `PATH` instead: a file if it ends in .tgz, else a new folder")
	flags.StringArrayVar(&o.allow, "allow", nil, "publish this `FILE` whatever is found in it; a path or a pattern such as docs/**/*.md, may be given more than once")
	flags.IntVar(&o.maxSize, "max-size", 100, "the most that all files together may have, in `MiB`")
	flags.IntVar(&o.maxFileSize, "max-file-size", 50, "the most that one file may have, in `MiB`")
	flags.StringVar(&o.cliVersion, "cli-version", "", "the `VERSION` of "+npm.CLI+" to depend on, instead of that of this program")
	flags.StringVar(&o.selfContained, "self-contained", "", "put the programs for these `PLATFORMS` into the package, such as linux-x64,win32-x64; all of them without a value")
	flags.Lookup("self-contained").NoOptDefVal = "all"
	flags.StringVar(&o.binaries, "binaries", "", "the `DIR` with the programs for --self-contained, instead of fetching them with npm")
	flags.StringVar(&o.npm.Tag, "tag", "", "passed on to npm publish: the `TAG` of the version, instead of latest")
	flags.StringVar(&o.npm.Access, "access", "", "passed on to npm publish: public or restricted")
	flags.StringVar(&o.npm.OTP, "otp", "", "passed on to npm publish: the one-time `PASSWORD`")
	flags.BoolVar(&o.npm.Provenance, "provenance", false, "passed on to npm publish: tell where the package was built, on GitHub Actions and GitLab")
	_ = cmd.MarkFlagDirname("binaries")
	return cmd
}

// check says what is wrong with the options themselves.
func (o publishing) check() error {
	switch {
	case targets[o.target] == nil:
		return &usageError{fmt.Sprintf("--target is %q, must be one of %s", o.target, strings.Join(slices.Sorted(maps.Keys(targets)), ", "))}
	case o.dryRun && o.output != "":
		return &usageError{"give either --dry-run, which writes nothing, or --output, not both"}
	case o.maxSize < 1 || o.maxFileSize < 1:
		return &usageError{"--max-size and --max-file-size are numbers of MiB, 1 at least"}
	case o.binaries != "" && o.selfContained == "":
		return &usageError{"--binaries says where the programs for --self-contained are, which is not given"}
	}
	return nil
}

func (a *app) publish(ctx context.Context, dir string, o publishing) error {
	if err := o.check(); err != nil {
		return err
	}
	if a.docs != "" {
		return &usageError{"publish does not take --docs: the folder of the documents is part of what is published, as the key \"docs\" of mcp-docs-server.json"}
	}
	p, err := a.open(dir)
	if err != nil {
		return err
	}
	defer p.files.Close()
	r, err := a.gather(ctx, p)
	if err != nil {
		return err
	}
	if err := a.guard(r, o); err != nil {
		return err
	}
	return targets[o.target](a, ctx, r, o)
}
