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
	pkg    *pkg
	path   string  // of the file
	parent *module // of a body: where names that it does not declare are looked up
	depth  int     // number of parents
	all    bool    // all declarations of the body that is read are exported
	names  map[string]*symbol
	// with those of stars, once [program.exportsOf] has followed them
	exports []*symbol
	byName  map[string]*symbol // exports
	// modules and namespaces of "export *" and "export =" that are not followed yet
	stars   []*symbol
	closed  bool    // what the file that is read exports does not count
	ambient *module // its names are those of "declare module" in the file
}

func newModule(q *pkg, path string, ambient *module) *module {
	return &module{pkg: q, path: path, names: make(map[string]*symbol), byName: make(map[string]*symbol), ambient: ambient}
}

// A symbol is a name of a module: it has declarations, a namespace, or both, or it refers to another symbol. A module has the symbols "*" for itself and "=" for
// what "require" returns: what "export =" names, or itself. Modules with "export *" share symbols.
type symbol struct {
	name       string
	from       *module // with the statement
	decls      []piece
	space      *module // the namespace, or the module itself
	other, ref string  // the other symbol: a module, or "" for this one, and a name in it, or "" if it is found
	found      *symbol
}

// isModule reports whether a symbol is a whole module.
func (s *symbol) isModule() bool { return s.space == s.from }

// Patterns of [piece.outer].
const (
	identifier = `[\pL_$][\pL\pN_$]*`
	quoted     = `["']([^"']*)["'] `
)

var (
	linking   = lazyregexp.New(`^(import|export) (?:type )?(?:(` + identifier + `) (?:, )?)?(\* (?:as (` + identifier + `) )?)?({ } )?(?:from ` + quoted + `.*)?$`)
	renaming  = lazyregexp.New(`^(export )?import (?:type )?(` + identifier + `) = ([\pL\pN_$ .]+) `)
	assigning = lazyregexp.New(`^export (=|default) ([\pL_$][\pL\pN_$ .]*) $`)
	declaring = lazyregexp.New(`^(export )?(default )?(?:declare )?(?:(?:abstract|async) )*(?:const )?(class|interface|function|enum|const|let|var|type|namespace|module|global) (?:\* )?(?:extends |implements |(` + identifier + `) |` + quoted + `)?`)
	unlisted  = lazyregexp.New(`^export (?:type )?[*{] `)
	listed    = lazyregexp.New(`^(?:type )?(` + identifier + `) (?:as (\S+) )?$`)
	required  = lazyregexp.New(`require\(\s*["']([^"']{1,500})["']`)
	prefix    = lazyregexp.New(`^(?:(?:export|default|declare)\s+)+`)
	valid     = lazyregexp.New(`^(?:[\pL_$][\pL\pN_$-]{0,200}|\(\))$`)
)

// parse reads the statements of a file or a body into a module.
func (m *module) parse(src string) {
	for p := range pieces(src, false) {
		if m.all = m.parent != nil && !unlisted().MatchString(p.outer); !m.all {
			break
		}
	}
	for p := range pieces(src, false) {
		m.statement(p)
	}
}

// nest reads a body in the module m into the namespace of a symbol.
func (s *symbol) nest(m *module, body string) {
	if s.space == nil {
		s.space = newModule(m.pkg, m.path, m.ambient)
		s.space.parent, s.space.depth = m, m.depth+1
	}
	s.space.parse(body)
}

// symbol returns the symbol of a name that the module declares or imports, which may be a new one.
func (m *module) symbol(name string) *symbol {
	if m.names[name] == nil {
		m.names[name] = &symbol{name: name, from: m}
	}
	return m.names[name]
}

// export exports a symbol, and reports whether nothing was exported with its name before.
func (m *module) export(s *symbol) bool {
	fresh := !m.closed && m.byName[s.name] == nil && valid().MatchString(s.name)
	if fresh {
		m.byName[s.name], m.exports = s, append(m.exports, s)
	}
	return fresh
}

// statement reads one statement.
func (m *module) statement(p piece) {
	if f := linking().FindStringSubmatch(p.outer); f != nil {
		bind := func(as, name string) { m.symbol(as).other, m.symbol(as).ref = f[6], name }
		if f[1] == "export" {
			bind = func(as, name string) { m.export(&symbol{name: as, from: m, other: f[6], ref: name}) }
		}
		if bind(f[2], "default"); f[4] != "" {
			bind(f[4], "*")
		} else if f[3] != "" {
			m.stars = append(m.stars, &symbol{from: m, other: f[6], ref: "*"})
		}
		_, names, _ := strings.Cut(p.text, "{")
		names, _, _ = strings.Cut(names, "}")
		for one := range pieces(names, true) {
			if l := listed().FindStringSubmatch(one.outer); l != nil {
				bind(cmp.Or(l[2], l[1]), l[1])
			}
		}
	} else if f := renaming().FindStringSubmatch(p.outer); f != nil {
		s := m.symbol(f[2])
		s.ref = strings.ReplaceAll(f[3], " ", "")
		if r := required().FindStringSubmatch(p.text); r != nil {
			s.other, s.ref = r[1], "="
		}
		if f[1] != "" {
			m.export(s)
		}
	} else if f := assigning().FindStringSubmatch(p.outer); f != nil {
		name := strings.ReplaceAll(f[2], " ", "")
		if m.export(&symbol{name: "default", from: m, ref: name}); f[1] == "=" {
			m.symbol("=").ref, m.stars = name, append(m.stars, &symbol{from: m, ref: name})
		}
	} else if f := declaring().FindStringSubmatch(p.outer); f != nil {
		m.declaration(p, f)
	}
}

