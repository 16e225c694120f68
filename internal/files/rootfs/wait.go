package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrBlocked reports that the system does not answer for a path, for example because a network mount hangs.
var ErrBlocked = errors.New("does not answer")

const (
	// answerTime is how long a call may take. A disk that has to start takes less.
	answerTime = 5 * time.Second
	looks      = 5 // how often a call is looked at in this time
	// maxCalls is how many calls may run at a time, with those that are blocked: each holds a thread.
	maxCalls = 16
	// maxSiblings is how many blocked paths of a folder make the folder itself blocked.
	maxSiblings = 3
)

// calls has room for the calls of all folders of the process.
var calls = make(chan struct{}, maxCalls)

// waits knows which paths of a folder are blocked. No call for such a path is made until the blocked one returns.
type waits struct {
	report  func(name string, blocked bool)     // may be nil
	mounts  func() (below []string, local bool) // see [mountsOf]
	looked  atomic.Int64                        // when mounts was last called, in nanoseconds
	local   atomic.Bool                         // what it returned
	calls   chan struct{}                       // has room for calls
	any     atomic.Bool
	mu      sync.Mutex // guards blocked
	blocked map[*run]string
}

// A run makes calls one after the other.
type run struct{ at atomic.Int64 } // the number of the call that is being made; abandoned if it took too long

const abandoned = -1

// Bound makes calls for a folder return [ErrBlocked] after some seconds, unless everything in it is on disks of this computer. report, which may be nil, is called when a path
// is blocked, and when it answers again.
func (f *FS) Bound(report func(name string, blocked bool)) {
	f.waits = &waits{report: report, mounts: func() ([]string, bool) { return mountsOf(f.Path()) }, calls: calls, blocked: make(map[*run]string)}
}

// bounds reports whether calls for the folder may block.
func (f *FS) bounds() bool {
	w := f.waits
	if w == nil {
		return false
	}
	if now, last := time.Now().UnixNano(), w.looked.Load(); now-last > int64(time.Second) && w.looked.CompareAndSwap(last, now) {
		_, local := w.mounts()
		w.local.Store(local)
	}
	return !w.local.Load() || w.any.Load()
}

// Wait does work that reads from a path of fsys. If fsys is a folder with [FS.Bound] and the work takes too long, Wait returns
// ErrBlocked while the work goes on: nothing else may use what it uses.
func Wait(fsys fs.FS, name string, work func() error) error {
	f, ok := fsys.(interface {
		Wait(name string, work func() error) error
	})
	if !ok {
		return work()
	}
	return f.Wait(name, work)
}

// Reader returns a reader of an open file of fsys. If [FS.Bound] was called and the file does not answer, the error is
// ErrBlocked, and what was given to Read cannot be used again: the system may still write to it.
func Reader(fsys fs.FS, name string, file io.Reader) io.Reader {
	return readerFunc(func(p []byte) (n int, err error) {
		read := 0
		err = Wait(fsys, name, func() (err error) { read, err = file.Read(p); return err })
		if !errors.Is(err, ErrBlocked) {
			n = read
		}
		return n, err
	})
}

type readerFunc func(p []byte) (int, error)

func (r readerFunc) Read(p []byte) (int, error) { return r(p) }

// Wait is [Wait] for f.
func (f *FS) Wait(name string, work func() error) error {
	_, err := bounded(f, name, func() (none struct{}, err error) { return none, work() }, nil)
	return err
}

// bounded makes a call for a path. late, which may be nil, gets the value of a call that returns too late.
func bounded[T any](f *FS, name string, call func() (T, error), late func(T)) (T, error) {
	if !f.bounds() {
		return call()
	}
	var got struct {
		value T
		err   error
	}
	if f.waits.each(1, func(int) string { return name }, func(int) { got.value, got.err = call() }, func(int) {
		if late != nil && got.err == nil {
			late(got.value)
		}
	}) == nil {
		return got.value, got.err
	}
	var none T
	return none, &fs.PathError{Op: "read", Path: name, Err: ErrBlocked}
}

