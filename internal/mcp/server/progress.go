package server

import (
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// progressPause is the least time between two notifications of a call, to avoid a flood (MCP,
// "Progress").
const progressPause = 100 * time.Millisecond

// progressOf returns the function with which a tool reports progress, or nil if the call requests
// none or its client cannot be notified. After stop, nothing is sent.
func progressOf(r request) (report func(done, total float64, message string), stop func()) {
	token := protocol.ProgressToken(r.Params)
	if token == nil || r.Notify == nil {
		return nil, func() {}
	}
	var mu sync.Mutex // guards all below
	var stopped bool
	var last time.Time
	most := math.Inf(-1) // progress increases with each notification
	report = func(done, total float64, message string) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if stopped || !(done > most) || math.IsInf(done, 0) || !last.IsZero() && now.Sub(last) < progressPause && done != total {
			return
		}
		most, last = done, now
		params := append(append([]byte(`{"progressToken":`), token...), `,"progress":`...)
		params = strconv.AppendFloat(params, done, 'g', -1, 64)
		if total > 0 && !math.IsInf(total, 0) {
			params = strconv.AppendFloat(append(params, `,"total":`...), total, 'g', -1, 64)
		}
		if message != "" {
			params = jsonwire.AppendString(append(params, `,"message":`...), message)
		}
		r.Notify(notify.Notification{Method: "notifications/progress", Params: append(params, '}')})
	}
	return report, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}
