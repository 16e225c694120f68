package database

import (
	"context"
	"time"
)

// A clock is the time of the database at a moment of this process. Durations of a process do not depend on its clock.
type clock struct {
	at    time.Time     // of the database
	since time.Time     // of this process
	took  time.Duration // the time that the statement took: at is wrong by half of it at most
}

// Now returns the time of the database, which all replicas share, as it was read last and has gone on since.
func (db *DB) Now() time.Time {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.clock.at.Add(time.Since(db.clock.since))
}

// LastRead returns how long ago the log was read, and how long the store took to answer.
func (db *DB) LastRead() (age, took time.Duration) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return time.Since(db.clock.since), db.clock.took
}

// setClock takes a time of the database that was read by a statement that began at a moment.
func (db *DB) setClock(now, began time.Time) {
	took := time.Since(began)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.clock = clock{now.UTC(), began.Add(took / 2), took}
}

func (db *DB) readClock(ctx context.Context) error {
	began := time.Now()
	var now time.Time
	err := db.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	if err == nil {
		db.setClock(now, began)
	}
	return err
}
