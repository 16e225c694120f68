// Package matcher finds the template of a URI, and explains the choice.
//
//	entries, list := templates.Decode("templates.json", data) // list: the problems, see list.Err
//	index, warnings := matcher.New("templates.json", entries)
//	m, ok := index.Match("docs://v2/setup.md")
//	// m.Entry is the index in entries, m.Variables are the values of the variables
//
// [Index.Candidates] and [Index.Decide] explain a result: they return all templates that match a
// URI, and the [Rule] by which one wins over another. [Index.Verdict] returns the [Reason] why a
// template wins no URI.
//
// # Matching
//
// The matcher works on decoded URIs: the scheme in lower case, "://", and the raw names of folders
// and file joined by "/" (no name contains a slash). A template matches a decoded URI as follows.
//
//   - A literal matches its decoded form.
//   - {x} matches one byte or more inside one segment. {+x} and {/x*} may span segments. {.x} and
//     {/x} are a variable after a literal "." or "/". Lists ({x,y}) match with their separator
//     between the variables.
//   - {?x} and {#x} never name a file and are ignored.
//   - If a URI can be split in several ways, earlier variables take as much as they can.
//
// A template that is otherwise ambiguous (two variables touch, a name occurs twice, more than one
// variable may span, {;x}, {&x}, a prefix {x:3}) is published for clients but matches no file; so
// is a template that no URI of a file can match. [New] warns of both.
//
// # Precedence
//
// When several templates match, the more specific one wins. The first of these criteria in which
// they differ decides: (1) no variable that may span segments; (2) more segments without a
// variable; (3) more segments with both literals and variables but without a spanning variable; (4)
// more literal characters, slashes included; (5) fewer variables; (6) the earlier position in the
// file. If every URI of one template is also a URI of another and not the reverse, the first
// template wins regardless of these counts.
//
// # Cost
//
// Matching takes time linear in the URI, without backtracking. A URI is compared, in the order of
// precedence, with the templates that have its scheme and host or a variable there. A loader asks once
// for a folder which of these match the folder ([Index.In]), and compares only them with the names of
// files. At most [MaxTemplates] templates match files: clients still see the others, and [New] warns
// of them once.
package matcher

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// MaxTemplates is the maximum number of templates that match files. It bounds the time to load them.
const MaxTemplates = 2000

// An Index holds the templates of a project. It is immutable. The zero Index has no templates.
type Index struct {
	entries  []templates.Entry
	patterns []*Pattern // by entry; nil: it matches no file
	verdicts []Verdict
	spec     []specificity
	ranked   []int // the winner first
	place    []int
	moved    map[int]int // the entry to precede, for each entry moved by inclusion
	lists    map[string][]int
	depth    int
}

// New indexes the entries of templates.json, which keep their order. The problems are warnings
// about templates that match no file, occur twice, or can never win. file is the name of
// templates.json in the problems.
func New(file string, entries []templates.Entry) (*Index, problems.List) {
	ix, warnings, _ := NewContext(context.Background(), file, entries)
	return ix, warnings
}

// NewContext is [New], and stops when ctx ends. The error is the error of ctx.
func NewContext(ctx context.Context, file string, entries []templates.Entry) (*Index, problems.List, error) {
	ix := &Index{
		entries:  entries,
		patterns: make([]*Pattern, len(entries)),
		verdicts: make([]Verdict, len(entries)),
		spec:     make([]specificity, len(entries)),
		moved:    make(map[int]int),
	}
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, err := Compile(e.Template)
		if err == nil && len(ix.ranked) == MaxTemplates {
			ix.verdicts[i] = Verdict{Reason: TooMany, Detail: fmt.Sprintf("%d templates before it match files, which is the limit", MaxTemplates)}
			continue
		} else if err != nil {
			ix.verdicts[i] = Verdict{Reason: Unmatched, Detail: err.Error()}
			continue
		}
		ix.patterns[i], ix.spec[i], ix.ranked = p, p.specificity(i), append(ix.ranked, i)
		ix.depth = max(ix.depth, len(p.head)+len(p.tail))
	}
	if err := ix.rank(ctx); err != nil {
		return nil, nil, err
	}
	for _, i := range ix.ranked {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if ix.canWin(i) {
			continue
		}
		example := ix.patterns[i].Example()
		m, _ := ix.Match(example)
		v := Verdict{Reason: Covered, Winner: m.Entry, URI: example}
		if entries[m.Entry].Template.String() == entries[i].Template.String() {
			v.Reason = Repeated
		}
		ix.verdicts[i] = v
	}
	var warnings problems.List
	tooMany := false
	for i, v := range ix.verdicts {
		if v.Reason != Found && !(tooMany && v.Reason == TooMany) {
			tooMany = tooMany || v.Reason == TooMany
			e := entries[i]
			warnings = append(warnings, problems.Problem{
				File: file, Line: e.Line, Column: e.Column, Where: where(e), Reason: ix.warning(i, v), Warning: true,
			})
		}
	}
	warnings.Sort()
	return ix, warnings, nil
}

func where(e templates.Entry) string { return fmt.Sprintf("entry %d (%q)", e.Index, e.Name) }

// Entries returns the templates in the order of the file. The caller must not change them.
func (ix *Index) Entries() []templates.Entry {
	if ix == nil {
		return nil
	}
	return ix.entries
}

// Pattern returns the compiled form of an entry, or nil if its template matches no file.
func (ix *Index) Pattern(entry int) *Pattern { return ix.patterns[entry] }

