package browser

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// peak measures the memory of a browser until stop is called, which returns the maximum.
func peak(t *testing.T, b *Browser) (stop func() int64) {
	done, stopped := make(chan struct{}), make(chan struct{})
	var most atomic.Int64
	go func() {
		defer close(stopped)
		var c census
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			b.mu.Lock()
			e := b.engine
			b.mu.Unlock()
			if e == nil {
				continue
			}
			if <-e.ready; e.process == nil {
				continue
			}
			var sum int64
			for _, u := range c.members(e.process.cmd.Process.Pid) {
				sum += u.bytes
			}
			most.Store(max(most.Load(), sum))
		}
	}()
	return func() int64 {
		close(done)
		<-stopped
		return most.Load()
	}
}

// A page that uses too much memory is ended, in whatever way it does so. Other pages continue, and the browser
// renders the next one.
func TestMemoryIsBounded(t *testing.T) {
	needsBrowser(t)
	if runtime.GOOS == "windows" {
		t.Skip("the job of the browser bounds its memory there")
	}
	u := handle(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/script":
			fmt.Fprint(w, `<p>text<script>const all = []; setInterval(() => all.push(new Uint8Array(20e6).fill(1)), 10)</script>`)
		case "/frame":
			fmt.Fprintf(w, `<p>text<iframe src="http://localhost:%s/script"></iframe>`, r.URL.Query().Get("port"))
		default:
			fmt.Fprint(w, `<p id="a">a page<script>setTimeout(() => { document.getElementById('a').textContent = 'another page' }, 6000)</script>`)
		}
	})
	b := New(testOptions("127.0.0.1:*", "localhost:*"))
	defer b.Close()
	must.Get(renderBy(t, b, u))(t)
	first := folderOf(b)
	for _, path := range []string{"/script", "/frame?port=" + u.Port()} {
		stop := peak(t, b)
		other := make(chan error, 1)
		go func() {
			_, err := renderBy(t, b, u, func(r *fetch.Request) { r.WaitFor = 5 * time.Second })
			other <- err
		}()
		begin := time.Now()
		_, err := renderBy(t, b, urlAt(u, path), func(r *fetch.Request) { r.WaitFor = 30 * time.Second })
		if !errors.Is(err, webclient.ErrExhausted) {
			t.Errorf("%s: %v", path, err)
		}
		if err := <-other; err != nil {
			t.Errorf("%s: another page: %v", path, err)
		}
		took, most := time.Since(begin).Round(time.Millisecond), stop()
		if t.Logf("%s: ended after %v, at most %d MiB", path, took, most>>20); most > usualMemory*5/4 {
			t.Errorf("%s: ended at %d MiB", path, most>>20)
		}
	}
	if _, err := renderBy(t, b, u); err != nil || folderOf(b) != first {
		t.Errorf("another browser runs, %v", err)
	}
}
