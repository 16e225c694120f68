package server

import (
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
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

// listed makes a reply of a list. It may be kept if it is still current when it is written:
// otherwise the news of the change may have been written before it, and a client that keeps the
// list would not hear that it is wrong.
func (s *Server) listed(r request, of notify.Lists, current func() bool, list body) *reply {
	return &reply{Outcome: cacheable(r.era, 0), body: list, ttl: func() time.Duration {
		if !current() {
			return 0
		}
		return s.listTTL(r.Session, of)
	}}
}

// ofView is listed for a list of resources or templates that was made from a view.
func (s *Server) ofView(r request, v view.View, list body) *reply {
	return s.listed(r, notify.Lists{Resources: true}, func() bool { return s.views.Current(v, r.Caller) }, list)
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
