package watch

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// share limits polling to a tenth of the time.
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
// In each interval it checks the folders that changed lately. It checks all folders as often as a tenth of the time allows.
type poller struct {
	folders map[string]stamp
	hot     map[string]time.Time // when it changed
	checked time.Time            // when all folders were last checked
	took    time.Duration        // by that check
}

// A stamp identifies the state of a folder.
type stamp struct {
	sum    uint64 // of its entries, in any order
	newest int64  // the latest time of a change of a file in it, in nanoseconds
	unsure bool   // a further change may not alter the stamp
	gone   bool   // the folder does not exist
}

var stampSeed = maphash.MakeSeed()

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
		return cmp.Or(p.hot[b].Compare(p.hot[a]), strings.Compare(a, b))
	})
}

// pollOnce checks the folders whose turn it is, and reports the folders that changed. It returns the time until the next call.
func (w *Watcher) pollOnce(ctx context.Context, report func(loader.Changes)) time.Duration {
	begin := time.Now()
	w.mu.Lock()
	dirs := w.poll.hottest(begin)
	all := begin.Sub(w.poll.checked) >= share*w.poll.took
	if all {
		dirs = slices.Sorted(maps.Keys(w.poll.folders))
	}
	w.mu.Unlock()
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return 0
		}
		if w.look(dir) > maxMarks/2 {
			w.report(report)
		}
	}
	w.report(report)
	if !all {
		return max(w.interval(), share*time.Since(begin))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.poll.checked = time.Now()
	w.poll.took = w.poll.checked.Sub(begin)
	return w.interval()
}

// look marks a folder if its stamp has changed. A folder that is gone is checked once more, so that
// it is not lost if it comes back before its parent folder is read again. look returns the number of marks.
func (w *Watcher) look(dir string) int {
	w.mu.Lock()
	before, polled := w.poll.folders[dir]
	w.mu.Unlock()
	if !polled {
		return 0
	}
	entries, err := w.opts.List(dir)
	now := time.Now()
	after, files := stampOf(dir, entries, err, before)
	after.unsure = walk.RecentAt(time.Unix(0, after.newest), now)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, polled = w.poll.folders[dir]; !polled {
		return 0
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
		return 0
	}
	w.poll.folders[dir] = after
	if !changed && !before.unsure || before.sum == 0 && after.gone {
		return 0
	}
	w.pending.mark(dir)
	if before.gone || after.gone {
		w.pending.mark(path.Dir(dir))
	}
	for _, file := range files {
		w.pending.files[file] = true
	}
	return w.pending.len()
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

// Lag returns how long it may take to find a change for which the system sends no event. It is 0 if no folder is polled.
func (w *Watcher) Lag() time.Duration {
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.events != nil && len(w.poll.folders) == 0 {
		return 0
	}
	return max(w.interval(), (share+1)*w.poll.took)
}

const (
	// linkedInterval is the interval at which files with several hard links are checked: a change under a name in another folder
	// causes no event here.
	linkedInterval = 10 * time.Second
	// maxLinked is how many such files are checked.
	maxLinked = 1000
)

// pollLinked marks the files with several hard links that have changed, and looks for such files in folders that are new or have
// changed. Only Run calls it.
func (w *Watcher) pollLinked(ctx context.Context) {
	w.mu.Lock()
	dirs := w.unlisted
	w.unlisted = make(map[string]bool)
	w.mu.Unlock()
	for file, before := range w.linked {
		var info os.FileInfo
		if w.wait(file, func() { info, _ = os.Lstat(w.path(file)) }) != nil {
			continue // it does not answer now
		}
		if info == nil || links(info) < 2 {
			delete(w.linked, file)
		} else if _, now := version(info); now != before {
			w.linked[file] = now
			w.mark(func(m *marks) { m.markFile(file, false) })
		}
	}
	for dir := range dirs {
		if len(w.linked) >= maxLinked || ctx.Err() != nil {
			return
		}
		entries, _ := w.opts.List(dir)
		for _, e := range entries {
			info, err := e.Info()
			file := path.Join(dir, e.Name())
			if _, known := w.linked[file]; known || err != nil || links(info) < 2 || len(w.linked) >= maxLinked {
				continue
			}
			_, changed := version(info)
			if w.linked[file] = changed; time.Since(time.Unix(0, changed)) < 2*linkedInterval {
				// perhaps after it was read
				w.mark(func(m *marks) { m.markFile(file, false) })
			}
		}
	}
}
