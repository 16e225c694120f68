package store

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// A replica is a store with a connection of its own.
type replica struct {
	*Store
	db *database.DB
}

// openReplica opens the store of a project in a database.
func openReplica(t testing.TB, url string, change func(*Settings)) replica {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	db, err := database.Open(t.Context(), database.Options{URL: url, Instance: t.Name(), Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	settings := DefaultSettings()
	settings.Kind, settings.DB, settings.Project = Postgres, db, "project"
	if change != nil {
		change(&settings)
	}
	s, err := Open(t.Context(), settings, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return replica{s, db}
}

// onlyReplica opens a store that removes captures, as no other replica does.
func onlyReplica(t testing.TB, url string, change func(*Settings)) *Store {
	t.Helper()
	s := openReplica(t, url, change)
	s.follow(t.Context())
	if !s.engine.evicts() {
		t.Fatal("another replica has the lease")
	}
	return s.Store
}

// run runs a replica until the test ends.
func (r replica) run(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() { r.db.Run(ctx); ended <- struct{}{} }()
	go func() { r.Run(ctx); ended <- struct{}{} }()
	t.Cleanup(func() { cancel(); <-ended; <-ended })
}

// until waits for something that takes milliseconds on a quiet machine.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after 30 s", what)
		}
	}
}
