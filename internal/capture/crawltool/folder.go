package crawltool

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// Folder is the subfolder of the captures with the jobs. It is hidden.
const Folder = ".jobs"

// A folder keeps each job in a subfolder of [Folder]. The modification time of job.json is the time of the last request
// for the job. A file named cancel asks for its cancellation. A lock, which ends with its process, is the lease.
type folder struct {
	files  *rootfs.FS
	logger *slog.Logger

	mu    sync.Mutex      // guards ended
	ended map[string]bool // jobs that have ended, which never run again: they need not be read to list running ones
}

// FolderJobs returns the jobs in a folder of captures, which becomes private.
func FolderJobs(captures *rootfs.FS, logger *slog.Logger) (Jobs, error) {
	captures.KeepPrivate()
	files, err := captures.OpenFolder(Folder, true)
	if err != nil {
		return nil, err
	}
	return &folder{files: files, logger: logger}, nil
}

func (f *folder) Close() error { return f.files.Close() }

func (f *folder) List(ctx context.Context, s selection) (list []entry, err error) {
	names, err := f.files.Names(".")
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	known := f.ended
	f.mu.Unlock()
	ended := make(map[string]bool)
	for _, id := range names {
		if s.running && known[id] {
			ended[id] = true
			continue
		}
		e, err := f.Read(ctx, id)
		switch {
		case err != nil:
			f.logger.Debug("a job of a crawl cannot be read", "job", id, "error", err)
			continue
		case s.matches(&e):
			list = append(list, e)
		}
		if e.State != running {
			ended[id] = true
		}
	}
	f.mu.Lock()
	f.ended = ended
	f.mu.Unlock()
	return list, nil
}

func (f *folder) Read(_ context.Context, id string) (e entry, err error) {
	if !validID(id) {
		return e, fs.ErrNotExist
	}
	file, err := f.files.Open(id + "/job.json")
	if err != nil {
		return e, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return e, err
	}
	data, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(data, &e.saved); err != nil || e.ID != id {
		return e, errors.New("job.json is damaged")
	}
	_, err = f.files.Lstat(id + "/cancel")
	e.attended, e.cancel = info.ModTime(), err == nil
	return e, nil
}

func (f *folder) Journal(_ context.Context, id string, offset int64) (io.ReadCloser, error) {
	file, err := f.files.Open(id + "/journal.jsonl")
	if err != nil {
		return nil, err
	}
	if _, err := file.(io.Seeker).Seek(offset, io.SeekStart); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (f *folder) Attend(_ context.Context, id string, at time.Time) error {
	return f.files.SetTime(id+"/job.json", at)
}

func (f *folder) Cancel(_ context.Context, id string) error {
	return f.files.Replace(id+"/cancel", nil)
}

func (f *folder) Remove(_ context.Context, id string) error { return f.files.RemoveFolder(id) }

func (f *folder) Lease(_ context.Context, id string, fresh bool) (Lease, error) {
	if fresh {
		sub, err := f.files.OpenFolder(id, true)
		if err != nil {
			return nil, err
		}
		sub.Close()
	}
	release, err := f.files.Lock(id + "/lock")
	if errors.Is(err, rootfs.ErrLocked) {
		return nil, database.ErrHeld
	}
	if err != nil {
		return nil, err
	}
	return &folderLease{files: f.files, id: id, unlock: release}, nil
}

type folderLease struct {
	files  *rootfs.FS
	id     string
	unlock func()

	mu      sync.Mutex // guards journal
	journal *os.File   // nil: not opened yet
}

func (l *folderLease) Save(_ context.Context, s saved) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return l.files.Replace(l.id+"/job.json", append(data, '\n'))
}

func (l *folderLease) Write(lines []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal == nil {
		if l.journal, err = l.files.Append(l.id + "/journal.jsonl"); err != nil {
			return 0, err
		}
	}
	return l.journal.Write(lines)
}

func (l *folderLease) Lost() <-chan struct{} { return nil }

func (l *folderLease) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal != nil {
		l.journal.Close()
	}
	l.unlock()
}
