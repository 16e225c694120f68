package rootfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
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
	// maxCalls is how many calls may run at a time, with those that are blocked: each holds a thread.
	maxCalls = 16
	// maxSiblings is how many blocked paths of a folder make the folder itself blocked.
	maxSiblings = 3
)

// calls has room for the calls of all folders of the process.
var calls = make(chan struct{}, maxCalls)

// waits knows which paths of a folder are blocked. No call for such a path is made until the blocked one returns.
type waits struct {
	report func(name string, blocked bool)     // may be nil
	mounts func() (below []string, local bool) // see [mountsOf]
	// when mounts was last called, in nanoseconds
	looked  atomic.Int64
	local   atomic.Bool   // what it returned
	calls   chan struct{} // has room for calls
	any     atomic.Bool
	mu      sync.Mutex // guards blocked
	blocked map[*call]string
}

// A call is a call that is blocked.
type call struct{ _ byte } // not of size zero, so that each has another address

// Bound makes calls for a folder return [ErrBlocked] after some seconds, unless everything in it is on disks of this computer. report, which may be nil, is called when a path
// is blocked, and when it answers again.
func (f *FS) Bound(report func(name string, blocked bool)) {
	f.waits = &waits{report: report, mounts: func() ([]string, bool) { return mountsOf(f.Path()) }, calls: calls, blocked: make(map[*call]string)}
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

// ErrTooLarge reports that a file has more bytes than its reader takes.
var ErrTooLarge = errors.New("is too large")

// ReadFile returns the first most bytes of a regular file of any file system. If it has more, the error is [ErrTooLarge].
func ReadFile(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, _, err := ReadOpen(fsys, name, f, most)
	return data, err
}

// ReadOpen is [ReadFile] for an open file. It returns the information of the file too, unless it is not a regular one.
func ReadOpen(fsys fs.FS, name string, f fs.File, most int64) ([]byte, fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrIrregular
	}
	b := bytes.NewBuffer(make([]byte, 0, min(info.Size(), most)+bytes.MinRead))
	if _, err = b.ReadFrom(io.LimitReader(Reader(fsys, name, f), most+1)); err == nil && int64(b.Len()) > most {
		b.Truncate(int(most))
		err = ErrTooLarge
	}
	return b.Bytes(), info, err
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
func bounded[T any](f *FS, name string, do func() (T, error), late func(T)) (T, error) {
	if !f.bounds() {
		return do()
	}
	type result struct {
		value T
		err   error
	}
	w, over := f.waits, time.NewTimer(answerTime)
	defer over.Stop()
	var none T
	refused := &fs.PathError{Op: "read", Path: name, Err: ErrBlocked}
	if w.has(name) {
		return none, refused
	}
	select {
	case w.calls <- struct{}{}:
	case <-over.C:
		return none, refused
	}
	over.Reset(answerTime)
	// a result has no room: it is received, or late
	done, gone := make(chan result), make(chan *call, 1)
	go func() {
		value, err := do()
		<-w.calls
		select {
		case done <- result{value, err}:
		case c := <-gone:
			w.end(c)
			if late != nil && err == nil {
				late(value)
			}
		}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-over.C:
	}
	gone <- w.begin(name)
	return none, refused
}

// uninterrupted repeats a call that a signal interrupts, as file systems in user space allow it. os.Root does not.
func uninterrupted(name string, call func(name string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	for {
		if info, err := call(name); !errors.Is(err, syscall.EINTR) {
			return info, err
		}
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

// begin records that a call is blocked: with it, the mount that its path is on, or else the path.
func (w *waits) begin(name string) *call {
	mounts, _ := w.mounts()
	w.mu.Lock()
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
	c := new(call)
	w.blocked[c] = name
	w.any.Store(true)
	w.mu.Unlock()
	if w.report != nil {
		w.report(name, true)
	}
	return c
}

// end records that a blocked call has returned.
func (w *waits) end(c *call) {
	w.mu.Lock()
	name := w.blocked[c]
	delete(w.blocked, c)
	w.any.Store(len(w.blocked) > 0)
	w.mu.Unlock()
	if w.report != nil {
		w.report(name, false)
	}
}

// eachBounded yields the entries of a folder without those that are blocked.
func (f *FS) eachBounded(name string, yield func(fs.DirEntry, error) bool) {
	names, err := bounded(f, name, func() ([]string, error) {
		dir, err := f.open(name)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		return dir.Readdirnames(-1)
	}, nil)
	for _, n := range names {
		// an error: the file is gone
		if info, err := f.Lstat(path.Join(name, n)); err == nil && !yield(fs.FileInfoToDirEntry(info), nil) {
			return
		}
	}
	if err != nil {
		yield(nil, err)
	}
}
