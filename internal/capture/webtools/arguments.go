package webtools

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webpage"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Values of resultHandling.
const (
	SaveOnly      = "saveOnly"
	SaveAndReturn = "saveAndReturn"
	ReturnOnly    = "returnOnly"
)

const (
	maxHeaders     = 50
	maxHeaderBytes = 16 << 10
)

// countries matches country codes (ISO 3166-1 alpha-2), and languageTags codes of languages.
var (
	countries    = lazyregexp.New(`^[A-Z]{2}$`)
	languageTags = lazyregexp.New(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)
)

// otherScheme matches URLs such as mailto:a@b, but not localhost:3000.
var otherScheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+-]*:(?:$|[^0-9])`)

// parseURL reads the URL of a page or site. https:// may be missing.
func parseURL(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return nil, errors.New("is empty")
	case !utf8.ValidString(s), strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, errors.New("is not a URL: it has control characters")
	}
	if !strings.Contains(s, "://") && !otherScheme().MatchString(s) {
		s = "https://" + strings.TrimPrefix(s, "//")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("is not a URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("has the scheme %q, must have http or https", excerpt.Cut(u.Scheme, 60))
	}
	if u.Hostname() == "" {
		return nil, errors.New("has no host")
	}
	return u, nil
}

// address reads the argument url, and returns its canonical spelling; nil: it is wrong.
func address(wrong *tools.Wrong, s string, canonical func(*url.URL) (*url.URL, error)) *url.URL {
	if s == "" && wrong.Err() != nil { // missing
		return nil
	}
	u, err := parseURL(s)
	if err == nil {
		u, err = canonical(u)
	}
	if err != nil {
		wrong.Add("url", "%v", err)
		return nil
	}
	return u
}

// siteURL cleans the URL of a site as a crawl does.
func siteURL(u *url.URL) (*url.URL, error) { return crawl.Clean(u, false) }

// reserved are the header fields that only the program sets, or that concern the connection.
var reserved = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Keep-Alive", "Accept-Encoding", "User-Agent", "Expect",
	"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
}

// headers reads the header fields for the host of a URL; nil: none.
func headers(wrong *tools.Wrong, name string, given map[string]string) http.Header {
	if len(given) == 0 {
		return nil
	}
	header, size := make(http.Header), 0
	for _, field := range slices.Sorted(maps.Keys(given)) {
		canonical, v := http.CanonicalHeaderKey(field), strings.TrimSpace(given[field])
		size += len(field) + len(v)
		switch {
		case !httpguts.ValidHeaderFieldName(field):
			wrong.Add(name, "%q is not a valid name of a header", excerpt.Cut(field, 60))
		case !httpguts.ValidHeaderFieldValue(v):
			wrong.Add(name+"."+canonical, "has a character that is not allowed in headers")
		case slices.Contains(reserved, canonical), strings.HasPrefix(canonical, "Proxy-"):
			wrong.Add(name+"."+canonical, "is set by the server")
		case header[canonical] != nil:
			wrong.Add(name+"."+canonical, "is given twice")
		default:
			header[canonical] = []string{v}
		}
	}
	if len(given) > maxHeaders || size > maxHeaderBytes {
		wrong.Add(name, "must be at most %d, with at most %d bytes together", maxHeaders, maxHeaderBytes)
	}
	return header
}

// country returns a country code in upper case; "": none.
func country(wrong *tools.Wrong, name, code string) string {
	if code = strings.ToUpper(code); code != "" && !countries().MatchString(code) {
		wrong.Add(name, "is %.50q, must be two letters such as US", code)
	}
	return code
}

// checkLanguage checks the code of a language.
func checkLanguage(wrong *tools.Wrong, name, tag string) {
	if !languageTags().MatchString(tag) {
		wrong.Add(name, "is %.50q, must be a language such as en or pt-BR", tag)
	}
}

// each checks the values of a list.
func each[T any](wrong *tools.Wrong, name string, list []T, check func(T) error) {
	for i, v := range list {
		if err := check(v); err != nil {
			wrong.Add(fmt.Sprintf("%s[%d]", name, i), "%v", err)
		}
	}
}

// choice reads the arguments onlyMainContent, includeTags and excludeTags. prefix is the name of the object that has them.
func choice(wrong *tools.Wrong, prefix string, onlyMain bool, include, exclude []string) webpage.Choice {
	check := func(selector string) error {
		_, err := webpage.ParseSelector(selector)
		return err
	}
	each(wrong, prefix+"includeTags", include, check)
	each(wrong, prefix+"excludeTags", exclude, check)
	return webpage.Choice{Whole: !onlyMain, Include: include, Exclude: exclude}
}
