package notify

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	file = "resources/docs/a.md"
	uri  = "docs://a.md"
)

func scan(t *testing.T, fsys fs.FS) *loader.Catalog {
	t.Helper()
	return must.Get(loader.Scan(t.Context(), fsys, loader.Options{}))(t)
}

// updates returns how many notifications of updates a session gets now.
func updates(t *testing.T, s *Subscriber) int {
	t.Helper()
	synctest.Wait()
	n := 0
	for {
		over := make(chan struct{})
		close(over)
		next, err := s.Next(context.Background(), over, nil)
		if err == ErrOver {
			return n
		}
		must.Do(t, err)
		if next.Method == resourceUpdated {
			n++
		}
	}
}

// A file changes while it is read for a first subscription. Later changes must not be compared with
// the bytes from before this change.
func TestChangeDuringFirstDigest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		catalog := scan(t, fstest.MapFS{file: {Data: []byte("1")}})
		content := uint64(1)
		slow := make(chan struct{})
		var first bool
		h := New(func(*loader.Catalog, loader.Resource) uint64 {
			read := content
			if !first {
				first = true
				<-slow
			}
			return read
		})
		one, other := h.Open(""), h.Open("")
		defer one.Close()
		defer other.Close()
		subscribed := make(chan error, 1)
		go func() { subscribed <- one.Subscribe(view.View{Files: catalog}, uri) }()
		synctest.Wait()
		must.Do(t, other.Subscribe(view.View{Files: catalog}, uri))

		changed := func(touched bool) {
			h.Changed(catalog, catalog, func(loader.Resource) bool { return touched })
			time.Sleep(3 * ceiling)
		}
		changed(false)
		if n := updates(t, other); n != 0 {
			t.Errorf("%d updates of a file that nothing touched", n)
		}
		content = 2
		changed(true)
		if n := updates(t, other); n != 1 {
			t.Errorf("%d updates of a file that has changed, want 1", n)
		}
		close(slow)
		must.Do(t, <-subscribed)
		changed(true)
		for _, s := range []*Subscriber{one, other} {
			if n := updates(t, s); n != 0 {
				t.Errorf("%d updates of a file that is as it was", n)
			}
		}
		content = 1
		changed(true)
		for _, s := range []*Subscriber{one, other} {
			if n := updates(t, s); n != 1 {
				t.Errorf("%d updates of a file that has changed back, want 1", n)
			}
		}
	})
}

// source is a source with resources that no list shows.
type source struct {
	*view.List
	owner string
}

func (s source) Name() string                                   { return "a source" }
func (s source) Notify(func(view.Change))                       {}
func (s source) Snapshot(*loader.Catalog, string) view.Snapshot { return s }
func (s source) Lookup(uri string) (*view.Resource, bool) {
	return &view.Resource{URI: uri, Owner: s.owner}, strings.HasPrefix(uri, "made://")
}

// A source that does not know which of its resources have changed is asked about the resources that
// clients have subscribed to.
func TestChangeOfUnnamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(func(*loader.Catalog, loader.Resource) uint64 { return 1 })
		s := h.Open("ann")
		defer s.Close()
		for _, owner := range []string{"", "ann"} {
			files := latest.New[loader.Catalog]()
			files.Publish(scan(t, fstest.MapFS{file: {Data: []byte("1")}}))
			v, _ := view.New(files, source{view.NewList(nil), owner}).Peek("ann")
			for _, subscribed := range []string{uri, "made://1" + owner, "made://2" + owner} {
				must.Do(t, s.Subscribe(v, subscribed))
			}
		}
		for _, test := range []struct {
			change view.Change
			want   int
		}{
			{view.Change{Also: func(string) bool { return true }}, 2}, // the resources without an owner that are not files
			{view.Change{Owner: "ann", Also: func(string) bool { return true }}, 2},
			{view.Change{Owner: "an", Also: func(string) bool { return true }}, 0},
			{view.Change{Also: func(uri string) bool { return uri == "made://2" }}, 1},
			{view.Change{Updated: []string{"made://2"}, Also: func(uri string) bool { return uri == "made://2" }}, 1},
			{view.Change{}, 0},
		} {
			h.SourceChanged(test.change)
			time.Sleep(3 * ceiling)
			if n := updates(t, s); n != test.want {
				t.Errorf("%+v: %d updates, want %d", test.change, n, test.want)
			}
		}
	})
}

// paced makes changes, each after a pause, and returns the times of the announcements since the
// start.
func paced(t *testing.T, pauses []time.Duration) []time.Duration {
	var times []time.Duration
	synctest.Test(t, func(t *testing.T) {
		h := New(nil)
		time.Sleep(time.Minute)
		start := time.Now()
		note := func(a announcement) {
			if !a.empty() {
				times = append(times, time.Since(start))
			}
		}
		var flush func()
		flush = func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			note(h.pacer.due(time.Now(), flush))
		}
		for _, pause := range pauses {
			time.Sleep(pause)
			h.mu.Lock()
			note(h.pacer.add(announcement{Lists: Lists{Resources: true}}, time.Now(), flush))
			h.mu.Unlock()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.pacer.pending.empty() {
			t.Error("the last change is never announced")
		}
	})
	return times
}

func TestPace(t *testing.T) {
	times := paced(t, []time.Duration{0})
	if len(times) != 1 || times[0] != 0 {
		t.Errorf("a single change is announced at %v", times)
	}
	times = paced(t, []time.Duration{0, 10 * time.Millisecond, 10 * time.Millisecond})
	if len(times) != 2 || times[1] != 120*time.Millisecond {
		t.Errorf("a burst is announced at %v", times)
	}
	for _, pause := range []time.Duration{time.Millisecond, 30 * time.Millisecond, 99 * time.Millisecond, 101 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond, 900 * time.Millisecond} {
		const seconds = 10
		n := int(seconds * time.Second / pause)
		pauses := make([]time.Duration, n)
		for i := range pauses {
			pauses[i] = pause
		}
		times := paced(t, pauses)
		if len(times) > 2+seconds+1 || len(times) < min(n, seconds-2) {
			t.Errorf("a change every %v for %d s is announced %d times: %v", pause, seconds, len(times), times)
		}
		end := time.Duration(n) * pause
		if last := times[len(times)-1]; last < end || last > end+ceiling {
			t.Errorf("a change every %v: the last announcement comes at %v, the last change at %v", pause, last, end)
		}
		for i := 1; i < len(times); i++ {
			if times[i]-times[i-1] > 2*ceiling {
				t.Errorf("a change every %v is not announced between %v and %v", pause, times[i-1], times[i])
			}
		}
	}
}
