package site

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
)

// masked returns a text that was made of a file, with notes in place of secrets. The bytes of the file were checked when it was
// opened, but what is joined or left out may have split a secret there. If a secret remains, the text is a note.
func masked(text string) string {
	if out, _, ok := secret.Mask([]byte(text)); ok {
		return string(out)
	}
	return "[removed: looks like a secret]\n"
}

// notebookText returns a notebook as Markdown, without secrets.
func notebookText(text string) string { return masked(markup.Notebook(text)) }
