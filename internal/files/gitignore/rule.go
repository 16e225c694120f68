package gitignore

import (
	"path"
	"strings"
)

// A rule is a pattern. It matches as git's wildmatch does. Most patterns are a name or the end of one.
type rule struct {
	literal string  // the start of the pattern, up to its first special character
	tokens  []token // the rest
	name    bool    // compare with the last name of a path only: the pattern has no slash
	suffix  bool    // the pattern is a star and the literal
	negated bool
	folder  bool // it is about folders only
	fold    bool // ignore the case of ASCII letters
}

// A token matches a part of a path.
type token struct {
	kind kind
	set  *[256]bool // for one
}

type kind uint8

const (
	one  kind = iota // one byte of a set
	star             // any bytes except slashes
	all              // any bytes
	deep             // nothing, or any folders with the slash after them
)

// parse reads the patterns of a .gitignore. See gitignore(5).
func parse(text string, fold bool) (rules []rule) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if len(rules) == maxRules {
			break
		}
		line, _, _ = strings.Cut(line, "\x00")
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "#") {
			continue
		}
		line = trimSpaces(strings.TrimSuffix(line, "\r"))
		r := rule{fold: fold}
		line, r.negated = strings.CutPrefix(line, "!")
		line, r.folder = strings.CutSuffix(line, "/")
		r.name = !strings.Contains(line, "/")
		if line = strings.TrimPrefix(line, "/"); line != "" && r.compile(line) {
			rules = append(rules, r)
		}
	}
	return rules
}

// trimSpaces removes spaces from the end of a line, except one after a backslash.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// compile reads a pattern without the marks around it. It returns false if the pattern cannot match.
func (r *rule) compile(p string) bool {
	if r.fold {
		p = lower(p)
	}
	special := strings.IndexAny(p, `*?[\`)
	if special < 0 {
		r.literal = p
		return true
	}
	if rest := p[1:]; r.name && p[0] == '*' && !strings.ContainsAny(rest, `*?[\`) {
		r.literal, r.suffix = rest, true
		return true
	}
	r.literal = p[:special]
	for i := special; i < len(p); i++ {
		t := token{set: new([256]bool)}
		switch p[i] {
		case '*':
			first := i
			for i+1 < len(p) && p[i+1] == '*' {
				i++
			}
			t.kind = star
			// git compares the literal part first, so two stars after it count as the start of a pattern
			starts := first == special || p[first-1] == '/'
			switch rest := p[i+1:]; {
			case i == first || !starts:
			case strings.HasPrefix(rest, "/"):
				t.kind = deep
				i++
			case rest == "" || strings.HasPrefix(rest, `\/`):
				t.kind = all
			}
		case '?':
			for b := range t.set {
				t.set[b] = b != '/'
			}
		case '[':
			end := t.class(p[i+1:], r.fold)
			if end < 0 {
				return false
			}
			i += end
		case '\\':
			if i++; i == len(p) {
				return false
			}
			fallthrough
		default:
			t.set[p[i]] = true
		}
		r.tokens = append(r.tokens, t)
	}
	return true
}

// class reads a set in brackets, such as [!a-z[:digit:]], after its opening bracket. It returns the length up to the
// closing bracket, or -1 if the set is broken.
func (t *token) class(p string, fold bool) int {
	negated := p != "" && (p[0] == '!' || p[0] == '^')
	first := 0
	if negated {
		first = 1
	}
	before := -1 // the byte before a hyphen
	i := first
	for ; i < len(p) && (p[i] != ']' || i == first); i++ {
		b := p[i]
		from := b
		switch {
		case b == '-' && before >= 0 && i+1 < len(p) && p[i+1] != ']':
			if i++; p[i] == '\\' {
				i++
			}
			if i == len(p) {
				return -1
			}
			from, b = byte(before), p[i]
			before = -1
		case b == '[' && strings.HasPrefix(p[i+1:], ":"):
			length := strings.IndexByte(p[i+2:], ']')
			if length < 0 {
				return -1
			}
			name, ok := strings.CutSuffix(p[i+2:i+2+length], ":")
			if !ok {
				before = int(b)
				break
			}
			has := classes[name]
			if has == nil {
				return -1
			}
			for c := range byte(0x80) {
				t.set[c] = t.set[c] || has(c)
			}
			i += 2 + length
			before = -1
			continue
		case b == '\\':
			if i++; i == len(p) {
				return -1
			}
			b = p[i]
			from = b
			fallthrough
		default:
			before = int(b)
		}
		for c := int(from); c <= int(b); c++ {
			t.set[c] = true
		}
	}
	for c := 'A'; fold && c <= 'Z'; c++ {
		t.set[c+'a'-'A'] = t.set[c] || t.set[c+'a'-'A']
	}
	for b := range t.set {
		t.set[b] = t.set[b] != negated && b != '/'
	}
	if i >= len(p) {
		return -1
	}
	return i + 1
}

// classes has the bytes of each POSIX class.
var classes = map[string]func(c byte) bool{
	"alnum": func(c byte) bool { return isAlpha(c) || isDigit(c) }, "alpha": isAlpha, "digit": isDigit, "upper": isUpper,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"graph":  func(c byte) bool { return c > ' ' && c < 0x7f },
	"lower":  func(c byte) bool { return isAlpha(c) && !isUpper(c) },
	"print":  func(c byte) bool { return c >= ' ' && c < 0x7f },
	"punct":  func(c byte) bool { return c > ' ' && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"xdigit": func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' },
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// matches reports whether the pattern matches a path below its folder. It takes time in proportion to the lengths of
// both.
func (r *rule) matches(file string) bool {
	if r.name {
		file = path.Base(file)
	}
	if r.fold {
		file = lower(file)
	}
	if r.suffix {
		return strings.HasSuffix(file, r.literal)
	}
	rest, ok := strings.CutPrefix(file, r.literal)
	if !ok || len(r.tokens) == 0 {
		return ok && rest == ""
	}
	reached := make([]bool, len(rest)+1) // the places in rest to which the tokens so far match
	reached[0] = true
	for i := range r.tokens {
		r.tokens[i].advance(reached, rest)
	}
	return reached[len(rest)]
}

// advance replaces the places before a token by the places after it.
func (t *token) advance(reached []bool, text string) {
	if t.kind == one {
		for i := len(text); i > 0; i-- {
			reached[i] = reached[i-1] && t.set[text[i-1]]
		}
		reached[0] = false
		return
	}
	before := reached[0] // whether the token can start before the byte
	for i := range len(text) {
		b, here := text[i], reached[i+1]
		switch t.kind {
		case star:
			reached[i+1] = here || reached[i] && b != '/'
		case all:
			reached[i+1] = here || reached[i]
		case deep:
			reached[i+1] = here || before && b == '/'
		}
		before = before || here
	}
}

// lower returns a text with the ASCII letters in lower case.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
