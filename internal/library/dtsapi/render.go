package dtsapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Render describes the package that imports name so, by the declarations in its folder, or else in its package of types. Each page has the
// name of an entry point, such as "index" or "v4/core". For a package without declarations, Render returns no pages. The error is ctx.Err().
func Render(ctx context.Context, files Files, dir, name string) ([]dependencies.Page, error) {
	pages := render(ctx, files, dir, name)
	if types, ok := files.Package(dir, typesOf(name)); ok && len(pages) == 0 {
		pages = render(ctx, files, types, name)
	}
	return pages, ctx.Err()
}

// render is [Render] for the declarations in one folder.
func render(ctx context.Context, files Files, dir, name string) (pages []dependencies.Page) {
	p := &program{ctx: ctx, files: files, name: name, packages: make(map[string]*pkg), claimed: make(map[*symbol]bool)}
	p.owner = p.packageIn(dir)
	p.owner.Name = cmp.Or(p.owner.Name, name)
	sections := make(map[string][]*section)
	keys := p.entries(p.owner)
	for _, key := range keys {
		if m := p.entry(p.owner, key); m != nil {
			sections[key] = p.claim(m)
		}
	}
	for _, key := range keys {
		pages = append(pages, p.page(key, sections[key])...)
	}
	return pages
}

// A section is a symbol to describe, or a member with comments.
type section struct {
	name    string
	*symbol          // of a member: only its declarations
	also    []string // other names
	note    string
	byName  map[string]*section // members with comments
	order   []*section          // the members
	count   int                 // all members
}

// claim chooses what the page of an entry point describes.
func (p *program) claim(m *module) []*section {
	places := make(map[*symbol]*section)
	p.queue = nil
	add := func(m *module, note string) {
		for _, e := range p.exportsOf(m) {
			name, to := e.name, p.follow(e, 0)
			if s := places[to]; s != nil {
				if s.name == "default" {
					s.name, name = name, s.name
				}
				s.also = append(s.also, name)
			} else {
				places[to] = p.add(name, to, note)
			}
		}
	}
	add(m, "")
	for _, name := range slices.Sorted(maps.Keys(m.ambient)) {
		if name != p.name && !strings.HasPrefix(name, p.name+"/") && !relative().MatchString(name) {
			add(m.ambient[name], "Added to `"+name+"`.")
		}
	}
	return p.queue
}

// add adds a section for declarations or a module to the queue, and returns it, or nil if there are none or if they have one.
func (p *program) add(name string, to *symbol, note string) *section {
	if to == nil || p.claimed[to] || to.name == "=" && name == "default" {
		return nil
	} else if len(p.claimed) == maxExports {
		p.cut = true
		return nil
	}
	p.claimed[to] = true
	s := &section{name: name, symbol: to, note: note, byName: make(map[string]*section)}
	p.queue = append(p.queue, s)
	return s
}

// page describes an entry point.
func (p *program) page(key string, sections []*section) []dependencies.Page {
	imported := path.Join(p.name, key)
	title := fmt.Sprintf("# API of %s\n\n`import { … } from %q`\n", imported, imported)
	if p.owner.Name != p.name {
		title += "\nThe declarations come from `" + p.owner.Name + "`.\n"
	}
	var described []dependencies.Section
	for p.queue = sections; len(p.queue) > 0; p.queue = p.queue[1:] {
		if p.written > maxText || p.ctx.Err() != nil {
			p.cut = true
			break
		}
		text := p.describe(p.queue[0])
		p.written += len(text)
		described = append(described, dependencies.Section{Name: p.queue[0].name, Text: text})
	}
	if p.cut {
		title += "\nSome declarations are left out, because the package has too many or too large ones.\n"
	}
	if len(described) == 0 {
		return nil
	}
	return dependencies.NewPages(cmp.Or(strings.Trim(key, "./"), "index"), title, "", described)
}

const modifier = `(?:public|private|protected|static|readonly|abstract|declare|override|async|get|set|accessor) `

var (
	// The types that a declaration extends or is another name of.
	based = lazyregexp.New(`(?: extends|,|^(?:type [^=|?]*=|(?:const|let|var) [^:]*:)) (` + identifier + `(?: \. ` + identifier + `)*) `)
	// A member: a call, or modifiers and a name or the beginning of an index or of a private name.
	member = lazyregexp.New(`^(?:([(<])|((?:` + modifier + `)*)(?:["']?(` + identifier + `)["']? |([\[#])))?`)
)

// describe describes a section. Types that it is based on and that nothing exports follow later, and members of a namespace.
func (p *program) describe(s *section) string {
	if s.name == "default" && s.symbol.name != "*" {
		s.name, s.also = s.symbol.name, append(s.also, "default")
	}
	if len(s.also) > 0 {
		s.note = strings.TrimSpace(s.note + " Also exported as `" + strings.Join(s.also, "`, `") + "`.")
	}
	var out strings.Builder
	out.WriteString(s.text("## " + s.name))
	for _, m := range s.order {
		out.WriteString(m.text("### " + s.name + "." + m.name))
	}
	for _, d := range s.decls {
		for _, f := range based().FindAllStringSubmatch(d.outer, 20) {
			base := strings.ReplaceAll(f[1], " ", "")
			to := p.lookup(s.from, base, 0)
			if to != nil && !to.isModule() && (to.from.pkg == p.owner || p.owner.Dependencies[to.from.pkg.Name] != nil) {
				p.add(base, to, "Not exported by this name: `"+s.name+"` is based on it.")
			}
		}
	}
	for _, e := range p.exportsOf(s.space) {
		if s.symbol.name != "=" && strings.Count(s.name, ".") < maxDepth/8 && e.name != "default" { // "=" is a package, which may be large
			p.add(s.name+"."+e.name, p.follow(e, 0), "")
		}
	}
	return out.String()
}

