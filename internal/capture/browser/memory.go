package browser

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
)

const (
	// memoryEvery is how often the memory of the browser is measured while a page is open.
	memoryEvery = 100 * time.Millisecond
	// usualMemory bounds the memory of all processes of the browser together, with up to DefaultMaxPages pages, in
	// bytes; pageMemory is added for each further page.
	usualMemory = 1 << 30
	pageMemory  = 256 << 20
	// crashWithin is how long after the end of its process a tab may be reported as crashed.
	crashWithin = 5 * time.Second
)

// memory returns how many bytes all processes of the browser together may use.
func (o *Options) memory() int64 {
	return usualMemory + pageMemory*int64(max(0, o.MaxPages-DefaultMaxPages))
}

// A usage is the memory of a process.
type usage struct {
	pid   int
	bytes int64 // private and shared memory
}

// watchMemory checks the memory of the browser until it ends. If it is too high, it kills the largest process, which
// ends that page. If the largest process is the browser itself, all pages end.
func (e *engine) watchMemory() {
	ticker := time.NewTicker(memoryEvery)
	defer ticker.Stop()
	var c census
	for {
		select {
		case <-ticker.C:
		case <-e.process.exited:
			return
		}
		e.mu.Lock()
		idle := len(e.pages) == 0
		e.mu.Unlock()
		if idle {
			continue
		}
		browser := e.process.cmd.Process.Pid
		all := c.members(browser)
		var sum int64
		for _, u := range all {
			sum += u.bytes
		}
		limit := e.options.memory()
		if sum > limit/4*3 {
			e.mu.Lock()
			e.full = time.Now()
			e.mu.Unlock()
		}
		if sum <= limit {
			continue
		}
		largest := slices.MaxFunc(all, func(a, b usage) int { return cmp.Compare(a.bytes, b.bytes) })
		e.options.Logger.Warn("the browser takes too much memory, so its largest process is killed", "MiB", sum>>20, "limit", limit>>20, "largest", largest.bytes>>20)
		if largest.pid == browser {
			e.fail(e.memoryError())
			return
		}
		endProcess(largest.pid)
	}
}

func (e *engine) memoryError() error {
	return fmt.Errorf("%w: the browser would take more than %d MiB of memory", webclient.ErrExhausted, e.options.memory()>>20)
}

// crash returns why a tab has crashed. The caller holds e.mu.
func (e *engine) crash(p *page) error {
	if time.Since(e.full) < crashWithin {
		return fmt.Errorf("%s: %w", p.name(), e.memoryError())
	}
	return fmt.Errorf("%s: crashes the browser's tab", p.name())
}
