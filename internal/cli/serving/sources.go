package serving

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/tree"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// checkFrom returns an error for options that conflict with --from.
func (o *serving) checkFrom(cmd *cobra.Command, args []string) error {
	flags := cmd.Flags()
	if len(o.from) == 0 || !flags.Changed("http") {
		return nil // CheckNeeds reports the option
	}
	for i, name := range o.from {
		if err := tree.CheckName(name); err != nil {
			return command.Misuse("--from %v", err)
		}
		if slices.Contains(o.from[:i], name) {
			return command.Misuse("--from names %s twice: leave one of them out", name)
		}
	}
	if len(args) > 0 {
		return command.Misuse("give either folders or --from, not both")
	}
	for _, name := range []string{"config", "docs", "project", "poll", "no-watch", "deps"} {
		if flags.Changed(name) {
			return command.Misuse("--%s is for folders and has no meaning with --from: leave one of them out", name)
		}
	}
	switch {
	case !namesStore(flags):
		return command.Misuse("--from needs a store: --store, --store-file or " + command.StoreVariable)
	case o.cache == "":
		return command.Misuse("--from needs --cache-dir DIR, a folder for copies of the files")
	}
	return nil
}

// A source is a project to serve.
type source struct {
	*project.Project
	replica *tree.Replica // nil: the project is a folder
}

// scope returns what the ids of sessions are sealed for: a project with the same name at the same address must not take them. A key
// that was made for this computer knows projects by their folders; replicas know them by their names.
func (s source) scope(local bool) string {
	if !local || s.replica != nil {
		return ""
	}
	return s.Folder.Path()
}

// follow returns what reports changes of the project, or nil if its folder is watched.
func (s source) follow() func(context.Context, func(loader.Changes)) {
	if s.replica == nil {
		return nil
	}
	return func(ctx context.Context, changed func(loader.Changes)) {
		s.replica.Follow(ctx, func(c tree.Change) { changed(loader.Changes{Dirs: c.Folders, Files: c.Files}) })
	}
}

// gauges returns the states of a version from a store that metrics show.
func (s source) gauges() []metrics.Gauge {
	if s.replica == nil {
		return nil
	}
	return []metrics.Gauge{
		{Name: "served_version", Help: "Number of the published version that is served.", Value: func() float64 { return float64(s.replica.Number()) }},
		{Name: "served_version_age_seconds", Help: "Time since that version was published.", Value: func() float64 { return s.replica.Age().Seconds() }},
	}
}

// open opens the projects to serve: the projects that --from names, or else the projects in dirs. db is nil without a
// store. The caller must close what is opened, also after an error.
func (a *app) open(ctx context.Context, dirs []string, o *serving, db *database.DB, logger *slog.Logger) (all []source, opened closers, err error) {
	if len(o.from) == 0 {
		for _, dir := range dirs {
			p, err := a.Locate(ctx, dir, nil)
			if err != nil {
				return nil, opened, err
			}
			opened.add(p.Close)
			all = append(all, source{Project: p})
		}
		return all, opened, nil
	}
	cache, err := tree.OpenCache(o.cache)
	if err != nil {
		return nil, opened, err
	}
	opened.add(cache.Close)
	for _, name := range o.from {
		work := terminal.Work{Name: "fetching " + name + " from the store"}
		replica, err := terminal.Progress(a.Line, work, func() (*tree.Replica, error) { return tree.Open(ctx, db, cache, name, logger) })
		if err != nil {
			return nil, opened, err
		}
		p, err := a.Locate(ctx, name, replica)
		if err != nil {
			return nil, opened, err
		}
		all = append(all, source{p, replica})
	}
	return all, opened, nil
}

// checkStore returns an error for options of the store that are invalid or conflict.
func (o *serving) checkStore(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if !flags.Changed("http") {
		return nil // CheckNeeds reports the options; the variable has no effect
	}
	if err := o.store.Check(cmd); err != nil {
		return err
	}
	if namesStore(flags) && flags.Changed("capture-dir") {
		return command.Misuse("captures are either in the store or in the folder of --capture-dir: leave one of them out")
	}
	return nil
}

// namesStore reports whether an option or the variable names a store.
func namesStore(flags *pflag.FlagSet) bool {
	return flags.Changed("store") || flags.Changed("store-file") || variable(command.StoreVariable) != nil
}

// openStore connects to the store, and sets the options of the server and of captures that depend on it. If the store cannot
// be reached, the server connects to it later. It returns nil if no option names a store. The caller closes the store.
func (a *app) openStore(ctx context.Context, cmd *cobra.Command, o *serving, options *httpserver.Options, configured bool) (*database.DB, error) {
	url, err := o.store.URL(cmd, options.Logger)
	if err != nil {
		return nil, err
	}
	if url == "" {
		if configured {
			a.Say("every replica with this key answers for all sessions; resources/subscribe is not offered, because a change would reach only one of them")
		}
		return nil, nil
	}
	db, err := database.Open(ctx, database.Options{URL: url, Instance: o.http.instance(), Logger: options.Logger, Release: command.Version(), Migrate: true, Later: true})
	if err != nil {
		return nil, err
	}
	if err := db.Err(); err != nil {
		options.Logger.Warn(err.Error() + "; calls that need it fail until it can")
	}
	options.Store = db
	o.web.Database = db
	options.SessionStore = streamable.NewStore(ctx, db, options.SessionKeys, options.Logger)
	return db, nil
}

// storeGauges returns the states of a store that metrics show. db is nil if there is none.
func storeGauges(db *database.DB) []metrics.Gauge {
	if db == nil {
		return nil
	}
	gauge := func(err error) float64 {
		if err != nil {
			return 0
		}
		return 1
	}
	return []metrics.Gauge{
		{Name: "store_reachable", Help: "Whether the store can be reached; 1 or 0.", Value: func() float64 { return gauge(db.Err()) }},
		{Name: "store_writable", Help: "Whether the store can be written; 1 or 0.", Value: func() float64 {
			return gauge(cmp.Or(db.Err(), db.Ready(context.Background())))
		}},
		{Name: "store_read_age_seconds", Help: "Time since the log of changes in the store was read.", Value: func() float64 { age, _ := db.LastRead(); return age.Seconds() }},
		{Name: "store_latency_seconds", Help: "Time that the store took for that.", Value: func() float64 { _, took := db.LastRead(); return took.Seconds() }},
	}
}

// instance returns a name for this replica in metrics and in the store: its host and port.
func (o *httpOptions) instance() string {
	host, _ := os.Hostname()
	_, port, _ := net.SplitHostPort(o.Addr) // check has seen it
	return net.JoinHostPort(cmp.Or(host, "localhost"), port)
}
