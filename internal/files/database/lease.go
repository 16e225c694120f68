package database

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// leaseTime is how long a lease lasts after it was renewed. Three renewals fit in.
const leaseTime = 6 * time.Second

// Errors of leases.
var (
	ErrHeld = errors.New("another replica holds the lease")
	ErrLost = errors.New("another replica has taken over, since this one was paused or cut off")
)

// A Lease is the right of this replica to do something alone, until it is released or another replica takes it. Others can
// take it if it was not renewed for 6 seconds.
type Lease struct {
	db    *DB
	name  string
	token [16]byte // random
	lost  atomic.Bool
}

// current is the condition that a lease of $2 seconds has not ended. One that ends later than a new one is of a clock that
// has gone back since, and has ended.
const current = "leases.until BETWEEN clock_timestamp() AND clock_timestamp() + make_interval(secs => $2)"

// takeSQL takes the lease $1. Most replicas do not get it, so it looks before it writes. It reads the clock again after the
// row was locked.
const takeSQL = `INSERT INTO mcp_docs.leases (name, holder, until) SELECT $1, $3, clock_timestamp() + make_interval(secs => $2)
		WHERE NOT EXISTS (SELECT FROM mcp_docs.leases WHERE name = $1 AND ` + current + `)
	ON CONFLICT (name) DO UPDATE SET token = excluded.token, holder = excluded.holder, until = clock_timestamp() + make_interval(secs => $2)
		WHERE NOT (` + current + `) RETURNING token`

// Acquire takes a lease. The error is [ErrHeld] if a replica has it, this one too.
func (db *DB) Acquire(ctx context.Context, name string) (*Lease, error) {
	l := &Lease{db: db, name: name}
	acquired := false
	err := db.Query(ctx, func(rows pgx.Rows) error {
		acquired = true
		return rows.Scan(&l.token)
	}, takeSQL, name, leaseTime.Seconds(), db.options.Instance)
	if err == nil && !acquired {
		err = ErrHeld
	}
	if err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.leases[name] = l
	return l, nil
}

// Held reports whether the lease was neither released nor, as far as this process knows, taken by another one. A process
// that was paused learns it late, so writes need [Lease.Fence].
func (l *Lease) Held() bool { return !l.lost.Load() }

// Fence returns [ErrLost] if another replica has taken the lease. Otherwise none can take it before tx ends. It belongs at
// the beginning of each transaction that writes what the lease guards.
func (l *Lease) Fence(ctx context.Context, tx pgx.Tx) error {
	var token [16]byte
	err := tx.QueryRow(ctx, "SELECT token FROM mcp_docs.leases WHERE name = $1 FOR KEY SHARE", l.name).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && token != l.token {
		l.lost.Store(true)
		return ErrLost
	}
	return err
}

// Release gives the lease back. If the store cannot be reached, the lease ends by itself.
func (l *Lease) Release(ctx context.Context) {
	l.lost.Store(true)
	_, _ = l.db.Exec(ctx, "DELETE FROM mcp_docs.leases WHERE name = $1 AND token = $2", l.name, l.token)
}

// renew renews all leases of this process, and finds out which of them it has lost.
func (db *DB) renew(ctx context.Context, conn *pgx.Conn) error {
	var names []string
	var tokens [][16]byte
	db.mu.Lock()
	maps.DeleteFunc(db.leases, func(_ string, l *Lease) bool { return !l.Held() })
	held := maps.Clone(db.leases)
	db.mu.Unlock()
	for name, l := range held {
		names, tokens = append(names, name), append(tokens, l.token)
	}
	if len(names) == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, _ := conn.Query(bounded, `
		UPDATE mcp_docs.leases SET until = clock_timestamp() + make_interval(secs => $3)
		FROM unnest($1::text[], $2::uuid[]) AS mine (name, token)
		WHERE leases.name = mine.name AND leases.token = mine.token
		RETURNING leases.name`, names, tokens, leaseTime.Seconds())
	var name string
	if _, err := pgx.ForEachRow(rows, []any{&name}, func() error { delete(held, name); return nil }); err != nil {
		return err
	}
	for _, l := range held {
		l.lost.Store(true)
	}
	return nil
}
