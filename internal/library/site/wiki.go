package site

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A wikiLink is a link of a wiki in a line, as Obsidian has them: [[page]], [[folder/page#heading|text]]. ![[page]] puts the page into the
// document, and ![[image.png]] shows it.
type wikiLink struct {
	start, end    int // offsets in the line
	embed         bool
	target, title string
}

// wikiLinks returns the links of a wiki in a line, outside of code.
func wikiLinks(line string) (links []wikiLink) {
	if !strings.Contains(line, "[[") || len(line) > maxMarked {
		return nil
	}
	for i := 0; i < len(line); {
		rest := line[i:]
		switch {
		case rest[0] == '\\':
			i += 2
			continue
		case rest[0] == '`':
			run := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
			if i += len(run); strings.Contains(line[i:], run) {
				i += strings.Index(line[i:], run) + len(run)
			}
			continue
		case !strings.HasPrefix(rest, "[["):
			i++
			continue
		}
		inner, after, ok := strings.Cut(rest[2:], "]]")
		target, title, _ := strings.Cut(inner, "|")
		target = strings.TrimSpace(strings.TrimSuffix(target, `\`))
		lists := strings.Trim(target, "0123456789,.- ") == "" && strings.Contains(target, ",") // a list of lists
		if !ok || strings.ContainsAny(inner, "[]\n") || strings.HasPrefix(after, "(") || target == "" || target[0] == '^' || lists {
			i += 2
			continue
		}
		w := wikiLink{start: i, end: i + len(inner) + 4, target: target, title: title}
		if w.embed = i > 0 && line[i-1] == '!'; w.embed {
			w.start--
		}
		links, i = append(links, w), w.end
	}
	return links
}

// inLink escapes what would end the target of a link.
var inLink = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29")

// linked returns a line of Markdown, which is not code, in which the links of a wiki that lead to files are those of Markdown.
func (s *Set) linked(p *Page, line string) string {
	var b strings.Builder
	from := 0
	for _, w := range wikiLinks(line) {
		name, id, _ := strings.Cut(w.target, "#")
		to := s.wiki(p, name).File
		if name == "" {
			to = p.File
		}
		file, err := filepath.Rel(path.Dir(p.File), to)
		if to == "" || err != nil {
			continue
		}
		file = inLink.Replace(filepath.ToSlash(file))
		title := "[" + cmp.Or(w.title, w.target) + "]"
		if kind, _ := media.ByName(to); w.embed && strings.HasPrefix(kind, "image/") {
			title = "![" + path.Base(to) + "]"
		} else if id = lastHeading(id); id != "" && s.files[to] != nil {
			file += "#" + excerpt.Slug(id)
		}
		b.WriteString(line[from:w.start] + title + "(" + file + ")")
		from = w.end
	}
	return b.String() + line[from:]
}

// lastHeading returns the last of the headings that a link of a wiki names, or "" for a block.
func lastHeading(id string) string {
	id = id[strings.LastIndexByte(id, '#')+1:]
	if strings.HasPrefix(id, "^") {
		return ""
	}
	return id
}

// resolveWiki resolves a link of a wiki. p is nil if a client asks.
func (s *Set) resolveWiki(p *Page, link string) Target {
	name, id, _ := strings.Cut(link, "#")
	switch {
	case External(name):
		return Target{Certainty: Elsewhere}
	case name == "" && p != nil:
		return s.withID(p, p.File, lastHeading(id))
	}
	t := s.wiki(p, name)
	if t.Certainty == Found {
		return s.withID(p, t.File, lastHeading(id))
	}
	return t
}

// wiki returns where the name in a link of a wiki leads, as Obsidian says: to the file with this path, else to a file whose path ends with it,
// or whose front matter has it as an alias. Of several, the one in the folder of the page comes first, then the one with the shortest
// path.
func (s *Set) wiki(p *Page, name string) Target {
	dir := ""
	if p != nil {
		if dir = path.Dir(p.File); strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
			if file := s.whole(clean(dir, name)); file != "" {
				return Target{File: file}
			}
		}
	}
	name = strings.Trim(path.Clean("/"+name), "/")
	files, more := s.documentsEnding(name)
	if more { // a rank of each would take too long
		if file := cmp.Or(s.whole(clean(dir, name)), s.whole(name)); file != "" {
			return Target{File: file}
		}
	}
	return s.choose(p, files, more, func(a alike) (r rank) {
		if !a.whole || a.likeness > sameStem {
			r[0] = 1
		}
		if a.likeness > sameFolder && !strings.EqualFold(stem(path.Base(a.file)), path.Base(name)) {
			r[1] = 1 // an alias, or a name with a number
		}
		if p == nil || !within(dir, a.file) {
			r[2] = 1
		}
		r[3], r[4] = len(a.file), int(a.likeness)
		return r
	})
}
