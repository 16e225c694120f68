package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// files is the engine that keeps captures in files, which users can read and processes can share.
//
//  1. A capture is a folder, KEY.VERSION, with meta.json and a file for each tier: raw.html (or another
//     extension, by its type) with the exact bytes; cleaned.md and extracted.md with front matter.
//  2. The folder gets its name when all its files are on the disk, and never changes. Put makes a
//     folder with a later version. The latest version counts, and every process that sees an earlier
//     one removes it. So the names alone say which captures exist: no process needs a lock, and none
//     reads half a capture.
//  3. A folder is renamed before it is removed. A killed process leaves only names that begin with a
//     dot, which are swept later.
//  4. The time of a folder says when the capture was last read. A file that was changed is not found: its bytes do not have
//     the digest in meta.json.
type files struct {
	folder   *rootfs.FS
	path     string
	logger   *slog.Logger
	now      func() time.Time
	maxBytes int64

	scanning sync.Mutex
	swept    sync.Once  // unfinished folders of killed processes
	mu       sync.Mutex // guards all fields below
	modTime  time.Time  // of the folder, before the last scan
	scanned  time.Time
	reported map[string]bool // logged folders that are not usable captures
	clock    int64           // newest version, in microseconds
}

const (
	// sweepAfter is the age at which an unfinished folder belongs to a dead process.
	sweepAfter = 10 * time.Minute
	// A version is the time in microseconds, in digits to base 32 that last for 36,000 years, and random characters.
	versionTime   = 12
	versionRandom = 6
)

func folderName(key, version string) string { return key + "." + version }

// splitName returns the key and the version in the name of a folder.
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

// timeOf returns the time of a version.
func timeOf(version string) time.Time {
	micro, _ := strconv.ParseInt(version[:versionTime], 32, 64)
	return time.UnixMicro(micro)
}

// version returns the version of a new capture. It sorts after all versions that this process has made and after the
// version that it replaces.
func (e *files) version(old *Capture) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clock = max(e.clock+1, e.now().UnixMicro())
	if old != nil {
		// clocks of processes differ
		e.clock = max(e.clock, timeOf(old.version).UnixMicro()+1)
	}
	text := strconv.FormatInt(e.clock, 32)
	return strings.Repeat("0", max(0, versionTime-len(text))) + text + strings.ToLower(rand.Text()[:versionRandom])
}

// openFiles opens the folder of captures, or makes it.
func openFiles(settings Settings, logger *slog.Logger, now func() time.Time) (*files, error) {
	folder, err := makeFolder(settings.Folder)
	if err != nil {
		return nil, fmt.Errorf("the folder of captures cannot be made or opened: %s", fserr.Reason(err))
	}
	return &files{folder: folder, path: settings.Folder, logger: logger, now: now, maxBytes: max(settings.MaxBytes, maxMeta) + maxMeta, reported: make(map[string]bool)}, nil
}

// makeFolder makes and opens the folder of captures. In a new folder, Git ignores all files.
func makeFolder(path string) (*rootfs.FS, error) {
	folder, made, err := rootfs.Make(path)
	if err != nil {
		return nil, err
	}
	folder.KeepPrivate()
	if made {
		if err = folder.Replace(".gitignore", []byte("*\n")); err != nil {
			folder.Close()
		}
	}
	return folder, err
}

// makeAgain makes the folder of captures after somebody has removed it.
func (e *files) makeAgain() error {
	again, err := makeFolder(e.path)
	if err != nil {
		return err
	}
	defer again.Close()
	_, err = e.folder.Reopen()
	return err
}

func (e *files) close() error { return e.folder.Close() }

// extensions are the extensions of raw files, by type. A web server chose the type, so only known ones are used.
var extensions = map[string]string{
	"text/html": "html", "application/xhtml+xml": "html", "text/plain": "txt", "text/markdown": "md", "text/css": "css", "text/csv": "csv",
	"application/json": "json", "application/pdf": "pdf", "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
	"application/xml": "xml", "text/xml": "xml", "application/rss+xml": "xml", "application/atom+xml": "xml",
}

// fileName returns the name of the file of a tier.
func fileName(tier Tier, contentType string) string {
	if tier != Raw {
		return string(tier) + ".md"
	}
	kind, _, _ := strings.Cut(contentType, ";")
	return "raw." + cmp.Or(extensions[strings.ToLower(strings.TrimSpace(kind))], "bin")
}

// frontMatter returns the lines before the text of a tier.
func frontMatter(m *Meta, tier Tier) []byte {
	var b bytes.Buffer
	b.WriteString("---\n")
	prompt := m.Prompt
	if tier != Extracted {
		prompt = ""
	}
	for _, line := range [][2]string{
		{"url", m.URL}, {"title", m.Title}, {"timestamp", m.Created.UTC().Format("2006-01-02T15:04:05.000Z07:00")}, {"resourceType", string(tier)}, {"contentType", m.Parts[tier].MIME}, {"description", m.Description},
		{"source", m.Source}, {"location", m.Location}, {"extractionPrompt", prompt},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], frontmatter.Quoted(line[1]))
		}
	}
	fmt.Fprintf(&b, "contentLength: %d\nttl: %d\n---\n\n", m.Parts[tier].Bytes, m.TTL.Milliseconds())
	return b.Bytes()
}

