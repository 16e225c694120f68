package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mtime"
	"github.com/mcp-docs-server/mcp-docs-server/internal/rootfs"
)

// files is the engine that keeps captures in files, for people and other processes to see too.
//
// A capture is a folder, KEY.VERSION, with meta.json and a file for each tier: raw.html with the
// exact bytes, or with another extension by its type; cleaned.md and extracted.md with front matter.
// The folder gets its name when all of it is on the disk, and never changes; Put makes one of
// another version, the later of two versions counts, and the earlier is removed by whoever sees it.
// So the names in the folder say all that there is: no process needs a lock, and none reads half a
// capture. What is removed is renamed first. A process that is killed leaves only names that begin
// with a dot, which are swept later.
//
// The time of a folder says when the capture was last read. The time of its files is that of its
// version; another one shows that a file was edited. The file .index is a cache of all meta.json.
type files struct {
	folder *rootfs.FS
	path   string // of folder, as the user named it
	logger *slog.Logger
	most   int64 // bytes of a file that are read

	mu      sync.Mutex // guards all fields below
	seen    time.Time  // the time of the folder before the last scan
	scanned time.Time  // when the last scan began
	took    time.Duration
	useless map[string]bool // folders that are no captures, and were reported
	cached  []found         // what the cache has, until the first scan has used it
}

const (
	// sweepAfter is when what was being written belongs to a process that is dead.
	sweepAfter = 10 * time.Minute
	// editedAfter is how much the time of a file must differ from that of its version: the coarsest
	// times, those of FAT, are 2 s apart.
	editedAfter = 2 * time.Second
)

func folderName(key, version string) string { return key + "." + version }

