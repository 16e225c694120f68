package matcher

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// rank orders the patterns, the winner first. The counts alone would rank some templates after a
// template that includes all their URIs, as x://aa{+m}/{v} after x://a{v}/{+m}: segments of the
// first match inside the spanning variable of the second, where they are not counted. rank moves
// such a template immediately before the first template that includes it.
func (ix *Index) rank(ctx context.Context) error {
	spec := ix.spec
	counted := slices.SortedFunc(slices.Values(ix.ranked), func(a, b int) int {
		order, _ := spec[a].compare(spec[b])
		return order
	})
	ranked := make([]int, 0, len(counted))
	for _, i := range counted {
		if err := ctx.Err(); err != nil {
			return err
		}
		position := slices.IndexFunc(ranked, func(j int) bool {
			return spec[j].misplaced(spec[i]) && ix.patterns[j].admits(ix.patterns[i])
		})
		if position < 0 {
			position = len(ranked)
		} else {
			ix.moved[i] = ranked[position]
		}
		ranked = slices.Insert(ranked, position, i)
	}
	ix.ranked, ix.place = ranked, make([]int, len(ix.entries))
	for place, i := range ranked {
		ix.place[i] = place
	}
	ix.share()
	return nil
}

// misplaced reports whether the counts rank a pattern before one whose URIs it may include.
func (s specificity) misplaced(narrower specificity) bool {
	return s.spans == 1 && narrower.spans == 1 && s.literal == narrower.literal && s.partial > narrower.partial && s.chars < narrower.chars
}

// admits reports whether every URI of q is a URI of p.
func (p *Pattern) admits(q *Pattern) bool {
	for u := range q.probes(len(p.head) + len(p.tail)) {
		if !p.Matches(u) {
			return false
		}
	}
	return true
}

// canWin reports whether an entry wins any URI of its template.
func (ix *Index) canWin(entry int) bool {
	for u := range ix.patterns[entry].probes(ix.depth) {
		if found, ok := ix.Find(u); ok && found == entry {
			return true
		}
	}
	return false
}

// probes yields the decoded URIs of the pattern that other templates are least likely to match.
// Their variables have one or two letters that no template has, and slashes where the URI of a file
// allows them. If a template of up to depth segments matches all of them, it matches all URIs of
// the pattern.
func (p *Pattern) probes(depth int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, letters := range []string{x, x + x} {
			spans := []string{""}
			if p.spans {
				spans = []string{x, "/", "/" + x, x + "/", "/" + x + "/", x + "/" + x, x + strings.Repeat("/"+x, depth+1)}
			}
			for _, span := range spans {
				u := p.fill(letters, span)
				_, path, _ := strings.Cut(u, "://")
				if strings.Contains(path, "//") || strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") {
					continue
				}
				if !yield(u) {
					return
				}
			}
		}
	}
}

// x is a letter that occurs in no template.
const x = "\uE000"

// fill returns the decoded URI whose variables have these values.
func (p *Pattern) fill(single, span string) string {
	write := func(s segment) string { return strings.Join(s.literals, single) }
	var parts []string
	for _, s := range p.head {
		parts = append(parts, write(s))
	}
	if p.spans {
		parts = append(parts, write(p.before)+span+write(p.after))
		for _, s := range p.tail {
			parts = append(parts, write(s))
		}
	}
	return strings.Join(parts, "/")
}

// specificity holds the counts that decide between patterns that match the same URI.
type specificity struct {
	spans    int // variables: 0 or 1
	literal  int // without a variable
	partial  int // with literals and variables, none of which spans
	chars    int
	vars     int
	position int
}

func (p *Pattern) specificity(position int) specificity {
	s := specificity{vars: len(p.vars), position: position, chars: len(p.head) + len(p.tail) - 1}
	if p.spans {
		s.spans = 1
		s.chars += 1 + p.before.chars() + p.after.chars()
	}
	for _, seg := range slices.Concat(p.head, p.tail) {
		n := seg.chars()
		s.chars += n
		if seg.isLiteral() {
			s.literal++
		} else if n > 0 {
			s.partial++
		}
	}
	return s
}

// chars returns the number of literal characters.
func (s segment) chars() int { return utf8.RuneCountInString(strings.Join(s.literals, "")) }

// compare orders the more specific pattern first, by the first rule in which the two differ.
func (s specificity) compare(t specificity) (order int, by Rule) {
	for _, c := range []struct {
		rule  Rule
		order int
	}{
		{NoSpanning, cmp.Compare(s.spans, t.spans)},
		{LiteralSegments, cmp.Compare(t.literal, s.literal)},
		{PartialSegments, cmp.Compare(t.partial, s.partial)},
		{LiteralCharacters, cmp.Compare(t.chars, s.chars)},
		{FewerVariables, cmp.Compare(s.vars, t.vars)},
		{Position, cmp.Compare(s.position, t.position)},
	} {
		if c.order != 0 {
			return c.order, c.rule
		}
	}
	return 0, Same
}

