package store

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// extensions are the extensions of raw files, by type. A web server chose the type, so only known ones are used.
var extensions = map[string]string{
	"text/html": "html", "application/xhtml+xml": "html", "text/plain": "txt", "text/markdown": "md", "text/css": "css", "text/csv": "csv",
	"application/json": "json", "application/pdf": "pdf", "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
	"application/xml": "xml", "text/xml": "xml", "application/rss+xml": "xml", "application/atom+xml": "xml",
}

// fileName returns the name of the file of a tier.
func fileName(tier Tier, contentType string) string {
	if tier != Raw {
		return string(tier) + ".md"
	}
	kind, _, _ := strings.Cut(contentType, ";")
	return "raw." + cmp.Or(extensions[strings.ToLower(strings.TrimSpace(kind))], "bin")
}

const (
	opening = "---\n"
	closing = "\n---\n\n"
)

// frontMatter returns the lines before the text of a tier.
func frontMatter(m *Meta, tier Tier) []byte {
	var b bytes.Buffer
	b.WriteString(opening)
	b.WriteString(urlLine(m) + "\n")
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, quoted(value))
		}
	}
	line("title", m.Title)
	line("timestamp", m.Created.UTC().Format(timeLayout))
	line("resourceType", string(tier))
	line("contentType", m.Parts[tier].MIME)
	line("description", m.Description)
	line("source", m.Source)
	line("location", m.Location)
	line("language", m.Language)
	if tier == Extracted {
		line("extractionPrompt", m.Prompt)
	}
	fmt.Fprintf(&b, "contentLength: %d\nttl: %s", m.Parts[tier].Bytes, milliseconds(m.TTL))
	b.WriteString(closing)
	return b.Bytes()
}

// urlLine returns the first line of the front matter.
func urlLine(m *Meta) string { return "url: " + quoted(m.URL) }

// withoutFrontMatter returns the text of a file. It removes only front matter that this package wrote:
// a page may begin with front matter of its own.
func withoutFrontMatter(m *Meta, data []byte) []byte {
	if rest, ok := bytes.CutPrefix(data, []byte(opening+urlLine(m)+"\n")); ok {
		if _, text, ok := bytes.Cut(rest, []byte(closing)); ok {
			return text
		}
	}
	return data
}

// quoted returns a string literal that is valid in both JSON and YAML (YAML 1.2.2, 5.1).
func quoted(s string) string {
	var b strings.Builder
	for _, r := range string(jsonwire.AppendString(nil, s)) {
		if r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff { // JSON allows it
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
