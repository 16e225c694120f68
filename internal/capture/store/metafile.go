package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

const (
	metaFile = "meta.json"
	// maxMeta is the greatest size of meta.json in bytes.
	maxMeta = 256 << 10
)

// A metaJSON is the file meta.json of a capture. Other servers for scraped pages use the same field names.
type metaJSON struct {
	*Meta
	TTL *int64 `json:"ttl"` // milliseconds; 0: it never expires
}

// encodeMeta returns the contents of meta.json.
func encodeMeta(m *Meta) ([]byte, error) {
	ttl := m.TTL.Milliseconds()
	data, err := json.MarshalIndent(metaJSON{m, &ttl}, "", "  ")
	if err == nil && len(data) >= maxMeta {
		err = fmt.Errorf("its metadata has more than %d KiB", maxMeta>>10)
	}
	return append(data, '\n'), err
}

// decodeMeta reads meta.json, and checks it: a capture with an invalid time would never expire.
func decodeMeta(key string, data []byte) (*Meta, error) {
	m := new(Meta)
	j := metaJSON{Meta: m}
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	switch {
	case m.Key != key:
		return nil, fmt.Errorf("its key is %q, must be %q as in the name of the folder", m.Key, key)
	case j.TTL == nil || *j.TTL < 0 || *j.TTL > maxTTL.Milliseconds() || m.Created.IsZero():
		return nil, errors.New("its ttl or timestamp is missing or wrong")
	case len(m.Parts) == 0:
		return nil, errors.New("it has no resources")
	}
	m.Created, m.TTL = m.Created.UTC(), time.Duration(*j.TTL)*time.Millisecond
	for tier, p := range m.Parts {
		if usual[tier] == "" || p.Bytes < 0 {
			return nil, fmt.Errorf("the resource %q is not a tier of a capture", tier)
		}
	}
	return m, nil
}

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

// frontMatter returns the lines before the text of a tier.
func frontMatter(m *Meta, tier Tier) []byte {
	var b bytes.Buffer
	b.WriteString("---\n")
	prompt := m.Prompt
	if tier != Extracted {
		prompt = ""
	}
	for _, line := range [][2]string{
		{"url", m.URL}, {"title", m.Title}, {"timestamp", m.Created.UTC().Format("2006-01-02T15:04:05.000Z07:00")}, {"resourceType", string(tier)}, {"contentType", m.Parts[tier].MIME}, {"description", m.Description},
		{"source", m.Source}, {"location", m.Location}, {"language", m.Language}, {"extractionPrompt", prompt},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], frontmatter.Quoted(line[1]))
		}
	}
	fmt.Fprintf(&b, "contentLength: %d\nttl: %d\n---\n\n", m.Parts[tier].Bytes, m.TTL.Milliseconds())
	return b.Bytes()
}
