package explain

import (
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Spelling is one way to name a file.
type Spelling struct {
	Text string `json:"spelling"`
	Kind Kind   `json:"kind"`
}

// A Kind says how a spelling differs from the canonical one.
type Kind string

// Kinds of spellings of URIs, and of paths of documents.
const (
	Canonical    Kind = "canonical"
	Raw          Kind = "raw characters"
	Encoded      Kind = "more is percent-encoded"
	LowerHex     Kind = "lower-case digits"
	UpperScheme  Kind = "scheme in upper case"
	UpperHost    Kind = "host in another case"
	EndsInSlash  Kind = "with a slash at the end"
	WithFragment Kind = "with a fragment"
	WithQuery    Kind = "with a query"
	EncodedTwice Kind = "encoded twice"
	Mangled      Kind = "as some clients misspell it"

	WithFolder       Kind = "with the folder"
	WithoutExtension Kind = "without the extension"
	LeadingSlash     Kind = "with a slash before it"
)

// Spellings returns spellings that find a resource. Each has been looked up. Of some kinds it returns
// only one, such as one of all possible fragments.
func Spellings(catalog *loader.Catalog, r loader.Resource) []Spelling {
	canonical := r.URI()
	scheme, rest, _ := strings.Cut(canonical, "://")
	segments := strings.Split(rest, "/")
	each := func(spell func(name string) string) string {
		out := make([]string, len(segments))
		for i, s := range segments {
			out[i] = spell(uri.Decode(s))
		}
		return scheme + "://" + strings.Join(out, "/")
	}
	candidates := []Spelling{
		{canonical, Canonical},
		{uri.Display(uri.Decode(canonical)), Raw},
		{each(encodeAll), Encoded},
		{lowerHex(canonical), LowerHex},
		{strings.ToUpper(scheme) + "://" + rest, UpperScheme},
		{scheme + "://" + strings.Join(append([]string{swapCase(segments[0])}, segments[1:]...), "/"), UpperHost},
		{canonical + "/", EndsInSlash},
		{canonical + "#section", WithFragment},
		{canonical + "?query", WithQuery},
		{strings.ReplaceAll(canonical, "%", "%25"), EncodedTwice},
	}
	for i, s := range segments {
		for _, other := range uri.Manglings(uri.Decode(s)) {
			garbled := slices.Clone(segments)
			garbled[i] = string(uri.AppendSegment(nil, other))
			candidates = append(candidates, Spelling{scheme + "://" + strings.Join(garbled, "/"), Mangled})
		}
	}
	var out []Spelling
	for _, s := range candidates {
		if found, ok := catalog.Lookup(s.Text); ok && found == r {
			out = addSpelling(out, s)
		}
	}
	return out
}

// addSpelling adds a spelling unless it is among the others.
func addSpelling(to []Spelling, s Spelling) []Spelling {
	if slices.ContainsFunc(to, func(t Spelling) bool { return t.Text == s.Text }) {
		return to
	}
	return append(to, s)
}

// encodeAll percent-encodes all characters but unreserved ones (RFC 3986 section 2.3), almost like
// encodeURIComponent of JavaScript.
func encodeAll(name string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

// lowerHex writes the digits of percent-encoding in lower case.
func lowerHex(canonical string) string {
	b := []byte(canonical)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

// swapCase returns a host in upper case, or in lower case if it is in upper case.
func swapCase(host string) string {
	if strings.Contains(host, "%") {
		return host
	}
	if upper := strings.ToUpper(host); upper != host {
		return upper
	}
	return strings.ToLower(host)
}
