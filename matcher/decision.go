package matcher

import "fmt"

// A Rule decides which of two templates wins a URI that both match. The rules apply in this order,
// after Inclusion: the first rule by which the two differ decides.
type Rule uint8

const (
	// Same decides nothing: a template is compared with itself.
	Same Rule = iota
	// Inclusion: every URI of the template is also a URI of another template, but the counts below
	// would rank it after that template. It is ranked immediately before the other template, and so
	// before all templates that the other template precedes.
	Inclusion
	// NoSpanning: it has no variable that may span segments.
	NoSpanning
	// LiteralSegments: it has more segments without a variable.
	LiteralSegments
	// PartialSegments: it has more segments with both literals and variables, none of which spans
	// segments.
	PartialSegments
	// LiteralCharacters: it has more literal characters, slashes included.
	LiteralCharacters
	// FewerVariables: it has fewer variables.
	FewerVariables
	// Position: it is earlier in the file.
	Position
)

// String describes the winner, as in "docs://{+p}.md wins: more literal characters".
func (r Rule) String() string {
	switch r {
	case Same:
		return "the same template"
	case Inclusion:
		return "admits fewer URIs"
	case NoSpanning:
		return "no variable that spans segments"
	case LiteralSegments:
		return "more segments without a variable"
	case PartialSegments:
		return "more segments with both literals and variables"
	case LiteralCharacters:
		return "more literal characters"
	case FewerVariables:
		return "fewer variables"
	case Position:
		return "earlier in the file"
	}
	return fmt.Sprintf("Rule(%d)", uint8(r))
}

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

// Candidates returns all entries that match a decoded URI, the winner first. It compares the URI
// with every template. It is meant for explaining the result of [Index.Find].
func (ix *Index) Candidates(decoded string) []int {
	if _, ok := ix.Find(decoded); !ok {
		return nil
	}
	var out []int
	for _, entry := range ix.ranked {
		if ix.patterns[entry].Matches(decoded) {
			out = append(out, entry)
		}
	}
	return out
}

// A Reason says why a template wins no URI.
type Reason uint8

const (
	// Found: the template wins some URIs.
	Found Reason = iota
	// TouchingVariables: two variables have no literal between them.
	TouchingVariables
	// RepeatedVariable: a variable name occurs twice.
	RepeatedVariable
	// SecondSpanning: more than one variable may span segments.
	SecondSpanning
	// OtherOperator: an expression {;x} or {&x} names no files.
	OtherOperator
	// Prefix: {x:3} holds only the start of a value.
	Prefix
	// NoScheme: the template does not start with a scheme and "://".
	NoScheme
	// EmptySegment: "//" after the "//" of the scheme, or a slash at the end.
	EmptySegment
	// DotSegment: a segment "." or "..".
	DotSegment
	// TooManyAlike: the template is beyond [MaxAlike].
	TooManyAlike
	// TooManyPlaces: the template is beyond [MaxPlaces].
	TooManyPlaces
	// Repeated: the same template wins elsewhere in the file.
	Repeated
	// Covered: other templates win every URI that it matches.
	Covered
)

// String describes the reason without naming the template.
func (r Reason) String() string {
	switch r {
	case Found:
		return "wins some URIs"
	case TouchingVariables:
		return "two variables touch"
	case RepeatedVariable:
		return "a variable occurs twice"
	case SecondSpanning:
		return "more than one variable spans segments"
	case OtherOperator:
		return "an expression does not name files"
	case Prefix:
		return "a variable holds only the start of a value"
	case NoScheme:
		return "no scheme with \"://\" at the start"
	case EmptySegment:
		return "an empty segment"
	case DotSegment:
		return "a segment \".\" or \"..\""
	case TooManyAlike:
		return "too many templates that differ only in the middle of a segment"
	case TooManyPlaces:
		return "too many places in the index for one URI"
	case Repeated:
		return "the same template is elsewhere in the file"
	case Covered:
		return "other templates win all its URIs"
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// Matches reports whether files match the template, even if another template wins them.
func (r Reason) Matches() bool { return r == Found || r == Repeated || r == Covered }

// A CompileError says why a template cannot be matched.
type CompileError struct {
	Reason Reason
	Detail string // the reason, with the variables, segment or scheme
}

func (e *CompileError) Error() string { return e.Detail }

func refuse(reason Reason, format string, args ...any) error {
	return &CompileError{reason, fmt.Sprintf(format, args...)}
}

// A Verdict says whether an entry wins any URI.
type Verdict struct {
	Reason Reason
	Detail string // for a template that matches no file: the reason in detail
	Winner int    // for Repeated and Covered: the entry that wins URI
	URI    string // for Repeated and Covered: one of the template's URIs
}

// Verdict returns whether an entry wins any URI, and if not, why.
func (ix *Index) Verdict(entry int) Verdict { return ix.verdicts[entry] }

// warning returns the text of a verdict for the user.
func (ix *Index) warning(entry int, v Verdict) string {
	template := ix.entries[entry].URITemplate
	switch winner := ix.entries[v.Winner]; {
	case !v.Reason.Matches():
		return fmt.Sprintf("%q is published for clients but matches no file: %s", template, v.Detail)
	case v.Reason == Repeated:
		return fmt.Sprintf("%q is already in %s, which wins", template, where(winner))
	default:
		return fmt.Sprintf("%q can never win: templates with precedence get every URI that it matches, as %q in %s gets %s",
			template, winner.URITemplate, where(winner), v.URI)
	}
}
