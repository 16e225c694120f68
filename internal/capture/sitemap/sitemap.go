// Package sitemap lists the URLs in the sitemaps of a site (sitemaps.org): lists of URLs as XML or
// text, and index files that name further sitemaps, with or without gzip. The caller fetches the files.
//
//  1. Sitemaps are read level by level: first the given ones, in their order, then the sitemaps that
//     these name, and so on, up to [maxDepth] levels and [maxFiles] sitemaps in all. Each is read once,
//     even if it is named several times, in several spellings or through a redirect.
//  2. Sitemaps are hostile. They are read as a stream, so memory does not grow with them. The number of
//     sitemaps, of URLs ([MaxURLs]) and of decompressed bytes (50 MiB each) are bounded. An index may
//     name sitemaps of its own host only.
//  3. Of XML that is not well-formed, the URLs that can be found are read.
//  4. A [Fault] reports what was not read.
package sitemap

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// MaxURLs is how many URLs [Reader.Read] visits at most.
const MaxURLs = 200_000

const (
	maxBytes  = 50 << 20 // of a decompressed sitemap
	maxURL    = 4 << 10  // bytes
	maxTitle  = 300      // bytes
	maxFaults = 20
	// maxFiles is how many sitemaps are read, and maxDepth how many levels of them. The protocol allows
	// two levels: an index and its sitemaps.
	maxFiles, maxDepth = 500, 5
)

// An Entry is a page that a sitemap names.
type Entry struct {
	URL      *url.URL
	Title    string    // "" in most sitemaps
	Modified time.Time // zero if the sitemap does not say
}

// A Fault reports a sitemap that was not read.
type Fault struct {
	Sitemap *url.URL // the sitemap that cannot be read, or the first that names skipped sitemaps
	Skipped int      // number of skipped sitemaps; 0: Sitemap itself cannot be read, or not to its end
	Err     error    // why
}

func (f Fault) Error() string {
	shown := f.Sitemap.Redacted()
	if f.Skipped > 0 {
		return fmt.Sprintf("sitemap %.300s: %d sitemaps that it or others name are not read: %v", shown, f.Skipped, f.Err)
	}
	return fmt.Sprintf("sitemap %.300s: %s", shown, strings.TrimPrefix(f.Err.Error(), shown+": "))
}

// A Reader reads sitemaps.
type Reader struct {
	// Get returns a file, and its URL after redirects.
	Get func(context.Context, *url.URL) (body []byte, final *url.URL, err error)
	// Key returns the same text for all URLs of one sitemap; nil: URLs are compared as they are.
	Key func(*url.URL) string

	visit  func(Entry) bool
	urls   int
	done   map[string]bool // by key: true if the sitemap was read, false if it will be read
	faults []Fault
}

// errEnough reports that visit wants no more URLs.
var errEnough = errors.New("enough")

// Read calls visit with each URL of the given sitemaps and of the sitemaps that they name, until visit
// returns false. After a fault, it reads the others; the error is the error of ctx.
func (r *Reader) Read(ctx context.Context, sitemaps []*url.URL, visit func(Entry) bool) ([]Fault, error) {
	r.visit, r.urls, r.done, r.faults = visit, 0, make(map[string]bool), nil
	var level []*url.URL
	for _, u := range sitemaps {
		if !r.name(u, &level) {
			r.addFault(Fault{u, 0, errManyFiles})
		}
	}
	for depth := 1; len(level) > 0; depth++ {
		var next []*url.URL
		for _, u := range level {
			if err := r.readFile(ctx, u, depth, &next); err != nil {
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
	errElsewhere = errors.New("they are on another host")
)

// readFile reads a sitemap, and adds the sitemaps that it names to the next level. An error ends Read.
func (r *Reader) readFile(ctx context.Context, u *url.URL, depth int, next *[]*url.URL) error {
	k := r.key(u)
	if r.done[k] { // another sitemap redirected to it
		return nil
	}
	r.done[k] = true
	body, final, err := r.Get(ctx, u)
	if err == nil {
		if moved := r.key(final); moved != k {
			if r.done[moved] {
				return nil
			}
			r.done[moved] = true
		}
		skipped := make(map[error]int)
		err = parse(ctx, body, final, r.visitPage, func(child *url.URL) {
			switch {
			case !strings.EqualFold(child.Host, final.Host):
				skipped[errElsewhere]++
			case depth == maxDepth:
				skipped[errDeep]++
			case !r.name(child, next):
				skipped[errManyFiles]++
			}
		})
		for _, why := range []error{errElsewhere, errDeep, errManyFiles} {
			if skipped[why] > 0 {
				r.addFault(Fault{u, skipped[why], why})
			}
		}
	}
	switch {
	case err == errEnough:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.addFault(Fault{u, 0, err})
		if err == errTooMany {
			return err
		}
	}
	return nil
}

var errTooMany = fmt.Errorf("there are more than %d URLs: the others are not read", MaxURLs)

// visitPage counts a page, and gives it to visit.
func (r *Reader) visitPage(e Entry) error {
	if r.urls == MaxURLs {
		return errTooMany
	}
	r.urls++
	if !r.visit(e) {
		return errEnough
	}
	return nil
}

// name adds a sitemap to a level, unless it is already known. It returns false if there are too many.
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

// addFault adds a fault. All sitemaps that are skipped for one reason are one fault.
func (r *Reader) addFault(f Fault) {
	for i := range r.faults {
		if old := &r.faults[i]; f.Skipped > 0 && old.Skipped > 0 && old.Err == f.Err {
			old.Skipped += f.Skipped
			return
		}
	}
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, f)
	}
}
