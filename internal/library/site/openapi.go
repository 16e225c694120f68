package site

import (
	"io"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	apidoc "github.com/mcp-docs-server/mcp-docs-server/internal/text/openapi"
)

// describesAPI reports whether a file is a description of an API by its first bytes. They cost a system call or two: callers ask for
// some files only.
func (s *Set) describesAPI(file string) bool {
	f, err := s.fsys.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 1<<10))
	return apidoc.Describes(string(head))
}

// isData reports whether a file of this name may be the description of an API.
func isData(name string) bool { return formatOf(name) == openapi }

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
