package streamable

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

const (
	// maxOwned is how many subscriptions all sessions of a caller may have in a project.
	maxOwned = 100_000
	// loadTimeout is how long the first request of a session at this replica waits for the store.
	loadTimeout = 3 * time.Second
	// cancellations is how many cancellations a second are passed to other replicas, so that a client cannot flood the store.
	cancellations = 100
	// refreshed is how many sessions one query reads.
	refreshed = 1000
	// manyChanged is how many changed sessions are remembered one by one.
	manyChanged = 10_000
)

// Topics of changes that replicas tell each other. The key of a session is the digest of its id.
const (
	sessionsTopic = "sessions"      // key: of a session that has ended or has other subscriptions
	cancelTopic   = "cancellations" // key: of a session, ".", and the digest of the key of the call
)

// A Store shares by a database what replicas cannot know from the id of a session: that it has ended, and to what it has
// subscribed. It also passes cancellations to the replica that has the call.
//
// A replica reads the state of a session when the session begins again there, and after each change of the state. If the
// store cannot be reached, the replica goes on with the state that it knows, and reads it afterwards.
type Store struct {
	db      *database.DB
	wake    chan struct{} // has room for one; has a value when there is something to take
	writing chan struct{} // has room for the transactions at a time: two of four connections, so that clients leave some to captures
	limiter *rate.Limiter

	mu   sync.Mutex // guards all fields below
	news news
}

// news are what [sessions.follow] must do.
type news struct {
	all       bool            // all sessions may have changed
	changed   map[string]bool // keys of sessions that may have changed
	cancelled []string        // keys of cancelTopic, from other replicas
	cancels   []string        // keys of cancelTopic, for other replicas
}