// A Rule decides which of two templates wins a URI that both match. The rules apply in this order,
// after Inclusion: the first rule by which the two differ decides.
type Rule string

const (
	// Same decides nothing: a template is compared with itself.
	Same Rule = ""
	// Inclusion: every URI of the template is also a URI of another template, but the counts below
	// would rank it after that template. It is ranked immediately before the other template, and so
	// before all templates that the other template precedes.
	Inclusion Rule = "admits fewer URIs"
	// NoSpanning: it has no variable that may span segments.
	NoSpanning Rule = "no variable that spans segments"
	// LiteralSegments: it has more segments without a variable.
	LiteralSegments Rule = "more segments without a variable"
	// PartialSegments: it has more segments with both literals and variables, none of which spans
	// segments.
	PartialSegments Rule = "more segments with both literals and variables"
	// LiteralCharacters: it has more literal characters, slashes included.
	LiteralCharacters Rule = "more literal characters"
	// FewerVariables: it has fewer variables.
	FewerVariables Rule = "fewer variables"
	// Position: it is earlier in the file.
	Position Rule = "earlier in the file"
)

// A Decision says which of two entries wins a URI that both match, and why.
type Decision struct {
	Winner, Loser int
	Rule          Rule
	// Through is set for the rule Inclusion: the entry that admits all URIs of the winner. It is
	// the loser, or it wins over the loser itself.
	Through int
}

// Decide compares two entries. It returns false if one of them matches no file ([Index.Verdict]
// says why).
func (ix *Index) Decide(a, b int) (d Decision, ok bool) {
	if ix.Pattern(a) == nil || ix.Pattern(b) == nil {
		return Decision{}, false
	}
	if ix.place[b] < ix.place[a] {
		a, b = b, a
	}
	d = Decision{Winner: a, Loser: b}
	order, rule := ix.spec[a].compare(ix.spec[b])
	if d.Rule = rule; order > 0 {
		d.Rule, d.Through = Inclusion, ix.moved[a]
	}
	return d, true
}

// Candidates returns all entries that match a decoded URI, the winner first. It explains the result of
// [Index.Find].
func (ix *Index) Candidates(decoded string) []int {
	if len(decoded) > uri.MaxLength {
		return nil
	}
	var out []int
	for _, entry := range ix.candidates(decoded) {
		if ix.patterns[entry].Matches(decoded) {
			out = append(out, entry)
		}
	}
	return out
}

// A Reason says why a template wins no URI.
type Reason string

const (
	// Found: the template wins some URIs. It is the zero Reason.
	Found Reason = ""
	// Unmatched: no file can have a URI of the template, or the template is ambiguous. [Verdict.Detail] says why.
	Unmatched Reason = "it matches no file"
	// TooMany: the template is beyond [MaxTemplates].
	TooMany Reason = "too many templates"
	// Repeated: the same template wins elsewhere in the file.
	Repeated Reason = "the same template is elsewhere in the file"
	// Covered: other templates win every URI that it matches.
	Covered Reason = "other templates win all its URIs"
)

// Matches reports whether files match the template, even if another template wins them.
func (r Reason) Matches() bool { return r == Found || r == Repeated || r == Covered }

// A Verdict says whether an entry wins any URI.
type Verdict struct {
	Reason Reason
	Detail string // why the template matches no file
	Winner int    // for Repeated and Covered: wins URI
	URI    string // for Repeated and Covered: a URI of the template
}

// Verdict returns whether an entry wins any URI, and if not, why.
func (ix *Index) Verdict(entry int) Verdict { return ix.verdicts[entry] }

// warning returns the text of a verdict for the user.
func (ix *Index) warning(entry int, v Verdict) string {
	template := ix.entries[entry].URITemplate
	switch winner := ix.entries[v.Winner]; {
	case v.Reason == TooMany:
		return fmt.Sprintf("this and all later templates are published for clients but match no file: %s", v.Detail)
	case !v.Reason.Matches():
		return fmt.Sprintf("%q is published for clients but matches no file: %s", template, v.Detail)
	case v.Reason == Repeated:
		return fmt.Sprintf("%q is already in %s, which wins", template, where(winner))
	default:
		return fmt.Sprintf("%q can never win: templates with precedence get every URI that it matches, as %q in %s gets %s",
			template, winner.URITemplate, where(winner), v.URI)
	}
}
