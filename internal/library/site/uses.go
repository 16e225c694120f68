package site

import (
	"context"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
)

// maxImages bounds the images of a page.
const maxImages = 1000

// Uses returns the files that a page includes, and the images that it names, below the project folder, each once. text
// is the file's. The error is ctx.Err().
func (s *Set) Uses(ctx context.Context, p *Page, text string) (files []string, err error) {
	c, err := s.Content(ctx, p, text)
	if err != nil {
		return nil, err
	}
	for _, part := range c.Parts {
		if !part.Missing {
			files = with(files, part.File)
		}
	}
	images := make(map[string]bool)
	for line := range strings.Lines(c.Text) {
		for name := range strings.FieldsFuncSeq(line[:min(len(line), maxMarked)], func(r rune) bool { return strings.ContainsRune("\"'()<>[]{}|,;=:` \t\r\n", r) }) {
			if path.Ext(name) == "" || images[name] || len(images) == maxImages {
				continue
			}
			if kind, _ := media.ByName(name); strings.HasPrefix(kind, "image/") {
				images[name] = true
				files = with(files, s.Image(p, name))
			}
		}
	}
	return files, nil
}

// Image returns the file of an image below the project folder as a page names it, or "".
func (s *Set) Image(p *Page, name string) string {
	target, _ := cutLink(name)
	if target == "" || External(name) {
		return ""
	}
	file := s.lead(p, target, "").File
	if kind, _ := media.ByName(file); file == "" || !strings.HasPrefix(kind, "image/") {
		return ""
	}
	if _, ok := s.served(file); !ok {
		return ""
	}
	return file
}
