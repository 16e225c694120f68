package cli

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		terminal bool
		total    int64
		lasts    time.Duration
		want     string
	}{
		{false, 64 << 20, 900 * time.Millisecond, ""},
		{true, 64 << 20, 900 * time.Millisecond, ""},
		{false, 64 << 20, 1500 * time.Millisecond, "mcp-docs-server: looking: 10.0 MiB of 64.0 MiB\n"},
		{false, 0, 11500 * time.Millisecond, "mcp-docs-server: looking: 10.0 MiB\nmcp-docs-server: looking: 110.0 MiB\n"},
		{true, 64 << 20, 1300 * time.Millisecond, "\rmcp-docs-server: looking: 10.0 MiB of 64.0 MiB\rmcp-docs-server: looking: 12.0 MiB of 64.0 MiB\r" + strings.Repeat(" ", 46) + "\r"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var b strings.Builder
			p := &progress{w: &b, terminal: test.terminal}
			err := p.during("looking", test.total, func() error {
				for passed := time.Duration(0); passed < test.lasts; passed += 100 * time.Millisecond {
					p.add(1 << 20)
					time.Sleep(100*time.Millisecond + time.Microsecond)
				}
				return broken
			})
			if diff := cmp.Diff(test.want, b.String()); err != broken || diff != "" {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
		})
	}
}
