package server

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Protocol versions at which the eras meet.
const (
	lastHandshakeVersion = "2025-11-25"
	statelessVersion     = "2026-07-28"
)

// An era is what the version of a request changes in its answer.
type era bool

const (
	handshake era = false // up to 2025-11-25
	stateless era = true  // from 2026-07-28 on
)

func eraOf(req interface{ ProtocolVersion() string }) era {
	return era(req.ProtocolVersion() >= statelessVersion)
}

// outcome holds the fields that every result of ours has beside its content.
type outcome struct {
	mcp.ResultBase
	ResultType string `json:"resultType,omitempty"`
	*freshness
}

// freshness says how long a client may keep a result (2026-07-28, "Caching").
type freshness struct {
	TTLMs      int    `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

// outcome returns the fields for a result that may not be kept.
func (e era) outcome() outcome {
	if e == handshake {
		return outcome{}
	}
	return outcome{ResultType: "complete"}
}

// cacheable returns the fields for a result that may be kept so long.
func (e era) cacheable(ttl time.Duration) outcome {
	o := e.outcome()
	if e == stateless {
		o.freshness = &freshness{TTLMs: int(ttl.Milliseconds()), CacheScope: "private"}
	}
	return o
}

// Times that a result may be kept. A client that hears of its changes may keep it until then; another one misses them.
const (
	coveredTTL = time.Hour
	listTTL    = time.Second
)

// Liveness is how soon the server itself knows of a change.
type Liveness struct {
	On  bool
	Lag time.Duration // of polling; 0 where the system tells
}

// listTTL is how long a session may keep a list. One that was made from a catalog may not be kept at all if another is
// current by now: the news of that may be on its way already.
func (s *Server) listTTL(session *mcp.ServerSession, of lists, catalog *loader.Catalog) time.Duration {
	if catalog != nil && !s.catalog.Is(catalog) {
		return 0
	}
	return s.ttl(s.hub.covers(session, func(st *stream) bool { return st.wants.and(of) == of }), listTTL)
}

// readTTL is how long a session may keep what it read: not at all, even if it hears when the file changes. Encoding a large
// file takes long enough for the news to overtake it, and what was kept then would be wrong until the next change.
const readTTL = 0

func (s *Server) ttl(covered bool, uncovered time.Duration) time.Duration {
	live := s.live()
	switch {
	case !live.On:
		return 0
	case !covered:
		return max(0, uncovered-live.Lag)
	case live.Lag > 0:
		return live.Lag
	}
	return coveredTTL
}
