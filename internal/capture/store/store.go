// Package store keeps captures of web pages for some time, within bounds.
//
// A capture is the result of one [Request]. It has up to three tiers, which are written together or
// not at all: the bytes that were received ([Raw]), Markdown made of them ([Cleaned]), and text that
// was extracted for a prompt ([Extracted]). A capture never changes; [Store.Put] with the same key
// replaces it.
//
//  1. Keys. [Request.Key] returns a readable name, such as
//     example.com_docs_start_b4kq3hmoy2ivzk5jtd3aaawkpq. It has at most 200 bytes of a to z, 0 to 9,
//     dot, hyphen and underscore, and is a valid file name on every system. Its digest covers
//     everything that the result depends on: the exact URL, the options, the headers, the owner. The
//     text before the digest is for people only.
//  2. Owners. A capture has an owner if only one caller may see it. The owner is part of the key, so
//     callers never share a page that only one of them could fetch.
//  3. Expiry. A capture expires when it is older than its TTL; a TTL of 0 means never. The store does
//     not return expired captures, and [Store.Run] notifies the watchers at that moment.
//  4. Bounds. If there are more captures than [Settings.MaxItems], or more bytes of contents than
//     [Settings.MaxBytes], the least recently used captures are removed. A capture is refused, before
//     anything is removed, if it is larger than the whole store or if only captures of pinned jobs
//     could make room. Pinned captures may use three quarters of the store together, so that other
//     callers have room while crawls run.
//  5. Engines. The index of all captures is in memory, with their sizes, times and order. An engine
//     keeps the captures themselves: in memory, in files that several processes share, or in a database
//     that replicas share.
package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// A Tier is one of the forms of a capture.
type Tier string

// The tiers, in the order of lists.
const (
	Cleaned   Tier = "cleaned"
	Extracted Tier = "extracted"
	Raw       Tier = "raw"
)

// Tiers are all tiers, in the order of lists.
func Tiers() []Tier { return []Tier{Cleaned, Extracted, Raw} }

// Contents are the bytes of the tiers of a capture, which must not change.
type Contents map[Tier][]byte

// Meta describes a capture. In files and in the database it is JSON, see [encodeMeta].
type Meta struct {
	Key   string `json:"key"`
	Owner string `json:"owner,omitempty"` // the only caller that may see it; "": all may

	URL      string `json:"url"`
	Location string `json:"location,omitempty"` // after redirects, if it differs
	// when it was fetched or last found up to date; Put sets zero
	Created time.Time     `json:"timestamp"`
	TTL     time.Duration `json:"-"` // 0: it never expires
	// strategy: native, browser, firecrawl
	Source string `json:"source"`

	Title        string `json:"title,omitempty"`
	Description  string `json:"description,omitempty"`
	ETag         string `json:"etag,omitempty"` // for conditional requests
	LastModified string `json:"lastModified,omitempty"`

	Options map[string]string `json:"options,omitempty"`
	Prompt  string            `json:"extractionPrompt,omitempty"` // of the tier Extracted
	Job     string            `json:"job,omitempty"`

	Diagnostics []string `json:"diagnostics,omitempty"` // strategies that failed before

	Parts map[Tier]Part `json:"resources"` // set by Put, except MIME types
}

// A Part describes a tier.
type Part struct {
	MIME   string `json:"contentType"`   // "": Put sets a default
	Bytes  int64  `json:"contentLength"` // without front matter
	SHA256 string `json:"sha256"`
}

// Size returns the number of bytes of all tiers.
func (m *Meta) Size() int64 {
	var n int64
	for _, p := range m.Parts {
		n += p.Bytes
	}
	return n
}

// Expires returns the last moment of a capture; the zero time: it never expires.
func (m *Meta) Expires() time.Time {
	if m.TTL == 0 {
		return time.Time{}
	}
	return m.Created.Add(m.TTL)
}

// Expired reports whether a capture is older than its TTL.
func (m *Meta) Expired(now time.Time) bool { return m.TTL != 0 && now.After(m.Expires()) }

// Name returns the name of a tier in lists, such as cleaned/example.com_2025-01-08. It is not
// unique.
func (m *Meta) Name(tier Tier) string {
	host := m.URL
	if u, err := url.Parse(m.URL); err == nil && u.Host != "" {
		host = u.Hostname()
	}
	return string(tier) + "/" + host + "_" + m.Created.UTC().Format("2006-01-02")
}

// About returns the description of a tier in lists.
func (m *Meta) About(tier Tier) string {
	switch {
	case m.Description != "":
		return m.Description
	case tier == Extracted && m.Prompt != "":
		return "Extracted information from " + m.URL + " using query: " + frontmatter.Quoted(excerpt.Ellipsis(m.Prompt, maxQuoted))
	}
	return "Fetched content from " + m.URL
}

// maxQuoted is how many bytes of a prompt a description quotes.
const maxQuoted = 200

// ErrNotFound reports that the store has no capture of a key, or that the capture has no such tier.
var ErrNotFound = errors.New("is not in the store: it expired, or was removed to make room")

// ErrTooLarge reports that the store has no room for a capture.
var ErrTooLarge = errors.New("has no room in the store")

// A Capture is the immutable result of a request.
type Capture struct {
	Meta    Meta
	version string
	store   *Store
	packed  map[Tier]packed // contents in memory
}

// Content returns the bytes of a tier, which the caller must not change. The error is [ErrNotFound] if
// the capture has no such tier, or was removed meanwhile.
func (c *Capture) Content(ctx context.Context, tier Tier) ([]byte, error) {
	return c.Read(ctx, tier, func(n int) []byte { return make([]byte, n) })
}

