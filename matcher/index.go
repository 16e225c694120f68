package matcher

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// literalHost returns the scheme and the host that all URIs of a pattern have, such as "x://h" or, if
// only the scheme is a literal, "x:". It returns "" if the scheme has a variable.
func (p *Pattern) literalHost() string {
	switch {
	case len(p.head) == 0 || !p.head[0].isLiteral():
		return ""
	case len(p.head) < 3 || !p.head[2].isLiteral():
		return p.head[0].prefix()
	}
	return p.head[0].prefix() + "//" + p.head[2].prefix()
}

// share makes a list of entries for each scheme and host, and for each scheme alone: the templates
// that may match a URI with it, the winner first.
func (ix *Index) share() {
	ix.lists = map[string][]int{"": nil}
	for _, entry := range ix.ranked {
		host := ix.patterns[entry].literalHost()
		scheme, _, _ := strings.Cut(host, "//")
		ix.lists[host], ix.lists[scheme] = nil, nil
	}
	for host := range ix.lists {
		scheme, _, _ := strings.Cut(host, "//")
		for _, entry := range ix.ranked {
			if own := ix.patterns[entry].literalHost(); own == "" || own == scheme || own == host {
				ix.lists[host] = append(ix.lists[host], entry)
			}
		}
	}
}

// candidates returns the entries that may match a decoded URI, or a URI that begins with it and
// with its host, the winner first.
func (ix *Index) candidates(decoded string) []int {
	if ix == nil {
		return nil
	}
	scheme, rest, _ := strings.Cut(decoded, "//")
	host, _, _ := strings.Cut(rest, "/")
	if list, ok := ix.lists[decoded[:min(len(decoded), len(scheme)+len("//")+len(host))]]; ok {
		return list
	}
	if list, ok := ix.lists[scheme]; ok {
		return list
	}
	return ix.lists[""]
}

// Find returns the entry whose template wins for a decoded URI, and false if none matches.
func (ix *Index) Find(decoded string) (entry int, ok bool) {
	if len(decoded) <= uri.MaxLength {
		for _, entry := range ix.candidates(decoded) {
			if ix.patterns[entry].Matches(decoded) {
				return entry, true
			}
		}
	}
	return 0, false
}

// A Folder finds the templates of the files in one folder.
type Folder struct {
	index   *Index
	prefix  string
	entries []int // that may match a file of the folder, the winner first
}

// In returns the folder of the files whose decoded URIs consist of a prefix, which ends with "/", and
// a name.
func (ix *Index) In(prefix string) Folder {
	f := Folder{index: ix, prefix: prefix}
	for _, entry := range ix.candidates(prefix) {
		if ix.patterns[entry].mayMatchIn(prefix) {
			f.entries = append(f.entries, entry)
		}
	}
	return f
}

// Find returns the entry whose template wins for the file of a name, and false if none matches.
func (f Folder) Find(name string) (entry int, ok bool) {
	if strings.HasSuffix(f.prefix, "://") { // the name is a host
		return f.index.Find(f.prefix + name)
	}
	if len(f.prefix)+len(name) > uri.MaxLength {
		return 0, false
	}
	for _, entry := range f.entries {
		p := f.index.patterns[entry]
		if last, ok := p.last(); ok && !last.match(name, nil) {
			continue
		}
		if !p.spans || p.Matches(f.prefix+name) {
			return entry, true
		}
	}
	return 0, false
}

// last returns the last segment, if the spanning variable is not in it.
func (p *Pattern) last() (s segment, ok bool) {
	switch {
	case len(p.tail) > 0:
		return p.tail[len(p.tail)-1], true
	case p.spans:
		return s, false
	}
	return p.head[len(p.head)-1], true
}

// mayMatchIn reports whether the pattern matches the folders of URIs that consist of a prefix and a
// name. A pattern without a spanning variable matches such a URI if its last segment matches the name.
func (p *Pattern) mayMatchIn(prefix string) bool {
	for i, s := range p.head {
		part, rest, more := strings.Cut(prefix, "/")
		if !more {
			return !p.spans && i == len(p.head)-1
		} else if !s.match(part, nil) {
			return false
		}
		prefix = rest
	}
	for i := len(p.tail) - 2; i >= 0; i-- {
		prefix = strings.TrimSuffix(prefix, "/")
		cut := strings.LastIndexByte(prefix, '/')
		if cut < 0 || !p.tail[i].match(prefix[cut+1:], nil) {
			return false
		}
		prefix = prefix[:cut]
	}
	return p.spans
}
