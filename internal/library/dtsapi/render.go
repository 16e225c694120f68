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

// A section is a symbol to describe.
type section struct {
	name string
	*symbol
	entry string // the entry point whose page has it
	note  string
}

// alias adds another name. A name is better than "default".
func (s *section) alias(name string) {
	if s.name == "default" {
		s.name, name = name, s.name
	}
	s.note += " Also exported as `" + name + "`."
}

// Render describes the package that imports name so, by the declarations in its folder, or else in its package of types. Each page has the
// name of an entry point, such as "index" or "v4/core". For a package without declarations, Render returns no pages. The error is ctx.Err().
func Render(ctx context.Context, files Files, dir, name string) (pages []dependencies.Page, err error) {
	p := &program{ctx: ctx, files: files, name: name, packages: make(map[string]*pkg), claimed: make(map[*symbol]*section)}
	p.owner = p.packageIn(dir)
	p.owner.Name = cmp.Or(p.owner.Name, name)
	keys := p.entries(p.owner)
	for _, key := range keys {
		if m := p.entry(p.owner, key); m != nil {
			p.claim(key, m)
		}
	}
	sections := make(map[string][]dependencies.Section)
	for written := 0; len(p.queue) > 0; p.queue = p.queue[1:] {
		if written > maxText || ctx.Err() != nil {
			p.cut = true
			break
		}
		s := p.queue[0]
		text := p.describe(s)
		written += len(text)
		sections[s.entry] = append(sections[s.entry], dependencies.Section{Name: s.name, Text: text})
	}
	for _, key := range keys {
		if len(sections[key]) > 0 {
			pages = append(pages, dependencies.NewPages(cmp.Or(strings.Trim(key, "./"), "index"), p.title(key), "", sections[key])...)
		}
	}
	if types, ok := files.Package(dir, typesOf(name)); ok && len(pages) == 0 && types != dir {
		return Render(ctx, files, types, name)
	}
	return pages, ctx.Err()
}

// title returns the beginning of the pages of an entry point.
func (p *program) title(key string) string {
	imported := path.Join(p.name, key)
	title := fmt.Sprintf("# API of %s\n\n`import { … } from %q`\n", imported, imported)
	if p.owner.Name != p.name {
		title += "\nThe declarations come from `" + p.owner.Name + "`.\n"
	}
	if p.cut {
		title += "\nSome declarations are left out, because the package has too many or too large ones.\n"
	}
	return title
}

// claim queues what an entry point exports.
func (p *program) claim(key string, m *module) {
	add := func(m *module, note string) {
		for _, e := range p.exportsOf(m) {
			to := p.follow(e, 0)
			if s := p.claimed[to]; s == nil {
				p.add(&section{name: e.name, symbol: to, entry: key, note: note})
			} else if s.entry == key {
				s.alias(e.name)
			}
		}
	}
	add(m, "")
	for _, name := range slices.Sorted(maps.Keys(m.ambient.names)) {
		if name != p.name && !strings.HasPrefix(name, p.name+"/") && !relative().MatchString(name) {
			add(m.ambient.names[name].space, "Added to `"+name+"`.")
		}
	}
}

// add queues a section, unless it has neither declarations nor a module, or its symbol has a section.
func (p *program) add(s *section) {
	if s.symbol != nil && p.claimed[s.symbol] == nil && (s.symbol.name != "=" || s.name != "default") {
		p.claimed[s.symbol], p.queue = s, append(p.queue, s)
	}
}

const modifier = `(?:public|private|protected|static|readonly|abstract|declare|override|async|get|set|accessor) `

var (
	// The types that a declaration extends or is another name of.
	based = lazyregexp.New(`(?: extends|,|^(?:type [^=|?]*=|(?:const|let|var) [^:]*:)) (` + identifier + `(?: \. ` + identifier + `)*) `)
	// A member: a call, or modifiers and a name or the beginning of an index or of a private name.
	member = lazyregexp.New(`^(?:(?:< > )?(\( \)) |((?:` + modifier + `)*)["']?([\pL_$][\pL\pN_$-]*|[\[#])["']? )?`)
)

