package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
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
// version; another one shows that a file was edited. The file .recent names the folders that were
// made last, for other processes: see [files.announce].
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
		if settings.ReadOnly && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the folder of captures is not there: %w", fs.ErrNotExist)
		}
		return nil, fmt.Errorf("the folder of captures cannot be made or opened: %s", fserr.Reason(err))
	}
	folder.KeepPrivate()
	if made {
		if err := folder.Replace(ignoreFile, []byte(ignored)); err != nil {
			folder.Close()
			return nil, fmt.Errorf("the folder of captures cannot be written to: %s", fserr.Reason(err))
		}
	}
	return &files{folder: folder, path: settings.Folder, logger: logger, most: max(settings.MaxBytes, maxMeta) + maxMeta, useless: make(map[string]bool)}, nil
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
	again.KeepPrivate()
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

// sweep removes what processes that were killed, and earlier versions, have left behind.
func (e *files) sweep() {
	_ = e.folder.Remove(".index") // a cache of all meta.json
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
		return fmt.Errorf("the capture cannot be written: %w", &plainError{fserr.Reason(err), err})
	}
	if err := e.announce(folderName(m.Key, version)); err != nil { // other processes find it by their next scan
		e.logger.Debug("a capture cannot be announced", "capture", m.Key, "error", fserr.Reason(err))
	}
	return nil
}

func (e *files) read(_ context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	data, was, err := e.readFile(folderName(c.Meta.Key, c.version)+"/"+fileName(tier, c.Meta.Parts[tier].MIME), e.most, alloc)
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
func (e *files) readFile(name string, limit int64, alloc func(n int) []byte) ([]byte, fs.FileInfo, error) {
	f, info, err := e.folder.OpenPlain(name)
	if err != nil {
		return nil, nil, plain(err)
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, nil, fs.ErrNotExist
	}
	if info.Size() > limit {
		return nil, nil, fmt.Errorf("has %d bytes, and the limit is %d", info.Size(), limit)
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
	return &plainError{fserr.Reason(err), err}
}

// A plainError is an error without the path of the folder, of which callers can ask whether the disk
// is full.
type plainError struct {
	reason string
	err    error
}

func (e *plainError) Error() string { return e.reason }
func (e *plainError) Unwrap() error { return e.err }

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
