package database

import (
	"context"
	"errors"
	"sync"
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
	token int64
	once  sync.Once
	lost  chan struct{}
}

// Acquire takes a lease. The error is [ErrHeld] if a replica has it, this one too.
func (db *DB) Acquire(ctx context.Context, name string) (*Lease, error) {
	db.mu.Lock()
	_, taken := db.leases[name]
	if !taken {
		db.leases[name] = nil // this process asks once at a time
	}
	db.mu.Unlock()
	if taken {
		return nil, ErrHeld
	}
	l := &Lease{db: db, name: name, lost: make(chan struct{})}
	// The clock is read again after the row was locked.
	err := db.Query(ctx, func(rows pgx.Rows) error { return rows.Scan(&l.token) }, `
		INSERT INTO mcp_docs.leases AS held (name, token, holder, until)
		VALUES ($1, nextval('mcp_docs.tokens'), $2, clock_timestamp() + make_interval(secs => $3))
		ON CONFLICT (name) DO UPDATE SET token = excluded.token, holder = excluded.holder, until = clock_timestamp() + make_interval(secs => $3)
		WHERE held.until < clock_timestamp()
		RETURNING token`, name, db.options.Instance, leaseTime.Seconds())
	if err == nil && l.token == 0 {
		err = ErrHeld
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if err != nil {
		delete(db.leases, name)
		return nil, err
	}
	db.leases[name] = l
	return l, nil
}

// Held returns the lease of a name that this process holds, or has lost and not released; nil: none.
func (db *DB) Held(name string) *Lease {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.leases[name]
}

// Token returns the fencing token: later holders have greater ones.
func (l *Lease) Token() int64 { return l.token }

// Lost returns a channel that is closed when this process learns that another one has taken the lease. A process that was
// paused learns it late, so writes need [Lease.Fence].
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// lose closes the channel that Lost returns.
func (l *Lease) lose() { l.once.Do(func() { close(l.lost) }) }

// Fence returns [ErrLost] if another replica has taken the lease. Otherwise none can take it before tx ends. It belongs at
// the beginning of each transaction that writes what the lease guards.
func (l *Lease) Fence(ctx context.Context, tx pgx.Tx) error {
	var token int64
	err := tx.QueryRow(ctx, "SELECT token FROM mcp_docs.leases WHERE name = $1 FOR KEY SHARE", l.name).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && token != l.token {
		l.lose()
		return ErrLost
	}
	return err
}

// Release gives the lease back. If the store cannot be reached, the lease ends by itself.
func (l *Lease) Release(ctx context.Context) {
	l.lose()
	_, _ = l.db.Exec(ctx, "DELETE FROM mcp_docs.leases WHERE name = $1 AND token = $2", l.name, l.token)
	l.db.mu.Lock()
	defer l.db.mu.Unlock()
	delete(l.db.leases, l.name)
}

// renew renews all leases of this process, and finds out which of them it has lost.
func (db *DB) renew(ctx context.Context, conn *pgx.Conn) error {
	db.mu.Lock()
	held := make(map[string]*Lease)
	var names []string
	var tokens []int64
	for name, l := range db.leases {
		if l != nil {
			held[name] = l
			names, tokens = append(names, name), append(tokens, l.token)
		}
	}
	db.mu.Unlock()
	if len(names) == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, err := conn.Query(bounded, `
		UPDATE mcp_docs.leases SET until = clock_timestamp() + make_interval(secs => $3)
		FROM unnest($1::text[], $2::bigint[]) AS mine (name, token)
		WHERE leases.name = mine.name AND leases.token = mine.token
		RETURNING leases.name`, names, tokens, leaseTime.Seconds())
	if err != nil {
		return err
	}
	renewed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range renewed {
		delete(held, name)
	}
	for _, l := range held {
		l.lose()
	}
	return nil
}