// text returns a heading, the code and the comments.
func (s *section) text(heading string) string {
	var code strings.Builder
	var docs []string
	for _, d := range s.decls {
		if d.kind != "namespace" {
			s.show(d, &code)
		}
		if doc := markdown(d.doc); !slices.Contains(docs, doc) {
			docs = append(docs, doc)
		}
	}
	shown := "A namespace."
	if code.Len() > 0 {
		shown = strings.TrimSuffix(excerpt.Fenced(code.String(), "ts"), "\n")
	}
	parts := slices.Concat([]string{heading, shown}, docs, []string{s.note})
	return "\n" + strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n") + "\n"
}

// show writes a declaration. Members with comments become sections.
func (s *section) show(d piece, code *strings.Builder) {
	if d.body == "" {
		code.WriteString(d.source() + "\n")
		return
	}
	var plain strings.Builder
	documented, left := 0, ""
	for one := range pieces(d.body, true) {
		f := member().FindStringSubmatch(one.outer)
		name := f[3]
		if f[1] != "" {
			name = "()"
		}
		if strings.Contains(f[2], "private ") || f[4] == "#" || hidden().MatchString(one.doc) {
			continue
		}
		if s.count++; s.count > maxMembers || one.doc == "" && plain.Len() > 8*maxSignature {
			left = "  // … further members are left out\n"
			continue
		}
		m := s.byName[name]
		if m == nil && one.doc != "" && name != "" && d.kind != "enum" {
			m = &section{name: name, symbol: new(symbol)}
			s.byName[name], s.order = m, append(s.order, m)
		}
		line := one.source()
		if m != nil {
			one.body = ""
			m.decls = append(m.decls, one)
			documented++
			continue
		} else if doc := excerpt.OneLine(markdown(one.doc)); doc != "" {
			line += " // " + excerpt.Ellipsis(doc, 200)
		}
		plain.WriteString("  " + strings.ReplaceAll(line, "\n", "\n  ") + "\n")
	}
	if plain.WriteString(left); plain.Len() == 0 && documented > 0 && code.Len() > 0 {
		return // one of many parts of an interface
	}
	if documented > 0 {
		fmt.Fprintf(&plain, "  // members with comments: %d, see below\n", documented)
	}
	head := piece{text: strings.TrimSuffix(d.text, d.body+"}")}
	if code.WriteString(head.source()); plain.Len() > 0 {
		code.WriteString("\n" + plain.String())
	}
	code.WriteString("}\n")
}

// source returns at most about [maxSignature] bytes of the text.
func (p piece) source() string {
	text := strings.ReplaceAll(strings.ReplaceAll(p.text, "\n"+p.space, "\n"), "\r", "")
	if len(text) > maxSignature {
		text = excerpt.Cut(text, maxSignature) + fmt.Sprintf(" … // cut: it has %d bytes", len(text))
	}
	return text
}

var (
	// Declarations with these tags are not for users.
	hidden = lazyregexp.New(`@(internal|private|hidden|ignore)\b`)
	// A link, whose text follows a "|" or a space.
	inline = lazyregexp.New(`\{@(?:link|linkcode|linkplain|inheritDoc|see)\s+([^\s|}]{1,500})[\s|]*([^}]{0,500})\}`)
	// The beginning and the end of a line of a comment.
	stars = lazyregexp.New(`(?m)^[ \t\r]*\*? ?|[ \t\r]+$`)
	// The end of an example: a tag. A name in upper case is a decorator.
	tag = lazyregexp.New(`(?m)^@[a-z]`)
	// A line that is a heading, and one that makes a heading of the line above.
	heading   = lazyregexp.New(`^\s*#+ +(.*?)[ #]*$`)
	underline = lazyregexp.New(`^\s*(={2,}|-{2,})\s*$`)
)

// markdown returns a JSDoc comment as Markdown, or "". A tag is an item of a list, and an example without a fence is code. Headings become bold, so
// they do not look like symbols.
func markdown(comment string) string {
	var out strings.Builder
	rest := stars().ReplaceAllString(strings.TrimSuffix(strings.TrimPrefix(excerpt.Cut(comment, maxComment), "/**"), "*/"), "") + "\n"
	var fence directive.Fence
	for line := ""; rest != ""; {
		line, rest, _ = strings.Cut(rest, "\n")
		if !fence.Read(strings.TrimLeft(line, " \t")) {
			if code, ok := strings.CutPrefix(line, "@example"); ok {
				end := append(tag().FindStringIndex(rest), len(rest))[0]
				if code += "\n" + rest[:end]; !strings.Contains(code, "```") {
					out.WriteString("\nExample:\n\n" + excerpt.Fenced(strings.Trim(code, " \n"), "ts"))
					rest = rest[end:]
					continue
				}
			}
			if strings.HasPrefix(line, "@") {
				line = "- " + line
			}
			line = heading().ReplaceAllString(inline().ReplaceAllString(line, "$2 `$1`"), "**$1**")
			line = underline().ReplaceAllString(line, "")
		}
		out.WriteString(line + "\n")
	}
	if fence != "" {
		out.WriteString(string(fence))
	}
	return strings.TrimSpace(out.String())
}
