package crawl

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/weburl"
)

// MaxURLs is how many URLs [SitemapReader.Read] visits at most.
const MaxURLs = 200_000

const (
	maxBytes  = 50 << 20 // decompressed
	maxTitle  = 300
	maxFaults = 20
	// maxFiles is how many sitemaps are read.
	maxFiles = 500
)

// An SitemapEntry is a page that a sitemap names.
type SitemapEntry struct {
	URL      *url.URL
	Title    string
	Modified time.Time
}

// A SitemapFault reports a sitemap that was not read.
type SitemapFault struct {
	Sitemap *url.URL
	Names   bool  // it is the first whose list of sitemaps is ignored
	Err     error // the rest is not read
}

func (f SitemapFault) Error() string {
	shown := f.Sitemap.Redacted()
	return fmt.Sprintf("sitemap %.300s: %s", shown, strings.TrimPrefix(f.Err.Error(), shown+": "))
}

// A SitemapReader lists the URLs in the sitemaps of a site (sitemaps.org): lists of URLs as XML or
// text, and index files that name further sitemaps, with or without gzip. The caller fetches the files.
//
//  1. The given sitemaps are read first, in their order, then the sitemaps that these name, and so on, up to [maxFiles] sitemaps
//     in all. Each is read once, even if it is named several times, in several spellings or through a redirect.
//  2. Sitemaps are hostile. They are read as a stream, so memory does not grow with them. The number of
//     sitemaps, of URLs ([MaxURLs]) and of decompressed bytes (50 MiB each) are bounded. An index may
//     name sitemaps of its own host only.
//  3. Feeds (RSS, Atom) are read as sitemaps. Of XML that is not well-formed, the URLs that can be found are read.
//  4. A [SitemapFault] reports what was not read.
type SitemapReader struct {
	// Get returns a file, and its URL after redirects.
	Get func(context.Context, *url.URL) (body []byte, final *url.URL, err error)

	visit  func(SitemapEntry) bool
	urls   int
	queue  []*url.URL
	done   map[string]bool // by key; false: will be read
	faults []SitemapFault
}

// errEnough reports that visit wants no more URLs.
var errEnough = errors.New("enough")

var (
	errElsewhere = errors.New("names sitemaps on another host, which are not read")
	errManyFiles = fmt.Errorf("names more sitemaps than the %d that are read", maxFiles)
)

// Read calls visit with each URL of the given sitemaps and of the sitemaps that they name, until visit
// returns false. After a fault, it reads the others; the error is the error of ctx.
func (r *SitemapReader) Read(ctx context.Context, sitemaps []*url.URL, visit func(SitemapEntry) bool) (faults []SitemapFault, err error) {
	r.visit, r.urls, r.queue, r.done, r.faults = visit, 0, nil, make(map[string]bool), nil
	for _, u := range sitemaps {
		r.name(u, u)
	}
	for len(r.queue) > 0 && ctx.Err() == nil {
		u := r.queue[0]
		r.queue = r.queue[1:]
		err := r.readFile(ctx, u)
		if err != nil && err != errEnough && ctx.Err() == nil && len(r.faults) < maxFaults {
			r.faults = append(r.faults, SitemapFault{u, false, err})
		}
		if err == errEnough || err == errTooMany {
			break
		}
	}
	return r.faults, ctx.Err()
}

// sitemapKey returns the same text for all URLs of one sitemap.
func sitemapKey(u *url.URL) string {
	if clean, err := Clean(u, false); err == nil {
		return Key(clean)
	}
	return u.String()
}

// readFile reads a sitemap, unless another one redirected to it.
func (r *SitemapReader) readFile(ctx context.Context, u *url.URL) error {
	k := sitemapKey(u)
	if r.done[k] {
		return nil
	}
	r.done[k] = true
	body, final, err := r.Get(ctx, u)
	if err != nil {
		return err
	}
	moved := sitemapKey(final)
	if moved != k && r.done[moved] {
		return nil
	}
	r.done[moved] = true
	return parse(ctx, body, final, r.visitPage, func(child *url.URL) {
		if strings.EqualFold(child.Host, final.Host) {
			r.name(child, u)
		} else {
			r.skip(u, errElsewhere)
		}
	})
}

// skip records the first sitemap that names one that is not read for a reason.
func (r *SitemapReader) skip(by *url.URL, why error) {
	if !slices.ContainsFunc(r.faults, func(f SitemapFault) bool { return f.Err == why }) {
		r.faults = append(r.faults, SitemapFault{by, true, why})
	}
}

var errTooMany = fmt.Errorf("there are more than %d URLs: the others are not read", MaxURLs)

// visitPage counts a page, and gives it to visit.
func (r *SitemapReader) visitPage(e SitemapEntry) error {
	if r.urls == MaxURLs {
		return errTooMany
	}
	r.urls++
	if !r.visit(e) {
		return errEnough
	}
	return nil
}

