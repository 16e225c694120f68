package auth

import (
	"context"
	"os"
	"slices"
	"time"
)

// FileInterval is the time between checks. A change is reported after one to two Intervals.
const FileInterval = 500 * time.Millisecond

// A FileGroup is a set of files that are read together, such as a certificate and its key, and read again when they change.
//
//  1. It checks the files every [FileInterval] instead of waiting for events, because one stat a file is
//     cheap and works the sameFile on every system and volume. It detects what events miss: a file
//     replaced by a rename, a link with another target, and the folder `..data` that Kubernetes
//     replaces in a mounted secret.
//  2. It reports a change when two checks in a row find the sameFile state. So a file that is being
//     written is not read in parts, and a certificate is not read without its key, unless the two are
//     written more than an FileInterval apart.
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
