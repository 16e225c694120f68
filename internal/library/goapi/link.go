package goapi

import (
	"go/doc"
	"go/doc/comment"
	"strings"
)

// mark is before the target of a link to a package: [Client.Do](<mark>net/http#Client.Do). No text of a package has it.
const mark = "\x01"

// link returns the target of a link in a comment, or "" if it leads nowhere.
func (r *renderer) link(l *comment.DocLink) string {
	importPath, symbol := l.ImportPath, l.Name
	if l.Recv != "" {
		symbol = l.Recv + "." + l.Name
	}
	if importPath == "" {
		importPath = r.importPath
		if !r.headings[symbol] { // a field has the section of its type; other names have no section
			symbol = l.Recv
		}
		if !r.headings[symbol] {
			return ""
		}
	}
	if strings.ContainsFunc(importPath, func(c rune) bool { return c <= ' ' || strings.ContainsRune(`()<>[]"#%?\`, c) }) {
		return ""
	}
	if symbol != "" {
		symbol = "#" + symbol
	}
	return mark + importPath + symbol
}

// names returns the names of all functions, types and methods.
func names(pkg *doc.Package) map[string]bool {
	names := make(map[string]bool)
	add := func(before string, funcs []*doc.Func) {
		for _, f := range funcs {
			names[before+f.Name] = true
		}
	}
	add("", pkg.Funcs)
	for _, t := range pkg.Types {
		names[t.Name] = true
		add("", t.Funcs)
		add(t.Name+".", t.Methods)
	}
	return names
}

// Link makes Markdown of the text of a [Part]. target returns the document that describes a package, and in it a type or
// function if name is not "", as a relative URL; "" is the text itself. If it reports false, the link becomes plain text.
func Link(text string, target func(importPath, name string) (string, bool)) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		before, rest, ok := strings.Cut(text, "]("+mark)
		if !ok {
			b.WriteString(text)
			return b.String()
		}
		url, after, _ := strings.Cut(rest, ")")
		importPath, symbol, _ := strings.Cut(url, "#")
		name, _, _ := strings.Cut(symbol, ".")
		start := strings.LastIndexByte(before, '[') // the text of such a link is one of names
		b.WriteString(before[:start])
		document, ok := target(importPath, name)
		if symbol != "" {
			document += "#" + strings.ToLower(strings.ReplaceAll(symbol, ".", ""))
		}
		if ok && document != "" {
			b.WriteString(before[start:] + "](" + document + ")")
		} else {
			b.WriteString(before[start+1:])
		}
		text = after
	}
}
