package capturing

import (
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
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