// describe describes a section. Types that it is based on and that nothing exports follow later, and members of a namespace.
func (p *program) describe(s *section) string {
	if s.name == "default" && s.symbol.name != "*" {
		s.alias(s.symbol.name)
	}
	var out strings.Builder
	members := newModule(nil, "", nil)
	out.WriteString(s.text("## "+s.name, strings.TrimSpace(s.note), members))
	p.cut = p.cut || len(members.exports) > maxMembers
	for _, m := range members.exports[:min(len(members.exports), maxMembers)] {
		out.WriteString(m.text("### "+s.name+"."+m.name, "", nil))
	}
	for _, d := range s.decls {
		for _, f := range based().FindAllStringSubmatch(d.outer, 20) {
			base := strings.ReplaceAll(f[1], " ", "")
			to := p.lookup(s.from, base, 0)
			if to != nil && !to.isModule() && (to.from.pkg == p.owner || p.owner.Dependencies[to.from.pkg.Name] != nil) {
				p.add(&section{name: base, symbol: to, entry: s.entry, note: "Not exported by this name: `" + s.name + "` is based on it."})
			}
		}
	}
	for _, e := range p.exportsOf(s.space) {
		// "=" is a package, which may be large
		if s.symbol.name != "=" && strings.Count(s.name, ".") < maxDepth/8 && e.name != "default" {
			p.add(&section{name: s.name + "." + e.name, symbol: p.follow(e, 0), entry: s.entry})
		}
	}
	return out.String()
}

// text returns a heading, the code and the comments. Members with comments become symbols of members.
func (s *symbol) text(heading, note string, members *module) string {
	var code, docs []string
	for _, d := range s.decls {
		if d.kind != "namespace" {
			code = appendNew(code, d.show(members))
		}
		docs = appendNew(docs, markdown(d.doc))
	}
	shown := "A namespace."
	if len(code) > 0 {
		shown = strings.TrimSuffix(excerpt.Fenced(strings.Join(code, ""), "ts"), "\n")
	}
	return "\n" + strings.Join(appendNew(slices.Concat([]string{heading, shown}, docs), note), "\n\n") + "\n"
}

// appendNew appends a text that is not empty and that the list does not have.
func appendNew(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// show returns the source of a declaration. Members with comments become symbols of another module instead.
func (d piece) show(documented *module) string {
	// a body may be one of several types
	if d.body == "" || strings.ContainsAny(d.outer, "|?") {
		return d.source(maxSignature) + "\n"
	}
	var shown strings.Builder
	below := ""
	for one := range pieces(d.body, true) {
		f := member().FindStringSubmatch(one.outer)
		name := strings.ReplaceAll(f[1]+f[3], " ", "")
		if strings.Contains(f[2], "private ") || name == "#" || hidden().MatchString(one.doc) {
			continue
		}
		if d.kind != "enum" && valid().MatchString(name) && (one.doc != "" || documented.names[name] != nil) {
			one.body, below = "", "\n  // documented members: see below"
			documented.add(name, one, true)
			continue
		}
		line := one.source(maxSignature)
		if doc := excerpt.OneLine(markdown(one.doc)); doc != "" {
			line += " // " + excerpt.Ellipsis(doc, 200)
		}
		shown.WriteString(strings.ReplaceAll("\n"+line, "\n", "\n  "))
	}
	d.text = strings.TrimSuffix(d.text, d.body+"}")
	return d.source(maxSignature) + piece{text: shown.String()}.source(8*maxSignature) + below + "\n}\n"
}

// source returns at most about n bytes of the text.
func (p piece) source(n int) string {
	text := strings.ReplaceAll(strings.ReplaceAll(p.text, "\n"+p.space, "\n"), "\r", "")
	if len(text) > n {
		text = excerpt.Cut(text, n) + fmt.Sprintf(" … // cut: it has %d bytes", len(text))
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
			line = inline().ReplaceAllString(tag().ReplaceAllString(line, "- $0"), "$2 `$1`")
			line = heading().ReplaceAllString(line, "**$1**")
			line = underline().ReplaceAllString(line, "")
		}
		out.WriteString(line + "\n")
	}
	// the fence of the last line may be open
	out.WriteString(string(fence))
	return strings.TrimSpace(out.String())
}
