package gitignore

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// A rule is a pattern. It matches as git's wildmatch does. Most patterns are a name or the end of one.
type rule struct {
	// without special characters; if the pattern has none at all, begin is the whole of it
	begin, end string
	whole      bool           // the pattern has no special characters
	pattern    *regexp.Regexp // of what wide returns; nil: begin and end suffice
	// compare with the last name of a path only: the pattern has no slash
	name    bool
	negated bool
	folder  bool // it is about folders only
}

const (
	special    = `*?[\`
	maxPattern = 4096 // bytes
	// special characters of one .gitignore: each costs microseconds a file. Beyond, begin and end decide
	maxSpecial = 3000
)

// parse reads the patterns of a .gitignore. See gitignore(5).
func parse(text string) (rules []rule) {
	left := maxSpecial
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if len(rules) == maxRules {
			break
		}
		line, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), "\x00")
		if line = trimSpaces(line); strings.HasPrefix(line, "#") || len(line) > maxPattern {
			continue
		}
		var r rule
		line, r.negated = strings.CutPrefix(line, "!")
		line, r.folder = strings.CutSuffix(line, "/")
		r.name = !strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		first := strings.IndexAny(line, special)
		switch {
		case line == "":
			continue
		case first < 0:
			r.begin, r.whole = line, true
		default:
			// **/ may be nothing
			r.begin, r.end = line[:first], strings.TrimPrefix(line[strings.LastIndexAny(line, special+"]")+1:], "/")
			if r.name && line == "*"+r.end {
				break
			}
			if left -= strings.Count(line, "*") + strings.Count(line, "?") + strings.Count(line, "["); left < 0 {
				if r.negated { // too much is ignored rather than too little
					continue
				}
			} else if r.pattern = translate(line, first); r.pattern == nil {
				continue
			}
		}
		rules = append(rules, r)
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

// matches reports whether the pattern matches a path below its folder.
func (r *rule) matches(file string) bool {
	if r.name {
		file = path.Base(file)
	}
	if r.whole {
		return file == r.begin
	}
	return strings.HasPrefix(file, r.begin) && strings.HasSuffix(file, r.end) && (r.pattern == nil || r.pattern.MatchString(wide(file)))
}

// slash stands for a slash in what wide returns, so that no set in brackets has it.
const slash = 'Ā'

// wide returns a text with a character for each byte, because git compares bytes.
func wide(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '/' {
			b.WriteRune(slash)
		} else {
			b.WriteRune(rune(s[i]))
		}
	}
	return b.String()
}

// translate returns an expression for a pattern whose first special character is at first. It is nil if the pattern is
// broken, and matches nothing.
func translate(p string, first int) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '*':
			from := i
			for i+1 < len(p) && p[i+1] == '*' {
				i++
			}
			// git compares the part before the first special character by itself, so two stars begin a pattern there
			folders := i > from && (from == first || p[from-1] == '/')
			switch rest := p[i+1:]; {
			case folders && strings.HasPrefix(rest, "/"):
				b.WriteString("(?:.*" + string(slash) + ")?")
				i++
			case folders && (rest == "" || strings.HasPrefix(rest, `\/`)):
				b.WriteString(".*")
			default:
				b.WriteString("[^" + string(slash) + "]*")
			}
		case '?':
			b.WriteString("[^" + string(slash) + "]")
		case '[':
			set, length := class(p[i+1:])
			if length == 0 {
				return nil
			}
			b.WriteString(set)
			i += length
		case '\\':
			if i++; i == len(p) {
				return nil
			}
			fallthrough
		default:
			b.WriteString(regexp.QuoteMeta(wide(p[i : i+1])))
		}
	}
	// an error for a class with an unknown name
	expression, _ := regexp.Compile(b.String() + `\z`)
	return expression
}

// class translates a set in brackets, such as [!a-z[:digit:]], and returns its length after the opening bracket, or 0 if
// the set has no end.
func class(p string) (set string, length int) {
	begin := 0
	set = "["
	if p != "" && (p[0] == '!' || p[0] == '^') {
		begin, set = 1, "[^"+string(slash)
	}
	before := -1 // the byte before a hyphen
	for i := begin; i < len(p); i++ {
		from, to := int(p[i]), int(p[i])
		end := -1
		if strings.HasPrefix(p[i:], "[:") {
			if end = strings.IndexByte(p[i+2:], ']'); end < 0 {
				return "", 0
			}
		}
		switch {
		case to == ']' && i > begin:
			// a character that no path has, so that the set is not empty
			return set + `\x{101}]`, i + 1
		case end > 0 && p[i+2+end-1] == ':':
			set += p[i : i+3+end]
			i += 2 + end
			before = -1
			continue
		case to == '-' && before >= 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			from, before = before, -1
		default:
			before = 0
		}
		if p[i] == '\\' {
			i++
		}
		if i == len(p) {
			return "", 0
		}
		if to = int(p[i]); before == 0 {
			from, before = to, to
		}
		if from <= to {
			set += fmt.Sprintf(`\x{%x}-\x{%x}`, from, to)
		}
	}
	return "", 0
}
