package dtsapi

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/apipages"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Source is the package to describe.
type Source struct {
	Files Files
	Dir   string // the folder of the declarations
	Name  string // in imports
}

// Render describes a package. Each page has the name of an entry point, such as "index" or "v4/core". For a package without declarations, Render
// returns no pages. The error is ctx.Err().
func Render(ctx context.Context, s Source) ([]apipages.Page, error) {
	p := &program{ctx: ctx, files: s.Files, packages: make(map[string]*pkg), modules: make(map[[2]string]*module)}
	r := &renderer{program: p, source: s, owner: p.packageIn(s.Dir), claimed: make(map[any]bool), twins: make(map[string]bool)}
	if r.owner.name == "" {
		r.owner.name = s.Name
	}
	for _, key := range p.entries(r.owner) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m := p.entry(r.owner, key); m != nil && len(r.claimed) < maxExports {
			r.claim(key, m)
		}
	}
	for i := range r.entries {
		r.page(&r.entries[i])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return r.pages, nil
}

// An entry is an entry point that gets a page.
type entry struct {
	key      string
	sections []section
}

// A section is a symbol to describe.
type section struct {
	symbol
	also []string // other names
	note string
}

type renderer struct {
	*program
	source  Source
	owner   *pkg
	claimed map[any]bool    // what has a section, see [symbol.parts]
	twins   map[string]bool // the names that entry points export
	entries []entry
	pages   []apipages.Page
	size    int // bytes of all pages

	out strings.Builder
}

// claim chooses what the page of an entry point describes.
func (r *renderer) claim(key string, m *module) {
	e := entry{key: key}
	places := make(map[any]int)
	add := func(s symbol, note string) {
		parts := s.parts()
		if len(parts) == 0 {
			return
		}
		first := parts[0]
		if i, known := places[first]; known {
			if e.sections[i].name == "default" {
				e.sections[i].name, s.name = s.name, "default"
			}
			e.sections[i].also = append(e.sections[i].also, s.name)
		} else if r.take(s) {
			places[first] = len(e.sections)
			e.sections = append(e.sections, section{symbol: s, note: note})
		}
	}
	symbols := r.exportsOf(m)
	// A package may have its modules several times, such as for other versions of TypeScript.
	var names []string
	for _, s := range symbols {
		names = append(names, s.name)
	}
	slices.Sort(names)
	twin, place := strings.Join(names, " "), strings.TrimPrefix(key, "./")
	known := len(names) > 1 && r.twins[twin]
	for rest := place; rest != "" && !known; _, rest, _ = strings.Cut(rest, "/") { // one name may mean several things, such as migrate
		known = r.twins[twin+" "+rest]
	}
	if known {
		return
	}
	r.twins[twin], r.twins[twin+" "+place] = true, true
	for _, s := range symbols {
		add(s, "")
	}
	for _, name := range m.adds {
		if name != r.source.Name && !strings.HasPrefix(name, r.source.Name+"/") && !isRelative(name) {
			for _, local := range m.ambient[name].names {
				add(symbol{local, m.ambient[name], local}, "Added to `"+name+"`.")
			}
		}
	}
	if len(e.sections) > 0 {
		r.entries = append(r.entries, e)
	}
}

// page describes an entry point.
func (r *renderer) page(e *entry) {
	name := strings.Trim(strings.TrimPrefix(e.key, "."), "/")
	imported := path.Join(r.source.Name, name)
	if name == "" {
		name = "index"
	}
	title := fmt.Sprintf("# API of %s\n\n`import { … } from %q`\n", imported, imported)
	if r.owner.name != r.source.Name {
		title += "\nThe declarations come from `" + r.owner.name + "`.\n"
	}
	var described []apipages.Section
	for i := 0; i < len(e.sections); i++ {
		s := e.sections[i]
		if r.size > maxText || r.ctx.Err() != nil {
			r.cut = true
			break
		}
		e.sections = append(e.sections, r.section(s)...)
		if text := r.out.String(); text != "" {
			r.size += len(text)
			described = append(described, apipages.Section{Name: s.name, Text: text})
			r.out.Reset()
		}
	}
	if r.cut {
		title += "\nSome declarations are left out, because the package has too many or too large ones.\n"
	}
	if len(described) > 0 {
		r.pages = append(r.pages, apipages.New(name, title, "", described)...)
	}
}

// kinds is the order in which the declarations of a name are shown.
var kinds = []string{"function", "class", "const", "let", "var", "default", "enum", "interface", "type", "namespace"}

