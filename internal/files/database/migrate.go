package database

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// version is the version of the schema that this program makes and uses.
const version = 2

// schema makes the schema, or brings an older one to the version of this program.
//
//go:embed schema.sql
var schema string

// versions are the version of the schema of a store, and the oldest version whose programs can use it. Zero: it has none.
type versions struct{ version, oldest int }

// migrate makes the schema, or brings it to the version of this program.
func (db *DB) migrate(ctx context.Context) error {
	v, err := readVersions(ctx, db.pool)
	if err != nil {
		return err
	}
	if v.version < version {
		err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('mcp_docs'))"); err != nil {
				return err
			}
			if v, err = readVersions(ctx, tx); err != nil { // another replica may have been faster
				return err
			}
			if v.version < version {
				_, err = tx.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol)
			}
			return err
		})
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "42501" {
			return fmt.Errorf("the schema of the store has version %d and must have %d, and this role may not change it: run \"mcp-docs-server store migrate\" with a role that may", v.version, version)
		}
		if err != nil {
			return err
		}
	}
	if v.oldest > version {
		return fmt.Errorf("the schema of the store has version %d, which needs a later release of this program", v.version)
	}
	return nil
}

// readVersions reads the version of the schema.
func readVersions(ctx context.Context, from interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) (v versions, err error) {
	var exists bool
	// to_regclass would answer from a cache that does not know what others have just committed.
	sql := "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'mcp_docs' AND tablename = 'schema_version')"
	if err := from.QueryRow(ctx, sql).Scan(&exists); err != nil || !exists {
		return v, err
	}
	err = from.QueryRow(ctx, "SELECT version, oldest FROM mcp_docs.schema_version").Scan(&v.version, &v.oldest)
	return v, err
}