// A Match is the winning template of a URI and the values of its variables.
type Match struct {
	Entry     int
	Template  *templates.Template
	Variables []Variable
}

// Match decodes a URI and finds its template. Spellings that differ only in percent-encoding or in
// the case of the scheme have the same result.
func (ix *Index) Match(s string) (Match, bool) {
	if len(s) > uri.MaxLength {
		return Match{}, false
	}
	scheme, path, ok := uri.Split(uri.Decode(s))
	if !ok {
		return Match{}, false
	}
	decoded := scheme + "://" + path
	entry, ok := ix.Find(decoded)
	if !ok {
		return Match{}, false
	}
	vars, ok := ix.patterns[entry].Match(decoded)
	return Match{Entry: entry, Template: ix.entries[entry].Template, Variables: vars}, ok
}

// Example returns a URI of the pattern in canonical spelling, with the variable names as values.
func (p *Pattern) Example() string {
	vars := make([]Variable, len(p.vars))
	for i, v := range p.vars {
		vars[i] = Variable{Name: v.name, Value: v.name, operator: v.operator}
	}
	return p.Expand(vars)
}

// literalHost returns the scheme and the host that all URIs of a pattern have, such as "x://h" or, if
// only the scheme is a literal, "x:". It returns "" if the scheme has a variable.
func (p *Pattern) literalHost() string {
	switch {
	case len(p.head) == 0 || !p.head[0].isLiteral():
		return ""
	case len(p.head) < 3 || !p.head[2].isLiteral():
		return p.head[0].prefix()
	}
	return p.head[0].prefix() + "//" + p.head[2].prefix()
}

// share makes a list of entries for each scheme and host, and for each scheme alone: the templates
// that may match a URI with it, the winner first.
func (ix *Index) share() {
	ix.lists = map[string][]int{"": nil}
	for _, entry := range ix.ranked {
		host := ix.patterns[entry].literalHost()
		scheme, _, _ := strings.Cut(host, "//")
		ix.lists[host], ix.lists[scheme] = nil, nil
	}
	for host := range ix.lists {
		scheme, _, _ := strings.Cut(host, "//")
		for _, entry := range ix.ranked {
			if own := ix.patterns[entry].literalHost(); own == "" || own == scheme || own == host {
				ix.lists[host] = append(ix.lists[host], entry)
			}
		}
	}
}

// candidates returns the entries that may match a decoded URI, or a URI that begins with it and
// with its host, the winner first.
func (ix *Index) candidates(decoded string) []int {
	if ix == nil {
		return nil
	}
	scheme, rest, _ := strings.Cut(decoded, "//")
	host, _, _ := strings.Cut(rest, "/")
	if list, ok := ix.lists[decoded[:min(len(decoded), len(scheme)+len("//")+len(host))]]; ok {
		return list
	}
	if list, ok := ix.lists[scheme]; ok {
		return list
	}
	return ix.lists[""]
}

// Find returns the entry whose template wins for a decoded URI, and false if none matches.
func (ix *Index) Find(decoded string) (entry int, ok bool) {
	if len(decoded) <= uri.MaxLength {
		for _, entry := range ix.candidates(decoded) {
			if ix.patterns[entry].Matches(decoded) {
				return entry, true
			}
		}
	}
	return 0, false
}

// A Folder finds the templates of the files in one folder.
type Folder struct {
	index   *Index
	prefix  string
	entries []int // that may match in the folder, the winner first
}

// In returns the folder of the files whose decoded URIs consist of a prefix, which ends with "/", and
// a name.
func (ix *Index) In(prefix string) Folder {
	f := Folder{index: ix, prefix: prefix}
	for _, entry := range ix.candidates(prefix) {
		if ix.patterns[entry].mayMatchIn(prefix) {
			f.entries = append(f.entries, entry)
		}
	}
	return f
}

// Find returns the entry whose template wins for the file of a name, and false if none matches.
func (f Folder) Find(name string) (entry int, ok bool) {
	if strings.HasSuffix(f.prefix, "://") {
		return f.index.Find(f.prefix + name)
	}
	if len(f.prefix)+len(name) > uri.MaxLength {
		return 0, false
	}
	for _, entry := range f.entries {
		p := f.index.patterns[entry]
		if last, ok := p.last(); ok && !last.match(name, nil) {
			continue
		}
		if !p.spans || p.Matches(f.prefix+name) {
			return entry, true
		}
	}
	return 0, false
}

// last returns the last segment, if the spanning variable is not in it.
func (p *Pattern) last() (s segment, ok bool) {
	switch {
	case len(p.tail) > 0:
		return p.tail[len(p.tail)-1], true
	case p.spans:
		return s, false
	}
	return p.head[len(p.head)-1], true
}

// mayMatchIn reports whether the pattern matches the folders of URIs that consist of a prefix and a
// name. A pattern without a spanning variable matches such a URI if its last segment matches the name.
func (p *Pattern) mayMatchIn(prefix string) bool {
	for i, s := range p.head {
		part, rest, more := strings.Cut(prefix, "/")
		if !more {
			return !p.spans && i == len(p.head)-1
		} else if !s.match(part, nil) {
			return false
		}
		prefix = rest
	}
	for i := len(p.tail) - 2; i >= 0; i-- {
		prefix = strings.TrimSuffix(prefix, "/")
		cut := strings.LastIndexByte(prefix, '/')
		if cut < 0 || !p.tail[i].match(prefix[cut+1:], nil) {
			return false
		}
		prefix = prefix[:cut]
	}
	return p.spans
}
