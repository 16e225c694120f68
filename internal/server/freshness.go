package server

import (
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/view"
)

// Times that a result may be kept. A client that hears of its changes may keep it until then;
// another one misses them.
const (
	coveredTTL = time.Hour
	listTTL    = time.Second
)

// Liveness is how soon the server itself knows of a change.
type Liveness struct {
	On  bool
	Lag time.Duration // of polling; 0 where the system reports changes
}

// listTTL is how long a session may keep a list.
func (s *Server) listTTL(session *notify.Subscriber, of notify.Lists) time.Duration {
	return s.ttl(session.Covers(of), listTTL)
}

// viewTTL is how long a caller may keep a list that was made from a view: not at all if something
// has changed since, for the news of that may be on its way already.
func (s *Server) viewTTL(r request, v view.View) time.Duration {
	if !s.views.Current(v, r.Caller) {
		return 0
	}
	return s.listTTL(r.Session, notify.Lists{Resources: true})
}

// readTTL is how long a session may keep what it read: not at all, even if it hears when the file
// changes. Encoding a large file takes long enough for the news to overtake it, and what was kept
// then would be wrong until the next change.
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
