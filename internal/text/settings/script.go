package settings

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A Script is the text of a configuration that is a program. It is read with patterns and never run. Comments are blank
// in it.
type Script string

// NewScript returns a program in JavaScript or TypeScript.
func NewScript(text string) Script {
	src := []byte(text)
	blankComments(src, "'\"`")
	return Script(src)
}

const quoted = `(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|` + "`([^`$\\\\]*)`)"

var (
	texts     = lazyregexp.New(quoted)
	imported  = lazyregexp.New(`(?m)^\s*import\s+([\w$\s{},]+?)\s+from\s+["'](\.[^"'\n]+)["']`)
	constants = lazyregexp.New(`\b(?:const|let|var)\s+([\w$]+)(?:\s*:[^=\n]+)?\s*=\s*([{\[])`)
	keyOf     = lazyregexp.New(`^["']?([\w-]+)["']?\s*:`)
	// tokens matches a text or a name, and the colon after a key.
	tokens = lazyregexp.New(`^(?:` + quoted + `|([A-Za-z_]\w*))(?:\s*:)?`)
)

// Str returns the first text that a key has: key: 'text', or a constant of the file: key: name, or the key alone.
func (s Script) Str(key string) string {
	if m := regexp.MustCompile(`(?:^|[\s,{(])["']?` + quote(key) + `["']?\s*[:=]\s*` + quoted).FindStringSubmatch(string(s)); m != nil {
		return unquote(m)
	}
	name := key
	if m := regexp.MustCompile(`(?:^|[\s,{(])` + quote(key) + `\s*:\s*([A-Za-z_]\w*)`).FindStringSubmatch(string(s)); m != nil {
		name = m[1]
	}
	if m := regexp.MustCompile(`(?m)\b(?:const|let|var)\s+` + quote(name) + `(?:\s*:[^=\n]+)?\s*=\s*(?:[^'"\n]*\|\|\s*)?` + quoted).FindStringSubmatch(string(s)); m != nil {
		return unquote(m)
	}
	return ""
}

// Block returns what stands between the brackets after a key: key: { … } or key: [ … ], or after a constant: key: name,
// or the key alone.
func (s Script) Block(key string) Script {
	name := key
	if m := regexp.MustCompile(`(?:^|[\s,{(])` + quote(key) + `\s*:\s*([A-Za-z_]\w*)\s*[,}\n]`).FindStringSubmatch(string(s)); m != nil {
		name = m[1]
	}
	for _, pattern := range []string{
		`(?:^|[\s,{(])["']?` + quote(key) + `["']?\s*:\s*(?:[A-Za-z_.]+\()?\s*([{\[])`,
		`\b(?:const|let|var)\s+` + quote(name) + `(?:\s*:[^=\n]+)?\s*=\s*([{\[])`,
	} {
		if m := regexp.MustCompile(pattern).FindStringSubmatchIndex(string(s)); m != nil {
			return s.Bracket(m[2])
		}
	}
	return ""
}

// An Import is a name that a program imports from a file next to it.
type Import struct {
	Name, From string // From is a relative path, perhaps without an extension
}

// Imports returns the names that a program imports from other files of its project, at most 100.
func (s Script) Imports() (imports []Import) {
	for _, m := range imported().FindAllStringSubmatch(string(s), 100) {
		for name := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return strings.ContainsRune("{}, \t\r\n", r) }) {
			if i := (Import{name, m[2]}); len(imports) < 100 && !slices.Contains(imports, i) {
				imports = append(imports, i)
			}
		}
	}
	return imports
}

// Constants returns the offsets of the brackets that open the objects and lists of a program, by the names of the constants
// that they are the values of.
func (s Script) Constants() map[string]int {
	offsets := make(map[string]int)
	for _, m := range constants().FindAllStringSubmatchIndex(string(s), -1) {
		if name := string(s[m[2]:m[3]]); offsets[name] == 0 {
			offsets[name] = m[4]
		}
	}
	return offsets
}

