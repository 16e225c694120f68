package dependencies

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// maxTime is the time after which the description of a package is given up. The slowest of 500 packages of Go took a second.
const maxTime = 30 * time.Second

// Pages are documents that take long to make. The cache keeps them.
type Pages struct {
	Cache *Cache
	Key   string // names everything that the pages depend on, except what Same compares
	// Make makes them. It also returns what Same needs, as JSON.
	Make func(ctx context.Context) (pages []Page, from []byte, err error)
	// reports whether kept pages still hold; nil: they do
	Same func(from []byte) bool
	Time func() (fs.FileInfo, error) // has the time of the documents

	mu sync.Mutex // is held while pages are made
}

// A kept is a file of the cache, as gob.
type kept struct {
	From  []byte
	Pages []Page
}

// decode returns nil if the data is something else.
func decode(data []byte) *kept {
	k := new(kept)
	if gob.NewDecoder(bytes.NewReader(data)).Decode(k) != nil {
		return nil
	}
	return k
}

// Documents returns the documents. With cached, it returns [ErrNotDescribed] if it would have to make them.
func (p *Pages) Documents(ctx context.Context, cached bool) (documents []Document, err error) {
	data, ok := p.Cache.Get(p.Key)
	k := decode(data)
	if !ok || k == nil || p.Same != nil && !p.Same(k.From) {
		if cached {
			return nil, ErrNotDescribed
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if data, err = p.render(ctx); err != nil {
			return nil, err
		}
		k = decode(data)
	}
	var modTime time.Time
	if info, err := p.Time(); err == nil {
		modTime = info.ModTime()
	}
	sum := sha256.Sum256(data)
	for i, page := range k.Pages {
		documents = append(documents, Document{
			Path: page.Name + ".md", Size: int64(len(page.Text)), ModTime: modTime,
			Read: func() ([]byte, error) { return p.read(sum, i) },
		})
	}
	return documents, nil
}

// read returns the text of a page.
func (p *Pages) read(sum [sha256.Size]byte, i int) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, ok := p.Cache.Get(p.Key)
	if !ok || sha256.Sum256(data) != sum {
		var err error
		if data, err = p.render(context.Background()); err != nil {
			return nil, err
		}
	}
	if sha256.Sum256(data) != sum {
		return nil, errors.New("has changed")
	}
	return []byte(decode(data).Pages[i].Text), nil
}

// render makes the pages, and keeps them.
func (p *Pages) render(ctx context.Context) ([]byte, error) {
	within, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	pages, from, err := p.Make(within)
	if ctx.Err() != nil { // what was made is not whole
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(kept{from, pages}); err != nil {
		return nil, err
	}
	p.Cache.Put(p.Key, data.Bytes())
	return data.Bytes(), nil
}

// The description of an API is divided into pages. goapi and dtsapi write a [Section] for each
// declaration; [NewPages] puts the sections in their order into pages of bounded size, and gives a long first page
// an index.

const (
	// bytes of a page that gets an index; the tool for documents shows as much in one answer
	indexed = 100_000
	// bytes of the sections of a page; with its index, the page is below the bound for a document of a dependency
	most = 800_000
)

// A Page is a document about an API.
type Page struct{ Name, Text string }

// A Section is a declaration.
type Section struct{ Name, Text string }

// NewPages returns the pages of an API: NAME, and NAME-2 and so on if it is long. Each begins with the title, and the first one has the lead, which may be empty.
func NewPages(name, title, lead string, sections []Section) (pages []Page) {
	for len(sections) > 0 || len(pages) == 0 {
		size := len(lead)
		var texts strings.Builder
		var names []string
		for len(sections) > 0 && (len(names) == 0 || size+len(sections[0].Text) <= most) {
			size += len(sections[0].Text)
			texts.WriteString(sections[0].Text)
			names = append(names, "`"+sections[0].Name+"`")
			sections = sections[1:]
		}
		page := Page{name, title + lead}
		if size > indexed {
			page.Text += "\n## Index\n\n" + excerpt.Ellipsis(strings.Join(names, ", "), indexed/4) + "\n"
		}
		page.Text += texts.String()
		if len(pages) > 0 {
			page.Name = fmt.Sprintf("%s-%d", name, len(pages)+1)
		}
		pages, lead = append(pages, page), ""
	}
	return pages
}
