package database

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

var errURL = errors.New("is not the URL of a PostgreSQL database, such as postgres://user@db.example.com/docs")

// CheckURL returns an error if a text is not the URL of a database, and reports whether it contains a password. The error
// does not repeat the text.
func CheckURL(text string) (password bool, err error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return false, errURL
	}
	_, password = u.User.Password()
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return false, errURL
	}
	return password || query.Has("password") || query.Has("sslpassword"), nil
}

// parse returns the configuration for a URL. Beyond this computer, the certificate of the database is verified unless the
// URL has an sslmode.
func parse(text string) (*pgxpool.Config, error) {
	text = strings.TrimSpace(text)
	if _, err := CheckURL(text); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(text)
	u, _ := url.Parse(text)
	if query := u.Query(); err == nil && !query.Has("sslmode") && !local(config.ConnConfig) {
		query.Set("sslmode", "verify-full")
		u.RawQuery = query.Encode()
		config, err = pgxpool.ParseConfig(u.String())
	}
	if err != nil {
		return nil, fmt.Errorf("the URL of the store cannot be used: %s", reason(err))
	}
	config.ConnConfig.ConnectTimeout = connectTimeout
	// has no named statements, which PgBouncer would mix up
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	if _, ok := config.ConnConfig.RuntimeParams["application_name"]; !ok {
		config.ConnConfig.RuntimeParams["application_name"] = "mcp-docs-server"
	}
	return config, nil
}

// local reports whether all hosts of a configuration are this computer.
func local(c *pgx.ConnConfig) bool {
	hosts := []string{c.Host}
	for _, f := range c.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	for _, host := range hosts {
		addr, err := netip.ParseAddr(host)
		if !strings.HasPrefix(host, "/") && !strings.HasPrefix(host, "@") && host != "localhost" && (err != nil || !addr.IsLoopback()) {
			return false
		}
	}
	return true
}

// network reports whether an error is one of the network.
func network(err error) bool {
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, context.DeadlineExceeded) || pgconn.SafeToRetry(err)
}

// reason returns the innermost error as text: the outer ones repeat the URL, or name the user.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it does not answer"
	}
	for {
		inner := errors.Unwrap(err)
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			inner = joined.Unwrap()[len(joined.Unwrap())-1]
		}
		if _, ok := err.(*net.OpError); ok || inner == nil {
			// an OpError names the address
			return fserr.Words(err)
		}
		err = inner
	}
}

// version is the version of the schema that this program makes and uses.
const version = 5

// schema makes the schema, or brings an older one to the version of this program.
//
//go:embed schema.sql
var schema string

// versions are the version of the schema of a store, the oldest version whose programs can use it, and the release of the
// program that made it. Zero: it has none.
type versions struct {
	version, oldest int
	release         string
}

// migrate checks the schema. The first connection of a process that migrates makes it, or brings it to the version of this
// program. A later one never does: the database may just be restored from a dump, whose tables must not be in the way.
func (db *DB) migrate(ctx context.Context) error {
	v, err := readVersions(ctx, db.pool)
	if err != nil {
		return err
	}
	db.mu.Lock()
	prepared := db.prepared
	db.mu.Unlock()
	switch {
	case v.oldest > version:
		return Misfit(fmt.Sprintf("its schema has version %d, which needs %s or a later release of this program", v.version, v.release))
	case v.version >= version:
		return nil
	case prepared && v.version == 0:
		return Misfit("its database was created again and has no tables; restore a backup, or restart this server, which makes them")
	case !db.options.Migrate && v.version == 0:
		return errors.New("this database has no store yet: publish --target store makes it, or serve, or \"mcp-docs-server store migrate\"")
	case prepared || !db.options.Migrate:
		return fmt.Errorf("the schema of the store has version %d and must have %d: run \"mcp-docs-server store migrate\", or start a server that uses it", v.version, version)
	}
	var pg *pgconn.PgError
	for {
		if v, err = db.change(ctx); !errors.As(err, &pg) || pg.Code != "55P03" { // lock_timeout
			break
		}
		db.options.Logger.Warn("waiting for others who use the tables of the store: " + db.users(ctx))
	}
	if errors.As(err, &pg) && pg.Code == noRight {
		return fmt.Errorf("the tables of the store must have version %d, and this role may not make or change them: run \"mcp-docs-server store migrate\" with a role that may", version)
	}
	return err
}

// change makes or changes the schema. It waits for the locks of others for 2 seconds.
func (db *DB) change(ctx context.Context) (v versions, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', '2s', true), pg_advisory_xact_lock(hashtext('mcp_docs'))"); err != nil {
			return err
		}
		// Another replica may have been faster.
		if v, err = readVersions(ctx, tx); err == nil && v.version < version {
			if _, err = tx.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol); err == nil {
				_, err = tx.Exec(ctx, "INSERT INTO mcp_docs.schema_version VALUES ($1, $1, $2)", version, db.options.Release)
			}
		}
		return err
	})
	return v, err
}

// users returns the connections that have locks in the schema.
func (db *DB) users(ctx context.Context) (users string) {
	err := db.pool.QueryRow(ctx, `SELECT coalesce(string_agg(DISTINCT format('%s (pid %s, user %s, %s)', application_name, pid, usename, coalesce(client_addr::text, 'local')), ', '), 'nobody any more')
		FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE pid <> pg_backend_pid() AND granted AND (locktype = 'advisory'
			OR relation IN (SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'mcp_docs'))`).Scan(&users)
	if err != nil {
		users = "which cannot be read now"
	}
	return users
}

// readVersions reads the version of the schema.
func readVersions(ctx context.Context, from interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) (v versions, err error) {
	var tables, known int
	// to_regclass would answer from a cache, which may lack tables that other processes have just committed.
	sql := "SELECT count(*), count(*) FILTER (WHERE tablename = 'schema_version') FROM pg_catalog.pg_tables WHERE schemaname = 'mcp_docs'"
	if err := from.QueryRow(ctx, sql).Scan(&tables, &known); err != nil || tables == 0 {
		return v, err
	}
	if known == 0 {
		return v, errors.New("the schema mcp_docs in the database has tables, but not schema_version, so it is not a store or was restored in part: restore all of it, or give the store another database")
	}
	// A schema of version 4 does not name the release.
	err = from.QueryRow(ctx, "SELECT version, oldest, coalesce(to_jsonb(s) ->> 'release', '') FROM mcp_docs.schema_version s").Scan(&v.version, &v.oldest, &v.release)
	return v, err
}