// Bracket returns what stands between the bracket at offset i and the one that closes it.
func (s Script) Bracket(i int) Script {
	if end := s.end(i); end >= 0 {
		return s[i+1 : end]
	}
	return ""
}

// end returns the offset of the bracket that closes the one at offset i, or -1.
func (s Script) end(i int) int {
	depth := 0
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '\'', '"', '`':
			j = closing(s, j)
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return -1
}

// A Member is a key of an object.
type Member struct {
	Key   string
	Block Script // what stands between the brackets of its value, as in key: { … }; "": it has another value
}

// Members returns the members of an object in order, without those of objects in it.
func (s Script) Members() (members []Member) {
	for j := 0; j < len(s); j++ {
		c := s[j]
		if j == 0 || strings.IndexByte(" \t\r\n,{", s[j-1]) >= 0 {
			if m := keyOf().FindStringSubmatchIndex(string(s[j:])); m != nil {
				members = append(members, Member{Key: string(s[j+m[2] : j+m[3]])})
				j += m[1] - 1
				continue
			}
		}
		switch c {
		case '{', '[', '(':
			end := s.end(j)
			if end < 0 {
				return members
			}
			if last := len(members) - 1; last >= 0 && members[last].Block == "" {
				members[last].Block = s[j+1 : end]
			}
			j = end
		case '\'', '"', '`':
			j = closing(s, j)
		}
	}
	return members
}

// Strings returns all texts in a block, in order.
func (s Script) Strings() (out []string) {
	for _, m := range texts().FindAllStringSubmatch(string(s), 10_000) {
		out = append(out, unquote(m))
	}
	return out
}

// A Text is a text in a block.
type Text struct {
	Key, Text string
	Label     string   // of the object that has the text, if it stands before it
	Groups    []string // labels of the objects whose lists hold the text, and keys of lists that begin with a capital
}

const (
	maxGroups = 20   // that hold a text
	maxToken  = 1000 // bytes
)

// Texts returns all texts in a block but keys, in order.
func (s Script) Texts() (out []Text) {
	type bracket struct {
		label  string
		groups []string
	}
	open, key := []bracket{{}}, ""
	for j := 0; j < len(s) && len(out) < 10_000; j++ {
		top := &open[len(open)-1]
		switch c := s[j]; {
		case c == '{' || c == '[' || c == '(':
			groups := slices.Clip(top.groups)
			switch label := top.label; {
			case len(groups) >= maxGroups:
			case label != "" && (c == '[' || key == "autogenerate"):
				groups = append(groups, label)
			case c == '[' && key != "" && key[0] >= 'A' && key[0] <= 'Z':
				groups = append(groups, key)
			}
			open, key = append(open, bracket{groups: groups}), ""
		case c == '}' || c == ']' || c == ')':
			open, key = open[:max(1, len(open)-1)], ""
		case c == ',':
			key = ""
		case c == '\'' || c == '"' || c == '`' || c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			m := tokens().FindStringSubmatchIndex(string(s[j:min(j+maxToken, len(s))])) // its time grows with the text
			if m == nil {
				continue
			}
			groups := make([]string, 5)
			for i := range groups {
				if m[2*i] >= 0 {
					groups[i] = string(s[j+m[2*i] : j+m[2*i+1]])
				}
			}
			j += m[1] - 1
			switch text := unquote(groups); {
			case strings.HasSuffix(groups[0], ":"):
				key = text + groups[4]
			case groups[4] == "":
				if key == "label" || key == "text" || key == "title" {
					top.label = text
				}
				out = append(out, Text{key, text, top.label, top.groups})
			}
		}
	}
	return out
}

func unquote(m []string) string {
	return strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`).Replace(m[1] + m[2] + m[3])
}

// quote returns a pattern that matches a text.
func quote(text string) string { return regexp.QuoteMeta(strings.ToValidUTF8(text, "\ufffd")) }
