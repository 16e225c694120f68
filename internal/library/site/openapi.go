package site

import (
	"io"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	apidoc "github.com/mcp-docs-server/mcp-docs-server/internal/text/openapi"
)

// maxLooked is the number of files of a project that are opened because they may describe an API, besides those with such a name.
const maxLooked = 2000

// describesAPI reports whether a file that the walk found is a description of an API, by its first bytes, which nobody else gets.
func (w *walked) describesAPI(file string) bool {
	if w.looked++; w.looked > maxLooked && !strings.Contains(strings.ToLower(file), "openapi") && !strings.Contains(strings.ToLower(file), "swagger") {
		return false
	}
	f, err := w.fsys.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 1<<10))
	return apidoc.Describes(string(head))
}

// apiText returns the description of an API as a document. A text that is none is code.
func (s *Set) apiText(p *Page, text string) string {
	load := func(file string) (string, bool) {
		real, ok := s.docs.Named("", join(path.Dir(p.File), file))
		if !ok {
			return "", false
		}
		s.visit(path.Dir(real))
		data, err := readAtMost(s.docs, real, apidoc.MaxSize)
		return string(data), err == nil
	}
	if len(text) <= apidoc.MaxSize {
		if document, ok := apidoc.Markdown(text, load); ok {
			return document
		}
	}
	return excerpt.Fenced(text, strings.TrimPrefix(path.Ext(p.File), "."))
}
