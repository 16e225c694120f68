package matcher

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
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
					continue // no file has this URI
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
	spans    int // variables that may span segments: 0 or 1
	literal  int // segments without a variable
	partial  int // segments with literals and variables, none of which spans
	chars    int // literal characters, slashes included
	vars     int
	position int // in the file
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
