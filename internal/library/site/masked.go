package site

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
)

// masked returns a text that was made of a file, with notes in place of secrets. The bytes of the file were checked when it was
// opened, but an escape or the end of a string may have split a secret there. If a secret remains, the text is a note.
func masked(text string) string {
	if text == "" {
		return ""
	}
	out, found, ok := secret.Mask([]byte(text))
	switch {
	case !ok:
		return "[removed: looks like a secret]\n"
	case len(found) == 0:
		return text
	}
	return string(out)
}

// notebookText returns a notebook as Markdown, without secrets.
func notebookText(text string) string { return masked(markup.Notebook(text)) }

// maskedValues returns settings without secrets. They were read from a text without secrets, so only its escapes can hide one.
func maskedValues(v values, text string) values {
	if !strings.Contains(text, `\`) {
		return v
	}
	return maskedValue(map[string]any(v)).(map[string]any)
}

func maskedValue(value any) any {
	switch v := value.(type) {
	case string:
		return masked(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v { // keys are the titles in some lists
			out[masked(key)] = maskedValue(inner)
		}
		return out
	case []any:
		for i := range v {
			v[i] = maskedValue(v[i])
		}
	}
	return value
}