// Read is like Content, but gets a buffer of at least n bytes from alloc if it needs one. If alloc
// returns nil, the error is [ErrNoBuffer].
func (c *Capture) Read(ctx context.Context, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	if _, ok := c.Meta.Parts[tier]; !ok {
		return nil, ErrNotFound
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := c.store.engine.read(ctx, c, tier, alloc)
	if err == ErrNotFound && c.store.current(c.Meta.Key) == c {
		c.store.engine.again(c.Meta.Key)
		if failed := c.store.look(ctx, c.Meta.Key); failed != nil {
			return nil, failed
		}
	}
	return data, err
}

// ErrNoBuffer reports that alloc of [Capture.Read] returned nil.
var ErrNoBuffer = errors.New("alloc returned no buffer")

// URI returns the URI of a tier of a capture: memory://cleaned/KEY, or capture://cleaned/KEY if other processes have it too. It is
// canonical, as keys need no escaping.
func (s *Store) URI(tier Tier, key string) string { return s.scheme + "://" + string(tier) + "/" + key }

// Scheme returns the scheme of the URIs of the store.
func (s *Store) Scheme() string { return s.scheme }

const (
	// maxReadable is the length of the readable part of a key in bytes.
	maxReadable = 120
	// digestSize is the length of a digest in a key. It has 130 bits: an attacker who chooses URLs
	// could find two with the same shorter digest.
	digestSize = 26
	// MaxKey is the maximum length of a key in bytes.
	MaxKey = maxReadable + 1 + digestSize
)

// A Request has everything that a capture depends on.
type Request struct {
	URL     *url.URL
	Owner   string
	Options map[string]string // that change the result, with one spelling for each value
	Header  http.Header       // only its digest is kept
}

// Key returns the key of the capture of a request.
func (r Request) Key() string {
	u := *r.URL
	u.User = nil
	d := sha256.New()
	field(d, u.String(), r.Owner)
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		field(d, "option", name, r.Options[name])
	}
	header := make(map[string][]string, len(r.Header))
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		header[canonical] = append(header[canonical], r.Header[name]...)
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		field(d, "header", name)
		field(d, header[name]...)
	}
	if r.URL.User != nil {
		field(d, "user", r.URL.User.String())
	}
	digest := strings.ToLower(base32.StdEncoding.EncodeToString(d.Sum(nil)))[:digestSize]
	return readable(&u) + "_" + digest
}

// field adds values to a digest. Different lists of values add different bytes.
func field(d hash.Hash, values ...string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(values)))
	d.Write(n[:])
	for _, v := range values {
		binary.BigEndian.PutUint64(n[:], uint64(len(v)))
		d.Write(n[:])
		d.Write([]byte(v))
	}
}

// readable returns the part of a key that shows the URL of the page.
func readable(u *url.URL) string {
	text := u.Host + u.Path
	if u.RawQuery != "" {
		text += "_" + u.RawQuery
	}
	var b strings.Builder
	under := true // at the beginning and after an underscore without a following one
	for _, r := range strings.ToLower(text) {
		if b.Len() == maxReadable {
			break
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.' && b.Len() > 0:
			b.WriteRune(r)
			under = false
		case !under:
			b.WriteByte('_')
			under = true
		}
	}
	name := strings.TrimRight(b.String(), "_.")
	if walk.Device(name) {
		name = "_" + name
	}
	return cmp.Or(name, "page")
}

// validKey reports whether a name may be a key, which is also a file name.
func validKey(key string) bool {
	return key != "" && len(key) <= MaxKey && key[0] != '.' && !walk.Device(key) && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

const (
	metaFile = "meta.json"
	// maxMeta is the greatest size of meta.json in bytes.
	maxMeta = 256 << 10
)

// A metaJSON is the file meta.json of a capture. Other servers for scraped pages use the same field names.
type metaJSON struct {
	*Meta
	TTL *int64 `json:"ttl"` // milliseconds; 0: it never expires
}

// encodeMeta returns the contents of meta.json.
func encodeMeta(m *Meta) ([]byte, error) {
	ttl := m.TTL.Milliseconds()
	data, err := json.MarshalIndent(metaJSON{m, &ttl}, "", "  ")
	if err == nil && len(data) >= maxMeta {
		err = fmt.Errorf("its metadata has more than %d KiB", maxMeta>>10)
	}
	return append(data, '\n'), err
}

// decodeMeta reads meta.json, and checks it: a capture with an invalid time would never expire.
func decodeMeta(key string, data []byte) (*Meta, error) {
	m := new(Meta)
	j := metaJSON{Meta: m}
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	switch {
	case m.Key != key:
		return nil, fmt.Errorf("its key is %q, must be %q as in the name of the folder", m.Key, key)
	case j.TTL == nil || *j.TTL < 0 || *j.TTL > maxTTL.Milliseconds() || m.Created.IsZero():
		return nil, errors.New("its ttl or timestamp is missing or wrong")
	case len(m.Parts) == 0:
		return nil, errors.New("it has no resources")
	}
	m.Created, m.TTL = m.Created.UTC(), time.Duration(*j.TTL)*time.Millisecond
	for tier, p := range m.Parts {
		if usual[tier] == "" || p.Bytes < 0 {
			return nil, fmt.Errorf("the resource %q is not a tier of a capture", tier)
		}
	}
	return m, nil
}