// declaration reads a declaration with the parts that its pattern finds.
func (m *module) declaration(p piece, parts []string) {
	exported, isDefault, name, ambient := parts[1] != "" || m.all, parts[2] != "", parts[4], parts[5]
	p.kind = strings.Replace(parts[3], "module", "namespace", 1)
	if m.depth == 0 && relative().MatchString(ambient) {
		name = m.symbol("=").ref // a file that it refers to adds to what it exports
	}
	switch {
	case p.kind == "global" || name == "" && p.kind == "namespace":
		if m.depth == 0 {
			m.ambient.symbol(cmp.Or(ambient, p.kind)).nest(m, p.body)
		}
	case p.kind == "const" || p.kind == "let" || p.kind == "var":
		_, rest, _ := strings.Cut(p.text, p.kind)
		for one := range pieces(rest, true) {
			name, _, _ = strings.Cut(one.outer, " ")
			one.doc, one.kind, one.text, one.outer = cmp.Or(one.doc, p.doc), p.kind, p.kind+" "+one.text, p.kind+" "+one.outer
			m.add(name, one, exported)
		}
	case isDefault:
		name = cmp.Or(name, "default")
		m.add(name, p, false)
		m.export(&symbol{name: "default", from: m, ref: name})
	default:
		if m.add(name, p, exported); p.kind == "namespace" && m.depth < maxDepth/4 {
			m.symbol(name).nest(m, p.body)
		}
	}
}

// add adds a declaration, unless it is not for users.
func (m *module) add(name string, p piece, exported bool) {
	s := m.symbol(name)
	if hidden().MatchString(p.doc) || len(s.decls) == maxMembers {
		return
	}
	p.text, p.outer = prefix().ReplaceAllString(p.text, ""), prefix().ReplaceAllString(p.outer, "")
	if s.decls = append(s.decls, p); exported {
		m.export(s)
	}
}

// A piece is a statement, or a member of a class, interface, enum or object type. All texts are parts of the source, but for outer.
type piece struct {
	doc   string // the JSDoc comment above it
	space string // before it in its first line
	text  string
	// its first tokens that are in no brackets, and these brackets, with a space after each: interface I < > extends B { }
	outer string
	// if it ends with braces that are in no other brackets: what is between them
	body string
	// of a declaration: class, interface, function, enum, type, const, let, var or namespace
	kind string
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
	src   string
	token string // a word, a string, a template or a mark; "" at the end
	pos   int    // after the token
	open  []byte // brackets
	line  int    // where the line of the token begins, if it is the first one of its line, or -1
	doc   string // the last JSDoc comment before the token
}

// pieces cuts a text at the ends of its statements, or of its members, which commas end too.
func pieces(src string, members bool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		s := scanner{src: src}
		for s.next(); s.token != ""; {
			if p := s.piece(members); p.text != "" && !yield(p) {
				return
			}
		}
	}
}

// piece reads a piece that begins with the current token. It is empty if that token ends a statement.
func (s *scanner) piece(members bool) (p piece) {
	var outer strings.Builder
	start, body, last := s.pos-len(s.token), 0, ""
	if p.doc = s.doc; s.line >= 0 {
		p.space = s.src[s.line:start]
	}
	for ended := false; s.token != "" && !ended; s.next() {
		level := len(s.open)
		if level == 0 && s.line >= 0 && last != "" && !oneOf(endsLater, last) && !oneOf(beginsLater, s.token) {
			break
		}
		s.bracket()
		if ended = s.token == ";" && len(s.open) == 0 || level == 0 && (s.token == "}" || members && s.token == ","); ended {
			continue
		}
		p.text, p.body, last = s.src[start:s.pos], "", s.token
		if outer.Len() < maxOuter && (level == 0 || len(s.open) == 0) {
			outer.WriteString(s.token + " ")
		}
		if level == 0 && s.token == "{" {
			body = s.pos
		} else if level > 0 && len(s.open) == 0 && s.token == "}" {
			p.body = s.src[body : s.pos-1]
		}
	}
	p.outer = outer.String()
	return p
}

// bracket opens or closes brackets with the token. A "<" that other marks close was a sign of an expression.
func (s *scanner) bracket() {
	switch s.token {
	case "(", "[", "{", "<":
		s.open = append(s.open, s.token[0])
	case ">":
		s.open = bytes.TrimSuffix(s.open, []byte("<"))
	case ")", "]", "}", ";":
		if s.open = bytes.TrimRight(s.open, "<"); s.token != ";" && len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
}

// next reads the next token, and the comments before it.
func (s *scanner) next() {
	for s.token, s.line, s.doc = "", -1, ""; s.token == "" && s.pos < len(s.src); {
		rest := s.src[s.pos:]
		n, skipped := 1, rest[0] <= ' ' || rest[0] == 0x7f
		switch {
		case strings.IndexByte("\"'`", rest[0]) >= 0:
			n = quotedLen(rest)
		case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#!"):
			before, _, _ := strings.Cut(rest, "\n")
			n, skipped = len(before), true
		case strings.HasPrefix(rest, "/*"):
			before, _, _ := strings.Cut(rest[2:], "*/")
			n, skipped = min(len(before)+len("/**/"), len(rest)), true
			if strings.HasPrefix(rest, "/**") && n > len("/***/") {
				s.doc = rest[:n]
			}
		case strings.HasPrefix(rest, "=>"):
			n = 2
		default:
			n = max(1, len(rest)-len(strings.TrimLeftFunc(rest, isWord)))
		}
		if s.pos += n; !skipped {
			s.token = rest[:n]
		} else if i := strings.LastIndexByte(rest[:n], '\n'); i >= 0 {
			s.line = s.pos - n + i + 1
		}
	}
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
