package database

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// A clock is the time of the database at a moment of this process. Durations of a process do not depend on its clock.
type clock struct {
	at     time.Time     // of the database
	since  time.Time     // of this process
	within time.Duration // the time that the statement took: at is wrong by half of it at most
}

// clockKept is how long a time is preferred to one whose statement took longer. Clocks drift by some milliseconds meanwhile.
const clockKept = time.Minute

// Now returns the time of the database, which all replicas share, as it was read last and has gone on since.
func (db *DB) Now() time.Time {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.clock.at.Add(time.Since(db.clock.since))
}

// setClock takes a time of the database that was read by a statement that began at a moment.
func (db *DB) setClock(at, began time.Time) {
	took := time.Since(began)
	db.mu.Lock()
	defer db.mu.Unlock()
	if took <= db.clock.within || time.Since(db.clock.since) > clockKept {
		db.clock = clock{at.UTC(), began.Add(took / 2), took}
	}
}

func (db *DB) readClock(ctx context.Context, from interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) error {
	began := time.Now()
	var at time.Time
	if err := from.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&at); err != nil {
		return err
	}
	db.setClock(at, began)
	return nil
}
