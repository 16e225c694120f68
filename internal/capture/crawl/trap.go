package crawl

import (
	"net/url"
	"slices"
	"strings"
)

// Bounds of what a site may have, beyond which it is a trap.
const (
	maxSegments   = 20
	maxRepeats    = 3 // of the same segments one after another
	maxSame       = 4 // of one segment
	maxParameters = 8
	maxLength     = 1500 // bytes of path and query
)

// endless returns why a URL is part of a trap by itself, or "".
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
		if count[s]++; count[s] >= maxSame && named(s) {
			return "segments that repeat"
		}
	}
	for n := 1; n*maxRepeats <= len(segments); n++ {
		for at := 0; at+n*maxRepeats <= len(segments); at++ {
			if repeats(segments[at:at+n*maxRepeats], n) {
				return "segments that repeat"
			}
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

// named reports whether a segment has a letter. Numbers repeat where chapters have sections.
func named(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

// repeats reports whether segments, some of which are named, are the same n again and again.
func repeats(segments []string, n int) bool {
	if !slices.ContainsFunc(segments, named) {
		return false
	}
	for i := n; i < len(segments); i++ {
		if segments[i] != segments[i-n] {
			return false
		}
	}
	return true
}

// traps counts the URLs that are left out.
type traps struct {
	found  []Trap
	counts map[string]int // places in found, by pattern
}

// report counts a URL that was left out.
func (t *traps) report(u *url.URL, why string) {
	pattern := u.Host + firstSegments(u.EscapedPath(), 3)
	k := why + " " + pattern
	at, ok := t.counts[k]
	if !ok {
		if len(t.found) == 100 {
			return
		}
		if t.counts == nil {
			t.counts = make(map[string]int)
		}
		at = len(t.found)
		t.counts[k] = at
		t.found = append(t.found, Trap{Pattern: pattern, Why: why})
	}
	t.found[at].Left++
}

// firstSegments returns the beginning of a path.
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
