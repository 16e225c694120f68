package site

import (
	"slices"
	"strings"
)

// A Capture is what front matter says of a page that was captured from the web. nil: the author of the project wrote the page.
//
// Nobody of the project wrote the text of a captured page. So what it names, it does not get: it includes no files, its brackets
// are not links of a wiki, and of the files that it shows or links to, only those that were captured with it are served because of it.
type Capture struct {
	assets []string // paths below the folder into which the page was captured
}

// CaptureOf returns what the front matter of a text says of its capture. It looks for keys, so a mistake in the YAML that an author adds
// does not make the page the author's.
func CaptureOf(text string) *Capture {
	front := findFront(text)
	has := func(key string) bool {
		return strings.Contains(front.YAML, key) && compile(`(?m)^["']?`+key+`["']?[ \t]{0,100}:`).MatchString(front.YAML)
	}
	if front.TOML || !has("url") || !has("sha256") {
		return nil
	}
	c := &Capture{}
	v, _ := readFront(front)
	for _, asset := range v.List("assets") { // a digest and a name
		if _, name, ok := strings.Cut(asset, " "); ok && name != "" {
			c.assets = append(c.assets, name)
		}
	}
	return c
}

// MayShow reports whether the page may show a file of the project, or make it readable with a link.
func (c *Capture) MayShow(file string) bool {
	return c == nil || slices.ContainsFunc(c.assets, func(asset string) bool { return file == asset || strings.HasSuffix(file, "/"+asset) })
}