// NewStore returns the store in a database. Call it before [database.DB.Run].
func NewStore(db *database.DB) *Store {
	s := &Store{db: db, wake: make(chan struct{}, 1), writing: make(chan struct{}, 2), limiter: rate.NewLimiter(cancellations, cancellations)}
	db.Watch("", sessionsTopic, func(keys []string, all bool) {
		s.add(func(n *news) { n.add(keys, all) })
	})
	db.Watch("", cancelTopic, func(keys []string, _ bool) {
		s.add(func(n *news) {
			n.cancelled = append(n.cancelled, keys[:min(len(keys), manyChanged-len(n.cancelled))]...)
		})
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

func (n *news) add(keys []string, all bool) {
	if n.changed == nil {
		n.changed = make(map[string]bool)
	}
	for _, key := range keys {
		n.changed[key] = true
	}
	if n.all = n.all || all || len(n.changed) > manyChanged; n.all {
		n.changed = nil
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

// again makes the next take return what could not be read.
func (s *Store) again(keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news.add(keys, false)
}

// digest returns a text of 43 characters that stands for another one of any length.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// A state is what the store knows of a session.
type state struct {
	ended bool
	keys  map[string]string // of subscriptions, see [notify.Subscriber.Restore]
}

// read returns the states of sessions, by their keys.
func (s *Store) read(ctx context.Context, sessions []string) (map[string]state, error) {
	states := make(map[string]state, len(sessions))
	err := s.db.Query(ctx, func(rows pgx.Rows) error {
		var session string
		var ended bool
		var uri, resource []byte
		if err := rows.Scan(&session, &ended, &uri, &resource); err != nil {
			return err
		}
		known, has := states[session]
		if !has {
			known = state{ended, make(map[string]string)}
			states[session] = known
		}
		if uri != nil {
			known.keys[string(uri)] = string(resource)
		}
		return nil
	}, `SELECT asked.session, ended.session IS NOT NULL, subscriptions.uri, subscriptions.resource
		FROM unnest($1::text[]) AS asked (session)
		LEFT JOIN mcp_docs.ended_sessions ended ON ended.session = asked.session
		LEFT JOIN mcp_docs.subscriptions ON subscriptions.session = asked.session`, sessions)
	return states, err
}

// change calls do in a transaction that is alone in changing a session, and tells all replicas if do returns true.
func (s *Store) change(ctx context.Context, n *session, do func(ctx context.Context, tx pgx.Tx) (bool, error)) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", n.key); err != nil {
			return err
		}
		changed, err := do(ctx, tx)
		if err != nil || !changed {
			return err
		}
		return database.Changed(ctx, tx, "", sessionsTopic, n.key)
	})
}

// end ends a session at all replicas.
func (s *Store) end(ctx context.Context, n *session) error {
	return s.change(ctx, n, func(ctx context.Context, tx pgx.Tx) (bool, error) {
		if _, err := tx.Exec(ctx, "INSERT INTO mcp_docs.ended_sessions (session, expires) VALUES ($1, $2) ON CONFLICT DO NOTHING", n.key, n.expires); err != nil {
			return false, err
		}
		_, err := tx.Exec(ctx, "DELETE FROM mcp_docs.subscriptions WHERE session = $1", n.key)
		return true, err
	})
}

// subscribe adds a subscription to the resource with a key. The error is a [*protocol.Error] if there are too many, and
// errNoSession if the session has ended.
func (s *Store) subscribe(ctx context.Context, n *session, uri, key string) error {
	owner := digest(string(owner(n.owner.name, n.caller)))
	return s.change(ctx, n, func(ctx context.Context, tx pgx.Tx) (bool, error) {
		added, err := tx.Exec(ctx, `INSERT INTO mcp_docs.subscriptions (session, uri_digest, owner, uri, resource, expires)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`, n.key, digest(uri), owner, []byte(uri), []byte(key), n.expires)
		if err != nil || added.RowsAffected() == 0 {
			return false, err
		}
		var ended bool
		var own, owned int
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mcp_docs.ended_sessions WHERE session = $1),
			(SELECT count(*) FROM mcp_docs.subscriptions WHERE session = $1), (SELECT count(*) FROM mcp_docs.subscriptions WHERE owner = $2)`,
			n.key, owner).Scan(&ended, &own, &owned)
		switch {
		case err != nil:
			return false, err
		case ended:
			return false, errNoSession
		case own > notify.MaxURIs:
			return false, protocol.InvalidParams("a session may subscribe to %d resources; unsubscribe from some first", notify.MaxURIs)
		case owned > maxOwned:
			return false, protocol.InvalidParams("the sessions of a caller may have %d subscriptions; unsubscribe from some first", maxOwned)
		}
		return true, nil
	})
}

// unsubscribe ends a subscription, if there is one.
func (s *Store) unsubscribe(ctx context.Context, n *session, uri string) error {
	return s.change(ctx, n, func(ctx context.Context, tx pgx.Tx) (bool, error) {
		gone, err := tx.Exec(ctx, "DELETE FROM mcp_docs.subscriptions WHERE session = $1 AND uri_digest = $2", n.key, digest(uri))
		return gone.RowsAffected() > 0, err
	})
}

// cancel passes a cancellation to the replica that has the call, without waiting.
func (s *Store) cancel(n *session, call string) {
	if s.limiter.Allow() {
		s.add(func(news *news) { news.cancels = append(news.cancels, n.key+"."+digest(call)) })
	}
}

// follow does what other replicas, or this one, have told. What cannot be read now is read later.
func (s *sessions) follow(ctx context.Context) {
	news := s.store.take()
	for _, key := range news.cancelled {
		session, call, _ := strings.Cut(key, ".")
		if n := s.known(session); n != nil {
			n.cancelDigest(call)
		}
	}
	if len(news.cancels) > 0 {
		// If the store cannot be reached, the calls run to their ends.
		_ = s.store.db.Tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
			return database.Changed(ctx, tx, "", cancelTopic, news.cancels...)
		})
	}
	var changed []*session
	s.mu.Lock()
	if news.all {
		for _, n := range s.byID {
			changed = append(changed, n)
		}
	}
	for key := range news.changed {
		if n := s.byID[key]; n != nil {
			changed = append(changed, n)
		}
	}
	s.mu.Unlock()
	s.refresh(ctx, changed)
}

func (s *sessions) known(key string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[key]
}

// refresh reads the states of sessions, and ends those that ended elsewhere.
func (s *sessions) refresh(ctx context.Context, sessions []*session) {
	for some := range slices.Chunk(sessions, refreshed) {
		turn := s.turns.Add(1)
		keys := make([]string, len(some))
		for i, n := range some {
			keys[i] = n.key
		}
		states, err := s.store.read(ctx, keys)
		if err != nil {
			s.store.again(keys)
			continue
		}
		for _, n := range some {
			if states[n.key].ended {
				s.close(n)
				continue
			}
			n.restore(turn, states[n.key].keys)
		}
	}
}

// restore sets the subscriptions of a session, unless a query that began later has done so.
func (n *session) restore(turn int64, keys map[string]string) {
	n.restoring.Lock()
	defer n.restoring.Unlock()
	if turn < n.turn {
		return
	}
	n.turn = turn
	if err := n.subscriber.Restore(keys); err != nil {
		n.owner.logger.Warn("a session is not notified of all its resources at this replica", "error", err)
	}
}

// load reads the state of a session that has begun again. Its other requests wait for that.
func (s *sessions) load(ctx context.Context, n *session) {
	defer close(n.loaded)
	// If the client is gone, its next request must find the state nevertheless.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
	defer cancel()
	s.refresh(ctx, []*session{n})
}

// share lets other replicas know of the subscription that a call has made or ended here.
func (s *sessions) share(ctx context.Context, n *session, call *protocol.Call) error {
	var params struct {
		URI string `json:"uri"`
	}
	if err := protocol.Decode(call.Params, &params); err != nil {
		return err
	}
	var err error
	if call.Method == protocol.MethodUnsubscribe {
		err = s.store.unsubscribe(ctx, n, params.URI)
	} else if key, first, ok := n.subscriber.Share(params.URI); ok {
		if err = s.store.subscribe(ctx, n, params.URI, key); err != nil && first {
			n.subscriber.Unsubscribe(params.URI)
		}
	}
	if err != nil { // the store decides, which may have got the change nevertheless
		s.store.again([]string{n.key})
	}
	return err
}

// respond answers a call of a session, and with a store lets other replicas know of its subscriptions.
func (h *Handler) respond(ctx context.Context, n *session, call *protocol.Call) (protocol.Result, error) {
	result, err := h.server.Answer(ctx, call)
	if err != nil || h.shared.sessions.store == nil || call.Method != protocol.MethodSubscribe && call.Method != protocol.MethodUnsubscribe {
		return result, err
	}
	if err := h.shared.sessions.share(ctx, n, call); err != nil {
		result.Release()
		return nil, h.storeError(call.Method, err)
	}
	return result, nil
}

// storeError returns an error of the store for a client, which may not see where the store is.
func (h *Handler) storeError(method string, err error) *protocol.Error {
	if refused, ok := errors.AsType[*protocol.Error](err); ok {
		return refused
	}
	if err == errNoSession {
		return protocol.InvalidRequest("%v", err)
	}
	reason := "the server cannot reach its store; try again later"
	if !errors.Is(err, database.ErrUnreachable) { // which is logged once
		h.logger.Warn("the store could not be used", "method", method, "error", err)
		reason = "an error in the store of the server"
	}
	return &protocol.Error{Code: protocol.CodeInternalError, Message: method + ": " + reason}
}
