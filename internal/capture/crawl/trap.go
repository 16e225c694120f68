package crawl

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
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
		if count[s]++; count[s] > maxRepeats && strings.ContainsFunc(s, unicode.IsLetter) { // numbers may repeat, as in chapters and sections
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

// maxExamples is how many URLs are named for each reason.
const maxExamples = 10

// leaveOut counts a URL that is left out, which an example describes.
func (s *Stats) leaveOut(example, why string) {
	i := slices.IndexFunc(s.LeftOut, func(l LeftOut) bool { return l.Why == why })
	if i < 0 {
		i = len(s.LeftOut)
		s.LeftOut = append(s.LeftOut, LeftOut{Why: why})
	}
	l := &s.LeftOut[i]
	if l.URLs++; l.URLs <= maxExamples {
		l.Examples = append(l.Examples, excerpt.Cut(example, 300))
	}
}
