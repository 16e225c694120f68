package capability

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// A Cache keeps documents on the disk between starts, one file for each project. It does not trust its
// files: they are used only if the folder is writable for its owner alone, if their fingerprint is that
// of the current project, and if they have the form of a document within its bound. Otherwise they are
// ignored.
type Cache struct {
	dir    string
	name   string // of the file
	logger *slog.Logger

	mu     sync.Mutex // guards all fields below
	kept   cacheFile  // the known contents of the file
	loaded bool
	spent  bool // the file is of no more use: the project has changed
	failed bool // a failure to write was logged
}

// cacheFormat changes when the way in which documents are made changes.
const cacheFormat = 1

// maxCache bounds the bytes of the file; the documents have fewer.
const maxCache = 4 << 20

type cacheFile struct {
	Format    int               `json:"format"`
	Project   string            `json:"project"` // its fingerprint
	Documents map[string]string `json:"documents"`
}

// NewCache returns the cache of a project in a folder, which is made if necessary. place identifies the
// project among others that use the folder.
func NewCache(dir, place string, logger *slog.Logger) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(place))
	c := &Cache{dir: dir, name: "capability-index-" + hex.EncodeToString(sum[:8]) + ".json", logger: logger}
	root, err := c.open()
	if err != nil {
		return nil, err
	}
	return c, root.Close()
}

// open opens the folder if no other user can write to it.
func (c *Cache) open() (*os.Root, error) {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		err = fmt.Errorf("other users can write to it (mode %#o); run chmod go-w on it", info.Mode().Perm())
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// load returns a document of the project. project returns its fingerprint, which is slow to compute and
// only needed if the file may have the document.
func (c *Cache) load(project func() string, name string, bound int) (text string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spent {
		return "", false
	}
	if !c.loaded {
		c.loaded = true
		if kept, err := c.readFile(); err == nil {
			c.kept = kept
		} else if !errors.Is(err, fs.ErrNotExist) {
			c.logger.Warn("the cache of the capability index is not used, and written again", "file", c.name, "error", err)
		}
	}
	if len(c.kept.Documents) == 0 || c.kept.Format != cacheFormat || c.kept.Project != project() {
		c.kept, c.spent = cacheFile{}, true
		return "", false
	}
	text, ok = c.kept.Documents[name]
	return text, ok && wellFormed(text, bound)
}

func (c *Cache) readFile() (cacheFile, error) {
	var kept cacheFile
	root, err := c.open()
	if err != nil {
		return kept, err
	}
	defer root.Close()
	info, err := root.Lstat(c.name)
	if err != nil {
		return kept, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCache {
		return kept, errors.New("it is not a file of the cache")
	}
	f, err := root.Open(c.name)
	if err != nil {
		return kept, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCache))
	if err != nil {
		return kept, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return kept, d.Decode(&kept)
}

// wellFormed reports whether a text has the form of a document in Markdown.
func wellFormed(text string, bound int) bool {
	return strings.HasPrefix(text, "# ") && strings.HasSuffix(text, "\n") && utf8.ValidString(text) && tokens.Estimate(text) <= spendable(bound) &&
		strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
		}) < 0
}

// store keeps documents. It replaces the whole file, unless the file already has them.
func (c *Cache) store(project string, documents map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := cacheFile{cacheFormat, project, maps.Clone(documents)}
	if c.kept.Project == project {
		for name, text := range c.kept.Documents {
			now.Documents[name] = cmp.Or(now.Documents[name], text)
		}
		if maps.Equal(now.Documents, c.kept.Documents) {
			return
		}
	}
	c.kept, c.spent = now, true
	if err := c.writeFile(); err != nil && !c.failed {
		c.failed = true
		c.logger.Warn("the cache of the capability index cannot be written", "file", c.name, "error", err)
	}
}

func (c *Cache) writeFile() error {
	data, err := json.Marshal(c.kept)
	if err != nil {
		return err
	}
	root, err := c.open()
	if err != nil {
		return err
	}
	defer root.Close()
	temporary := fmt.Sprintf("%s.%d", c.name, os.Getpid())
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temporary, c.name)
	}
	if err != nil {
		root.Remove(temporary)
	}
	return err
}

// computeFingerprint returns a digest of everything that documents depend on: names, sizes and times of
// files, and the descriptions of the rest.
func (x *Index) computeFingerprint() string {
	h := sha256.New()
	put(h, x.Name, x.Version, x.Configuration, x.DocsTool, x.ResourceTools, x.exposed)
	for _, e := range x.Files.Templates().Entries() {
		put(h, e.Template.String(), e.Definition)
	}
	var b []byte
	for f := range x.Files.Files() { // sidecars too
		b = append(b[:0], f.LogicalPath()...)
		h.Write(fmt.Appendf(b, "\x00%d %d\n", f.Size(), f.ModTime().UnixNano()))
	}
	for _, d := range x.Library.Documents() {
		b = append(b[:0], d.Path...)
		h.Write(fmt.Appendf(b, "\x00%d %d\n", d.Size, d.ModTime.UnixNano()))
		if p := d.Page(); p != nil { // the page may change without the file
			put(h, p.Title, p.Summary)
		}
	}
	for _, p := range x.Prompts.Prompts() {
		put(h, p.Name, p.Title, p.Description, p.Arguments)
	}
	put(h, x.Tools, x.Skills)
	return hex.EncodeToString(h.Sum(nil))
}

// put adds values to a digest. Different lists of values add different bytes.
func put(h hash.Hash, values ...any) {
	data, err := json.Marshal(values)
	if err != nil {
		data = fmt.Append(nil, values...) // plain values can always be encoded
	}
	h.Write(append(data, '\n'))
}
