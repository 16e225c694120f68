// Package sitemap reads the sitemaps of a site (sitemaps.org): lists of URLs as XML or text, index
// files that name further sitemaps, and either of them compressed with gzip. It knows no network.
//
// Sitemaps are read level by level: those that were given, in their order, then those that these
// name, and so on. Each is read once, however often and in whatever spelling it is named, also
// where another URL redirects to it.
//
// What a site says is hostile. The text is read as a stream, so memory does not grow with it; each
// part is bounded: the sitemaps of each level, [MaxURLs] URLs, 50 MiB of a sitemap without its
// compression. If the index files of a level name more sitemaps than the next level may have, those
// that were given share it evenly, then the index files that each of them names, and so on: an
// index without end leaves room for the others. An index may
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
	maxNamed  = 50_000   // sitemaps of an index file, as the protocol has it
	maxFaults = 20
)

// maxFiles is how many sitemaps of each level are read; there are no more levels. The protocol has
// two, the second of which is that of large sites.
var maxFiles = [...]int{150, 500, 100, 50, 25, 25}

// An Entry is a page that a sitemap names.
type Entry struct {
	URL      *url.URL
	Title    string    // "" if there is none: most sitemaps have no titles
	Modified time.Time // zero if there is none
}

// A Fault says what was not read.
type Fault struct {
	Sitemap *url.URL // that cannot be read, or that leads to what is left out
	Left    int      // sitemaps that are left out; 0: Sitemap itself cannot be read, or not to its end
	Err     error    // why
}

func (f Fault) Error() string {
	if f.Left > 0 {
		return fmt.Sprintf("sitemap %.300s: %d of the sitemaps to which it leads are not read: %v", f.Sitemap.Redacted(), f.Left, f.Err)
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
	done   map[string]bool // by key: sitemaps that are read, and false for those of the next level
	faults []Fault
}

// errEnough reports that nobody wants more URLs.
var errEnough = errors.New("enough")

// Read calls visit with each URL of some sitemaps and of those that they name, until it returns
// false. A fault does not keep the rest from being read; the error is that of ctx.
func (r *Reader) Read(ctx context.Context, sitemaps []*url.URL, visit func(Entry) bool) ([]Fault, error) {
	r.visit, r.urls, r.done, r.faults = visit, 0, make(map[string]bool), nil
	next := level{most: maxFiles[0]}
	for _, u := range sitemaps {
		r.name(&next, &file{url: u})
	}
	for depth := 1; len(next.files) > 0; depth++ {
		this := next.files
		next = level{}
		if depth < len(maxFiles) {
			next.most = maxFiles[depth]
		}
		for _, f := range this {
			if err := r.file(ctx, f, &next); err != nil {
				return r.faults, ctx.Err()
			}
		}
		r.report(&next, this)
	}
	return r.faults, ctx.Err()
}

// file reads a sitemap, and adds those that it names to a level. An error ends everything.
func (r *Reader) file(ctx context.Context, f *file, next *level) error {
	k := r.key(f.url)
	if r.done[k] { // another one redirected to it
		return nil
	}
	r.done[k] = true
	body, at, err := r.Get(ctx, f.url)
	if err == nil {
		if moved := r.key(at); moved != k {
			if r.done[moved] {
				return nil
			}
			r.done[moved] = true
		}
		elsewhere, children := 0, 0
		err = parse(body, at, r.page, func(child *url.URL) {
			switch children++; {
			case !strings.EqualFold(child.Host, at.Host):
				elsewhere++
			case children <= maxNamed:
				r.name(next, &file{child, f})
			}
		})
		if elsewhere > 0 {
			r.fault(Fault{f.url, elsewhere, errors.New("they are of another host")})
		}
		if children > maxNamed {
			r.fault(Fault{f.url, children - maxNamed, fmt.Errorf("it names more than %d", maxNamed)})
		}
	}
	switch {
	case err == errEnough:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.fault(Fault{f.url, 0, err})
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

// name adds a sitemap to a level, unless it is known.
func (r *Reader) name(l *level, f *file) {
	k := r.key(f.url)
	if _, known := r.done[k]; known {
		return
	}
	r.done[k] = false
	if dropped := l.add(f); dropped != nil {
		delete(r.done, r.key(dropped.url))
	}
}

func (r *Reader) key(u *url.URL) string {
	if r.Key != nil {
		return r.Key(u)
	}
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	return bare.String()
}

// report says what a level leaves out, to which the files of the level before lead.
func (r *Reader) report(l *level, before []*file) {
	why := fmt.Errorf("there are more than %d so deep", l.most)
	if l.most == 0 {
		why = fmt.Errorf("they are more than %d index files deep", len(maxFiles)-1)
	}
	for _, f := range before {
		if root := f.path()[0]; l.left[root] > 0 {
			r.fault(Fault{root.url, l.left[root], why})
			delete(l.left, root)
		}
	}
}

func (r *Reader) fault(f Fault) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, f)
	}
}
