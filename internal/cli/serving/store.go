package serving

import (
	"cmp"
	"context"
	"net"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/streamable"
)

// checkStore returns an error for options of the store that are invalid or conflict.
func (o *serving) checkStore(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if !flags.Changed("http") {
		return nil // CheckNeeds reports the options; the variable has no effect
	}
	if err := o.store.Check(cmd); err != nil {
		return err
	}
	named := flags.Changed("store") || flags.Changed("store-file") || variable(command.StoreVariable) != nil
	if named && flags.Changed("capture-dir") {
		return command.Misuse("captures are either in the store or in the folder of --capture-dir: leave one of them out")
	}
	return nil
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