// name queues a sitemap that another one names, unless it is known.
func (r *SitemapReader) name(u, by *url.URL) {
	k := sitemapKey(u)
	if _, known := r.done[k]; known {
		return
	}
	if len(r.done) >= maxFiles {
		r.skip(by, errManyFiles)
		return
	}
	r.done[k] = false
	r.queue = append(r.queue, u)
}

// parse reads one sitemap, whose URL is base. It calls page with each page and child with each sitemap
// that it names, and stops at an error of page.
func parse(ctx context.Context, body []byte, base *url.URL, page func(SitemapEntry) error, child func(*url.URL)) (err error) {
	var source io.Reader = bytes.NewReader(body)
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		if source, err = gzip.NewReader(source); err != nil {
			return fmt.Errorf("is not gzip, as its first bytes say: %w", err)
		}
	}
	limited := &io.LimitedReader{R: source, N: maxBytes + 1}
	buffered := bufio.NewReader(transform.NewReader(limited, unicode.BOMOverride(transform.Nop)))
	head, _ := buffered.Peek(512)
	head = bytes.TrimLeft(head, " \t\r\n")
	if bytes.HasPrefix(head, []byte("<")) {
		err = parseXML(ctx, buffered, base, page, child)
	} else {
		err = parseText(ctx, buffered, base, page)
	}
	if err == nil && limited.N <= 0 {
		err = fmt.Errorf("has more than %d MiB: the rest is not read", maxBytes>>20)
	}
	return err
}

// parseText reads a sitemap with one URL per line.
func parseText(ctx context.Context, source *bufio.Reader, base *url.URL, page func(SitemapEntry) error) error {
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, 4*maxURL)
	for first := true; ctx.Err() == nil && lines.Scan(); first = false {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		u := resolve(base, line)
		if u == nil || !strings.HasPrefix(strings.ToLower(line), "http") {
			if first {
				return errors.New("is not a sitemap: neither XML nor a list of URLs")
			}
			continue
		}
		if err := page(SitemapEntry{URL: u}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// parseXML reads a sitemap of XML. It uses the tokenizer for HTML, which accepts XML that is not well-formed, and keeps only one
// token in memory.
func parseXML(ctx context.Context, source io.Reader, base *url.URL, page func(SitemapEntry) error, child func(*url.URL)) error {
	z := html.NewTokenizer(source)
	z.SetMaxBuf(64 << 10)
	z.AllowCDATA(true)
	var inside, field string // the open element url or sitemap, and its child
	var values map[string]string
	known := false
	for ctx.Err() == nil {
		z.Next()
		switch t := z.Token(); t.Type {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return fmt.Errorf("cannot be read: %w", err)
			} else if !known {
				return errors.New("is not a sitemap: it has no element <urlset> or <sitemapindex>")
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			switch t.Data {
			case "urlset", "sitemapindex", "rss", "feed":
				known = true
			case "url", "sitemap", "item", "entry":
				inside, field, values = t.Data, "", make(map[string]string)
			default:
				field = cmp.Or(feedNames[t.Data], t.Data)
				for _, a := range t.Attr {
					// in Atom
					if t.Data == "link" && a.Key == "href" && values["loc"] == "" && values != nil {
						values["loc"] = a.Val[:min(len(a.Val), maxURL)]
					}
				}
			}
			if t.Type == html.SelfClosingTagToken {
				field = ""
			}
		case html.TextToken:
			if inside != "" && slices.Contains(fields, field) && len(values[field])+len(t.Data) <= maxURL {
				values[field] += t.Data
			}
		case html.EndTagToken:
			field = ""
			if t.Data != inside {
				continue
			}
			u := resolve(base, values["loc"])
			inside = ""
			if u != nil && t.Data == "sitemap" {
				child(u)
			} else if u != nil {
				if err := page(SitemapEntry{u, titleOf(values), modified(values["lastmod"])}); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// fields are the elements that are read: URLs, times and titles.
var fields = []string{"loc", "lastmod", "news:title", "title", "video:title"}

// feedNames are the names that RSS and Atom have for the elements of a sitemap.
var feedNames = map[string]string{"link": "loc", "pubdate": "lastmod", "updated": "lastmod"}

func resolve(base *url.URL, text string) *url.URL {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxURL || !utf8.ValidString(text) {
		return nil
	}
	u, err := weburl.Resolve(base, text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil
	}
	return u
}

func titleOf(values map[string]string) string {
	for _, key := range fields[2:] {
		if title := strings.Join(strings.Fields(strings.ToValidUTF8(values[key], "")), " "); title != "" {
			return excerpt.Cut(title, maxTitle)
		}
	}
	return ""
}

// modified reads a time in the formats of W3C (W3C-NOTE-datetime) and of RSS. For a day without a time, it
// returns the end of the day in the last time zone on Earth.
func modified(text string) time.Time {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.RFC1123Z, time.RFC1123} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.Add(36 * time.Hour)
	}
	return time.Time{}
}
