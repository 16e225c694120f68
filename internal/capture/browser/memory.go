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
	// usualMemory is how many bytes all processes of the browser may have together, up to
	// DefaultMaxPages pages; pageMemory is what each further page adds.
	usualMemory = 1 << 30
	pageMemory  = 256 << 20
	// crashWithin is how long after its process was ended a tab is reported to have crashed.
	crashWithin = 5 * time.Second
)

// memory returns how many bytes all processes of the browser may have.
func (o *Options) memory() int64 {
	return usualMemory + pageMemory*int64(max(0, o.MaxPages-DefaultMaxPages))
}

// A usage is the memory of a process.
type usage struct {
	pid   int
	bytes int64 // that only this process has, and memory that it shares with others
}

// watchMemory ends what takes too much memory, until the browser ends. The page whose process has the
// most is ended; if that is the browser itself, all pages are.
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
		e.options.Logger.Warn("the browser takes too much memory, so its largest process is ended", "MiB", sum>>20, "limit", limit>>20, "largest", largest.bytes>>20)
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

// crash returns why a tab has crashed. e.mu is held.
func (e *engine) crash(p *page) error {
	if time.Since(e.full) < crashWithin {
		return fmt.Errorf("%s: %w", p.name(), e.memoryError())
	}
	return fmt.Errorf("%s: crashes the browser's tab", p.name())
}
