package dependencies

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/apipages"
)

// maxTime is the time after which the description of a package is given up. The slowest of 500 packages of Go took a second.
const maxTime = 30 * time.Second

// Pages are documents that take long to make. The cache keeps them.
type Pages struct {
	Cache *Cache
	Key   string // names everything that the pages depend on, except what Same compares
	// Make makes them. It also returns what Same needs, as JSON.
	Make func(ctx context.Context) (pages []apipages.Page, from []byte, err error)
	Same func(from []byte) bool // reports whether kept pages still hold; nil: they do

	mu sync.Mutex // is held while pages are made
}

// A kept is a file of the cache with pages: a line of JSON, and then their texts.
type kept struct {
	From  json.RawMessage
	Pages []keptPage
	texts []byte
}

type keptPage struct {
	Name string
	Size int
}

// decode returns nil if the data is something else.
func decode(data []byte) *kept {
	line, texts, _ := bytes.Cut(data, []byte("\n"))
	k := &kept{texts: texts}
	if json.Unmarshal(line, k) != nil {
		return nil
	}
	size := 0
	for _, page := range k.Pages {
		if page.Size < 0 || page.Size > len(texts)-size {
			return nil
		}
		size += page.Size
	}
	return k
}

// Documents returns the documents. With cached, it returns [ErrNotDescribed] if it would have to make them.
func (p *Pages) Documents(ctx context.Context, cached bool, modTime time.Time) (documents []Document, err error) {
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
	offset, sum := 0, sha256.Sum256(data)
	for _, page := range k.Pages {
		start := offset
		offset += page.Size
		documents = append(documents, Document{
			Path: page.Name + ".md", Size: int64(page.Size), ModTime: modTime,
			Read: func() ([]byte, error) { return p.read(sum, start, page.Size) },
		})
	}
	return documents, nil
}

// read returns a part of the texts.
func (p *Pages) read(sum [sha256.Size]byte, start, size int) ([]byte, error) {
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
	return decode(data).texts[start:][:size], nil
}

// render makes the pages, and keeps them.
func (p *Pages) render(ctx context.Context) ([]byte, error) {
	within, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	pages, from, err := p.Make(within)
	if err := ctx.Err(); err != nil { // what was made is not whole
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	k := kept{From: from}
	for _, page := range pages {
		k.Pages = append(k.Pages, keptPage{page.Name, len(page.Text)})
		k.texts = append(k.texts, page.Text...)
	}
	line, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	data := append(append(line, '\n'), k.texts...)
	p.Cache.Put(p.Key, data)
	return data, nil
}
