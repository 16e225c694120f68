package fetch

import (
	"bytes"
	"mime"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// A shell has fewer than fewLetters letters, which are about 20 words.
	fewLetters = 100
	// maxShell is the size of the largest shell. A larger page contains its text, as data or as HTML.
	maxShell = 2 << 20
)

// isShell reports whether an answer is HTML with a script and hardly any text.
func isShell(a *Answer) bool {
	kind, _, _ := mime.ParseMediaType(a.ContentType)
	if kind != "text/html" && kind != "application/xhtml+xml" && (kind != "" || !bytes.Contains(a.Body[:min(len(a.Body), 1024)], []byte("<html"))) {
		return false
	}
	if len(a.Body) > maxShell {
		return false
	}
	z := html.NewTokenizer(bytes.NewReader(a.Body))
	var letters, scripts int
	var hidden atom.Atom // the element whose text is not shown
	for {
		switch z.Next() {
		case html.ErrorToken:
			return scripts > 0 && letters < fewLetters
		case html.StartTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Script:
				scripts++
				hidden = t.DataAtom
			case atom.Style, atom.Template, atom.Noscript, atom.Title, atom.Textarea, atom.Select:
				hidden = t.DataAtom
			case atom.Frameset:
				return false
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); hidden != 0 && atom.Lookup(name) == hidden {
				hidden = 0
			}
		case html.TextToken:
			for _, r := range string(z.Text()) {
				if hidden == 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
					letters++
				}
			}
			if letters >= fewLetters {
				return false
			}
		}
	}
}