// each calls do for the numbers below n, which stand for paths, and returns the numbers of the paths that are blocked. late
// is called after a call of do that took too long.
func (w *waits) each(n int, name func(i int) string, do, late func(i int)) (blocked map[int]bool) {
	left := func(i int) {
		if blocked == nil {
			blocked = make(map[int]bool)
		}
		blocked[i] = true
	}
	for from := 0; from < n; {
		if w.has(name(from)) || !w.enter() {
			left(from)
			from++
			continue
		}
		r := &run{}
		r.at.Store(int64(from))
		ended := make(chan int, 1) // the number of the first call that was not made
		go func(i int) {
			defer func() { <-w.calls }()
			for ; i < n && !w.has(name(i)); i++ {
				do(i)
				if !r.at.CompareAndSwap(int64(i), int64(i+1)) {
					late(i)
					w.end(r)
					return
				}
			}
			ended <- i
		}(from)
		look := time.NewTicker(answerTime / looks)
		for at, same := int64(from), 0; at != abandoned; {
			select {
			case from = <-ended:
				at = abandoned
			case <-look.C:
				if now := r.at.Load(); now != at {
					at, same = now, 0
				} else if same++; same >= looks && w.begin(r, at, name(int(at))) {
					left(int(at))
					from, at = int(at)+1, abandoned
				}
			}
		}
		look.Stop()
	}
	return blocked
}

// uninterrupted repeats a call that a signal interrupts, as file systems in user space allow it. os.Root does not.
func uninterrupted(name string, call func(name string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	for {
		if info, err := call(name); !errors.Is(err, syscall.EINTR) {
			return info, err
		}
	}
}

// enter waits for room for a call.
func (w *waits) enter() bool {
	select {
	case w.calls <- struct{}{}:
		return true
	default:
	}
	select {
	case w.calls <- struct{}{}:
		return true
	case <-time.After(answerTime):
		return false
	}
}

// has reports whether a path is blocked.
func (w *waits) has(name string) bool {
	if !w.any.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.blocked {
		if below, ok := strings.CutPrefix(name, at); ok && (below == "" || below[0] == '/') {
			return true
		}
	}
	return false
}

// begin records that a call is blocked, unless it has just returned: with it, the mount that its path is on, or else the path.
func (w *waits) begin(r *run, at int64, name string) bool {
	mounts, _ := w.mounts()
	w.mu.Lock()
	if !r.at.CompareAndSwap(at, abandoned) {
		w.mu.Unlock()
		return false
	}
	siblings := 1
	for _, other := range w.blocked {
		if path.Dir(other) == path.Dir(name) {
			siblings++
		}
	}
	if dir := path.Dir(name); siblings >= maxSiblings && dir != "." {
		name = dir
	}
	for _, mount := range mounts {
		if name == mount || strings.HasPrefix(name, mount+"/") {
			name = mount
		}
	}
	w.blocked[r] = name
	w.any.Store(true)
	w.mu.Unlock()
	if w.report != nil {
		w.report(name, true)
	}
	return true
}

// end records that a blocked call has returned.
func (w *waits) end(r *run) {
	w.mu.Lock()
	name := w.blocked[r]
	delete(w.blocked, r)
	w.any.Store(len(w.blocked) > 0)
	w.mu.Unlock()
	if w.report != nil {
		w.report(name, false)
	}
}

// readBounded is [FS.ReadDir] without the entries that are blocked.
func (f *FS) readBounded(name string) (entries []fs.DirEntry, err error) {
	f.eachBounded(name, -1, func(e fs.DirEntry, failed error) bool {
		if err = failed; err == nil {
			entries = append(entries, e)
		}
		return err == nil
	})
	return entries, err
}

// eachBounded is [FS.Entries] without the entries that are blocked: the information of each is read by itself. It reads some names at
// once, or all if some is -1.
func (f *FS) eachBounded(name string, some int, yield func(fs.DirEntry, error) bool) {
	type folder struct {
		*os.Root
		file *os.File
	}
	dir, err := bounded(f, name, func() (d folder, err error) {
		if d.Root, err = f.opened.Load().OpenRoot(name); err == nil {
			if d.file, err = d.Open("."); err != nil {
				d.Close()
			}
		}
		return d, err
	}, func(d folder) { d.file.Close(); d.Close() })
	if err != nil {
		yield(nil, err)
		return
	}
	defer dir.Close()
	defer dir.file.Close()
	for {
		names, err := bounded(f, name, func() ([]string, error) { return dir.file.Readdirnames(some) }, nil)
		infos := make([]fs.FileInfo, len(names))
		blocked := f.waits.each(len(names), func(i int) string { return path.Join(name, names[i]) }, func(i int) { infos[i], _ = uninterrupted(names[i], dir.Lstat) }, func(int) {})
		for i := range infos {
			if !blocked[i] && infos[i] != nil && !yield(fs.FileInfoToDirEntry(infos[i]), nil) { // nil: it is gone
				return
			}
		}
		if err != nil && err != io.EOF {
			yield(nil, err)
		}
		if err != nil || some < 0 {
			return
		}
	}
}