func (e *files) write(ctx context.Context, c, old *Capture, contents Contents) error {
	m, version := &c.Meta, e.version(old)
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
	write := func() error { return e.folder.WriteFolder(ctx, folderName(m.Key, version), all, timeOf(version)) }
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
		return fmt.Errorf("the capture cannot be written: %w", fserr.Plain(err))
	}
	c.version = version
	return nil
}

func (e *files) read(_ context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	data, err := e.readFile(folderName(c.Meta.Key, c.version)+"/"+fileName(tier, c.Meta.Parts[tier].MIME), e.maxBytes, alloc)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if front := len(data) - int(c.Meta.Parts[tier].Bytes); front > 0 && tier != Raw {
		data = data[front:]
	}
	return verify(c, tier, data, e.logger)
}

func (e *files) again(keys ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(keys) > 0 {
		e.modTime = time.Time{}
	}
}

// readFile reads a file.
func (e *files) readFile(name string, limit int64, alloc func(n int) []byte) ([]byte, error) {
	f, info, err := e.folder.OpenPlain(name)
	if err != nil {
		return nil, fserr.Plain(err)
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("has %d bytes, and the limit is %d", info.Size(), limit)
	}
	data := alloc(int(info.Size()))
	if data == nil {
		return nil, ErrNoBuffer
	}
	data = data[:info.Size()]
	n, err := io.ReadFull(f, data)
	if err == io.ErrUnexpectedEOF || err == io.EOF { // truncated meanwhile
		err = nil
	}
	return data[:n], fserr.Plain(err)
}

func (e *files) remove(_ context.Context, gone []removal) error {
	var failed []error
	for _, r := range gone {
		name := folderName(r.Meta.Key, r.version)
		if info, err := e.folder.Lstat(name); err == nil && !r.used.IsZero() && info.ModTime().After(r.used) {
			e.again(r.Meta.Key)
		} else if err := fserr.Plain(e.folder.RemoveFolder(name)); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.Meta.Key, err))
		}
	}
	return errors.Join(failed...)
}

func (e *files) use(read map[*Capture]time.Time) error {
	for c, used := range read {
		name := folderName(c.Meta.Key, c.version)
		info, err := e.folder.Lstat(name)
		if err != nil || !used.After(info.ModTime()) {
			continue
		}
		if err := e.folder.SetTime(name, used); err != nil {
			e.logger.Debug("the time of a read cannot be written", "capture", c.Meta.Key, "error", fserr.Reason(err))
		}
	}
	return nil
}

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

// find reads the folder, whatever the keys are, if it has changed since the last time.
func (e *files) find(ctx context.Context, _ []string, knownVersions func(...string) map[string]string) (now map[string]found, outdated []removal, err error) {
	e.scanning.Lock()
	defer e.scanning.Unlock()
	e.swept.Do(func() {
		if err := e.folder.Sweep(context.WithoutCancel(ctx), sweepAfter, false); err != nil {
			e.logger.Debug("unfinished captures cannot be removed", "error", fserr.Reason(err))
		}
	})
	if another, err := e.folder.Reopen(); another && err == nil {
		e.again(".")
	}
	began := time.Now()
	modTime, changed := e.changed()
	if !changed {
		return nil, nil, nil
	}
	// before reading the folder: it has everything that is put later
	known := knownVersions()
	names, err := e.folder.Names(".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fserr.Plain(err)
	}
	newest, outdated := newestOf(names)
	now = make(map[string]found)
	for key := range known {
		if newest[key] == "" {
			now[key] = found{}
		}
	}
	var mu sync.Mutex
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for key, version := range newest {
		if known[key] == version {
			continue
		}
		work.Go(func() error {
			f := e.load(key, version)
			mu.Lock()
			defer mu.Unlock()
			now[key] = f
			return ctx.Err()
		})
	}
	if err := work.Wait(); err != nil {
		return nil, nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.modTime, e.scanned = modTime, began
	return now, outdated, nil
}

// newestOf returns the latest version of each key in names of folders, and the earlier ones.
func newestOf(names []string) (newest map[string]string, outdated []removal) {
	newest = make(map[string]string, len(names))
	for _, name := range names {
		key, version, ok := splitName(name)
		if !ok {
			continue
		}
		other := newest[key]
		if newest[key] = max(version, other); other != "" {
			outdated = append(outdated, removal{Capture: &Capture{Meta: Meta{Key: key}, version: min(version, other)}})
		}
	}
	return newest, outdated
}

// load reads meta.json of a capture. It logs a capture that cannot be used, once, and does not
// remove it: a user may have edited it.
func (e *files) load(key, version string) found {
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
