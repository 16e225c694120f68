package crawl

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Clean returns the URL to request for a link: in canonical form, and without parameters that say where a visitor
// came from or that identify a session. ignoreQuery removes all other parameters too.
func Clean(u *url.URL, ignoreQuery bool) (*url.URL, error) {
	c, err := Normalize(u)
	if err != nil {
		return nil, err
	}
	if p := sessions().ReplaceAllString(c.EscapedPath(), ""); p != c.EscapedPath() {
		full, err := url.Parse(c.Scheme + "://" + c.Host + p)
		if err != nil {
			return nil, err
		}
		full.RawQuery = c.RawQuery
		c = full
	}
	c.ForceQuery = false
	if ignoreQuery {
		c.RawQuery = ""
	}
	if c.RawQuery != "" {
		var kept []string
		for part := range strings.SplitSeq(c.RawQuery, "&") {
			name, value, _ := strings.Cut(part, "=")
			if part != "" && !tracking(strings.ToLower(name), value) {
				kept = append(kept, part)
			}
		}
		c.RawQuery = strings.Join(kept, "&")
	}
	return c, nil
}

// tracking reports whether a parameter has no influence on the page.
func tracking(name, value string) bool {
	switch name {
	case "gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "_ga", "_gl", "phpsessid", "jsessionid", "aspsessionid":
		return true
	case "sid", "sessionid", "session_id", "session":
		return len(value) >= 16 && random().MatchString(value)
	}
	return strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "pk_") || strings.HasPrefix(name, "mtm_") || strings.HasPrefix(name, "matomo_")
}

// sessions finds the ids that Java servers write into paths: "/a;jsessionid=1".
var sessions = lazyregexp.New(`(?i);jsessionid=[^/]*`)

// Key returns a string that is equal for all URLs of one page, as [Clean] returns them: the scheme,
// a trailing slash and the order of parameters do not matter.
func Key(u *url.URL) string {
	k := u.Host + strings.TrimRight(u.EscapedPath(), "/")
	if u.RawQuery == "" {
		return k
	}
	parts := strings.Split(u.RawQuery, "&")
	slices.Sort(parts)
	return k + "?" + strings.Join(parts, "&")
}

// random matches texts that look like a random identifier: letters and digits that alternate.
var random = lazyregexp.New(`^[A-Za-z]*(?:[0-9]+[A-Za-z]+){2,}[0-9]*$`)

// mayBeText reports whether a path may lead to a text: its extension does not name an image, a program, an archive, an
// office document, or a file that a page loads, such as a style sheet.
func mayBeText(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".ico", ".bmp", ".tif", ".tiff", ".psd", ".eps",
		".css", ".js", ".mjs", ".map", ".wasm", ".woff", ".woff2", ".ttf", ".otf", ".eot",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".war", ".whl", ".gem", ".deb", ".rpm", ".apk", ".dmg", ".pkg",
		".exe", ".msi", ".dll", ".so", ".dylib", ".bin", ".iso", ".img", ".mp3", ".mp4", ".m4a", ".m4v", ".ogg", ".oga", ".ogv", ".wav", ".flac",
		".avi", ".mov", ".mkv", ".webm", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp", ".epub", ".mobi",
		".sig", ".asc", ".sha256", ".torrent", ".ics":
		return false
	}
	return true
}

const maxURL = 4096

// Normalize returns the canonical spelling of a URL: scheme and host in lower case, no default port, no fragment, no
// dot segments, and percent-encoding only where needed, in upper case (RFC 3986, 6.2.2).
func Normalize(u *url.URL) (*url.URL, error) {
	c := url.URL{Scheme: strings.ToLower(u.Scheme), RawQuery: webclient.Spelled(u.RawQuery), ForceQuery: u.ForceQuery}
	if c.Scheme != "http" && c.Scheme != "https" {
		return nil, fmt.Errorf("%s: the scheme is %q, must be http or https", u.Redacted(), u.Scheme)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%s: has a user name or password: leave it out", u.Redacted())
	}
	host := webclient.ASCII(strings.ToLower(u.Hostname()))
	if host == "" {
		return nil, fmt.Errorf("%q has no host", u)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := strings.TrimLeft(u.Port(), "0"); port != "" && port != map[string]string{"http": "80", "https": "443"}[c.Scheme] {
		host += ":" + port
	}
	c.Host = host
	p := webclient.Spelled(u.EscapedPath())
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	full, err := url.Parse(c.Scheme + "://" + c.Host + p)
	if err != nil {
		return nil, err
	}
	full = full.ResolveReference(&url.URL{Scheme: full.Scheme, Host: full.Host, Path: full.Path, RawPath: full.RawPath})
	full.RawQuery, full.ForceQuery = c.RawQuery, c.ForceQuery
	if len(full.String()) > maxURL {
		return nil, errors.New("the URL has more than 4096 bytes")
	}
	return full, nil
}

// hostOf returns the host and port of a URL that [Clean] made.
func hostOf(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// Bounds beyond which URLs are a trap.
const (
	maxSegments   = 20
	maxRepeats    = 3 // occurrences of one segment
	maxParameters = 8
	maxLength     = 1500 // bytes of path and query
)

// endless returns why a URL is part of a trap, or "".
func endless(u *url.URL) string {
	p := u.EscapedPath()
	if len(p)+len(u.RawQuery) > maxLength {
		return "longer and longer URLs"
	}
	segments := strings.Split(strings.Trim(p, "/"), "/")
	if len(segments) > maxSegments {
		return "deeper and deeper paths"
	}
	count := make(map[string]int)
	for _, s := range segments {
		// Numbers may repeat, as in chapters.
		if count[s]++; count[s] > maxRepeats && strings.ContainsFunc(s, unicode.IsLetter) {
			return "segments that repeat"
		}
	}
	if strings.Count(u.RawQuery, "&") >= maxParameters {
		return "more and more parameters"
	}
	return ""
}
