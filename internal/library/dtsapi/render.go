package dtsapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/apipages"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
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
	r := &renderer{program: p, source: s, owner: p.packageIn(s.Dir), claimed: make(map[target]bool), twins: make(map[string]bool)}
	if r.owner.Name == "" {
		r.owner.Name = s.Name
	}
	for _, key := range p.entries(r.owner) {
		if m := p.entry(r.owner, key); m != nil {
			r.claim(key, m)
		}
	}
	for _, e := range r.entries {
		r.page(e)
	}
	return r.pages, ctx.Err()
}

// An entry is an entry point that gets a page.
type entry struct {
	key      string // of "exports"
	name     string // of the page
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
	claimed map[target]bool // what has a section
	twins   map[string]bool // entry points with the names that they export
	entries []entry
	pages   []apipages.Page
	size    int // bytes of all pages

	out strings.Builder
}

// claim chooses what the page of an entry point describes.
func (r *renderer) claim(key string, m *module) {
	symbols := r.exportsOf(m)
	// A package may have its modules several times, such as for other versions of TypeScript.
	twin, place := strings.Join(slices.Sorted(maps.Keys(m.byName)), " "), cmp.Or(strings.Trim(key, "./"), "index")
	for rest := place; rest != ""; _, rest, _ = strings.Cut(rest, "/") {
		if r.twins[rest+" "+twin] {
			return
		}
	}
	r.twins[place+" "+twin] = true
	e := entry{key: key, name: place}
	places := make(map[target]int)
	for _, s := range symbols {
		i, known := places[s.target]
		switch {
		case known && e.sections[i].name == "default":
			e.sections[i].name, e.sections[i].also = s.name, append(e.sections[i].also, "default")
		case known:
			e.sections[i].also = append(e.sections[i].also, s.name)
		case r.take(s.target):
			places[s.target] = len(e.sections)
			e.sections = append(e.sections, section{symbol: s})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.ambient)) {
		if name != r.source.Name && !strings.HasPrefix(name, r.source.Name+"/") && !relative().MatchString(name) {
			for _, local := range m.ambient[name].names {
				if to := (target{m.ambient[name], local}); r.take(to) {
					e.sections = append(e.sections, section{symbol: to.as(local), note: "Added to `" + name + "`."})
				}
			}
		}
	}
	if len(e.sections) > 0 {
		r.entries = append(r.entries, e)
	}
}

// take reports whether there are declarations that have no section yet, and records that they have one now.
func (r *renderer) take(to target) bool {
	if r.claimed[to] || !to.isModule() && len(to.module.decls[to.local]) == 0 {
		return false
	}
	if len(r.claimed) >= maxExports {
		r.cut = true
		return false
	}
	r.claimed[to] = true
	return true
}

// page describes an entry point.
func (r *renderer) page(e entry) {
	imported := path.Join(r.source.Name, e.key)
	title := fmt.Sprintf("# API of %s\n\n`import { … } from %q`\n", imported, imported)
	if r.owner.Name != r.source.Name {
		title += "\nThe declarations come from `" + r.owner.Name + "`.\n"
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
		r.pages = append(r.pages, apipages.New(e.name, title, "", described)...)
	}
}

const modifier = `(?:public|private|protected|static|readonly|abstract|declare|override|async|get|set|accessor)`

var (
	// The types that a declaration extends or is another name of.
	based   = lazyregexp.New(`(?: extends|,|^(?:type [^=|?]*=|(?:const|let|var) [^:]*:)) (` + identifier + `(?: \. ` + identifier + `)*) `)
	closing = lazyregexp.New(`^([ \t]{1,100})[\])}>]`)
	// A member: one without a name, a call, or a name after modifiers.
	member = lazyregexp.New(`^(?:(?:` + modifier + ` )*([\[#])|([(<])|((?:` + modifier + ` )*)["']?(` + identifier + `)["']? ([(<])?|)`)
)

// A text is what a section shows.
type text struct {
	code    strings.Builder
	docs    []string
	members []*text // with comments, which get sections of their own
	name    string  // of a member
	byName  map[string]*text
	count   int // members
}

// addDoc adds a comment.
func (t *text) addDoc(doc string) {
	if doc != "" && !slices.Contains(t.docs, doc) {
		t.docs = append(t.docs, doc)
	}
}

// write writes a heading, the code and the comments.
func (t *text) write(out *strings.Builder, heading string) {
	fmt.Fprintf(out, "\n%s\n", heading)
	if t.code.Len() > 0 {
		out.WriteString("\n" + excerpt.Fenced(strings.TrimSuffix(t.code.String(), "\n"), "ts"))
	} else {
		out.WriteString("\nA namespace.\n")
	}
	for _, doc := range t.docs {
		out.WriteString("\n" + doc + "\n")
	}
}

