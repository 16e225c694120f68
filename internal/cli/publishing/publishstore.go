package publishing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/registry"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/tree"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

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
	o.url = func() (string, error) { return o.URL(cmd, command.NewLogger(cmd.ErrOrStderr())) }
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
		return command.Misuse("--to " + err.Error())
	}
	files, err := treeFiles(r.all())
	if err != nil {
		return err
	}
	r.result.Project = o.store.to
	if err := a.announce(r, o, nil, r.all()); err != nil {
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

// publishServerJSON writes server.json for the MCP registry, or prints it.
func (a *app) publishServerJSON(ctx context.Context, r *publication, o publishing) error {
	s := registry.Server{Info: r.info, NPM: !o.listing.noNpm, Image: o.listing.image, Remote: o.listing.remote}
	if o.listing.desktopURL != "" {
		data, err := os.ReadFile(o.listing.desktop)
		if err != nil {
			return fmt.Errorf("--mcpb %w", project.PathError(o.listing.desktop, err))
		}
		s.Desktop = registry.Desktop{URL: o.listing.desktopURL, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
	}
	data, err := s.JSON()
	if err != nil {
		return err
	}
	r.result.Manifest = data
	if o.dryRun || o.output == "" {
		if o.json {
			return nil // publish prints the result
		}
		_, err := a.Streams.Out.Write(data)
		return err
	}
	r.result.Output = o.output
	return writeFile(o.output, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
