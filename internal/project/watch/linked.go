package watch

import (
	"context"
	"os"
	"path"
	"time"
)

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
		err := w.wait(file, func() { info, _ = os.Lstat(w.path(file)) })
		if err != nil {
			continue // it does not answer now
		}
		if info == nil || links(info) < 2 {
			delete(w.linked, file)
		} else if _, now := version(info); now != before {
			w.linked[file] = now
			w.markFile(file)
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
			if w.linked[file] = changed; time.Since(time.Unix(0, changed)) < 2*linkedInterval { // perhaps after it was read
				w.markFile(file)
			}
		}
	}
}

func (w *Watcher) markFile(file string) {
	w.mark(func(m *marks) {
		m.mark(path.Dir(file))
		m.files[file] = true
	})
}