// section writes a section, and returns the sections that must follow: members of a namespace, and types that it inherits from and that nothing exports.
func (r *renderer) section(s section) (more []section) {
	var decls []*decl
	var code, docs []string
	all := s.module.decls[s.local]
	if len(all) > maxMembers {
		all, r.cut = all[:maxMembers], true
	}
	for _, d := range all {
		if !hidden(d.module.file.text(d.doc)) {
			decls = append(decls, d)
		}
	}
	if len(decls) == 0 && s.local != "*" {
		return nil
	}
	slices.SortStableFunc(decls, func(a, b *decl) int { return slices.Index(kinds, a.kind) - slices.Index(kinds, b.kind) })
	if s.name == "default" && s.local != "*" {
		s.name, s.also = s.local, append(s.also, "default")
	}
	var members []described
	for len(decls) > 0 {
		d, same := decls[0], 1
		if doc := markdown(d.module.file.text(d.doc)); doc != "" && !slices.Contains(docs, doc) {
			docs = append(docs, doc)
		}
		if d.kind == "interface" { // interfaces of one name are one
			for same < len(decls) && decls[same].kind == "interface" {
				same++
			}
		}
		group := decls[:same]
		if decls = decls[same:]; d.kind == "namespace" {
			continue
		}
		text, documented := declaration(group)
		code, members = append(code, text), append(members, documented...)
		for _, base := range d.bases() {
			if to := r.lookup(d.module, base, base, 0); to.module != nil && to.local != "*" && r.supports(to) {
				more = append(more, section{symbol: to, note: "Not exported by this name: `" + s.name + "` is based on it."})
			}
		}
	}
	fmt.Fprintf(&r.out, "\n## %s\n", s.name)
	if len(code) > 0 {
		r.out.WriteString("\n" + excerpt.Fenced(strings.Join(code, "\n"), "ts"))
	} else {
		r.out.WriteString("\nA namespace.\n")
	}
	notes := s.note
	if len(s.also) > 0 {
		notes = strings.TrimSpace(notes + " Also exported as `" + strings.Join(s.also, "`, `") + "`.")
	}
	for _, text := range append(docs, notes) {
		if text != "" {
			r.out.WriteString("\n" + text + "\n")
		}
	}
	for _, m := range members {
		fmt.Fprintf(&r.out, "\n### %s.%s\n\n%s", s.name, m.name, excerpt.Fenced(strings.Join(m.code, "\n"), "ts"))
		for _, doc := range m.docs {
			r.out.WriteString("\n" + doc + "\n")
		}
	}
	if strings.Count(s.name, ".") >= maxDepth/8 {
		return more
	}
	for _, inner := range r.namespaces(s.symbol) {
		for _, e := range r.exportsOf(inner) {
			if e.name != "default" && r.take(e) {
				e.name = s.name + "." + e.name
				more = append(more, section{symbol: e})
			}
		}
	}
	return more
}

// parts returns the declarations of a symbol, or the module that it stands for.
func (s symbol) parts() (parts []any) {
	if s.local == "*" {
		return []any{s.module}
	}
	for _, d := range s.module.decls[s.local] {
		parts = append(parts, d)
	}
	return parts
}

// take reports whether a symbol has no section yet, and says that it has one now.
func (r *renderer) take(s symbol) bool {
	parts := s.parts()
	if slices.ContainsFunc(parts, func(part any) bool { return r.claimed[part] }) {
		return false
	}
	if len(r.claimed) >= maxExports {
		r.cut = true
		return false
	}
	for _, part := range parts {
		r.claimed[part] = true
	}
	return true
}

// supports reports whether a symbol without a section is described as the base of another symbol: it belongs to the package, or to a package that
// is installed with it.
func (r *renderer) supports(s symbol) bool {
	q := s.module.file.pkg
	return (q == r.owner || r.owner.depends(q.name)) && r.take(s)
}

// described is a member with a section.
type described struct {
	name       string
	code, docs []string
}

// declaration returns the text of a declaration, or of interfaces that are merged, and the members with comments, which the text does not have.
func declaration(group []*decl) (text string, documented []described) {
	d := group[0]
	f := d.module.file
	if head := source(f, d.head, maxSignature); d.body.end <= d.body.start && len(group) == 1 {
		if strings.HasSuffix(head, "{") {
			head += "}"
		}
		return head, nil
	}
	head := source(f, span{d.head.start, d.body.start}, maxSignature)
	var members []member
	cut := false
	for _, one := range group {
		more, left := one.members(maxMembers - len(members))
		members, cut = append(members, more...), cut || left
	}
	places := make(map[string]int)
	var plain []string
	size, left := 0, 0
	for _, m := range members {
		code, doc := source(m.file, m.span, maxSignature), markdown(m.file.text(m.doc))
		i, known := places[m.name]
		switch {
		case known && m.name != "[…]" && (doc != "" || m.method):
			documented[i].code = append(documented[i].code, code)
			if doc != "" && !slices.Contains(documented[i].docs, doc) {
				documented[i].docs = append(documented[i].docs, doc)
			}
		case doc != "" && d.kind != "enum" && m.name != "[…]":
			places[m.name] = len(documented)
			documented = append(documented, described{m.name, []string{code}, []string{doc}})
		case size > 8*maxSignature:
			left++
		default:
			if doc != "" {
				code += " // " + excerpt.Ellipsis(excerpt.OneLine(doc), 200)
			}
			size += len(code)
			plain = append(plain, "  "+strings.ReplaceAll(code, "\n", "\n  ")+"\n")
		}
	}
	if len(documented) > 0 {
		plain = append(plain, fmt.Sprintf("  // members with comments: %d, see below\n", len(documented)))
	}
	if left > 0 || cut {
		plain = append(plain, "  // … further members are left out\n")
	}
	if len(plain) == 0 {
		return head + "}", documented
	}
	return head + "\n" + strings.Join(plain, "") + "}", documented
}

// maxIndent is how many bytes of indentation are removed.
const maxIndent = 100

// source returns a part of a file, without the indentation of its first line, and at most about n bytes of it.
func source(f *file, s span, n int) string {
	before := f.src[max(0, s.start-maxIndent):s.start]
	indent := before[strings.LastIndexByte(before, '\n')+1:]
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	text := f.text(s)
	if len(text) > n {
		text = excerpt.Cut(text, n) + fmt.Sprintf(" … // cut: it has %d bytes", len(text))
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n"+indent, "\n")
}
