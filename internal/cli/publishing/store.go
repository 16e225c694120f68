package publishing

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/tree"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/weburl"
)

// NewStore returns the command store.
func NewStore(shared *command.App) *cobra.Command {
	a := &app{shared}
	return command.Group(&cobra.Command{
		Use:   "store",
		Short: "List, roll back and remove published versions, forget a page, prepare the database",
		Long:  "The store is the PostgreSQL database that the replicas of a server share.",
	}, "store versions, store rollback, store remove, store forget, store migrate or store grants",
		newStoreVersions(a), newStoreRollback(a), newStoreRemove(a), newStoreForget(a), newStoreMigrate(a), newStoreGrants(a))
}

// onStore gives a command the options of the store. do gets the store, and the number of a version in the second argument, or 0.
func onStore(cmd *cobra.Command, do func(ctx context.Context, db *database.DB, args []string, number int) error) *cobra.Command {
	var store command.StoreFlag
	store.Add(cmd.Flags())
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && cmd.Name() != "forget" {
			if err := tree.CheckName(args[0]); err != nil {
				return command.Misuse("%v", err)
			}
		}
		number := int64(0)
		if len(args) > 1 {
			var err error
			if number, err = strconv.ParseInt(args[1], 10, 32); err != nil || number < 1 {
				return command.Misuse("%q is not the number of a version: \"mcp-docs-server store versions %s\" lists them", args[1], args[0])
			}
		}
		logger := command.NewLogger(cmd.ErrOrStderr(), nil)
		db, err := openStore(cmd.Context(), func() (string, error) { return store.URL(cmd, logger) }, database.Options{Logger: logger, Migrate: cmd.Name() == "migrate", Wait: cmd.Name() == "migrate"})
		if err != nil {
			return err
		}
		defer db.Close()
		return do(cmd.Context(), db, args, int(number))
	}
	return cmd
}

func newStoreVersions(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "versions NAME",
		Short: "List the versions of a project in the store",
		Long: "List the last five versions of a project in the store, the newest first. An asterisk marks the one\n" +
			"that is served.",
		Example: "  mcp-docs-server store versions handbook --store postgres://docs@db.example.com/docs",
		Args:    command.Positional(1, 1, "the name of a project in the store"),
	}
	command.AddJSON(cmd, &asJSON, "print the versions as JSON")
	return onStore(cmd, func(ctx context.Context, db *database.DB, args []string, _ int) error {
		all, err := tree.Versions(ctx, db, args[0])
		if err != nil {
			return err
		}
		if asJSON {
			return a.PrintValue(all)
		}
		return a.Print(func(w io.Writer) {
			t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			for _, p := range all {
				mark := " "
				if p.Current {
					mark = "*"
				}
				fmt.Fprintf(t, "%s %d\t%s\t%s\t%s\t%d bytes\n", mark, p.Number, p.At.Format(time.RFC3339), command.Printable(p.Version), command.Count(int(p.Files), "file"), p.Bytes)
			}
			t.Flush()
		})
	})
}

func newStoreRollback(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollback NAME [NUMBER]",
		Short: "Serve another version of a project in the store",
		Long: "Have all replicas serve the version with a number that store versions prints, or else the one\n" +
			"before the version that is served now.",
		Example: "  mcp-docs-server store rollback handbook\n" +
			"  mcp-docs-server store rollback handbook 7",
		Args: command.Positional(1, 2, "the name of a project in the store, and the number of a version"),
	}
	return onStore(cmd, func(ctx context.Context, db *database.DB, args []string, number int) error {
		number, err := tree.Rollback(ctx, db, args[0], number)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.Streams.Out, "serving:   %s %d\n", args[0], number)
		return err
	})
}

func newStoreRemove(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME [NUMBER]",
		Short: "Remove a version of a project from the store",
		Long: "Remove a version, for example because it has a secret, with its files that no other version has.\n" +
			"The version that is served cannot be removed: publish another one first. Without a number,\n" +
			"remove the project. Replicas remove the files from their caches about a minute later.",
		Example: "  mcp-docs-server store remove handbook 7",
		Args:    command.Positional(1, 2, "the name of a project in the store, and the number of a version"),
	}
	return onStore(cmd, func(ctx context.Context, db *database.DB, args []string, number int) error {
		if err := tree.Remove(ctx, db, args[0], number); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.Streams.Out, "removed:   %s\n", strings.Join(args, " "))
		return err
	})
}

func newStoreForget(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forget URL",
		Short: "Remove a captured page from the store",
		Long: "Remove all captures of a page, of all projects and callers. The URL is the one of the capture, or\n" +
			"the one to which it was redirected. Replicas stop serving the page at once.",
		Example: "  mcp-docs-server store forget https://example.com/page",
		Args:    command.Positional(1, 1, "the URL of a captured page"),
	}
	return onStore(cmd, func(ctx context.Context, db *database.DB, args []string, _ int) error {
		page, err := url.Parse(args[0])
		if err == nil {
			page, err = weburl.Resolve(page, args[0])
		}
		if err != nil {
			return command.Misuse("%v", err)
		}
		n, err := store.Forget(ctx, db, page.String())
		if err == nil && n == 0 {
			err = fmt.Errorf("the store has no capture of %s", command.Printable(page.String()))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.Streams.Out, "removed:   %s of %s\n", command.Count(n, "capture"), command.Printable(page.String()))
		return err
	})
}

