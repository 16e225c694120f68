// Package weburl resolves links as browsers do, by the URL Standard of WHATWG (https://url.spec.whatwg.org/): a space is encoded, a
// backslash is a slash, a scheme without slashes is relative.
package weburl

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Resolve returns the URL that a link of a page leads to. A percent sign that begins no escape, which the standard leaves as it is and
// [url.Parse] refuses, becomes %25.
func Resolve(base *url.URL, link string) (*url.URL, error) {
	found, err := whatwg.ParseRef(base.String(), link)
	if err != nil {
		return nil, fmt.Errorf("%.300q is not a URL: %w", link, err)
	}
	spelled := found.Href(false)
	u, err := url.Parse(spelled)
	if _, ok := errors.AsType[url.EscapeError](err); ok {
		u, err = url.Parse(escaped(spelled))
	}
	return u, err
}

// escaped returns a URL with %25 for each percent sign that begins no escape.
func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] == '%' && (i+2 >= len(s) || !hexadecimal(s[i+1]) || !hexadecimal(s[i+2])) {
			b.WriteString("25")
		}
	}
	return b.String()
}

func hexadecimal(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
