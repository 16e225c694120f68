package dependencies

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io/fs"
	"sync"
	"time"
)

// maxTime is the time after which the description of a package is given up. The slowest of 500 packages of Go took a second.
const maxTime = 30 * time.Second

// Pages are documents that take long to make. The cache keeps them.
type Pages struct {
	Cache *Cache
	Key   string // names everything that the pages depend on, except what Same compares
	// Make makes them. It also returns what Same needs, as JSON.
	Make func(ctx context.Context) (pages []Page, from []byte, err error)
	Same func(from []byte) bool      // reports whether kept pages still hold; nil: they do
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
