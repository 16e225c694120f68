package docs

import (
	"io/fs"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Source provides texts that are searched with the documents, but neither listed nor read with
// them. It must not change.
type Source interface {
	// Texts yields the texts in the order in which they count against the limits.
	Texts() iter.Seq[Text]
	// Open opens the text with this URI as it is now.
	Open(uri string) (fs.File, error)
}

// A Text is a text of a [Source]. It counts as unchanged while its size and time are the same.
type Text struct {
	URI      string // canonical
	Path     string // below the project folder, by which filters select it
	Size     int64  // bytes
	ModTime  int64  // nanoseconds since 1970
	Markdown bool   // it is Markdown, whatever its name is
	Foreign  bool   // somebody else wrote it: answers say not to trust it
}

// PromptURI returns the URI of a prompt, which has none, for a [Text].
func PromptURI(name string) string { return promptScheme + url.PathEscape(name) }

// Prompt returns the name of the prompt that a hit is in, or "".
func (h Hit) Prompt() string {
	name, ok := strings.CutPrefix(h.URI, promptScheme)
	if name, err := url.PathUnescape(name); ok && err == nil && h.Kind == "prompt" {
		return name
	}
	return ""
}

const promptScheme = "prompt://"

// kind returns what a document or text is called.
func (d *document) kind() string {
	switch {
	case d.uri == "":
		return "document"
	case strings.HasPrefix(d.lower, "captures/"):
		return "capture"
	case strings.HasPrefix(d.uri, promptScheme):
		return "prompt"
	}
	return "resource"
}

// Bounds of the texts that are searched, for all sources of a library. The index takes less than
// one byte for each byte of text.
const (
	MaxText  = 4 << 20  // bytes of a text
	MaxTexts = 32 << 20 // bytes of all texts
	maxTexts = 20_000   // next to documents, whose index is not made for the texts
)

// With returns the library with the texts of sources, which are listed when they are indexed. Texts longer than [MaxText] are
// left out, and those that exceed [MaxTexts]. The index of old, if not nil, is reused for unchanged texts.
func (l *Library) With(old *Library, sources ...Source) *Library {
	with := &Library{inventory: l.known().inventory}
	with.sources = sources
	if with.builder == nil && old != nil {
		with.builder = old.builder
	}
	if with.builder == nil {
		with.builder = newBuilder()
	}
	return with
}

// HasSources reports whether texts of sources are searched.
func (l *Library) HasSources() bool { return len(l.known().sources) > 0 }

// gather lists the texts of the sources. It takes the documents of unchanged texts from the last index.
func (l *Library) gather(last *index) {
	known := make(map[string]*document)
	for _, d := range last.docs {
		known[d.uri] = d
	}
	l.others = make(map[string]*document)
	var total int64
	left := 0
	for i, source := range l.sources {
		for t := range source.Texts() {
			if t.Size > MaxText || l.others[t.URI] != nil {
				continue
			}
			if total+t.Size > MaxTexts || l.Len() > 0 && len(l.others) >= maxTexts {
				left++
				continue
			}
			total += t.Size
			d := &document{
				path: uri.Decode(t.URI), lower: strings.ToLower(norm.NFC.String(t.Path)), size: t.Size, modTime: t.ModTime,
				uri: t.URI, source: i, markdown: t.Markdown, foreign: t.Foreign,
			}
			if was := known[t.URI]; was != nil && was.lower == d.lower && was.size == d.size && was.modTime == d.modTime && was.source == i && was.markdown == d.markdown && was.foreign == d.foreign {
				d = was
			}
			l.others[t.URI] = d
		}
	}
	if b := l.builder; left > 0 && left >= 2*b.leftOut { // not with each capture
		b.leftOut = left
		b.note(loader.Resources, "%d resources are not searched: the searched ones may have %d MiB in all, and next to documents they may be %d", left, MaxTexts>>20, maxTexts)
	}
}

// searched returns the documents and texts in an index: all, or only the default languages and versions.
func (l *Library) searched(whole bool) []*document {
	all := slices.AppendSeq(slices.Concat(l.docs, l.alternates), maps.Values(l.others))
	if whole {
		return all
	}
	return slices.DeleteFunc(all, func(d *document) bool { return d.page() != nil && d.page().Apart })
}

// holds reports whether d is in the index.
func (l *Library) holds(d *document) bool {
	if d.uri != "" {
		return l.others[d.uri] == d
	}
	return l.files[d.path] == d
}

// Searchable reports whether a file of this MIME type may be text.
func Searchable(mime string) bool { return !media.Binary(mime) }
