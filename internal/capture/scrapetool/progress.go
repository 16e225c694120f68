package scrapetool

import (
	"fmt"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// reportEvery is the time between two reports of progress. After each, clients with a timeout of a
// minute wait another minute.
const reportEvery = 5 * time.Second

// A reporter reports the steps of a call to the client, and repeats the last one regularly.
type reporter struct {
	call  tools.Call
	about string

	mu    sync.Mutex // guards the fields below
	steps float64
	step  string
}

// begin starts a reporter, which reports until end is called.
func begin(c tools.Call, about string) (r *reporter, end func()) {
	r = &reporter{call: c, about: about, step: "waiting"}
	if c.Progress == nil {
		return r, func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.report("", fmt.Sprintf(" (%v)", time.Since(began).Round(time.Second)))
			case <-over:
				return
			}
		}
	}()
	return r, func() {
		close(over)
		<-ended
	}
}

// next reports the next step.
func (r *reporter) next(step string) { r.report(step, "") }

func (r *reporter) report(step, since string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if step != "" {
		r.step = step
	}
	r.call.Report(r.steps, 0, r.step+": "+r.about+since)
	r.steps++
}
