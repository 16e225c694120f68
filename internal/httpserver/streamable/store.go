package streamable

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

const (
	// loadTimeout is how long the first request of a session at this replica waits for the store.
	loadTimeout = 3 * time.Second
	// asked is about how many sessions one query looks for.
	asked = 1000
)

// sessionsTopic is the topic of changes by which replicas report sessions that have ended. The key of a session is the digest of its id.
const sessionsTopic = "sessions"

// Through a Store, which is a database, replicas learn which sessions have ended: they cannot learn this from the id of a session.
//
// A replica asks the store about a session when a request brings the session to it, and about all its sessions when it
// may have missed that some have ended. If the store cannot be reached, the replica relies on what it knows, and asks later.
type Store struct {
	db     *database.DB
	logger *slog.Logger
	wake   chan struct{} // has room for one; has a value when there is something to take
	// bounds transactions to two of four connections, so that captures have some
	writing chan struct{}

	mu   sync.Mutex // guards all fields below
	news news
}

// news are what [sessions.follow] must do.
type news struct {
	all     bool     // any session may have ended
	ended   []string // keys of sessions
	unknown []string // keys of sessions for which the store could not be asked
}

// NewStore returns the store in a database. Call it before [database.DB.Run].
func NewStore(ctx context.Context, db *database.DB, keys *Keys, logger *slog.Logger) *Store {
	if db.Err() == nil {
		_ = keys.share(ctx, db) // again after the next connection
	}
	s := &Store{db: db, logger: logger, wake: make(chan struct{}, 1), writing: make(chan struct{}, 2)}
	db.Watch("", sessionsTopic, func(keys []string, all bool) {
		s.add(func(n *news) { n.ended, n.all = append(n.ended, keys...), n.all || all })
	})
	return s
}

// add changes what must be done, and wakes the goroutine that does it.
func (s *Store) add(change func(*news)) {
	s.mu.Lock()
	change(&s.news)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// take returns what must be done, and forgets it.
func (s *Store) take() news {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.news
	s.news = news{}
	return taken
}

// digest returns a text of 43 characters that stands for another one of any length.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ended returns which sessions have ended, by their keys.
func (s *Store) ended(ctx context.Context, sessions []string) (ended []string, err error) {
	err = s.db.Query(ctx, func(rows pgx.Rows) error {
		var session string
		err := rows.Scan(&session)
		ended = append(ended, session)
		return err
	}, "SELECT session FROM mcp_docs.ended_sessions WHERE session = ANY($1)", sessions)
	return ended, err
}

// end ends a session at all replicas.
func (s *Store) end(ctx context.Context, n *session) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.db.Change(ctx, "session/"+n.key, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		_, err := tx.Exec(ctx, "INSERT INTO mcp_docs.ended_sessions (session, expires) VALUES ($1, $2) ON CONFLICT DO NOTHING", n.key, n.expires)
		return []database.Change{{Topic: sessionsTopic, Keys: []string{n.key}}}, err
	})
}

// follow ends the sessions that other replicas have ended. If the store cannot be reached, follow asks later about the sessions that it does not know.
func (s *sessions) follow(ctx context.Context) {
	news := s.store.take()
	s.closeAll(news.ended)
	if news.all {
		if err := s.keys.share(ctx, s.store.db); err != nil && ctx.Err() == nil {
			s.store.logger.Warn("the key of sessions in the store cannot be read: until it can, sessions end with this replica", "error", err)
		}
		s.mu.Lock()
		news.unknown = slices.Collect(maps.Keys(s.byID))
		s.mu.Unlock()
	}
	s.refresh(ctx, news.unknown)
}

func (s *sessions) closeAll(keys []string) {
	for _, key := range keys {
		if n := s.known(key); n != nil {
			s.close(n)
		}
	}
}

func (s *sessions) known(key string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[key]
}

// refresh ends sessions that have ended elsewhere.
func (s *sessions) refresh(ctx context.Context, keys []string) {
	for some := range slices.Chunk(keys, asked) {
		ended, err := s.store.ended(ctx, some)
		s.closeAll(ended)
		if err != nil {
			s.store.mu.Lock()
			s.store.news.unknown = append(s.store.news.unknown, some...)
			s.store.mu.Unlock()
		}
	}
}

// load asks the store for a session that has begun again. Its other requests wait for that.
func (s *sessions) load(ctx context.Context, n *session) {
	defer close(n.loaded)
	// If the client is gone, its next request must find the state nevertheless.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
	defer cancel()
	s.refresh(ctx, []string{n.key})
}

// storeError returns an error of the store for a client, which may not see where the store is.
func (h *Handler) storeError(method string, err error) *protocol.Error {
	reason := "an error in the store of the server"
	if why := database.Public(err); why != nil {
		reason = why.Error() + "; try again later"
	}
	if !errors.Is(err, database.ErrUnreachable) { // which is logged once
		h.options.Logger.Warn("the store could not be used", "method", method, "error", err)
	}
	return protocol.InternalError("%s: %s", method, reason)
}
