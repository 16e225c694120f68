package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// Files with secrets that an operator names, such as tokens and keys: [ReadFile] waits for no pipe, reads no device, and does not
// look into the file. A [FileGroup] is files that are followed.

// MaxFile is the maximum size of a file, in bytes.
const MaxFile = 1 << 20

// ReadFile returns the contents of a file. The error begins with its name. logger gets a warning if every user of the
// computer can read or change the file.
func ReadFile(name string, logger *slog.Logger) ([]byte, error) {
	text, mode, err := read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", name, fserr.Reason(err))
	}
	if mode.Perm()&0o006 != 0 && runtime.GOOS != "windows" {
		logger.Warn("every user of this computer can read or change this file, which has secrets: remove that right with chmod o-rw", "file", name)
	}
	return text, nil
}

func read(name string) ([]byte, fs.FileMode, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|rootfs.Nonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, rootfs.ErrIrregular
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if len(text) > MaxFile {
		err = fmt.Errorf("has more than %d MiB, which is too much for a secret", MaxFile>>20)
	}
	return text, info.Mode(), err
}

// FileInterval is the time between checks. A change is reported after one to two Intervals.
const FileInterval = 500 * time.Millisecond

// A FileGroup is a set of files that are read together, such as a certificate and its key, and read again when they change.
//
//  1. It checks the files every [FileInterval] instead of waiting for events, because one stat a file is
//     cheap and works the same on every system and volume. It detects what events miss: a file
//     replaced by a rename, a link with another target, and the folder `..data` that Kubernetes
//     replaces in a mounted secret.
//  2. It reports a change when two checks in a row find the same state. So a file that is being
//     written is not read in parts, and a certificate is not read without its key, unless the two are
//     written more than a FileInterval apart.
type FileGroup struct {
	names []string
	known []os.FileInfo // of the files when they were last read; nil: no such file
}

// FollowFile returns a group of files and records their state. A caller that reads the files afterwards
// misses no change: Run reports changes since FollowFile.
func FollowFile(names ...string) *FileGroup {
	g := &FileGroup{names: names}
	g.known = g.look()
	return g
}

// Run calls changed after each change of the files, until ctx ends. Only one Run may be active at a
// time.
func (g *FileGroup) Run(ctx context.Context, changed func()) {
	ticker := time.NewTicker(FileInterval)
	defer ticker.Stop()
	last := g.known
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := g.look()
		settled := slices.EqualFunc(now, last, sameFile)
		last = now
		if settled && !slices.EqualFunc(now, g.known, sameFile) {
			g.known = now
			changed()
		}
	}
}

func (g *FileGroup) look() []os.FileInfo {
	infos := make([]os.FileInfo, len(g.names))
	for i, name := range g.names {
		infos[i], _ = os.Stat(name) // a missing file is a state too
	}
	return infos
}

// sameFile reports whether a file is as it was before.
func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}
