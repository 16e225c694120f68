package crawl

import (
	"hash/fnv"
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
	// maxRun is how many pages may follow one another, each found on the one before, of one shape
	// and with the same words; maxAlike how many there may be if they follow one another at all.
	maxRun, maxAlike, leastRun = 12, 60, 4
	// maxChain is how many pages of one shape may follow one another whatever they say.
	maxChain = 500
	// learned is how many pages that differ only in a token in their paths must have the same words
	// for the token to be a session.
	learned = 3
	// maxShapes is how many shapes are counted.
	maxShapes = 20_000
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

// A shape is what URLs have in common that a program made of one pattern.
type shape struct {
	of        uint64 // the path, with numbers, dates and tokens left out; 0: it has nothing of these
	tokenless uint64 // the path and the query, with tokens left out; 0: it has none
	before    uint64 // what is before the first token
	pattern   string // for people
}

// shapeOf returns the shape of a URL.
func shapeOf(u *url.URL) shape {
	var pattern, plain, before strings.Builder
	varies, tokens := u.RawQuery != "", false
	for i, s := range strings.Split(u.EscapedPath(), "/") {
		if i > 0 {
			pattern.WriteByte('/')
			plain.WriteByte('/')
		}
		if token(s) {
			if !tokens {
				before.WriteString(plain.String())
			}
			varies, tokens = true, true
			pattern.WriteByte('*')
			plain.WriteByte('*')
			continue
		}
		plain.WriteString(s)
		short := variable(s)
		varies = varies || short != s
		pattern.WriteString(short)
	}
	if u.RawQuery != "" {
		pattern.WriteString("?*")
		plain.WriteByte('?')
		plain.WriteString(u.RawQuery)
	}
	sh := shape{pattern: u.Host + pattern.String()}
	if varies {
		sh.of = sum(sh.pattern)
	}
	if tokens {
		sh.tokenless, sh.before = sum(u.Host+plain.String()), sum(u.Host+before.String())
	}
	return sh
}

// variable returns a segment with a star for each number, and for the name of a month.
func variable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		if end > i {
			b.WriteByte('*')
			i = end
			continue
		}
		for end < len(s) && (s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
			end++
		}
		if word := strings.ToLower(s[i:end]); month(word) {
			b.WriteByte('*')
			i = end
			continue
		}
		end = max(end, i+1)
		b.WriteString(s[i:end])
		i = end
	}
	return b.String()
}

func month(word string) bool {
	switch word {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december":
		return true
	}
	return false
}

func sum(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64() | 1 // it is not 0
}

// Why URLs are left out.
const (
	alikeWithoutEnd = "pages without end that are alike"
	sessionInPath   = "a session in the path"
)

// traps knows which shapes are traps.
type traps struct {
	alike    map[uint64]int      // pages like the one they were found on, by shape
	closed   map[uint64]bool     // shapes that are traps
	sessions map[uint64]int      // by what is before a token: pages that differ by the token only
	first    map[uint64]int32    // the first node, by what a URL is without its tokens
	words    map[[2]uint64]int32 // the first node, by the same and its likeness
	found    []Trap
	counts   map[string]int // places in found, by pattern
}

func newTraps() *traps {
	return &traps{make(map[uint64]int), make(map[uint64]bool), make(map[uint64]int), make(map[uint64]int32), make(map[[2]uint64]int32), nil, make(map[string]int)}
}

// report counts a URL that was left out.
func (t *traps) report(pattern, why string) {
	k := why + " " + pattern
	at, ok := t.counts[k]
	if !ok {
		if len(t.found) == 100 {
			return
		}
		at = len(t.found)
		t.counts[k] = at
		t.found = append(t.found, Trap{Pattern: pattern, Why: why})
	}
	t.found[at].Left++
}

// refuses returns why a URL is left out, or "".
func (t *traps) refuses(u *url.URL, sh shape) string {
	if why := endless(u); why != "" {
		return why
	}
	if sh.of != 0 && t.closed[sh.of] {
		return alikeWithoutEnd
	}
	if sh.tokenless != 0 && t.sessions[sh.before] >= learned {
		if _, there := t.first[sh.tokenless]; there {
			return sessionInPath
		}
	}
	return ""
}

// seen looks at a page that was fetched, and reports whether its shape is a trap now.
func (t *traps) seen(n, parent *node, u *url.URL, likeness uint64) (closed bool) {
	n.like = likeness
	if parent == nil || len(t.alike) >= maxShapes {
		return false
	}
	same := n.shape != 0 && n.shape == parent.shape
	if !same {
		n.run, n.chain = 0, 0
		return false
	}
	n.chain = parent.chain + 1
	if likeness != 0 && likeness == parent.like {
		n.run = parent.run + 1
		t.alike[n.shape]++
	} else {
		n.run = 0
	}
	if n.run >= maxRun || n.run >= leastRun && t.alike[n.shape] >= maxAlike || n.chain >= maxChain {
		t.closed[n.shape] = true
		return true
	}
	return false
}

// twin returns the node of a page that differs only in a token in the path, and that has the same
// words, or -1.
func (t *traps) twin(index int32, sh shape, likeness uint64) int32 {
	if sh.tokenless == 0 || likeness == 0 {
		return -1
	}
	k := [2]uint64{sh.tokenless, likeness}
	first, there := t.words[k]
	if !there {
		t.words[k] = index
		return -1
	}
	if first != index {
		t.sessions[sh.before]++
		return first
	}
	return -1
}
