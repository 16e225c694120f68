// Package matcher finds the template of a URI, and says why it is that one.
//
//	entries, found := templates.Decode("templates.json", data) // found: mistakes, see found.Err
//	index, warnings := matcher.New("templates.json", entries)
//	m, ok := index.Match("docs://v2/setup.md")
//	// m.Entry is the place in entries, m.Variables what the URI gives to the variables
//
// [Index.Candidates] and [Index.Decide] explain what is found: all templates that match a URI, and the [Rule] by which one wins
// over another. [Index.Verdict] explains what is not: the [Reason] why a template is never found.
//
// # Matching
//
// It works on decoded URIs: the scheme in lower case, "://", and the raw names of folders and file joined by "/" (no name
// holds a slash). A template matches a decoded URI as follows.
//
//   - A literal stands for its decoded form.
//   - {x} is one byte or more inside one segment. {+x} and {/x*} may span segments. {.x} and {/x} are a variable behind a
//     literal "." or "/". Lists ({x,y}) stand with their separator between the variables.
//   - {?x} and {#x} never name a file and fall away.
//   - Where a split is open, earlier variables take as much as they can.
//
// A template that could be matched in more than one way otherwise (two variables touch, a name stands twice, more than one
// variable may span, {;x}, {&x}, a prefix {x:3}) is published for clients but matches no file; so is one that no file's URI
// can ever fit. [New] warns of both.
//
// # Precedence
//
// When several templates match, the one that admits fewer URIs wins: decided by the first that differs of (1) no variable
// that may span segments before one; (2) more segments without a variable; (3) more segments that have literals beside
// variables and none that spans; (4) more literal characters, slashes included; (5) fewer variables; (6) the earlier in the
// file. If every URI of one template is also a URI of another and not the reverse, the first comes first, whatever the counts
// say.
//
// # Cost
//
// Matching takes time linear in the URI, without backtracking. The index makes the time nearly independent of the number
// of templates: it is a trie over segments, in which the segments that mix literals and variables are found by their
// longest literal end. What follows a variable that spans segments is a trie too, from the end of the URI.
//
// Two bounds hold what one URI costs, whatever the templates are. At most [MaxAlike] templates are compared with a URI because
// only the middle of a segment tells them apart, as in x://h/{a}one{b} and x://h/{a}two{b}. A URI leads to at most
// [MaxPlaces] places of the index. A template that would break a bound with those before it in the file is published for
// clients but matches no file, and [New] warns of it.
package matcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
	"github.com/mcp-docs-server/mcp-docs-server/templates/problems"
)

// An Index holds the templates of a project. It is immutable. The zero Index has no templates.
type Index struct {
	entries  []templates.Entry
	patterns []*Pattern // by entry; nil where the template matches no file
	verdicts []Verdict  // by entry
	spec     []specificity
	ranked   []int       // entry of each rank, the winner first
	place    []int       // rank of each entry
	moved    map[int]int // entries that inclusion has put before another one, which is the value
	root     *node
	depth    int // most segments of a pattern
}

// New indexes the entries of templates.json, which keep their order. The problems are warnings: of templates that match no
// file, that stand twice, or that can never win. file is the name of templates.json in them.
func New(file string, entries []templates.Entry) (*Index, problems.List) {
	ix, warnings, _ := NewContext(context.Background(), file, entries) // which never ends
	return ix, warnings
}

// NewContext is [New] for as long as ctx lasts. The error is that of ctx.
func NewContext(ctx context.Context, file string, entries []templates.Entry) (*Index, problems.List, error) {
	ix := &Index{
		entries:  entries,
		patterns: make([]*Pattern, len(entries)),
		verdicts: make([]Verdict, len(entries)),
		spec:     make([]specificity, len(entries)),
		moved:    make(map[int]int),
		root:     newNode(),
	}
	same := make([]int, len(entries)) // the first entry of the same form
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
		example := ix.patterns[i].example()
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

// Pattern returns the compiled form of an entry, or nil where its template matches no file.
func (ix *Index) Pattern(entry int) *Pattern { return ix.patterns[entry] }

// Find returns the entry whose template wins for a decoded URI, and false where none matches.
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

// Match decodes a URI and finds its template. Spellings that differ in percent-encoding or in the case of the scheme
// match alike.
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

// form is the segment without the names of its variables.
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

// formEscaper keeps the mark of a variable out of the literals.
var formEscaper = strings.NewReplacer("\x00", "\x00\x00", "\x01", "\x00\x01")

// example returns a URI of the pattern in canonical spelling, the variables standing for themselves.
func (p *Pattern) example() string {
	vars := make([]Variable, len(p.vars))
	for i, v := range p.vars {
		vars[i] = Variable{Name: v.name, Value: v.name, operator: v.operator, list: v.list}
	}
	s, err := p.Expand(vars)
	if err != nil {
		return p.template.String()
	}
	return s
}
