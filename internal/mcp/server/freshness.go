package server

import (
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// How long a client may keep a result. A client that is notified of changes may keep it longer than
// one that would miss them.
const (
	coveredTTL = time.Hour
	listTTL    = time.Second
)

// Liveness says how soon the server itself warnings a change.
type Liveness struct {
	On  bool
	Lag time.Duration // delay of polling; 0 if the system reports changes
}

// listed returns the reply with a list. Clients may keep the list only if it is still current when
// it is written. Otherwise the notification of the change may have been written earlier, and a
// client would keep an outdated list.
func (s *Server) listed(r request, lists notify.Lists, current func() bool, list body) *reply {
	return &reply{Outcome: cacheable(r.era, 0), body: list, ttl: func() time.Duration {
		if !current() {
			return 0
		}
		return s.ttl(r.Session.Covers(lists), listTTL)
	}}
}

// ofView is listed for a list of resources or templates that was made from the view of a request.
func (s *Server) ofView(r request, list body) *reply {
	return s.listed(r, notify.Lists{Resources: true}, func() bool { return s.views.UpToDate(r.View, r.Caller) }, list)
}

// readTTL is how long a session may keep what it read: not at all, even if it is notified of
// changes of the file. A large file takes so long to encode that a notification may overtake it,
// and the client would keep an outdated file until the next change.
const readTTL = 0

func (s *Server) ttl(covered bool, uncovered time.Duration) time.Duration {
	live := Liveness{}
	if s.options.Live != nil {
		live = s.options.Live()
	}
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
