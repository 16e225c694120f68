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
// Matching takes time linear in the URI, without backtracking. The index makes the time nearly
// independent of the number of templates: it is a trie over segments, in which segments that mix
// literals and variables are found by their longest literal end. The segments after a spanning
// variable form another trie, which starts from the end of the URI.
//
// Two bounds limit the cost of one URI for any templates. At most [MaxAlike] templates that differ
// only in the middle of a segment, as x://h/{a}one{b} and x://h/{a}two{b} do, are compared with a
// URI. A URI leads to at most [MaxPlaces] places of the index. Clients still see a template that is
// beyond a bound, but it matches no file, and [New] warns of it.
package matcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// An Index holds the templates of a project. It is immutable. The zero Index has no templates.
type Index struct {
	entries  []templates.Entry
	patterns []*Pattern // by entry; nil if the template matches no file
	verdicts []Verdict  // by entry
	spec     []specificity
	ranked   []int       // entry of each rank, the winner first
	place    []int       // rank of each entry
	moved    map[int]int // for an entry that inclusion has moved, the entry that it precedes
	root     *node
	depth    int // maximum number of segments of a pattern
	varied   int // number of nodes and endings from the first variables of the patterns on
}

// New indexes the entries of templates.json, which keep their order. The problems are warnings
// about templates that match no file, occur twice, or can never win. file is the name of
// templates.json in the problems.
func New(file string, entries []templates.Entry) (*Index, problems.List) {
	ix, warnings, _ := NewContext(context.Background(), file, entries) // never canceled
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
		root:     newNode(),
	}
	same := make([]int, len(entries)) // the first entry with the same form
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, err := Compile(e.Template)
		if err == nil {
			ix.patterns[i], ix.spec[i] = p, p.specificity(i)
			same[i], err = ix.add(i)
		}
		if refused, ok := errors.AsType[*CompileError](err); ok {
			ix.patterns[i], ix.verdicts[i] = nil, Verdict{Reason: refused.Reason, Detail: refused.Detail}
			continue
		}
		ix.ranked = append(ix.ranked, i)
	}
	if err := ix.rank(ctx); err != nil {
		return nil, nil, err
	}
	for _, i := range ix.ranked {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if same[i] == i && ix.canWin(i) {
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
	for i, v := range ix.verdicts {
		if v.Reason != Found {
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

// Find returns the entry whose template wins for a decoded URI, and false if none matches.
func (ix *Index) Find(decoded string) (entry int, ok bool) {
	if ix == nil || ix.root == nil || len(decoded) > uri.MaxLength {
		return 0, false
	}
	s := search{best: len(ix.ranked)}
	ix.root.find(decoded, &s)
	if s.best == len(ix.ranked) {
		return 0, false
	}
	return ix.ranked[s.best], true
}

// A Match is the winning template of a URI and the values of its variables.
type Match struct {
	Entry     int // index into Entries
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

// form returns the segment without the names of its variables.
func (s segment) form() string {
	var b strings.Builder
	for i, l := range s.literals {
		if i > 0 {
			b.WriteByte(1)
		}
		b.WriteString(formEscaper.Replace(l))
	}
	return b.String()
}

// formEscaper escapes the mark of a variable in literals.
var formEscaper = strings.NewReplacer("\x00", "\x00\x00", "\x01", "\x00\x01")

// Example returns a URI of the pattern in canonical spelling, with the variable names as values.
func (p *Pattern) Example() string {
	vars := make([]Variable, len(p.vars))
	for i, v := range p.vars {
		vars[i] = Variable{Name: v.name, Value: v.name, operator: v.operator}
	}
	return p.Expand(vars)
}
