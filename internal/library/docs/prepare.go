package docs

import (
	"context"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// maxPreparing is the time that a document may take to be made ready for the index. The readers of documents take linear time, so only a
// very large document takes more, or one that is made to.
const maxPreparing = 10 * time.Second

// maxIncluded is how many bytes of included files are indexed in one build. A small file that thousands of documents include would
// otherwise fill the memory.
const maxIncluded = 64 << 20

// prepared returns the text of a document of a site for the index. A document that takes too long has none: it is served, and found
// by its path.
func (l *Library) prepared(ctx context.Context, d *document, text string) string {
	began, b, page := time.Now(), l.builder, d.page()
	c := site.Content{Text: text}
	if b.included.Load() < maxIncluded {
		c, _ = l.sites.Content(ctx, page, text) // readAll looks at the context
		if more := int64(len(c.Text) - len(text)); more > 0 && b.included.Add(more) >= maxIncluded {
			b.note(page.File, "is one of the documents that include %d MiB together: what further ones include is read with them, and not searched", maxIncluded>>20)
		}
	}
	if w := page.Wrong; w != nil {
		b.note(page.File, "line %d: the front matter is not well-formed, so what it says of the page may be lost: %s", w.Line, w.Reason)
	}
	text = d.searchable(c.Text)
	if time.Since(began) > b.most {
		b.note(page.File, "is not searched, but can be read: to prepare it takes more than ten seconds. Make it smaller")
		return ""
	}
	return text
}
