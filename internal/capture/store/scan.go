package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// changed returns the time of the folder, and whether a scan could find anything.
func (e *files) changed() (modTime time.Time, changed bool) {
	info, err := e.folder.Lstat(".")
	if err != nil {
		return time.Time{}, true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return info.ModTime(), !info.ModTime().Equal(e.modTime) || walk.RecentAt(e.modTime, e.scanned)
}

func (e *files) stale(context.Context) bool {
	e.swept.Do(e.sweep)
	if another, err := e.folder.Reopen(); another && err == nil {
		return true
	}
	if _, changed := e.changed(); !changed {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// A scan of 100,000 names takes 50 ms. Scans take at most a twentieth of the time.
	return e.took < time.Millisecond || time.Since(e.scanned) > 20*e.took
}

func (e *files) scan(ctx context.Context, knownVersions func(...string) map[string]string) (scanned, error) {
	began := time.Now()
	modTime, changed := e.changed()
	if !changed {
		return scanned{}, nil
	}
	known := knownVersions() // before the folder is read, so that the folder has everything that is put later
	names, err := e.folder.Names(".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a removed folder has no captures
		return scanned{}, plain(err)
	}
	newest := make(map[string]string, len(names)) // version by key
	var out scanned
	for _, name := range names {
		key, version, ok := splitName(name)
		if !ok {
			continue
		}
		switch other := newest[key]; {
		case other == "":
			newest[key] = version
		case other < version:
			newest[key] = version
			out.outdated = append(out.outdated, removalOf(key, other))
		default:
			out.outdated = append(out.outdated, removalOf(key, version))
		}
	}
	for key := range known {
		if newest[key] == "" {
			out.gone = append(out.gone, key)
		}
	}
	maps.DeleteFunc(newest, func(key, version string) bool { return known[key] == version })
	took := time.Since(began) // without load, which reads each new capture only once
	out.found = e.load(ctx, newest)
	if err := ctx.Err(); err != nil {
		return scanned{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.modTime, e.scanned, e.took = modTime, began, took
	return out, nil
}

// load reads meta.json of captures, given their versions by key. It sorts them by key, since the index adds faster at the end of
// its lists.
func (e *files) load(ctx context.Context, versions map[string]string) []found {
	all := make([]found, len(versions))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, key := range slices.Sorted(maps.Keys(versions)) {
		work.Go(func() error {
			if ctx.Err() == nil {
				all[i] = e.loadOne(key, versions[key])
			}
			return nil
		})
	}
	_ = work.Wait() // the caller looks at ctx
	return slices.DeleteFunc(all, func(f found) bool { return f.Capture == nil })
}

// loadOne reads meta.json of a capture. It logs a capture that cannot be used, once, and does not
// remove it: a user may have edited it.
func (e *files) loadOne(key, version string) found {
	name := folderName(key, version)
	info, err := e.folder.Lstat(name)
	var data []byte
	var m *Meta
	if err == nil {
		data, err = e.readFile(name+"/"+metaFile, maxMeta, func(n int) []byte { return make([]byte, n) })
	}
	if err == nil {
		m, err = decodeMeta(key, data)
	}
	if err == nil {
		return found{&Capture{Meta: *m, version: version}, info.ModTime()}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if info != nil && !e.reported[name] {
		e.reported[name] = true
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New(metaFile + " is missing")
		}
		e.logger.Warn("a capture cannot be used; remove its folder", "folder", name, "error", fserr.Reason(err))
	}
	return found{}
}
