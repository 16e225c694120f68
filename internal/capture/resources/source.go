// Package resources serves the captures of a store as resources: memory://{tier}/{key}, or
// capture://{tier}/{key} if the store keeps files.
//
//  1. Each tier of each capture is listed, with the name TIER/HOST_DATE.
//  2. Only the owner of a private capture sees it in lists and is notified of changes. No private
//     capture has the same key as a public one, since the owner is part of the key.
//  3. The store keeps its captures sorted, so a snapshot is two slices, made once after each change,
//     and a page of a list takes the same time with 100,000 captures as with ten. Resources are made
//     while they are listed. Snapshots have no expired captures.
//  4. A capture that another process has just put may be missing in the snapshot, but is found by its
//     URI: the store looks for it on the disk. looksPerSecond bounds this for each caller.
package resources

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A Source is the [view.Source] of the captures of a store.
type Source struct {
	store    *store.Store
	looks    *hosts.Limiter // of each caller at the disk
	template templates.Entry
	texts    chan struct{}
}

const (
	looksPerSecond = 10
	looksAtOnce    = 50
)

// New returns a source.
func New(s *store.Store) *Source {
	text := s.Scheme() + "://{tier}/{key}"
	parsed, _ := templates.Parse(text)
	return &Source{store: s, looks: hosts.NewLimiter(looksPerSecond, looksAtOnce), texts: make(chan struct{}, 1), template: templates.Entry{Template: parsed, Definition: templates.Definition{
		URITemplate: text,
		Name:        "Captured pages",
		Description: "Pages of the web that were captured. tier is raw (the bytes that were received), cleaned (Markdown) or extracted (what was extracted for a prompt).",
	}}}
}

// Name implements [view.Source].
func (s *Source) Name() string { return "the store of captures" }

// Notify implements [view.Source].
func (s *Source) Notify(changed func(view.Change)) {
	s.store.Watch(func(changes []store.Change) {
		for _, c := range s.announced(changes) {
			changed(c)
			if c.Owner == "" {
				select {
				case s.texts <- struct{}{}:
				default: // the reader has not taken the last value yet
				}
			}
		}
	})
}

// announced translates changes of the store into changes for clients, one for each owner.
func (s *Source) announced(changes []store.Change) []view.Change {
	byOwner := make(map[string]*view.Change)
	for _, c := range changes {
		owner := c.Owner()
		change := byOwner[owner]
		if change == nil {
			change = &view.Change{Owner: owner}
			byOwner[owner] = change
		}
		for _, tier := range store.Tiers() {
			before, was := part(c.Old, tier)
			after, is := part(c.New, tier)
			if !was && !is {
				continue
			}
			if was != is || before.SHA256 != after.SHA256 || before.Bytes != after.Bytes {
				change.Updated = append(change.Updated, s.store.URI(tier, c.Key))
			}
			if was != is || before.MIME != after.MIME || listedAs(c.Old, tier) != listedAs(c.New, tier) {
				change.List = true
			}
		}
	}
	all := make([]view.Change, 0, len(byOwner))
	for _, change := range byOwner {
		all = append(all, *change)
	}
	return all
}

func part(c *store.Capture, tier store.Tier) (store.Part, bool) {
	if c == nil {
		return store.Part{}, false
	}
	p, ok := c.Meta.Parts[tier]
	return p, ok
}

// listedAs returns the texts of a tier in a list.
func listedAs(c *store.Capture, tier store.Tier) [3]string {
	return [3]string{c.Meta.Name(tier), c.Meta.Title, c.Meta.About(tier)}
}

// Snapshot implements [view.Source].
func (s *Source) Snapshot(_ *loader.Catalog, caller string) view.Snapshot {
	n := snapshot{source: s, caller: caller, public: s.store.Listing("")}
	if caller != "" {
		n.private = s.store.Listing(caller)
	}
	return n
}

// A snapshot has the captures that a caller may see at one moment. Equal snapshots have the same
// captures.
type snapshot struct {
	source          *Source
	caller          string
	public, private *store.Listing
}

// After implements [view.Snapshot].
func (n snapshot) After(canonical string) iter.Seq[*view.Resource] {
	return func(yield func(*view.Resource) bool) {
		for _, tier := range store.Tiers() {
			from, ok := n.source.from(canonical, tier)
			if !ok {
				continue
			}
			for c := range n.captures(from) {
				if _, ok := c.Meta.Parts[tier]; ok && !yield(n.source.resource(c, tier)) {
					return
				}
			}
		}
	}
}

// from returns the first key of a tier that can follow a canonical URI in a list, and whether any key
// can.
func (s *Source) from(canonical string, tier store.Tier) (key string, ok bool) {
	if name, ok := strings.CutPrefix(uri.Decode(canonical), s.store.URI(tier, "")); ok && name != "" && !strings.Contains(name, "/") {
		return name + "\x00", true
	}
	return "", view.Compare(canonical, s.store.URI(tier, "any")) < 0
}

