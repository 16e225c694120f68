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

// parse reads one sitemap, and calls page with the pages and child with the sitemaps that it names.
// An error of page ends it.
func parse(ctx context.Context, body []byte, at *url.URL, page func(Entry) error, child func(*url.URL)) (err error) {
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
		err = parseXML(ctx, buffered, at, page, child)
	} else {
		err = parseText(ctx, buffered, at, page)
	}
	if err == nil && limited.N <= 0 {
		err = fmt.Errorf("has more than %d MiB: the rest is not read", maxBytes>>20)
	}
	return err
}

// parseText reads a sitemap that has a URL in each line.
func parseText(ctx context.Context, source *bufio.Reader, at *url.URL, page func(Entry) error) error {
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, 4*maxURL)
	for first := true; ctx.Err() == nil && lines.Scan(); first = false {
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
		if err := page(Entry{URL: u}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// parseXML reads a sitemap of XML. The tokenizer is that of HTML, which reads the elements of
// sitemaps as they are, takes what is not well-formed, and keeps no more than a token.
func parseXML(ctx context.Context, source io.Reader, at *url.URL, page func(Entry) error, child func(*url.URL)) error {
	z := html.NewTokenizer(source)
	z.SetMaxBuf(64 << 10)
	z.AllowCDATA(true)
	var inside, field string // the element url or sitemap, and the one in it that is read
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
				return errors.New("is no sitemap: it has no element <urlset> or <sitemapindex>")
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
			u := resolve(at, values["loc"])
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
