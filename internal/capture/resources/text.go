package resources

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
)

// Changed has a value when the result of [Source.Texts] has changed.
func (s *Source) Changed() <-chan struct{} { return s.texts }

// Texts returns the texts of public captures for the search of documents: the cleaned tier of each, or
// else the extracted one. Filters select them by paths such as captures/example.com/docs/start.
func (s *Source) Texts() docs.Source { return texts{s, s.store.Listing("")} }

type texts struct {
	source  *Source
	listing *store.Listing // nil: none
}

// searchedTier returns the tier of a capture that the search reads.
func searchedTier(c *store.Capture) (store.Tier, bool) {
	for _, tier := range []store.Tier{store.Cleaned, store.Extracted} {
		if p, ok := c.Meta.Parts[tier]; ok && docs.Searchable(p.MIME) {
			return tier, true
		}
	}
	return "", false
}

// Texts implements [docs.Source]. The newest come first, as the search may not take all.
func (t texts) Texts() iter.Seq[docs.Text] {
	return func(yield func(docs.Text) bool) {
		newest := slices.SortedStableFunc(slices.Values(t.listing.From("")), func(a, b *store.Capture) int { return b.Meta.Created.Compare(a.Meta.Created) })
		for _, c := range newest {
			tier, ok := searchedTier(c)
			if !ok {
				continue
			}
			p := c.Meta.Parts[tier]
			if !yield(docs.Text{URI: t.source.store.URI(tier, c.Meta.Key), Path: filterPath(c.Meta.URL), Size: p.Bytes, ModTime: fingerprint(p), Markdown: p.MIME == "text/markdown", Foreign: true}) {
				return
			}
		}
	}
}

// filterPath returns the path of a page to which the filters of a query apply.
func filterPath(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return store.DefaultFolder
	}
	return path.Join(store.DefaultFolder, strings.ToLower(u.Hostname()), u.Path)
}

// fingerprint takes the place of the modification time: the index considers a text unchanged if its
// size and time are the same.
func fingerprint(p store.Part) int64 {
	sum, err := hex.DecodeString(p.SHA256)
	if err != nil || len(sum) < 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(sum))
}

// Open implements [docs.Source].
func (t texts) Open(uri string) (fs.File, error) {
	name, ok := strings.CutPrefix(uri, t.source.store.Scheme()+"://")
	tier, key, _ := strings.Cut(name, "/")
	c, found := t.listing.Find(key)
	if !ok || !found {
		return nil, fs.ErrNotExist
	}
	p, ok := c.Meta.Parts[store.Tier(tier)]
	if !ok || p.Bytes > docs.MaxText {
		return nil, fs.ErrNotExist
	}
	data, err := c.Content(context.Background(), store.Tier(tier))
	if err != nil {
		return nil, err
	}
	return &textFile{bytes.NewReader(data), textInfo{key, int64(len(data)), time.Unix(0, fingerprint(p))}}, nil
}

// A textFile is a text that was read from the store as a whole.
type textFile struct {
	*bytes.Reader
	info textInfo
}

func (f *textFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *textFile) Close() error               { return nil }

type textInfo struct {
	name string
	size int64
	time time.Time
}

func (i textInfo) Name() string       { return i.name }
func (i textInfo) Size() int64        { return i.size }
func (i textInfo) Mode() fs.FileMode  { return 0o400 }
func (i textInfo) ModTime() time.Time { return i.time }
func (i textInfo) IsDir() bool        { return false }
func (i textInfo) Sys() any           { return nil }
