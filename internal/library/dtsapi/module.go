package dtsapi

import (
	"cmp"
	"maps"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A module is a file, or the body of a namespace or of an ambient module.
type module struct {
	pkg     *pkg
	path    string  // of the file
	parent  *module // of a body: where names that it does not declare are looked up
	depth   int     // number of parents
	all     bool    // all declarations are exported
	decls   map[string][]*decl
	names   []string // of decls, in order
	imports map[string]reference
	exports []export
	equals  string // export = name
	ambient map[string]*module

	symbols   []symbol // see [program.exportsOf]
	byName    map[string]target
	following bool // symbols are being found
}

// A reference is a name of another module. The name "*" is the module itself.
type reference struct{ module, name string }

// An export is a name that a module exports, for a local name or a name of another module. The name "" stands for all names of the other module.
type export struct {
	name string
	reference
}

// A decl is a declaration. Its text is without "export" and "declare".
type decl struct {
	module *module
	kind   string // class, interface, function, enum, type, const, let, var, namespace or default
	piece
	inner *module // see [module.namespaces]
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
	block     = lazyregexp.New(`^(?:(?:export|default|declare|abstract|const) )*(?:class|interface|enum|namespace|module|global) `)
	listed    = lazyregexp.New(`^(?:type )?(` + identifier + `) (?:as (\S+) )?$`)
	required  = lazyregexp.New(`require\(\s*["']([^"']{1,500})["']`)
	prefix    = lazyregexp.New(`^(?:(?:export|default|declare)\s+)+`)
	valid     = lazyregexp.New(`^` + identifier + `$`)
)

// parse reads the statements of a file or a body into a module.
func parse(m *module, src string) *module {
	m.decls, m.imports, m.ambient = make(map[string][]*decl), make(map[string]reference), make(map[string]*module)
	for p := range pieces(src, false) {
		m.statement(p)
	}
	return m
}

// nested reads the body of a declaration.
func (m *module) nested(body string) *module {
	return parse(&module{pkg: m.pkg, path: m.path, parent: m, depth: m.depth + 1, all: true}, body)
}

// statement reads one statement.
func (m *module) statement(p piece) {
	if f := linking().FindStringSubmatch(p.outer); f != nil {
		list := []export{{f[2], reference{f[6], "default"}}, {f[4], reference{f[6], "*"}}}
		_, names, _ := strings.Cut(p.text, "{")
		names, _, _ = strings.Cut(names, "}")
		for one := range pieces(names, true) {
			if l := listed().FindStringSubmatch(one.outer); l != nil {
				list = append(list, export{cmp.Or(l[2], l[1]), reference{f[6], l[1]}})
			}
		}
		for _, e := range list {
			if f[1] == "export" && (validName(e.name) || e.name == "" && e.reference.name == "*" && f[3] != "" && f[4] == "") {
				m.exports = append(m.exports, e)
			} else if f[1] == "import" && validName(e.name) {
				m.imports[e.name] = e.reference
			}
		}
		m.all = m.all && f[1] == "import" // with a list of exports, other declarations are not exported
	} else if f := renaming().FindStringSubmatch(p.outer); f != nil {
		m.imports[f[2]] = reference{"", strings.ReplaceAll(f[3], " ", "")}
		if r := required().FindStringSubmatch(p.text); r != nil {
			m.imports[f[2]] = reference{r[1], "="}
		}
		if f[1] != "" {
			m.exports = append(m.exports, export{f[2], reference{"", f[2]}})
		}
	} else if f := assigning().FindStringSubmatch(p.outer); f != nil && f[1] == "=" {
		m.equals = strings.ReplaceAll(f[2], " ", "")
	} else if f != nil {
		m.exports = append(m.exports, export{"default", reference{"", strings.ReplaceAll(f[2], " ", "")}})
	} else if f := declaring().FindStringSubmatch(p.outer); f != nil {
		m.declaration(p, f)
	} else if strings.HasPrefix(p.outer, "export = ") || strings.HasPrefix(p.outer, "export default ") {
		m.add("default", "default", p, "default")
	}
}

// declaration reads a declaration with the parts that its pattern finds.
func (m *module) declaration(p piece, parts []string) {
	exported, isDefault, kind, name, ambient := parts[1] != "", parts[2] != "", parts[3], parts[4], parts[5]
	as := "" // the name by which it is exported
	if isDefault {
		as = "default"
		if name == "" || name == "extends" || name == "implements" {
			name = as
		}
	} else if exported {
		as = name
	}
	switch {
	case kind == "global" || name == "" && kind == "module":
		if m.depth == 0 && p.body != "" {
			m.augment(cmp.Or(ambient, kind), m.nested(p.body))
		}
	case name == "": // such as const {a, b}
	case kind == "const" || kind == "let" || kind == "var":
		_, rest, _ := strings.Cut(p.text, kind)
		for one := range pieces(rest, true) {
			if name, _, _ := strings.Cut(one.outer, " "); validName(name) {
				one.doc, one.text, one.outer = cmp.Or(one.doc, p.doc), kind+" "+one.text, kind+" "+one.outer
				if as != "" {
					as = name
				}
				m.add(kind, name, one, as)
			}
		}
	default:
		m.add(strings.Replace(kind, "module", "namespace", 1), name, p, as)
	}
}

// add adds a declaration. If as is not "", it is exported by this name.
func (m *module) add(kind, name string, p piece, as string) {
	p.text = p.text[len(prefix().FindString(p.text)):]
	if oneOf(" function default ", kind) || oneOf(" type const let var ", kind) && strings.ContainsAny(p.outer, "|?") {
		p.body = "" // one type of several
	}
	m.declare(name, &decl{module: m, kind: kind, piece: p})
	if as != "" {
		m.exports = append(m.exports, export{as, reference{"", name}})
	}
}

func (m *module) declare(name string, decls ...*decl) {
	if m.decls[name] == nil {
		m.names = append(m.names, name)
	}
	m.decls[name] = append(m.decls[name], decls...)
}

// augment adds the declarations of an ambient module.
func (m *module) augment(name string, added *module) {
	if known := m.ambient[name]; known != nil {
		known.merge(added)
	} else {
		m.ambient[name] = added
	}
}

// merge adds the declarations of another body.
func (m *module) merge(other *module) {
	for _, name := range other.names {
		m.declare(name, other.decls[name]...)
	}
	maps.Copy(m.imports, other.imports)
	m.exports, m.all = append(m.exports, other.exports...), m.all && other.all
}

// namespaces returns the bodies of the namespaces of a name, which are parsed when they are first needed.
func (m *module) namespaces(name string) (list []*module) {
	for _, d := range m.decls[name] {
		if d.kind == "namespace" && d.inner == nil && d.module.depth < maxDepth/4 {
			d.inner = d.module.nested(d.body)
		}
		if d.inner != nil {
			list = append(list, d.inner)
		}
	}
	return list
}

// validName reports whether a text is an identifier without escapes.
func validName(name string) bool { return len(name) <= 200 && valid().MatchString(name) }
