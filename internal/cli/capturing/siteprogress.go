package capturing

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
)

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
