package crawltool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// Folder is the subfolder of the captures with the jobs. It is hidden.
const Folder = ".jobs"

// maxDocument bounds a file of a job, in bytes.
const maxDocument = 256 << 20

// A folder keeps each job in a file ID.json of [Folder]: a line with its status, and a line with its captures. The
// modification time of the file is the last sign of life. A file ID.cancel asks for cancellation.
type folder struct{ files *rootfs.FS }

// FolderJobs returns the jobs in a folder of captures, which becomes private.
func FolderJobs(captures *rootfs.FS) (Jobs, error) {
	captures.KeepPrivate()
	files, err := captures.OpenFolder(Folder, true)
	if err != nil {
		return nil, err
	}
	return &folder{files}, nil
}

func (f *folder) Close() error { return f.files.Close() }

func (f *folder) Write(_ context.Context, id string, d *document) (cancel bool, err error) {
	if d == nil {
		err = f.files.SetTime(id+".json", time.Now())
	} else {
		var b bytes.Buffer
		lines := json.NewEncoder(&b)
		if err = errors.Join(lines.Encode(d.status), lines.Encode(d.kept)); err == nil {
			err = f.files.ReplaceSoon(id+".json", b.Bytes())
		}
	}
	_, missing := f.files.Lstat(id + ".cancel")
	return missing == nil, err
}

func (f *folder) List(_ context.Context, owner string) (list []status, err error) {
	names, err := f.files.Names(".")
	for _, name := range names {
		id, _ := strings.CutSuffix(name, ".json")
		if d, err := f.read(owner, id, false); err == nil {
			list = append(list, d.status)
		}
	}
	return list, err
}

func (f *folder) Read(_ context.Context, owner, id string) (*document, error) {
	return f.read(owner, id, true)
}

// read reads a job: only its status, unless whole is set.
func (f *folder) read(owner, id string, whole bool) (*document, error) {
	if !validID(id) {
		return nil, fs.ErrNotExist
	}
	file, info, err := f.files.OpenRegular(id + ".json")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := json.NewDecoder(io.LimitReader(file, maxDocument))
	d := new(document)
	if err = lines.Decode(&d.status); err == nil && whole {
		err = lines.Decode(&d.kept)
	}
	quiet := time.Since(info.ModTime())
	if err != nil || d.ID != id || d.Owner != owner || quiet > jobTime {
		return nil, fs.ErrNotExist
	}
	d.status = d.seen(quiet)
	return d, nil
}

func (f *folder) Cancel(_ context.Context, owner, id string) error {
	if _, err := f.read(owner, id, false); err != nil {
		return err
	}
	return f.files.ReplaceSoon(id+".cancel", nil)
}

func (f *folder) Remove(_ context.Context, id string) error {
	for _, name := range []string{id + ".cancel", id + ".json"} {
		if err := f.files.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (f *folder) Tidy(ctx context.Context) error {
	names, err := f.files.Names(".")
	for _, name := range names {
		id, _, _ := strings.Cut(name, ".")
		if info, missing := f.files.Lstat(name); validID(id) && missing == nil && time.Since(info.ModTime()) > jobTime {
			err = errors.Join(err, f.Remove(ctx, id))
		}
	}
	return err
}