// section writes a section, and returns the sections that must follow: members of a namespace, and types that it is based on and that nothing exports.
func (r *renderer) section(s section) (more []section) {
	decls := slices.DeleteFunc(slices.Clone(s.module.decls[s.local]), func(d *decl) bool { return hidden().MatchString(d.doc) })
	if len(decls) == 0 && !s.isModule() {
		return nil
	}
	if len(decls) > maxMembers {
		decls, r.cut = decls[:maxMembers], true
	}
	if s.name == "default" && !s.isModule() {
		s.name, s.also = s.local, append(s.also, "default")
	}
	t := &text{byName: make(map[string]*text)}
	for _, d := range decls {
		t.addDoc(markdown(d.doc))
		if d.kind == "namespace" {
			continue
		}
		t.add(d)
		for _, f := range based().FindAllStringSubmatch(strings.TrimPrefix(d.outer, "export "), 20) {
			base := strings.ReplaceAll(f[1], " ", "")
			to := r.lookup(d.module, base, 0)
			if to.module != nil && !to.isModule() && (to.module.pkg == r.owner || r.owner.Dependencies[to.module.pkg.Name] != nil) && r.take(to) {
				more = append(more, section{symbol: to.as(base), note: "Not exported by this name: `" + s.name + "` is based on it."})
			}
		}
	}
	if len(s.also) > 0 {
		s.note = strings.TrimSpace(s.note + " Also exported as `" + strings.Join(s.also, "`, `") + "`.")
	}
	if s.note != "" {
		t.docs = append(t.docs, s.note)
	}
	t.write(&r.out, "## "+s.name)
	for _, m := range t.members {
		m.write(&r.out, "### "+s.name+"."+m.name)
	}
	for _, inner := range s.namespaces() {
		if s.local == "=" {
			break // a package, which may be large
		}
		for _, e := range r.exportsOf(inner) {
			if strings.Count(s.name, ".") < maxDepth/8 && e.name != "default" && r.take(e.target) {
				more = append(more, section{symbol: e.as(s.name + "." + e.name)})
			}
		}
	}
	return more
}

// add adds a declaration. Members with comments are added to t.members instead of the code.
func (t *text) add(d *decl) {
	if d.body == "" {
		t.code.WriteString(d.source() + "\n")
		return
	}
	var plain strings.Builder
	documented, left := 0, false
	for one := range pieces(d.body, true) {
		f := member().FindStringSubmatch(one.outer)
		name, method := f[4], f[5] != ""
		if strings.Contains(f[3], "private ") || f[1] == "#" || hidden().MatchString(one.doc) {
			continue
		}
		if f[2] != "" {
			name, method = "()", true
		}
		m, doc := t.byName[name], markdown(one.doc)
		if t.count++; t.count > maxMembers || doc == "" && plain.Len() > 8*maxSignature {
			left = true
			continue
		}
		if m == nil && doc != "" && name != "" && d.kind != "enum" {
			m = &text{name: name}
			t.byName[name], t.members = m, append(t.members, m)
		}
		if m != nil && (doc != "" || method) {
			m.code.WriteString(one.source() + "\n")
			m.addDoc(doc)
			documented++
			continue
		}
		line := one.source()
		if doc != "" {
			line += " // " + excerpt.Ellipsis(excerpt.OneLine(doc), 200)
		}
		plain.WriteString("  " + strings.ReplaceAll(line, "\n", "\n  ") + "\n")
	}
	if left {
		plain.WriteString("  // … further members are left out\n")
	}
	if plain.Len() == 0 && documented > 0 && t.code.Len() > 0 {
		return // one of many parts of an interface
	}
	if documented > 0 {
		fmt.Fprintf(&plain, "  // members with comments: %d, see below\n", documented)
	}
	head := piece{text: strings.TrimSuffix(d.text, d.body+"}")}
	if t.code.WriteString(head.source()); plain.Len() > 0 {
		t.code.WriteString("\n" + plain.String())
	}
	t.code.WriteString("}\n")
}

// source returns the text without the indentation of a bracket that begins the last line, and at most about [maxSignature] bytes of it.
func (p piece) source() string {
	text := strings.ReplaceAll(p.text, "\r", "")
	if f := closing().FindStringSubmatch(text[strings.LastIndexByte(text, '\n')+1:]); f != nil {
		text = strings.ReplaceAll(text, "\n"+f[1], "\n")
	}
	if len(text) > maxSignature {
		text = excerpt.Cut(text, maxSignature) + fmt.Sprintf(" … // cut: it has %d bytes", len(text))
	}
	return text
}