// splitName returns the key and the version that a folder has in its name.
func splitName(name string) (key, version string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || !validKey(name[:i]) || !validVersion(name[i+1:]) {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

func validVersion(v string) bool {
	return len(v) == versionTime+versionRandom && strings.Trim(v[:versionTime], "0123456789abcdefghijklmnopqrstuv") == "" &&
		strings.Trim(v[versionTime:], "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// versionAt returns the time of a version.
func versionAt(version string) time.Time {
	micro, err := strconv.ParseInt(version[:versionTime], 32, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(micro)
}

// edited reports whether a file was written after its capture.
func edited(version string, info fs.FileInfo) bool {
	d := info.ModTime().Sub(versionAt(version))
	return d > editedAfter || d < -editedAfter
}

// openFiles opens the folder of captures. One that it makes is ignored by Git.
func openFiles(settings Settings, logger *slog.Logger) (*files, error) {
	var folder *rootfs.FS
	var made bool
	var err error
	if settings.ReadOnly {
		folder, err = rootfs.Open(settings.Folder)
	} else {
		folder, made, err = rootfs.Make(settings.Folder)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the folder of captures is not there: %w", fs.ErrNotExist)
		}
		return nil, fmt.Errorf("the folder of captures cannot be opened: %s", fserr.Reason(err))
	}
	if made {
		if err := folder.Replace(ignoreFile, []byte(ignored)); err != nil {
			folder.Close()
			return nil, fmt.Errorf("the folder of captures cannot be written to: %s", fserr.Reason(err))
		}
	}
	e := &files{folder: folder, path: settings.Folder, logger: logger, most: max(settings.MaxBytes, maxMeta) + maxMeta, useless: make(map[string]bool)}
	e.cached = e.readCache()
	return e, nil
}

// What Git reads in a folder that this package made: all captures are ignored.
const (
	ignoreFile = ".gitignore"
	ignored    = "*\n"
)

// makeAgain makes the folder of all captures after somebody has removed it.
func (e *files) makeAgain() error {
	again, made, err := rootfs.Make(e.path)
	if err != nil {
		return err
	}
	defer again.Close()
	if made {
		if err := again.Replace(ignoreFile, []byte(ignored)); err != nil {
			return err
		}
	}
	_, err = e.folder.Reopen()
	return err
}

// Close implements [io.Closer].
func (e *files) Close() error { return e.folder.Close() }

// sweep removes what processes that were killed have left behind.
func (e *files) sweep() {
	if err := e.folder.SweepFolders(sweepAfter); err != nil {
		e.logger.Debug("what was left behind cannot be removed", "error", fserr.Reason(err))
	}
}

func (e *files) write(ctx context.Context, m *Meta, version string, contents Contents) error {
	meta, err := encodeMeta(m)
	if err != nil {
		return err
	}
	all := []rootfs.NewFile{{Name: metaFile, Data: [][]byte{meta}}}
	for tier, data := range contents {
		f := rootfs.NewFile{Name: fileName(tier, m.Parts[tier].MIME), Data: [][]byte{data}}
		if tier != Raw {
			f.Data = [][]byte{frontMatter(m, tier), data}
		}
		all = append(all, f)
	}
	write := func() error { return e.folder.WriteFolder(ctx, folderName(m.Key, version), all, versionAt(version)) }
	err = write()
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the folder of all captures
		if err = e.makeAgain(); err == nil {
			err = write()
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the capture cannot be written: %s", fserr.Reason(err))
	}
	return nil
}

func (e *files) read(_ context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	data, was, err := e.readFile(folderName(c.Meta.Key, c.version)+"/"+fileName(tier, c.Meta.Parts[tier].MIME), alloc)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if tier != Raw {
		data = withoutFrontMatter(&c.Meta, data)
	}
	if edited(c.version, was) {
		return data, errEdited
	}
	return data, nil
}

// errEdited comes with the bytes of a file that is not as it was written.
var errEdited = errors.New("the file was edited")

// readFile reads a file, and returns its information.
func (e *files) readFile(name string, alloc func(n int) []byte) ([]byte, fs.FileInfo, error) {
	f, info, err := e.folder.OpenPlain(name)
	if err != nil {
		return nil, nil, plain(err)
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, nil, fs.ErrNotExist
	}
	if info.Size() > e.most {
		return nil, nil, fmt.Errorf("has %d bytes, and the limit is %d", info.Size(), e.most)
	}
	data := alloc(int(info.Size()))
	if data == nil {
		return nil, nil, ErrNoBuffer
	}
	data = data[:info.Size()]
	n, err := io.ReadFull(f, data)
	if err == io.ErrUnexpectedEOF || err == io.EOF { // somebody has cut it
		err = nil
	}
	return data[:n], info, plain(err)
}

// plain returns an error without paths.
func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	}
	return errors.New(fserr.Reason(err))
}

func (e *files) remove(key, version string) error {
	return plain(e.folder.RemoveFolder(folderName(key, version)))
}

func (e *files) use(c *Capture, at time.Time) time.Time {
	name := folderName(c.Meta.Key, c.version)
	info, err := e.folder.Lstat(name)
	if err != nil {
		return time.Time{}
	}
	if kept := info.ModTime(); !at.After(kept) {
		return kept
	}
	if err := e.folder.SetTime(name, at); err != nil {
		e.logger.Debug("when a capture was read cannot be kept", "capture", c.Meta.Key, "error", fserr.Reason(err))
	}
	return at
}

// changed reports whether a scan could find anything. at is the time of the folder.
func (e *files) changed() (at time.Time, changed bool) {
	info, err := e.folder.Lstat(".")
	if err != nil {
		return time.Time{}, true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return info.ModTime(), !info.ModTime().Equal(e.seen) || mtime.RecentAt(e.seen, e.scanned)
}

func (e *files) stale(urgent bool) bool {
	if reopened, err := e.folder.Reopen(); reopened && err == nil {
		return true // another folder has its name
	}
	if _, changed := e.changed(); !changed {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// A scan of 100,000 names takes 50 ms. It is not to take more than a twentieth of the time.
	return urgent || e.took < time.Millisecond || time.Since(e.scanned) > 20*e.took
}

func (e *files) scan(ctx context.Context, known map[string]string) (scanned, error) {
	began := time.Now()
	at, changed := e.changed()
	if !changed {
		return scanned{}, nil
	}
	names, err := e.folder.Names(".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // else somebody has removed the folder
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
			out.outdated = append(out.outdated, [2]string{key, other})
		default:
			out.outdated = append(out.outdated, [2]string{key, version})
		}
	}
	var wanted []*Capture
	for key, version := range newest {
		if known[key] < version {
			wanted = append(wanted, &Capture{Meta: Meta{Key: key}, version: version})
		}
	}
	for key := range known {
		if newest[key] == "" {
			out.went = append(out.went, key)
		}
	}
	out.came = e.load(ctx, wanted)
	if err := ctx.Err(); err != nil {
		return scanned{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen, e.scanned, e.took = at, began, time.Since(began)
	return out, nil
}

// load reads what is known of captures, from the cache where that has it.
func (e *files) load(ctx context.Context, wanted []*Capture) []found {
	e.mu.Lock()
	cached := e.cached
	e.cached = nil
	e.mu.Unlock()
	slices.SortFunc(wanted, compareVersions)
	all := make([]found, len(wanted))
	var missing []int
	for i, c := range wanted {
		for len(cached) > 0 && compareVersions(cached[0].Capture, c) < 0 {
			cached = cached[1:]
		}
		if len(cached) > 0 && compareVersions(cached[0].Capture, c) == 0 {
			all[i] = cached[0]
		} else {
			missing = append(missing, i)
		}
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(missing)) {
		wg.Go(func() {
			for i := range next {
				all[i] = e.loadOne(wanted[i].Meta.Key, wanted[i].version)
			}
		})
	}
	for _, i := range missing {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return slices.DeleteFunc(all, func(f found) bool { return f.Capture == nil })
}

// loadOne reads what is known of a capture. It reports one that cannot be used, once, and leaves it
// alone: somebody has edited it.
func (e *files) loadOne(key, version string) found {
	name := folderName(key, version)
	info, err := e.folder.Lstat(name)
	var c *Capture
	if err == nil {
		c, err = e.loadMeta(key, version)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		delete(e.useless, name)
		return found{c, info.ModTime()}
	}
	if info != nil && !e.useless[name] {
		e.useless[name] = true
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New(metaFile + " is missing")
		}
		e.logger.Warn("a capture cannot be used; correct its meta.json, or remove its folder", "folder", name, "error", fserr.Reason(err))
	}
	return found{}
}

// loadMeta reads meta.json of a capture, and looks which of its files there are.
func (e *files) loadMeta(key, version string) (*Capture, error) {
	name := folderName(key, version)
	data, info, err := e.readFile(name+"/"+metaFile, func(n int) []byte {
		if n > maxMeta {
			return nil
		}
		return make([]byte, n)
	})
	if err != nil {
		return nil, err
	}
	m, err := decodeMeta(key, data)
	if err != nil {
		return nil, err
	}
	c := &Capture{Meta: *m, version: version}
	if edited(version, info) {
		c.edited = info.ModTime()
	}
	return c, nil
}

// verify returns a capture as it is now: another one if it was edited, nil if it has gone. That
// costs one call of the system for one that is as it was.
func (e *files) verify(c *Capture) *Capture {
	info, err := e.folder.Lstat(folderName(c.Meta.Key, c.version) + "/" + metaFile)
	switch {
	case err == nil && !edited(c.version, info), err == nil && info.ModTime().Equal(c.edited):
		return c
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return c // the disk will be asked again when it is read
	}
	return e.loadOne(c.Meta.Key, c.version).Capture
}

// present returns a capture with the tiers whose files there are; nil: none.
func (e *files) present(c *Capture) *Capture {
	left := *c
	left.Meta.Parts = make(map[Tier]Part)
	for tier, part := range c.Meta.Parts {
		if _, err := e.folder.Lstat(folderName(c.Meta.Key, c.version) + "/" + fileName(tier, part.MIME)); !errors.Is(err, fs.ErrNotExist) {
			left.Meta.Parts[tier] = part
		}
	}
	switch len(left.Meta.Parts) {
	case len(c.Meta.Parts):
		return c
	case 0:
		return nil
	}
	return &left
}
