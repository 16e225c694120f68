package fetch

import (
	"bytes"
	"mime"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// A shell has fewer than fewLetters letters. A page with scripts and fewer than hardlyAny letters is one in any
	// case.
	fewLetters = 200
	hardlyAny  = 25
	// maxShell is the size of the largest shell. A larger page contains its text, as data or as HTML.
	maxShell = 2 << 20
)

// isShell reports whether an answer is HTML with a script and hardly any text that has an empty element for what the
// script makes, or asks to turn JavaScript on.
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
	var asks, place bool
	var hidden atom.Atom // the element whose text is not shown
	for {
		switch z.Next() {
		case html.ErrorToken:
			return scripts > 0 && (letters < hardlyAny || letters < fewLetters && (asks || place))
		case html.StartTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Script:
				scripts++
				hidden = t.DataAtom
			case atom.Style, atom.Template, atom.Noscript, atom.Title, atom.Textarea, atom.Select:
				hidden = t.DataAtom
			case atom.Div, atom.Main, atom.Section:
				place = place || isPlace(t)
			case atom.Frameset:
				return false
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); hidden != 0 && atom.Lookup(name) == hidden {
				hidden = 0
			}
		case html.TextToken:
			text := z.Text()
			switch hidden {
			case 0:
				letters += countLetters(text, fewLetters)
			case atom.Noscript:
				asks = asks || bytes.Contains(bytes.ToLower(text), []byte("javascript"))
			}
			if letters >= fewLetters {
				return false
			}
		}
	}
}

// isPlace reports whether an element is one into which frameworks render a page.
func isPlace(t html.Token) bool {
	for _, a := range t.Attr {
		if a.Key == "data-reactroot" || a.Key == "ng-app" || a.Key == "ng-version" {
			return true
		}
		if a.Key == "id" {
			switch strings.ToLower(a.Val) {
			case "root", "app", "__next", "__nuxt", "___gatsby", "main-app", "react-root", "svelte", "application", "q-app":
				return true
			}
		}
	}
	return false
}

// countLetters counts the letters and digits of a text, up to most.
func countLetters(text []byte, most int) int {
	n := 0
	for _, r := range string(text) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n >= most {
				break
			}
		}
	}
	return n
}
