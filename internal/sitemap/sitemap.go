// Package sitemap reads the sitemaps of a site (sitemaps.org): lists of URLs as XML or text, index
// files that name further sitemaps, and either of them compressed with gzip. It knows no network.
//
// What a site says is hostile. The text is read as a stream, so memory does not grow with it; each
// part is bounded: [MaxFiles] sitemaps, [MaxURLs] URLs, 50 MiB of a sitemap without its
// compression, an index five levels deep. An index may name sitemaps of its own host only. XML that
// is not well-formed gives the URLs that can be found in it.
package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Bounds of [Reader.Read].
const (
	MaxFiles = 500
	MaxURLs  = 200_000

	maxBytes  = 50 << 20 // of a sitemap without its compression
	maxDepth  = 5        // of index files
	maxURL    = 4 << 10  // bytes
	maxTitle  = 300      // bytes
	maxErrors = 20
)

// An Entry is a page that a sitemap names.
type Entry struct {
	URL      *url.URL
	Title    string    // "" if there is none: most sitemaps have no titles
	Modified time.Time // zero if there is none
}

// A Reader reads sitemaps.
type Reader struct {
	// Get returns a file, and where it came from after redirects.
	Get func(context.Context, *url.URL) (body []byte, at *url.URL, err error)

	files, urls int
	seen        map[string]bool
	errs        []error
}

// errEnough reports that nobody wants more URLs.
var errEnough = errors.New("enough")

// Read calls visit with each URL of some sitemaps and of those that they name, until it returns
// false. The error joins what could not be read; it does not keep the rest from being read.
func (r *Reader) Read(ctx context.Context, sitemaps []*url.URL, visit func(Entry) bool) error {
	r.files, r.urls, r.seen, r.errs = 0, 0, make(map[string]bool), nil
	for _, u := range sitemaps {
		if err := r.file(ctx, u, 0, visit); err != nil {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(r.errs...)
}

func (r *Reader) fault(u *url.URL, err error) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, fmt.Errorf("sitemap %.300s: %w", u.Redacted(), err))
	}
}

// file reads a sitemap. An error ends everything.
func (r *Reader) file(ctx context.Context, u *url.URL, depth int, visit func(Entry) bool) error {
	if r.seen[u.String()] {
		return nil
	}
	if r.files == MaxFiles {
		r.fault(u, fmt.Errorf("there are more than %d sitemaps: the others are not read", MaxFiles))
		return errEnough
	}
	r.seen[u.String()] = true
	r.files++
	body, at, err := r.Get(ctx, u)
	if err == nil {
		var children []*url.URL
		children, err = parse(body, at, func(e Entry) error {
			if r.urls == MaxURLs {
				r.fault(u, fmt.Errorf("there are more than %d URLs: the others are not read", MaxURLs))
				return errEnough
			}
			r.urls++
			if !visit(e) {
				return errEnough
			}
			return nil
		})
		for _, child := range children {
			switch {
			case child.Host != at.Host:
				r.fault(child, errors.New("is of another host than the index that names it, and is not read"))
			case depth == maxDepth:
				r.fault(child, fmt.Errorf("is %d index files deep, and is not read", maxDepth+1))
			default:
				if err := r.file(ctx, child, depth+1, visit); err != nil {
					return err
				}
			}
		}
	}
	if err == errEnough || ctx.Err() != nil {
		return errEnough
	}
	if err != nil {
		r.fault(u, err)
	}
	return nil
}

// parse reads one sitemap, calls visit with its URLs, and returns the sitemaps that it names.
func parse(body []byte, at *url.URL, visit func(Entry) error) (children []*url.URL, err error) {
	var source io.Reader = bytes.NewReader(body)
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		if source, err = gzip.NewReader(source); err != nil {
			return nil, fmt.Errorf("is not gzip, as its first bytes say: %w", err)
		}
	}
	limited := &io.LimitedReader{R: source, N: maxBytes + 1}
	buffered := bufio.NewReader(limited)
	head, _ := buffered.Peek(512)
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(head, []byte("<")) {
		children, err = parseXML(buffered, at, visit)
	} else {
		err = parseText(buffered, at, visit)
	}
	if err == nil && limited.N <= 0 {
		err = fmt.Errorf("has more than %d MiB: the rest is not read", maxBytes>>20)
	}
	return children, err
}

// parseText reads a sitemap that has a URL in each line.
func parseText(source *bufio.Reader, at *url.URL, visit func(Entry) error) error {
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, 4*maxURL)
	for first := true; lines.Scan(); first = false {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		u := resolve(at, line)
		if u == nil || !strings.HasPrefix(strings.ToLower(line), "http") {
			if first {
				return errors.New("is no sitemap: neither XML nor a list of URLs")
			}
			continue
		}
		if err := visit(Entry{URL: u}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// parseXML reads a sitemap of XML. The tokenizer is that of HTML, which reads the elements of
// sitemaps as they are, takes what is not well-formed, and keeps no more than a token.
func parseXML(source io.Reader, at *url.URL, visit func(Entry) error) (children []*url.URL, err error) {
	z := html.NewTokenizer(source)
	z.SetMaxBuf(64 << 10)
	z.AllowCDATA(true)
	var inside, field string // the element url or sitemap, and the one in it that is read
	var values map[string]string
	known := false
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if err := z.Err(); err != io.EOF {
				return children, fmt.Errorf("cannot be read: %w", err)
			}
			if !known {
				return children, errors.New("is no sitemap: it has no element <urlset> or <sitemapindex>")
			}
			return children, nil
		}
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			tag, _ := z.TagName()
			switch name := string(tag); name {
			case "urlset", "sitemapindex":
				known = true
			case "url", "sitemap":
				inside, field, values = name, "", make(map[string]string)
			default:
				field = name
			}
			if kind == html.SelfClosingTagToken {
				field = ""
			}
		case html.TextToken:
			if inside == "" || field != "loc" && field != "lastmod" && field != "news:title" && field != "video:title" && field != "title" {
				continue
			}
			if text := string(z.Text()); len(values[field])+len(text) <= maxURL {
				values[field] += html.UnescapeString(text)
			}
		case html.EndTagToken:
			tag, _ := z.TagName()
			if name := string(tag); name != inside || inside == "" {
				field = ""
				continue
			}
			u := resolve(at, values["loc"])
			index := inside == "sitemap"
			inside, field = "", ""
			switch {
			case u == nil:
			case index:
				if len(children) <= MaxFiles {
					children = append(children, u)
				}
			default:
				if err := visit(Entry{u, titleOf(values), modified(values["lastmod"])}); err != nil {
					return children, err
				}
			}
		}
	}
}

func resolve(at *url.URL, text string) *url.URL {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxURL || !utf8.ValidString(text) {
		return nil
	}
	u, err := at.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil
	}
	return u
}

func titleOf(values map[string]string) string {
	for _, key := range []string{"news:title", "title", "video:title"} {
		if title := strings.Join(strings.Fields(strings.ToValidUTF8(values[key], "")), " "); title != "" {
			for len(title) > maxTitle {
				_, size := utf8.DecodeLastRuneInString(title)
				title = title[:len(title)-size]
			}
			return title
		}
	}
	return ""
}

// modified reads a time in the formats of W3C (W3C-NOTE-datetime). A day means all of it, so it is
// the end of the day, wherever on Earth that is.
func modified(text string) time.Time {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.Add(36 * time.Hour)
	}
	return time.Time{}
}
