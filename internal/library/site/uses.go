package site

import (
	"context"
	"path"
	"slices"
	"strings"
)

// imageName matches what may name an image in any kind of markup.
const imageName = `(?i)[^\s"'()<>\[\]{}|,;=:` + "`" + `]+` + imageEnd + `\b`

const imageEnd = `\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)`

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
	imagesDir := ""
	if m := compile(`(?m)^:imagesdir:[ \t]+(\S+)`).FindStringSubmatch(c.Text); m != nil {
		imagesDir = m[1]
	}
	for _, name := range compile(imageName).FindAllString(c.Text, maxImages) {
		files = with(files, s.image(p, name, imagesDir))
	}
	return files, nil
}

// Image returns the file of an image below the project folder as a page names it, or "".
func (s *Set) Image(p *Page, name string) string {
	name, _, _ = strings.Cut(name, "#")
	name, _, _ = strings.Cut(name, "?")
	return s.image(p, name, "")
}

// image is [Set.Image] for a text that may name a folder of images.
func (s *Set) image(p *Page, name, imagesDir string) string {
	if name = unescaped(name); strings.HasPrefix(name, "//") {
		return ""
	}
	dir, root := path.Dir(p.File), p.Tree.Root
	folders := []string{dir, path.Join(dir, imagesDir), root, path.Join(root, imagesDir)}
	if module, _, ok := strings.Cut(p.below(), "/"); ok { // Antora
		folders = append(folders, path.Join(root, module, "images"))
	}
	candidates := p.candidates(name, folders)
	for _, dir := range append(slices.Clip(p.Tree.site.Static), root, p.Tree.site.Dir) { // relative to the published URL
		candidates = append(candidates, clean(dir, strings.TrimLeft(name, "./")))
	}
	for _, file := range candidates {
		if _, ok := s.served(file); ok {
			return file
		}
	}
	return ""
}
