package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// digestBytes is the number of bytes of a digest that identify a text among the outlines.
const digestBytes = 8

// outlines holds the headings of texts, by the first bytes of their digests.
type outlines map[string][]byte

// add adds the headings of a text, each with its line and the range of its section.
func (o outlines) add(sum [sha256.Size]byte, s string) {
	o.addHeadings(sum, "", s, excerpt.Headings(s))
}

// addHeadings is add for headings of a document that were found before.
func (o outlines) addHeadings(sum [sha256.Size]byte, path, s string, headings []excerpt.Heading) {
	key := string(sum[:digestBytes])
	if _, known := o[key]; known || len(headings) == 0 {
		return
	}
	data := number(nil, len(headings))
	outlined, next := docs.Outlined(path, headings), 0
	line, start := 0, 0
	for i, h := range headings {
		end := 0
		if next < len(outlined) && outlined[next].Start == h.Start {
			end = excerpt.SectionEnd(s, outlined, next)
			next++
		} else {
			end = excerpt.SectionEnd(s, headings, i)
		}
		data = number(data, h.Line-line)
		data = number(data, h.Start-start)
		data = number(data, end-h.Start)
		data = text(text(data, h.Text), h.Slug)
		line, start = h.Line, h.Start
	}
	o[key] = data
}

// writeOutlines writes the outlines, sorted by digest, so that a change of one text changes one
// shard.
func (b *Builder) writeOutlines() []shard {
	all := shards{size: listSize}
	for _, key := range slices.Sorted(maps.Keys(b.outlines)) {
		all.add(b, hex.EncodeToString([]byte(key)), text(nil, string(b.outlines[key])))
	}
	return all.end(b)
}
