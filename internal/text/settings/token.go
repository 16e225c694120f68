package settings

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word, a text, a number or a punctuation mark of a program.
type token struct {
	kind       tokenKind
	start, end int32 // of its spelling; of a text without its quotes
	pair       int32 // index of the bracket that closes or opens this one; 0: it is not a bracket, or stands alone
	line       bool  // it is the first of its line
	indented   bool  // space stands before the first token of its line
}

type tokenKind byte

const (
	markToken tokenKind = iota
	wordToken
	numberToken
	textToken   // its escapes are resolved when it is read
	rawToken    // a text without escapes
	opaqueToken // a text with values in it, or a regular expression
)

// scan splits a program into tokens. It matches brackets without recursion; a template is the bracket "`", its texts, and
// "${" with what stands in it. The last token is an empty mark.
func scan(src string, python bool) []token {
	tokens := make([]token, 0, len(src)/4+1)
	var open []int32 // indexes of brackets
	line, indented := true, false
	add := func(kind tokenKind, start, end int) {
		tokens = append(tokens, token{kind: kind, start: int32(start), end: int32(end), line: line, indented: indented})
		line, indented = false, false
	}
	begin := func(start, end int) {
		open = append(open, int32(len(tokens)))
		add(markToken, start, end)
	}
	finish := func(start, end int) {
		if len(open) > 0 {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			tokens[last].pair = int32(len(tokens))
			add(markToken, start, end)
			tokens[len(tokens)-1].pair = last
			return
		}
		add(markToken, start, end)
	}
	template := func(i int) int { // the text of a template that goes on at i
		start := i
		for i < len(src) && src[i] != '`' && !strings.HasPrefix(src[i:], "${") {
			if src[i] == '\\' {
				i++
			}
			i++
		}
		i = min(i, len(src))
		add(textToken, start, i)
		switch {
		case i == len(src):
		case src[i] == '`':
			finish(i, i+1)
			i++
		default:
			begin(i, i+2)
			i += 2
		}
		return i
	}
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n':
			line, indented = true, false
			i++
		case c == ' ' || c == '\t' || c == '\r':
			indented = line
			i++
		case python && c == '#', !python && strings.HasPrefix(src[i:], "//"):
			i += lineEnd(src[i:])
		case !python && strings.HasPrefix(src[i:], "/*"):
			i = after(src, i+2, "*/")
		case c == '"' || c == '\'':
			i = quotedEnd(src, i, python, func(start, end int) { add(textToken, start, end) })
		case c == '`' && !python:
			begin(i, i+1)
			i = template(i + 1)
		case c == '/' && !python && expressionBegins(src, tokens):
			start := i
			i = patternEnd(src, i)
			add(opaqueToken, start, i)
		case isWord(c):
			start := i
			for i < len(src) && (isWord(src[i]) || src[i] >= '0' && src[i] <= '9') {
				i++
			}
			if python && i < len(src) && (src[i] == '"' || src[i] == '\'') && i-start <= 2 {
				kind := textToken
				switch prefix := strings.ToLower(src[start:i]); {
				case strings.Contains(prefix, "f"):
					kind = opaqueToken
				case strings.Contains(prefix, "r"):
					kind = rawToken
				}
				i = quotedEnd(src, i, true, func(start, end int) { add(kind, start, end) })
				continue
			}
			add(wordToken, start, i)
		case c >= '0' && c <= '9':
			start := i
			for i < len(src) && (isWord(src[i]) || src[i] >= '0' && src[i] <= '9' || src[i] == '.') {
				i++
			}
			add(numberToken, start, i)
		case strings.IndexByte("([{", c) >= 0:
			begin(i, i+1)
			i++
		case strings.IndexByte(")]}", c) >= 0:
			inTemplate := len(open) > 0 && src[tokens[open[len(open)-1]].start] == '$'
			finish(i, i+1)
			if i++; inTemplate && c == '}' {
				i = template(i)
			}
		default:
			n := 1
			for _, mark := range []string{"...", "===", "!==", "??=", "=>", "||", "&&", "??", "?.", "==", "!=", "<=", ">=", "+="} {
				if strings.HasPrefix(src[i:], mark) {
					n = len(mark)
					break
				}
			}
			if c >= utf8.RuneSelf {
				r, size := utf8.DecodeRuneInString(src[i:])
				n = size
				if unicode.IsSpace(r) || r == '\ufeff' {
					i += n
					continue
				}
			}
			add(markToken, i, i+n)
			i += n
		}
	}
	add(markToken, len(src), len(src))
	return tokens
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

func after(s string, i int, mark string) int {
	if j := strings.Index(s[i:], mark); j >= 0 {
		return i + j + len(mark)
	}
	return len(s)
}

// quotedEnd calls yield with the text between the quotes that begin at i, and returns where the text ends. A text that is
// not closed ends with its line.
func quotedEnd(src string, i int, python bool, yield func(start, end int)) int {
	quote := src[i : i+1]
	if triple := strings.Repeat(quote, 3); python && strings.HasPrefix(src[i:], triple) {
		quote = triple
	}
	start := i + len(quote)
	for i = start; i < len(src) && !strings.HasPrefix(src[i:], quote); i++ {
		if src[i] == '\\' {
			i++
		} else if src[i] == '\n' && len(quote) == 1 {
			yield(start, i)
			return i
		}
	}
	i = min(i, len(src))
	yield(start, i)
	return min(len(src), i+len(quote))
}

// expressionBegins reports whether a slash after the tokens begins a regular expression.
func expressionBegins(src string, tokens []token) bool {
	if len(tokens) == 0 {
		return true
	}
	last := tokens[len(tokens)-1]
	text := src[last.start:last.end]
	switch last.kind {
	case markToken:
		return text != ")" && text != "]" && text != "}" && text != "`" && text != ""
	case wordToken:
		return text == "return"
	}
	return false
}

// patternEnd returns the end of a regular expression of at most 1,000 bytes, or of the slash alone if its line has none.
func patternEnd(src string, i int) int {
	class := false
	for j := i + 1; j < min(len(src), i+1000) && src[j] != '\n'; j++ {
		switch src[j] {
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return j + 1
			}
		}
	}
	return i + 1
}
