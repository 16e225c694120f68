package dtsapi

import (
	"bytes"
	"cmp"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A module is a file, or the body of a namespace or of an ambient module.
type module struct {
	pkg     *pkg
	path    string  // of the file
	parent  *module // of a body: where names that it does not declare are looked up
	depth   int     // number of parents
	all     bool    // all declarations of the body that is read are exported
	decls   map[string][]piece
	imports map[string]*symbol
	exports []*symbol
	stars   []string           // modules of "export *"
	equals  string             // export = name
	ambient map[string]*module // declare module "name"
	spaces  map[string]*module // namespaces

	symbols []*symbol // see [program.exportsOf]
	byName  map[string]*symbol
}

// Patterns of [piece.outer].
const (
	identifier = `[\pL_$][\pL\pN_$]*`
	quoted     = `["']([^"']*)["'] `
)

var (
	linking   = lazyregexp.New(`^(import|export) (?:type )?(?:(` + identifier + `) (?:, )?)?(\* (?:as (` + identifier + `) )?)?({ } )?(?:from ` + quoted + `.*)?$`)
	renaming  = lazyregexp.New(`^(export )?import (?:type )?(` + identifier + `) = ([\pL\pN_$ .]+) `)
	assigning = lazyregexp.New(`^export (=|default) ([\pL_$][\pL\pN_$ .]*) $`)
	declaring = lazyregexp.New(`^(export )?(default )?(?:declare )?(?:(?:abstract|async) )*(?:const )?(class|interface|function|enum|const|let|var|type|namespace|module|global) (?:\* )?(?:(` + identifier + `) |` + quoted + `)?`)
	unlisted  = lazyregexp.New(`^export (?:type )?[*{] `)
	listed    = lazyregexp.New(`^(?:type )?(` + identifier + `) (?:as (\S+) )?$`)
	required  = lazyregexp.New(`require\(\s*["']([^"']{1,500})["']`)
	prefix    = lazyregexp.New(`^(?:(?:export|default|declare)\s+)+`)
	valid     = lazyregexp.New(`^[\pL_$][\pL\pN_$]{0,200}$`)
)

// parse reads the statements of a file or a body into a module.
func (m *module) parse(src string) {
	if m.decls == nil {
		m.decls, m.imports = make(map[string][]piece), make(map[string]*symbol)
		m.ambient, m.spaces = make(map[string]*module), make(map[string]*module)
	}
	for p := range pieces(src, false) {
		if m.all = m.parent != nil && !unlisted().MatchString(p.outer); !m.all {
			break
		}
	}
	for p := range pieces(src, false) {
		m.statement(p)
	}
}

// nest reads the body of a namespace or an ambient module.
func (m *module) nest(modules map[string]*module, name, body string) {
	if m.depth == maxDepth/4 {
		return
	} else if modules[name] == nil {
		modules[name] = &module{pkg: m.pkg, path: m.path, parent: m, depth: m.depth + 1}
	}
	modules[name].parse(body)
}

// export exports a name of the module, or of another one.
func (m *module) export(as, other, name string) {
	m.exports = append(m.exports, &symbol{name: as, other: other, from: m, ref: name})
}

// statement reads one statement.
func (m *module) statement(p piece) {
	if f := linking().FindStringSubmatch(p.outer); f != nil {
		bind := func(as, name string) { m.imports[as] = &symbol{name: as, other: f[6], from: m, ref: name} }
		if f[1] == "export" {
			bind = func(as, name string) { m.export(as, f[6], name) }
		}
		if bind(f[2], "default"); f[4] != "" {
			bind(f[4], "*")
		} else if f[3] != "" {
			m.stars = append(m.stars, f[6])
		}
		_, names, _ := strings.Cut(p.text, "{")
		names, _, _ = strings.Cut(names, "}")
		for one := range pieces(names, true) {
			if l := listed().FindStringSubmatch(one.outer); l != nil {
				bind(cmp.Or(l[2], l[1]), l[1])
			}
		}
	} else if f := renaming().FindStringSubmatch(p.outer); f != nil {
		imported := &symbol{name: f[2], from: m, ref: strings.ReplaceAll(f[3], " ", "")}
		if r := required().FindStringSubmatch(p.text); r != nil {
			imported.other, imported.ref = r[1], "="
		}
		m.imports[f[2]] = imported
		if f[1] != "" {
			m.export(f[2], "", f[2])
		}
	} else if f := assigning().FindStringSubmatch(p.outer); f != nil {
		name := strings.ReplaceAll(f[2], " ", "")
		if m.export("default", "", name); f[1] == "=" {
			m.equals = name
		}
	} else if f := declaring().FindStringSubmatch(p.outer); f != nil {
		m.declaration(p, f)
	} else if strings.HasPrefix(p.outer, "export = ") || strings.HasPrefix(p.outer, "export default ") {
		p.kind = "default"
		m.add("default", p, true)
	}
}

// declaration reads a declaration with the parts that its pattern finds.
func (m *module) declaration(p piece, parts []string) {
	exported, isDefault, name, ambient := parts[1] != "" || m.all, parts[2] != "", parts[4], parts[5]
	p.kind = strings.Replace(parts[3], "module", "namespace", 1)
	switch {
	case m.depth == 0 && m.spaces[m.equals] != nil && relative().MatchString(ambient): // a file that it refers to adds to what it exports
		m.spaces[m.equals].parse(p.body)
	case p.kind == "global" || name == "" && p.kind == "namespace":
		if m.depth == 0 && p.body != "" {
			m.nest(m.ambient, cmp.Or(ambient, p.kind), p.body)
		}
	case p.kind == "const" || p.kind == "let" || p.kind == "var":
		_, rest, _ := strings.Cut(p.text, p.kind)
		for one := range pieces(rest, true) {
			name, _, _ = strings.Cut(one.outer, " ")
			one.doc, one.kind, one.text, one.outer = cmp.Or(one.doc, p.doc), p.kind, p.kind+" "+one.text, p.kind+" "+one.outer
			m.add(name, one, exported)
		}
	case isDefault:
		if name == "" || name == "extends" || name == "implements" {
			name = "default"
		}
		m.add(name, p, false)
		m.export("default", "", name)
	default:
		if m.add(name, p, exported); p.kind == "namespace" {
			m.nest(m.spaces, name, p.body)
		}
	}
}

// add adds a declaration, unless it is not for users.
func (m *module) add(name string, p piece, exported bool) {
	if hidden().MatchString(p.doc) || len(m.decls[name]) == maxMembers {
		return
	}
	p.text, p.outer = prefix().ReplaceAllString(p.text, ""), prefix().ReplaceAllString(p.outer, "")
	if oneOf(" function default ", p.kind) || oneOf(" type const let var ", p.kind) && strings.ContainsAny(p.outer, "|?") {
		p.body = "" // one type of several
	}
	if m.decls[name] = append(m.decls[name], p); exported {
		m.export(name, "", name)
	}
}

// A piece is a statement, or a member of a class, interface, enum or object type. All texts are parts of the source, but for outer.
type piece struct {
	doc   string // the JSDoc comment above it
	space string // before it in its first line
	text  string
	outer string // its first tokens that are in no brackets, and these brackets, with a space after each: interface I < > extends B { }
	body  string // if it ends with braces that are in no other brackets: what is between them
	kind  string // of a declaration: class, interface, function, enum, type, const, let, var, namespace or default
}

const (
	maxOuter = 1000 // bytes of piece.outer, which patterns are compared with

	// A line that begins or ends with one of these tokens is one statement with the line above or below.
	beginsLater = " | & => ? : = . , ) ] > { extends implements is "
	endsLater   = " | & => : = . , + - / % ^ ~ @ # extends keyof infer is typeof readonly unique new asserts in as "
)

func oneOf(tokens, token string) bool { return strings.Contains(tokens, " "+token+" ") }

// A scanner reads the tokens of a source text.
type scanner struct {
	src     string
	pos     int
	open    []byte // brackets
	newline bool   // the token is the first one of its line
	line    int    // where its line begins
	doc     string // the last JSDoc comment before the token
}

// pieces cuts a text at the ends of its statements, or of its members, which commas end too.
func pieces(src string, members bool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		s, p, start, body, last := scanner{src: src}, piece{}, 0, 0, ""
		var outer strings.Builder
		end := func() (more bool) {
			p.outer = outer.String()
			outer.Reset()
			more = p.text == "" || yield(p)
			p = piece{}
			return more
		}
		for token := s.next(); ; token = s.next() {
			level := len(s.open)
			if level == 0 && s.newline && !oneOf(endsLater, last) && !oneOf(beginsLater, token) && !end() {
				return
			}
			if s.bracket(token); token == "" || token == ";" && len(s.open) == 0 || level == 0 && (token == "}" || members && token == ",") {
				if !end() || token == "" {
					return
				}
				continue
			}
			if p.text == "" {
				start = s.pos - len(token)
				if p.doc = s.doc; s.newline {
					p.space = src[s.line:start]
				}
			}
			p.text, p.body, last = src[start:s.pos], "", token
			if outer.Len() < maxOuter && (level == 0 || len(s.open) == 0) {
				outer.WriteString(token + " ")
			}
			if level == 0 && token == "{" {
				body = s.pos
			} else if level > 0 && len(s.open) == 0 && token == "}" {
				p.body = src[body : s.pos-1]
			}
		}
	}
}

