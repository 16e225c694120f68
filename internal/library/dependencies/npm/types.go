package npm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dtsapi"
)

const (
	typesFormat = "dtsapi 2" // changes when the texts of dtsapi do
	// maxKept bounds the bytes of descriptions that are kept in memory if there is no cache.
	maxKept = 16 << 20
	// maxTime is the time after which the description of a package is given up.
	maxTime = 20 * time.Second
)

// A describer describes the API of a package.
type describer struct {
	*finder
	pkg *dependencies.Package
	dir string // of the package, below base

	mu   sync.Mutex // guards kept
	kept []byte     // see [description.encode]
}

// A description is what the cache keeps of a package. It holds for all projects in which the same packages have the same declarations.
type description struct {
	Steps []step
	Pages []pageSize
	texts []byte
}

// A step is something that the reader of declarations asked for, and a digest of the answer. Folders are relative to the package.
type step struct{ Kind, Dir, Name, Answer string }

type pageSize struct {
	Name string
	Size int
}

// encode returns a line of JSON, and the texts of the pages.
func (d *description) encode() []byte {
	line, _ := json.Marshal(d) // strings and numbers can be encoded
	return append(append(line, '\n'), d.texts...)
}

// decodeDescription returns nil if the data is something else.
func decodeDescription(data []byte) *description {
	line, texts, _ := bytes.Cut(data, []byte("\n"))
	d := &description{texts: texts}
	if json.Unmarshal(line, d) != nil {
		return nil
	}
	size := 0
	for _, page := range d.Pages {
		if page.Size < 0 || page.Size > len(texts)-size {
			return nil
		}
		size += page.Size
	}
	return d
}

// describe implements [dependencies.Package.Describe].
func (d *describer) describe(ctx context.Context, cached bool) ([]dependencies.Document, error) {
	data, err := d.make(ctx, cached)
	if err != nil {
		return nil, err
	}
	var modTime time.Time
	if info, err := d.base.Lstat(path.Join(d.dir, "package.json")); err == nil {
		modTime = info.ModTime()
	}
	var documents []dependencies.Document
	offset, sum := 0, sha256.Sum256(data)
	made := decodeDescription(data)
	for _, page := range made.Pages {
		start := offset
		offset += page.Size
		documents = append(documents, dependencies.Document{
			Path: path.Join("api", page.Name+".md"), Size: int64(page.Size), ModTime: modTime, Symbols: true,
			Read: func() ([]byte, error) { return d.read(sum, start, page.Size) },
		})
	}
	return documents, nil
}

// read returns a part of the texts of a description.
func (d *describer) read(sum [sha256.Size]byte, start, size int) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, ok := d.kept, d.kept != nil
	if !ok {
		data, ok = d.options.Cache.Get(d.key())
	}
	if !ok || sha256.Sum256(data) != sum {
		data = d.render(context.Background())
	}
	made := decodeDescription(data)
	if sha256.Sum256(data) != sum || made == nil {
		return nil, errors.New("has changed")
	}
	return made.texts[start:][:size], nil
}

func (d *describer) key() string {
	return strings.Join([]string{typesFormat, d.pkg.Name, d.pkg.Version}, "\n")
}

// make returns a description, from the cache if it has the same declarations. With cached, it returns an error otherwise.
func (d *describer) make(ctx context.Context, cached bool) ([]byte, error) {
	if data, ok := d.options.Cache.Get(d.key()); ok {
		if made := decodeDescription(data); made != nil && d.valid(made.Steps) {
			return data, nil
		}
	}
	if cached {
		return nil, dependencies.ErrNotDescribed
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	data := d.render(ctx)
	return data, ctx.Err()
}

// render makes a description, and keeps it. A package that takes too long has no pages.
func (d *describer) render(ctx context.Context) []byte {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	made := new(description)
	files := d.reader(func(s step) { made.Steps = append(made.Steps, s) })
	defer files.close()
	pages, _ := dtsapi.Render(ctx, dtsapi.Source{Files: files, Dir: d.dir, Name: d.pkg.Name})
	if dir, ok := files.Package(d.dir, dtsapi.TypesOf(d.pkg.Name)); ok && len(pages) == 0 {
		pages, _ = dtsapi.Render(ctx, dtsapi.Source{Files: files, Dir: dir, Name: d.pkg.Name})
	}
	for _, page := range pages {
		if dependencies.ValidName(page.Name) {
			made.Pages = append(made.Pages, pageSize{page.Name, len(page.Text)})
			made.texts = append(made.texts, page.Text...)
		}
	}
	data := made.encode()
	if d.options.Cache != nil {
		d.options.Cache.Put(d.key(), data)
	} else if size := d.keptBytes.Add(int64(len(data))); size <= maxKept {
		d.kept = data
	}
	return data
}

// valid reports whether the declarations are those of some steps.
func (d *describer) valid(steps []step) bool {
	same := true
	var last step
	files := d.reader(func(s step) { last = s })
	defer files.close()
	for _, s := range steps {
		dir := path.Join(d.dir, s.Dir)
		if !fs.ValidPath(dir) {
			return false
		}
		switch s.Kind {
		case "file":
			_, _ = files.Read(dir, s.Name)
		case "folder":
			files.List(dir, s.Name)
		default:
			files.Package(dir, s.Name)
		}
		if same = last == s; !same {
			return false
		}
	}
	return true
}
