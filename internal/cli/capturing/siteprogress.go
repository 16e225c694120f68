package capturing

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
)

// saidEvery is the interval between reports of the progress of a crawl in a log.
const saidEvery = 30 * time.Second

// showing captures a site, and shows its progress: in the line of a terminal, or else in lines of a log,
// because a crawl may take hours.
func (a *app) showing(text func(passed time.Duration) string, do func() error) error {
	if a.Line.Terminal() {
		return a.Line.During(progress.Work{Name: "capturing", Text: text}, do)
	}
	ticker := time.NewTicker(saidEvery)
	defer ticker.Stop()
	return a.saying(text, ticker.C, do)
}

// saying does some work, and prints its progress at each tick.
func (a *app) saying(text func(passed time.Duration) string, ticks <-chan time.Time, do func() error) error {
	begun := time.Now()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ticks:
				a.Say("capturing: %s", text(time.Since(begun)))
			case <-stop:
				return
			}
		}
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	return do()
}

// siteProgress returns a function that describes the progress of a crawl.
func siteProgress(stats func() crawl.Stats) func(time.Duration) string {
	return func(passed time.Duration) string {
		s := stats()
		parts := []string{fmt.Sprintf("%d of %d pages", s.Pages, min(s.Limit, s.Pages+s.Waiting)), fmt.Sprintf("%.1f MiB", float64(s.Bytes)/(1<<20))}
		rate := float64(s.Requests) / max(passed.Seconds(), 1)
		parts = append(parts, fmt.Sprintf("%.1f URLs/s", rate))
		if left := min(s.Waiting, s.Limit-s.Pages); rate > 0 && left > 0 {
			parts = append(parts, fmt.Sprintf("%v left", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second)))
		}
		return strings.Join(parts, ", ")
	}
}
