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
	token [16]byte // random
	once  sync.Once
	lost  chan struct{}
}

// current is the condition that a lease of $2 seconds has not ended. One that ends later than a new one is of a clock that
// has gone back since, and has ended.
const current = "leases.until BETWEEN clock_timestamp() AND clock_timestamp() + make_interval(secs => $2)"

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
	// Most replicas do not get the lease, so they look before they write. The clock is read again after the row was locked.
	acquired := false
	held, err := db.Exec(ctx, "SELECT FROM mcp_docs.leases WHERE name = $1 AND "+current, name, leaseTime.Seconds())
	if err == nil && held == 0 {
		err = db.Query(ctx, func(rows pgx.Rows) error {
			acquired = true
			return rows.Scan(&l.token)
		}, `INSERT INTO mcp_docs.leases (name, holder, until) VALUES ($1, $3, clock_timestamp() + make_interval(secs => $2))
			ON CONFLICT (name) DO UPDATE SET token = excluded.token, holder = excluded.holder, until = clock_timestamp() + make_interval(secs => $2)
			WHERE NOT (`+current+`) RETURNING token`, name, leaseTime.Seconds(), db.options.Instance)
	}
	if err == nil && !acquired {
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

// Lost returns a channel that is closed when this process learns that another one has taken the lease. A process that was
// paused learns it late, so writes need [Lease.Fence].
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// lose closes the channel that Lost returns.
func (l *Lease) lose() { l.once.Do(func() { close(l.lost) }) }

// Fence returns [ErrLost] if another replica has taken the lease. Otherwise none can take it before tx ends. It belongs at
// the beginning of each transaction that writes what the lease guards.
func (l *Lease) Fence(ctx context.Context, tx pgx.Tx) error {
	var token [16]byte
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
	var tokens [][16]byte
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
		FROM unnest($1::text[], $2::uuid[]) AS mine (name, token)
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
