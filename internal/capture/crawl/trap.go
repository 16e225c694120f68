package crawl

import (
	"net/url"
	"slices"
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

// traps are the URLs that are left out, by reason and pattern.
type traps []Trap

// maxTraps is how many traps are reported.
const maxTraps = 100

// report counts a URL that is left out.
func (t *traps) report(u *url.URL, why string) {
	pattern := u.EscapedPath()
	if segments := strings.SplitN(pattern, "/", 5); len(segments) == 5 {
		pattern = strings.Join(segments[:4], "/") + "/…"
	} else {
		pattern = pattern[:min(len(pattern), 100)]
	}
	pattern = u.Host + pattern
	i := slices.IndexFunc(*t, func(trap Trap) bool { return trap.Why == why && trap.Pattern == pattern })
	if i < 0 && len(*t) < maxTraps {
		i = len(*t)
		*t = append(*t, Trap{Pattern: pattern, Why: why})
	}
	if i >= 0 {
		(*t)[i].Left++
	}
}
