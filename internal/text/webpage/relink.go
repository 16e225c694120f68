package webpage

import (
	"net/url"
	"strings"
	"sync"
)

// Relink replaces the absolute links in Markdown by the targets that link returns, unless they are
// "". It ignores code: fenced blocks, and code spans in a paragraph.
func Relink(markdown string, link func(*url.URL) string) string {
	if !strings.Contains(markdown, "](http") && !strings.Contains(markdown, "]: http") {
		return markdown
	}
	var b strings.Builder
	paragraph, fence := "", ""
	flush := func() {
		relinkParagraph(&b, paragraph, link)
		paragraph = ""
	}
	start := 0 // offset of the paragraph
	at := 0
	for line := range strings.Lines(markdown) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			flush()
			fence = mark
			b.WriteString(line)
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(strings.TrimSpace(strings.TrimLeft(line, " \t>")), fence[:1]) == "" {
				fence = ""
			}
			b.WriteString(line)
		default:
			if paragraph == "" {
				start = at
			}
			paragraph = markdown[start : at+len(line)]
			if strings.Trim(line, " \t>\r\n") == "" {
				flush()
			}
		}
		at += len(line)
	}
	flush()
	return b.String()
}

// undestination undoes the escapes of [destination].
var undestination = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("%28", "(", "%29", ")", "%2A", "*") })

// relinkParagraph writes a paragraph.
func relinkParagraph(b *strings.Builder, text string, link func(*url.URL) string) {
	spans := make(map[int][]int) // offsets of runs of backticks, by their length
	for i := 0; i < len(text); {
		n := run(text[i:])
		if n > 0 {
			spans[n] = append(spans[n], i)
		}
		i += max(n, 1)
	}
	written := 0
	for i := 0; i < len(text); {
		switch {
		case text[i] == '\\':
			i += 2
		case text[i] == '`':
			n := run(text[i:])
			later := spans[n]
			for len(later) > 0 && later[0] <= i {
				later = later[1:]
			}
			spans[n] = later
			if i += n; len(later) > 0 { // the span is code
				i = later[0] + n
			}
		case text[i] == ']' && i+1 < len(text) && (text[i+1] == '(' || text[i+1] == ':'):
			definition := text[i+1] == ':'
			from := i + 2
			for from < len(text) && (text[from] == ' ' || text[from] == '<') {
				from++
			}
			to := from
			for to < len(text) && text[to] > ' ' && text[to] != ')' && text[to] != '>' && (definition || text[to] != '(') {
				to++
			}
			i = to
			if target := text[from:to]; strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
				if u, err := url.Parse(target); err == nil {
					fresh := link(u)
					if plain := undestination().Replace(target); fresh == "" && plain != target {
						if u, err := url.Parse(plain); err == nil {
							fresh = link(u)
						}
					}
					if fresh != "" {
						b.WriteString(text[written:from])
						b.WriteString(destination(fresh))
						written = to
					}
				}
			}
		default:
			i++
		}
	}
	b.WriteString(text[written:])
}

// run returns the number of backticks that a text begins with.
func run(text string) int { return len(text) - len(strings.TrimLeft(text, "`")) }
