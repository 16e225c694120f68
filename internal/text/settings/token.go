package settings

import (
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A token is a word, a number, a text with its quotes, or a punctuation mark of a program.
type token struct {
	text     string
	kind     tokenKind
	pair     int  // index of the bracket that closes or opens this one; 0: it is not a bracket, or stands alone
	line     bool // it is the first of its line
	indented bool // space stands before the first token of its line
}

type tokenKind byte

const (
	markToken tokenKind = iota
	wordToken
	numberToken
	textToken
	opaqueToken // a regular expression
)

// The patterns match one token, or what is between tokens.
var (
	script = lazyregexp.New(`^(?:[\s\x{feff}]+|//.*|/\*(?s:.*?)(?:\*/|\z)|("(?:[^"\\\n]|\\(?s:.))*"?|'(?:[^'\\\n]|\\(?s:.))*'?|` +
		"`(?s:[^`\\\\]|\\\\.)*`?" + `)|([\pL_$][\pL\pN_$]*)|(\d[\w.]*)|\.\.\.|=>|\|\||&&|\?\?|\?\.|[=!]==?|[<>]=|\+=|(?s:.))`)
	python = lazyregexp.New(`^(?:[\s\x{feff}]+|#.*|((?i:[rbuf]{0,2})(?:"""(?s:\\.|.)*?(?:"""|\z)|'''(?s:\\.|.)*?(?:'''|\z)|"(?:[^"\\\n]|\\(?s:.))*"?|'(?:[^'\\\n]|\\(?s:.))*'?))|` +
		`([\pL_][\pL\pN_]*)|(\d[\w.]*)|[=!]=|[<>]=|\+=|\*\*|(?s:.))`)
	escape  = lazyregexp.New(`\\(?:x[[:xdigit:]]{2}|u[[:xdigit:]]{4}|U[[:xdigit:]]{8}|[0-7]{3}|(?s:.))`)
	pattern = lazyregexp.New(`^/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*`)
)

// scan splits a program into tokens, and matches brackets without recursion. The last token is an empty mark.
func scan(src string, isPython bool) []token {
	tokens := make([]token, 0, len(src)/4+1)
	var open []int // indexes of brackets
	line, indented := true, false
	re := script()
	none := 0 // offset before which no regular expression ends
	if isPython {
		re = python()
	}
	for i := 0; i < len(src); {
		m := re.FindStringSubmatchIndex(src[i:])
		t := token{text: src[i : i+m[1]], line: line, indented: indented}
		for k, kind := range []tokenKind{textToken, wordToken, numberToken} {
			if m[2*k+2] >= 0 {
				t.kind = kind
			}
		}
		if t.text == "/" && !isPython && i >= none && expressionBegins(tokens) {
			rest, _, _ := strings.Cut(src[i:min(len(src), i+1000)], "\n")
			if found := pattern().FindString(rest); found != "" {
				t.text, t.kind = found, opaqueToken
			} else {
				none = i + len(rest)
			}
		}
		i += len(t.text)
		if c := t.text[0]; t.kind == markToken && len(t.text) > 0 {
			if strings.TrimSpace(t.text) == "" || c == '#' || strings.HasPrefix(t.text, "//") || strings.HasPrefix(t.text, "/*") || strings.HasPrefix(t.text, "\ufeff") {
				if end := strings.LastIndexByte(t.text, '\n'); end >= 0 {
					line, indented = true, end+1 < len(t.text)
				} else {
					indented = line
				}
				continue
			}
			switch {
			case strings.IndexByte("([{", c) >= 0:
				open = append(open, len(tokens))
				if last := len(tokens) - 1; c == '(' && last > 0 && tokens[last].text == ">" {
					pairTypes(tokens, last)
				}
			case strings.IndexByte(")]}", c) >= 0 && len(open) > 0:
				t.pair = open[len(open)-1]
				tokens[t.pair].pair = len(tokens)
				open = open[:len(open)-1]
			}
		}
		tokens = append(tokens, t)
		line, indented = false, false
	}
	return append(tokens, token{line: true})
}

// expressionBegins reports whether a slash after the tokens begins a regular expression.
func expressionBegins(tokens []token) bool {
	if len(tokens) == 0 {
		return true
	}
	last := tokens[len(tokens)-1]
	return last.kind == markToken && !strings.Contains(")]}", last.text) || last.text == "return"
}

// pairTypes pairs the angle brackets around the types of a call, which end at a token.
func pairTypes(tokens []token, end int) {
	for i := end - 1; i > max(0, end-20); i-- {
		if tokens[i].text == "<" && tokens[i-1].kind == wordToken {
			tokens[i].pair = end
		}
	}
}

// unquoted returns a text without its quotes and escapes. A text of Python with values in it is not known.
func unquoted(text string) (string, bool) {
	prefix := strings.ToLower(text[:strings.IndexAny(text, "\"'`")])
	text = text[len(prefix):]
	quote := text[:1]
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	text = strings.TrimSuffix(text[len(quote):], quote)
	if !strings.Contains(prefix, "r") {
		text = escape().ReplaceAllStringFunc(text, func(s string) string {
			if r, _, _, err := strconv.UnquoteChar(s, 0); err == nil {
				return string(r)
			} else if s[1] == 'u' || s[1] == 'x' { // code points in braces, and halves of pairs
				return s
			}
			return strings.TrimPrefix(s[1:], "\n")
		})
	}
	return text, !strings.Contains(prefix, "f")
}
