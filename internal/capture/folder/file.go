package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// A Header is the front matter of a captured file.
type Header struct {
	URL          string // canonical
	Title        string
	Fetched      time.Time // when the text was last found to be different
	Location     string    // the URL after redirects, if it is another one
	ETag         string
	LastModified string
	SHA256       string // of the text, in hexadecimal
	// Site is where the crawl began that found the page; "" if none did. Links between its pages
	// are relative.
	Site string
	Gone time.Time // when the page was found to be there no longer; zero: it is there
	// Whole is "true" if the whole page was asked for, and not only its main content.
	Whole string
	// Incomplete says what the text does not have of the page; "" if nothing is known to be missing.
	Incomplete string
}

// keys are those of a header, in their order.
var keys = []string{"url", "title", "fetched", "location", "etag", "lastModified", "sha256", "site", "gone", "whole", "incomplete", assetsKey}

// assetsKey is the key of a list, which is not in [Header.values].
const assetsKey = "assets"

// values returns the values of the keys.
func (h Header) values() []string {
	gone := ""
	if !h.Gone.IsZero() {
		gone = h.Gone.UTC().Format(time.RFC3339)
	}
	return []string{h.URL, h.Title, h.Fetched.UTC().Format(time.RFC3339), h.Location, h.ETag, h.LastModified, h.SHA256, h.Site, gone, h.Whole, h.Incomplete}
}

// known returns what the next request says of the text that is here.
func (h Header) known() webclient.Validators {
	v := webclient.Validators{URL: h.URL, ETag: h.ETag, LastModified: h.LastModified}
	if h.Location != "" {
		v.URL = h.Location
	}
	return v
}

// A File is a captured file.
type File struct {
	Header
	Body   string            // with line ends of one character
	assets map[string]string // digests of the assets of the page, by their names
	staged []asset           // that are to be written with the file
	others string            // front matter that is not of this program
}

// errNoCapture reports that a file was not captured from a page.
var errNoCapture = errors.New("is there, and is no captured page")

// parseFile reads a captured file.
func parseFile(text string) (*File, error) {
	block, _ := frontmatter.Find(text)
	if block.End == 0 {
		return nil, errNoCapture
	}
	fields, err := frontmatter.Fields(block.YAML)
	if err != nil {
		return nil, errNoCapture
	}
	field := func(key string) string {
		switch v := fields[key].(type) {
		case string:
			return v
		case time.Time:
			return v.UTC().Format(time.RFC3339)
		}
		return ""
	}
	f := &File{Header: Header{URL: field("url"), Title: field("title"), Location: field("location"), ETag: field("etag"), LastModified: field("lastModified"), SHA256: field("sha256"), Site: field("site"), Whole: field("whole"), Incomplete: field("incomplete")}}
	f.Fetched, _ = time.Parse(time.RFC3339, field("fetched"))
	f.Gone, _ = time.Parse(time.RFC3339, field("gone"))
	if f.URL == "" || f.SHA256 == "" {
		return nil, errNoCapture
	}
	f.assets = assetsOf(fields[assetsKey])
	f.others = othersOf(block.YAML)
	f.Body = strings.TrimPrefix(strings.ReplaceAll(text[block.End:], "\r\n", "\n"), "\n")
	return f, nil
}

// Edited reports whether the text is another one than was captured.
func (f *File) Edited() bool { return digest(f.Body) != f.SHA256 }

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

// topKey finds a key such as those of a header at the start of a line of front matter.
var topKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^["']?([A-Za-z_][\w-]*)["']?\s*:(\s|$)`) })

// othersOf returns the lines of front matter with keys that an author added. A line that begins
// with no blank is a key, or a comment, whatever the key looks like: only an item of a list and the
// end of a collection may stand there for the key before.
func othersOf(block string) string {
	var b strings.Builder
	ours := false
	for line := range strings.Lines(strings.ReplaceAll(block, "\r\n", "\n")) {
		switch {
		case strings.TrimSpace(line) == "" || strings.ContainsRune(" \t]}", rune(line[0])) || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "-\n"):
		default:
			m := topKey().FindStringSubmatch(line)
			ours = m != nil && slices.Contains(keys, m[1])
		}
		if !ours {
			b.WriteString(line)
		}
	}
	return b.String()
}

// text returns the file as it is written.
func (f *File) text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("---\n")
	values := f.values()
	for i, value := range values {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", keys[i], quoted(value))
		}
	}
	b.WriteString(assetList(f.assets))
	b.WriteString(f.others)
	if f.others != "" && !strings.HasSuffix(f.others, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString("---\n\n")
	b.WriteString(f.Body)
	if again, err := parseFile(b.String()); err != nil || again.Header != f.Header || again.Body != f.Body {
		return nil, errors.New("has front matter that cannot be kept: it must be YAML of at most 64 KiB, with keys at the start of lines")
	}
	return b.Bytes(), nil
}

// quoted returns a string of JSON, which is one of YAML too.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
