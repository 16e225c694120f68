package capturing

import (
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
)

func TestSiteProgress(t *testing.T) {
	for want, s := range map[string]crawl.Stats{
		"0 of 0 pages, 0.0 MiB, 0.0 URLs/s":                      {Limit: 100},
		"10 of 100 pages, 3.0 MiB, 2.0 URLs/s, 45s left":         {Limit: 100, Pages: 10, Waiting: 700, Bytes: 3 << 20, Requests: 20},
		"10 of 60 pages, 0.5 MiB, 1.0 URLs/s, 50s left":          {Limit: 100, Pages: 10, Waiting: 50, Bytes: 1 << 19, Requests: 10},
		"4000 of 9000 pages, 0.0 MiB, 0.5 URLs/s, 2h46m40s left": {Limit: 10000, Pages: 4000, Waiting: 5000, Requests: 5},
	} {
		if got := siteProgress(func() crawl.Stats { return s })(10 * time.Second); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestProgressWithoutATerminal has a line in the log for each tick, and none after the work.
func TestProgressWithoutATerminal(t *testing.T) {
	var errs strings.Builder
	a := &app{&command.App{Streams: command.Streams{Err: &errs}, Line: progress.On(&errs)}}
	ticks := make(chan time.Time)
	if err := a.saying(func(time.Duration) string { return "1 of 2 pages" }, ticks, func() error {
		ticks <- time.Time{}
		ticks <- time.Time{}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if got, want := errs.String(), "mcp-docs-server: capturing: 1 of 2 pages\n"; got != want+want {
		t.Errorf("%q", got)
	}
}
