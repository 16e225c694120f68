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

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/weburl"
)

// parse reads one sitemap, whose URL is base. It calls page with each page and child with each sitemap
// that it names, and stops at an error of page.
func parse(ctx context.Context, body []byte, base *url.URL, page func(Entry) error, child func(*url.URL)) (err error) {
	var source io.Reader = bytes.NewReader(body)
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		if source, err = gzip.NewReader(source); err != nil {
			return fmt.Errorf("is not gzip, as its first bytes say: %w", err)
		}
	}
	limited := &io.LimitedReader{R: source, N: maxBytes + 1}
	buffered := bufio.NewReader(limited)
	head, _ := buffered.Peek(512)
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
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
func parseText(ctx context.Context, source *bufio.Reader, base *url.URL, page func(Entry) error) error {
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
		if err := page(Entry{URL: u}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// parseXML reads a sitemap of XML. It uses the tokenizer for HTML, which accepts XML that is not
// well-formed, and keeps only one token in memory.
func parseXML(ctx context.Context, source io.Reader, base *url.URL, page func(Entry) error, child func(*url.URL)) error {
	z := html.NewTokenizer(source)
	z.SetMaxBuf(64 << 10)
	z.AllowCDATA(true)
	var inside, field string // the open element url or sitemap, and its open child
	var values map[string]string
	known := false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		kind := z.Next()
		if kind == html.ErrorToken {
			if err := z.Err(); err != io.EOF {
				return fmt.Errorf("cannot be read: %w", err)
			}
			if !known {
				return errors.New("is not a sitemap: it has no element <urlset> or <sitemapindex>")
			}
			return nil
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
			u := resolve(base, values["loc"])
			index := inside == "sitemap"
			inside, field = "", ""
			switch {
			case u == nil:
			case index:
				child(u)
			default:
				if err := page(Entry{u, titleOf(values), modified(values["lastmod"])}); err != nil {
					return err
				}
			}
		}
	}
}

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
	for _, key := range []string{"news:title", "title", "video:title"} {
		if title := strings.Join(strings.Fields(strings.ToValidUTF8(values[key], "")), " "); title != "" {
			return excerpt.Cut(title, maxTitle)
		}
	}
	return ""
}

// modified reads a time in the formats of W3C (W3C-NOTE-datetime). For a day without a time, it
// returns the end of the day in the last time zone on Earth.
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