func newStoreMigrate(a *app) *cobra.Command {
	return onStore(&cobra.Command{
		Use:   "migrate",
		Short: "Make the tables of the store, or bring them to the version of this program",
		Long: "Make the schema mcp_docs, or bring it to the version of this program, as serve and publish do if\n" +
			"their role may. If others use the tables, migrate says who, and waits.",
		Example: "  mcp-docs-server store migrate --store postgres://docs_migrate@db.example.com/docs",
		Args:    command.Positional(0, 0, "no arguments"),
	}, func(context.Context, *database.DB, []string, int) error { // to connect is enough
		_, err := fmt.Fprintln(a.Streams.Out, "the tables of the store are up to date")
		return err
	})
}

// grants are the statements for roles that only publish or serve.
//
//go:embed grants.sql
var grants string

func newStoreGrants(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "grants",
		Short: "Print the statements that give roles of the database what they need",
		Long: "Print GRANT statements for two roles that must exist: docs_publish, which publishes and rolls back,\n" +
			"and docs_serve, which serves. Run them as the role of migrate after each migration.",
		Example:           "  mcp-docs-server store grants | psql -h db.example.com -U docs_migrate docs",
		Args:              command.Positional(0, 0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := io.Copy(a.Streams.Out, strings.NewReader(grants))
			return err
		},
	}
}

// storeTarget holds the options of the target store.
type storeTarget struct {
	command.StoreFlag
	to  string                 // the name of the project in the store
	url func() (string, error) // of the store
}

func (o *storeTarget) add(cmd *cobra.Command) {
	o.Add(cmd.Flags())
	for _, name := range []string{"store", "store-file"} {
		f := cmd.Flags().Lookup(name)
		f.Usage = "store: " + f.Usage
	}
	cmd.Flags().StringVar(&o.to, "to", "", "store: the `NAME` of the project in the store, for serve --from")
	o.url = func() (string, error) { return o.URL(cmd, command.NewLogger(cmd.ErrOrStderr(), nil)) }
}

// openStore connects to the store that options name.
func openStore(ctx context.Context, url func() (string, error), o database.Options) (*database.DB, error) {
	named, err := url()
	if err != nil {
		return nil, err
	}
	if named == "" {
		return nil, command.Misuse("say which store: --store postgres://user@host/database, --store-file or " + command.StoreVariable)
	}
	o.URL, o.Instance, o.Release = named, "command line", command.Version()
	return database.Open(ctx, o)
}

// publishToStore puts a version of a project into the store of the replicas that serve it.
func (a *app) publishToStore(ctx context.Context, r *publication, o publishing) error {
	switch {
	case o.output != "":
		return command.Misuse("--output has no meaning for --target store, which writes to the store that --store names")
	case o.store.to == "":
		return command.Misuse("say under which name replicas find the project, as in --to handbook")
	}
	if err := tree.CheckName(o.store.to); err != nil {
		return command.Misuse("--to %v", err)
	}
	files, err := treeFiles(r.contents.Files)
	if err != nil {
		return err
	}
	r.result.Project = o.store.to
	if err := a.announce(r, o, nil, r.contents.Files); err != nil {
		return err
	} else if o.dryRun {
		return a.report(r, o)
	}
	db, err := openStore(ctx, o.store.url, database.Options{Logger: slog.New(slog.DiscardHandler), Migrate: true})
	if err != nil {
		return err
	}
	defer db.Close()
	var p tree.Published
	var changed bool
	if err := r.line.During(terminal.Work{Name: "publishing"}, func() (err error) {
		p, changed, err = tree.Publish(ctx, db, o.store.to, r.info.Version, files)
		return err
	}); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		if ctx.Err() != nil || errors.Is(err, database.ErrUnreachable) {
			return fmt.Errorf("%w; \"mcp-docs-server store versions %s\" says whether the version was published", err, o.store.to)
		}
		return err
	}
	r.result.Number, r.result.Published = p.Number, changed
	if !changed {
		a.Say("version %d of %s in the store has the same files and is served: nothing is published", p.Number, o.store.to)
	}
	return a.report(r, o)
}

// treeFiles returns checked files for the store. The error names files with names that it refuses.
func treeFiles(files []bundle.File) ([]tree.File, error) {
	out := make([]tree.File, len(files))
	entries := make([]tree.Entry, len(files))
	for i, f := range files {
		e := tree.Entry{Path: f.Name, Size: f.Size}
		if !f.ModTime.IsZero() {
			e.Modified = f.ModTime.UnixNano()
		}
		if len(f.Sum) != sha256.Size {
			return nil, fmt.Errorf("%s: was not checked", f.Name)
		}
		copy(e.Digest[:], f.Sum)
		out[i], entries[i] = tree.File{Entry: e, Copy: f.Copy}, e
	}
	_, err := tree.New(entries)
	return out, err
}