// captures yields the captures that the caller may see, sorted by key, from a key on.
func (n snapshot) captures(from string) iter.Seq[*store.Capture] {
	return func(yield func(*store.Capture) bool) {
		a, b := n.public.From(from), n.private.From(from)
		for len(a) > 0 || len(b) > 0 {
			var next *store.Capture
			if len(b) == 0 || len(a) > 0 && a[0].Meta.Key < b[0].Meta.Key {
				next, a = a[0], a[1:]
			} else {
				next, b = b[0], b[1:]
			}
			if !yield(next) {
				return
			}
		}
	}
}

// Lookup implements [view.Snapshot].
func (n snapshot) Lookup(s string) (*view.Resource, bool) {
	for decoded := range uri.Readings(s) {
		scheme, path, ok := uri.Split(decoded)
		if !ok || scheme != n.source.store.Scheme() {
			continue
		}
		host, key, _ := strings.Cut(path, "/")
		tier := store.Tier(strings.ToLower(host))
		c, _ := n.private.Find(key)
		if _, ok := part(c, tier); !ok {
			c, _ = n.public.Find(key)
		}
		var err error
		if _, ok := part(c, tier); !ok {
			c, err = n.look(key)
		}
		if _, ok := part(c, tier); ok {
			return n.source.resource(c, tier), true
		}
		if errors.Is(err, database.ErrUnreachable) && slices.Contains(store.Tiers(), tier) {
			return n.source.unknown(key, tier, err), true
		}
	}
	return nil, false
}

// look finds a capture that was put after the snapshot was made, perhaps by another process.
func (n snapshot) look(key string) (*store.Capture, error) {
	if _, ok := n.source.looks.Allow(n.caller); !ok {
		return nil, store.ErrNotFound
	}
	c, err := n.source.store.Find(context.Background(), key)
	if err == nil && c.Meta.Owner != "" && c.Meta.Owner != n.caller {
		return nil, store.ErrNotFound
	}
	return c, err
}

// unknown returns a resource for a capture that may exist, while the store cannot be reached: a client that reads "not
// found" would forget the URI.
func (s *Source) unknown(key string, tier store.Tier, err error) *view.Resource {
	return &view.Resource{URI: s.store.URI(tier, key), Name: key, Read: func(context.Context, func(int) []byte) ([]byte, error) {
		return nil, database.Public(err)
	}}
}

// resource returns a tier as a resource.
func (s *Source) resource(c *store.Capture, tier store.Tier) *view.Resource {
	p := c.Meta.Parts[tier]
	return &view.Resource{
		URI: s.store.URI(tier, c.Meta.Key), Name: c.Meta.Name(tier), Title: c.Meta.Title, Description: c.Meta.About(tier),
		MIMEType: p.MIME, Size: p.Bytes, Modified: c.Meta.Created, Owner: c.Meta.Owner,
		Read: func(ctx context.Context, alloc func(int) []byte) ([]byte, error) {
			data, err := s.store.Use(ctx, c, tier, alloc)
			switch {
			case errors.Is(err, store.ErrNotFound):
				return nil, fs.ErrNotExist
			case errors.Is(err, store.ErrNoBuffer):
				return nil, loader.ErrNoRoom
			}
			return data, err
		},
	}
}

// Templates implements [view.Snapshot].
func (n snapshot) Templates() []templates.Entry { return []templates.Entry{n.source.template} }

// Complete implements [view.Snapshot].
func (n snapshot) Complete(ctx context.Context, _, variable, prefix string, given map[string]string) (values []string) {
	prefix = strings.ToLower(prefix)
	switch variable {
	case "tier":
		for _, tier := range store.Tiers() {
			if strings.HasPrefix(string(tier), prefix) {
				values = append(values, string(tier))
			}
		}
	case "key":
		tier := store.Tier(given["tier"])
		for c := range n.captures(prefix) {
			if !strings.HasPrefix(c.Meta.Key, prefix) || ctx.Err() != nil {
				break
			}
			if _, ok := c.Meta.Parts[tier]; ok || tier == "" {
				values = append(values, c.Meta.Key)
			}
		}
	}
	return values
}

// Changed has a value when the result of [Source.Texts] has changed.
func (s *Source) Changed() <-chan struct{} { return s.texts }

// Texts returns the texts of public captures for the search of documents: the cleaned tier of each, or
// else the extracted one. Filters select them by paths such as captures/example.com/docs/start.
func (s *Source) Texts() docs.Source { return texts{s, s.store.Listing("")} }

type texts struct {
	source  *Source
	listing *store.Listing
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
	return rootfs.InMemory(data, rootfs.NewInfo(key, int64(len(data)), 0o400, time.Unix(0, fingerprint(p)))), nil
}
