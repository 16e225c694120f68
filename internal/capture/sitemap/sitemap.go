// Package sitemap reads the sitemaps of a site (sitemaps.org): lists of URLs as XML or text, index
// files that name further sitemaps, and either of them compressed with gzip. It knows no network.
//
// Sitemaps are read level by level: those that were given, in their order, then those that these
// name, and so on, to [maxDepth] levels and [maxFiles] sitemaps in all. Each is read once, however
// often and in whatever spelling it is named, also where another URL redirects to it.
//
// What a site says is hostile. The text is read as a stream, so memory does not grow with it; each
// part is bounded: sitemaps, [MaxURLs] URLs, 50 MiB of a sitemap without its compression. An index may
// name sitemaps of its own host only. XML that is not well-formed gives the URLs that can be found
// in it.
//
// What is not read is a [Fault].
package sitemap

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// MaxURLs is how many URLs [Reader.Read] visits.
const MaxURLs = 200_000

const (
	maxBytes  = 50 << 20 // of a sitemap without its compression
	maxURL    = 4 << 10  // bytes
	maxTitle  = 300      // bytes
	maxFaults = 20
	// maxFiles is how many sitemaps are read, and maxDepth how many levels of them. The protocol has
	// two, the second of which is that of large sites.
	maxFiles, maxDepth = 500, 5
)

// An Entry is a page that a sitemap names.
type Entry struct {
	URL      *url.URL
	Title    string    // "" if there is none: most sitemaps have no titles
	Modified time.Time // zero if there is none
}

// A Fault says what was not read.
type Fault struct {
	Sitemap *url.URL // that cannot be read, or the first that names what is left out
	Left    int      // sitemaps that are left out; 0: Sitemap itself cannot be read, or not to its end
	Err     error    // why
}

func (f Fault) Error() string {
	if f.Left > 0 {
		return fmt.Sprintf("sitemap %.300s: %d sitemaps that it or others name are not read: %v", f.Sitemap.Redacted(), f.Left, f.Err)
	}
	at := f.Sitemap.Redacted()
	return fmt.Sprintf("sitemap %.300s: %s", at, strings.TrimPrefix(f.Err.Error(), at+": "))
}

// A Reader reads sitemaps.
type Reader struct {
	// Get returns a file, and where it came from after redirects.
	Get func(context.Context, *url.URL) (body []byte, at *url.URL, err error)
	// Key returns what is equal for the URLs of one sitemap; nil: they are those of equal text.
	Key func(*url.URL) string

	visit  func(Entry) bool
	urls   int
	done   map[string]bool // by key: sitemaps that are read, and false for those that are to be read
	faults []Fault
}

// errEnough reports that nobody wants more URLs.
var errEnough = errors.New("enough")

// Read calls visit with each URL of some sitemaps and of those that they name, until it returns
// false. A fault does not keep the rest from being read; the error is that of ctx.
func (r *Reader) Read(ctx context.Context, sitemaps []*url.URL, visit func(Entry) bool) ([]Fault, error) {
	r.visit, r.urls, r.done, r.faults = visit, 0, make(map[string]bool), nil
	var level []*url.URL
	for _, u := range sitemaps {
		if !r.name(u, &level) {
			r.fault(Fault{u, 0, errManyFiles})
		}
	}
	for depth := 1; len(level) > 0; depth++ {
		var next []*url.URL
		for _, u := range level {
			if err := r.file(ctx, u, depth, &next); err != nil {
				return r.faults, ctx.Err()
			}
		}
		level = next
	}
	return r.faults, ctx.Err()
}

var (
	errManyFiles = fmt.Errorf("more than %d sitemaps are named", maxFiles)
	errDeep      = fmt.Errorf("they are more than %d index files deep", maxDepth-1)
	errElsewhere = errors.New("they are of another host")
)

// file reads a sitemap, and adds those that it names to the next level. An error ends everything.
func (r *Reader) file(ctx context.Context, u *url.URL, depth int, next *[]*url.URL) error {
	k := r.key(u)
	if r.done[k] { // another one redirected to it
		return nil
	}
	r.done[k] = true
	body, at, err := r.Get(ctx, u)
	if err == nil {
		if moved := r.key(at); moved != k {
			if r.done[moved] {
				return nil
			}
			r.done[moved] = true
		}
		left := make(map[error]int)
		err = parse(ctx, body, at, r.page, func(child *url.URL) {
			switch {
			case !strings.EqualFold(child.Host, at.Host):
				left[errElsewhere]++
			case depth == maxDepth:
				left[errDeep]++
			case !r.name(child, next):
				left[errManyFiles]++
			}
		})
		for _, why := range []error{errElsewhere, errDeep, errManyFiles} {
			if left[why] > 0 {
				r.fault(Fault{u, left[why], why})
			}
		}
	}
	switch {
	case err == errEnough:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.fault(Fault{u, 0, err})
		if err == errTooMany {
			return err
		}
	}
	return nil
}

var errTooMany = fmt.Errorf("there are more than %d URLs: the others are not read", MaxURLs)

// page gives a page to the caller.
func (r *Reader) page(e Entry) error {
	if r.urls == MaxURLs {
		return errTooMany
	}
	r.urls++
	if !r.visit(e) {
		return errEnough
	}
	return nil
}

// name adds a sitemap to a level, unless it is known, and reports whether there was room for it.
func (r *Reader) name(u *url.URL, level *[]*url.URL) bool {
	k := r.key(u)
	if _, known := r.done[k]; known {
		return true
	}
	if len(r.done) >= maxFiles {
		return false
	}
	r.done[k] = false
	*level = append(*level, u)
	return true
}

func (r *Reader) key(u *url.URL) string {
	if r.Key != nil {
		return r.Key(u)
	}
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	return bare.String()
}

// fault reports a fault. Sitemaps that are left out for one reason are one fault.
func (r *Reader) fault(f Fault) {
	for i := range r.faults {
		if old := &r.faults[i]; f.Left > 0 && old.Left > 0 && old.Err == f.Err {
			old.Left += f.Left
			return
		}
	}
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, f)
	}
}
