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
	"errors"
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// MaxTemplates is the maximum number of templates that match files. It bounds the time to load them.
const MaxTemplates = 2000

// An Index holds the templates of a project. It is immutable. The zero Index has no templates.
type Index struct {
	entries  []templates.Entry
	patterns []*Pattern // by entry; nil if the template matches no file
	verdicts []Verdict  // by entry
	spec     []specificity
	ranked   []int            // entry of each rank, the winner first
	place    []int            // rank of each entry
	moved    map[int]int      // for an entry that inclusion has moved, the entry that it precedes
	lists    map[string][]int // see share
	depth    int              // maximum number of segments of a pattern
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
	}
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, err := Compile(e.Template)
		if err == nil && len(ix.ranked) == MaxTemplates {
			err = refuse(TooMany, "%d templates before it match files, which is the limit", MaxTemplates)
		}
		if refused, ok := errors.AsType[*CompileError](err); ok {
			ix.verdicts[i] = Verdict{Reason: refused.Reason, Detail: refused.Detail}
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

// Example returns a URI of the pattern in canonical spelling, with the variable names as values.
func (p *Pattern) Example() string {
	vars := make([]Variable, len(p.vars))
	for i, v := range p.vars {
		vars[i] = Variable{Name: v.name, Value: v.name, operator: v.operator}
	}
	return p.Expand(vars)
}
