package crawl

import (
	"net/url"
	"strings"
)

// Bounds beyond which URLs are a trap.
const (
	maxSegments   = 20
	maxRepeats    = 3 // occurrences of one segment, or of one parameter
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
		if count[s]++; count[s] > maxRepeats && hasLetter(s) {
			return "segments that repeat"
		}
	}
	if u.RawQuery == "" {
		return ""
	}
	names := make(map[string]int)
	parts := strings.Split(u.RawQuery, "&")
	for _, part := range parts {
		name, _, _ := strings.Cut(part, "=")
		if names[name]++; names[name] > maxRepeats {
			return "parameters that repeat"
		}
	}
	if len(parts) > maxParameters {
		return "more and more parameters"
	}
	return ""
}

// hasLetter reports whether a segment has a letter. Numbers may repeat, as in chapters and sections.
func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

// traps indexes the URLs that are left out.
type traps struct {
	found   []Trap
	indexes map[string]int // indexes in found, by reason and pattern
}

// report indexes a URL that was left out.
func (t *traps) report(u *url.URL, why string) {
	pattern := u.Host + firstSegments(u.EscapedPath(), 3)
	key := why + " " + pattern
	index, ok := t.indexes[key]
	if !ok {
		if len(t.found) == 100 {
			return
		}
		if t.indexes == nil {
			t.indexes = make(map[string]int)
		}
		index = len(t.found)
		t.indexes[key] = index
		t.found = append(t.found, Trap{Pattern: pattern, Why: why})
	}
	t.found[index].Left++
}

// firstSegments returns the first n segments of a path.
func firstSegments(p string, n int) string {
	for i := 1; i < len(p); i++ {
		if p[i] == '/' {
			if n--; n == 0 {
				return p[:i] + "/…"
			}
		}
	}
	return p[:min(len(p), 100)]
}