// bracket opens and closes brackets after a token. A "<" that other marks close was a sign of an expression.
func (s *scanner) bracket(token string) {
	switch token {
	case "(", "[", "{", "<":
		s.open = append(s.open, token[0])
	case ">":
		s.open = bytes.TrimSuffix(s.open, []byte("<"))
	case ")", "]", "}", ";":
		if s.open = bytes.TrimRight(s.open, "<"); token != ";" && len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
}

// next returns the next token: a word, a string, a template or a mark. At the end it returns "".
func (s *scanner) next() string {
	for s.newline, s.doc = false, ""; s.pos < len(s.src); {
		rest := s.src[s.pos:]
		n, comment := 1, rest[0] <= ' ' || rest[0] == 0x7f
		switch {
		case strings.IndexByte("\"'`", rest[0]) >= 0:
			n = quotedLen(rest)
		case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#!"):
			before, _, _ := strings.Cut(rest, "\n")
			n, comment = len(before), true
		case strings.HasPrefix(rest, "/*"):
			before, _, _ := strings.Cut(rest[2:], "*/")
			n, comment = min(len(before)+len("/**/"), len(rest)), true
			if strings.HasPrefix(rest, "/**") && n > len("/***/") {
				s.doc = rest[:n]
			}
		case strings.HasPrefix(rest, "=>"):
			n = 2
		default:
			n = max(1, len(rest)-len(strings.TrimLeftFunc(rest, isWord)))
		}
		if s.pos += n; !comment {
			return rest[:n]
		}
		if i := strings.LastIndexByte(rest[:n], '\n'); i >= 0 {
			s.newline, s.line = true, s.pos-n+i+1
		}
	}
	return ""
}

// quotedLen returns the length of the string or template at the beginning of a text. A template may have expressions with others.
func quotedLen(text string) int {
	open := []byte{text[0]} // quotes, and braces of expressions
	for i := 1; i < len(text); i++ {
		inside, c := open[len(open)-1], text[i]
		switch {
		case c == '\\':
			i++
		case c == inside || inside == '{' && c == '}':
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1
			}
		case c == '\n' && open[0] != '`':
			return i + 1
		case inside == '`' && strings.HasPrefix(text[i:], "${"):
			open, i = append(open, '{'), i+1
		case inside == '{' && strings.IndexByte("\"'`{", c) >= 0:
			open = append(open, c)
		}
	}
	return len(text)
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || r == '\\' || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
}
