package hosts

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2, 3)
		for i := range 3 {
			if _, ok := l.Allow("a"); !ok {
				t.Fatalf("request %d of a burst of 3 is refused", i+1)
			}
		}
		for range 10 { // a refused request does not count
			if wait, ok := l.Allow("a"); ok || wait != 500*time.Millisecond {
				t.Fatalf("after the burst: %v, wait %v; want a wait of 500ms", ok, wait)
			}
		}
		if _, ok := l.Allow("b"); !ok {
			t.Error("another caller is refused")
		}
		time.Sleep(500 * time.Millisecond)
		if _, ok := l.Allow("a"); !ok {
			t.Error("refused after the wait that was asked for")
		}
	})
}

func TestLimiterForgetsTheQuietest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1, 1)
		l.most = 10
		l.Allow("busy")
		for i := range 1000 {
			l.Allow(fmt.Sprint("caller ", i))
			if _, ok := l.Allow("busy"); ok {
				t.Fatal("a busy caller was forgotten")
			}
		}
		if len(l.callers) != 10 || l.order.Len() != 10 {
			t.Errorf("%d callers, %d in order, want 10", len(l.callers), l.order.Len())
		}
	})
}

func TestAddrKey(t *testing.T) {
	for a, want := range map[string]string{
		"198.51.100.1":          "address:198.51.100.1",
		"2001:db8:1:2:3:4:5:6":  "address:2001:db8:1:2::/64",
		"2001:db8:1:2:ff::abcd": "address:2001:db8:1:2::/64",
	} {
		must.Equal(t, want, AddrKey(netip.MustParseAddr(a)), a)
	}
	must.Equal(t, "address:unknown", AddrKey(netip.Addr{}), "no address")
}

func TestTooMany(t *testing.T) {
	for wait, want := range map[time.Duration]string{time.Nanosecond: "1", time.Second: "1", 1500 * time.Millisecond: "2", 0: "1"} {
		w := httptest.NewRecorder()
		TooMany(w, wait)
		if got := w.Header().Get("Retry-After"); w.Code != 429 || got != want || !strings.Contains(w.Body.String(), "in "+want+" s") {
			t.Errorf("%v: %d, Retry-After %q, want %s; %s", wait, w.Code, got, want, w.Body)
		}
	}
}
