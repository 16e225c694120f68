package watch

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

const (
	// share limits polling to one tenth of the time.
	share = 10
	// maxHot is the maximum number of folders that are checked in each interval because they, or a
	// folder in them, changed within the last hotTime. An editor or a build works in a few dozen
	// folders.
	maxHot  = 256
	hotTime = 10 * time.Minute
	// maxNamed is the maximum number of changed files of one folder that are reported by name. The
	// other files count as changed only if their size or time has changed.
	maxNamed = 256
)

// A poller holds the folders without events and their stamps. The watcher's mu guards it.
//
// In each interval it checks the folders that changed lately, and then, in the order of their
// paths, as many other folders as the time allows. So a change in a folder that people work in is
// found within an interval, and any other change within [Watcher.Lag].
type poller struct {
	folders map[string]stamp
	hot     map[string]time.Time // when it changed
	queue   []string             // the rest of the current round
	began   time.Time            // start of the current round; zero before the first
	whole   time.Duration        // the duration of the last round, up to the start of the next; 0 before
	logged  time.Duration        // the value of whole that was last logged
}

// A stamp identifies the state of a folder.
type stamp struct {
	sum    uint64 // of its entries, in any order
	newest int64  // the latest time of a change of a file in it, in nanoseconds
	unsure bool   // a further change may not alter the stamp
	gone   bool   // the folder does not exist
}

var stampSeed = maphash.MakeSeed()

func newPoller() poller {
	return poller{folders: make(map[string]stamp), hot: make(map[string]time.Time)}
}

// add begins to poll a folder. The first check counts as a change, because the caller may have read
// the folder before it.
func (p *poller) add(dir string) { p.folders[dir] = stamp{} }

func (p *poller) has(dir string) bool {
	_, ok := p.folders[dir]
	return ok
}

func (p *poller) remove(dir string) {
	delete(p.folders, dir)
	delete(p.hot, dir)
}

// heat records when a folder has changed, and that the folder above it may change soon.
func (p *poller) heat(dir string, changed, now time.Time) {
	for _, d := range []string{path.Dir(dir), dir} {
		if p.has(d) && changed.After(p.hot[d]) {
			p.hot[d] = changed
		}
	}
	if len(p.hot) < 2*maxHot {
		return
	}
	dirs := p.hottest(now)
	for _, d := range dirs[min(len(dirs), maxHot):] {
		delete(p.hot, d)
	}
}

// hottest returns the folders that changed lately, the latest first.
func (p *poller) hottest(now time.Time) []string {
	maps.DeleteFunc(p.hot, func(_ string, changed time.Time) bool { return now.Sub(changed) > hotTime })
	return slices.SortedFunc(maps.Keys(p.hot), func(a, b string) int {
		if c := p.hot[b].Compare(p.hot[a]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
}

// pollOnce checks the folders whose turn it is, and marks those that changed.
func (w *Watcher) pollOnce() {
	begin := time.Now()
	budget := w.interval() / share
	w.mu.Lock()
	hot := w.poll.hottest(begin)
	w.mu.Unlock()
	seen := make(map[string]bool, len(hot))
	for _, dir := range hot {
		if time.Since(begin) > budget/2 {
			break // the round checks the others
		}
		seen[dir] = true
		w.look(dir)
	}
	w.beginRound(begin)
	for first := true; ; first = false {
		w.mu.Lock()
		if len(w.poll.queue) == 0 || !first && time.Since(begin) > budget || w.pending.len()+maxNamed+2 > maxMarks {
			w.mu.Unlock()
			return
		}
		dir := w.poll.queue[0]
		w.poll.queue = w.poll.queue[1:]
		w.mu.Unlock()
		if !seen[dir] {
			w.look(dir)
		}
	}
}

// beginRound begins a round through all folders when the last round is over, and records how long
// that one took.
func (w *Watcher) beginRound(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &w.poll
	if len(p.queue) > 0 || len(p.folders) == 0 {
		return
	}
	p.queue = slices.Sorted(maps.Keys(p.folders))
	if !p.began.IsZero() {
		p.whole = now.Sub(p.began)
		w.logRound()
	}
	p.began = now
}

// logRound logs the duration of a round: once if folders are polled because events are missing, and
// again whenever the duration halves or doubles.
func (w *Watcher) logRound() {
	p := &w.poll
	expected := max(p.logged, w.interval())
	if (p.logged > 0 || !w.reported) && expected/2 < p.whole && p.whole < 2*expected {
		return
	}
	p.logged = p.whole
	w.opts.Logger.Info("folders are polled: a change is found within a round, sooner where something changed lately",
		"folders", len(p.folders), "round", p.whole.Round(min(time.Second, w.interval())), "lately changed", w.interval())
}

// look marks a folder if its stamp has changed. A folder that is gone is checked once more, so that
// it is not lost if it comes back before its parent folder is read again.
func (w *Watcher) look(dir string) {
	w.mu.Lock()
	before, polled := w.poll.folders[dir]
	w.mu.Unlock()
	if !polled {
		return
	}
	entries, err := w.opts.List(dir)
	now := time.Now()
	after, files := stampOf(dir, entries, err, before)
	after.unsure = walk.RecentAt(time.Unix(0, after.newest), now)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, polled = w.poll.folders[dir]; !polled {
		return
	}
	changed := after.sum != before.sum
	if changed {
		when := now
		if before.sum == 0 {
			when = time.Unix(0, after.newest) // the latest time that is known
		}
		if now.Sub(when) <= hotTime && when.Before(now.Add(walk.Skew)) {
			w.poll.heat(dir, when, now)
		}
	}
	after.gone = errors.Is(err, fs.ErrNotExist)
	if before.gone && after.gone && dir != "." {
		w.poll.remove(dir) // a read of its parent folder adds it again when it is back
		return
	}
	w.poll.folders[dir] = after
	if !changed && !before.unsure || before.sum == 0 && after.gone {
		return
	}
	w.pending.mark(dir)
	if before.gone || after.gone {
		w.pending.mark(path.Dir(dir))
	}
	for _, file := range files {
		w.pending.files[file] = true
	}
}

// stampOf returns the stamp of a folder, and the names of the files that have or may have changed
// since the last one.
func stampOf(dir string, entries []fs.DirEntry, err error, before stamp) (after stamp, files []string) {
	after.sum = 1 // 0 is the sum of a folder that has not been checked
	if err != nil {
		after.sum += maphash.String(stampSeed, err.Error())
	}
	after.newest = math.MinInt64
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue // it is gone
		}
		id, changed := version(info)
		after.sum += maphash.Comparable(stampSeed, entryStamp{entry.Name(), info.Size(), info.ModTime().UnixNano(), info.Mode(), id, changed})
		if info.IsDir() {
			continue
		}
		after.newest = max(after.newest, changed)
		if before.sum != 0 && changed >= before.newest && len(files) < maxNamed {
			files = append(files, path.Join(dir, entry.Name()))
		}
	}
	return after, files
}

// An entryStamp holds everything that shows a change of an entry.
type entryStamp struct {
	name      string
	size, mod int64
	mode      fs.FileMode
	id        uint64
	changed   int64
}

// Lag returns how long it may take to find a change for which the system sends no event: the
// duration of the last round through all polled folders. It is 0 if no folder is polled.
func (w *Watcher) Lag() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.events != nil && len(w.poll.folders) == 0 {
		return 0
	}
	return max(w.interval(), w.poll.whole)
}
