package matcher

import "fmt"

// A Rule decides which of two templates wins a URI that both match. The rules apply in this order, after Inclusion: the first
// that tells the two apart decides.
type Rule uint8

const (
	// Same decides nothing: a template is compared with itself.
	Same Rule = iota
	// Inclusion: the template admits fewer URIs than another one, which admits all of them, though the counts below put it
	// last. It comes right before that one, and so before all that the other one comes before.
	Inclusion
	// NoSpanning: no variable may span segments.
	NoSpanning
	// LiteralSegments: more segments have no variable.
	LiteralSegments
	// PartialSegments: more segments have literals beside variables, none of which spans segments.
	PartialSegments
	// LiteralCharacters: more characters are literal, slashes included.
	LiteralCharacters
	// FewerVariables: there are fewer variables.
	FewerVariables
	// Position: the template is the earlier one in the file.
	Position
)

// String says what the winner is or has, as in "docs://{+p}.md wins: more literal characters".
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
		return "more segments with literals beside variables"
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
	// Through is, with the rule Inclusion, the entry that admits all URIs of the winner. It is the loser, or wins over it
	// itself.
	Through int
}

// Decide compares two entries. It reports false where one of them matches no file ([Index.Verdict] says why).
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

// Candidates returns all entries that match a decoded URI, the winner first. It compares the URI with every template: it is for
// explaining what [Index.Find] finds.
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

// A Reason says why a template is never found.
type Reason uint8

const (
	// Found: the template wins some URIs.
	Found Reason = iota
	// TouchingVariables: nothing stands between two variables.
	TouchingVariables
	// RepeatedVariable: a name stands twice.
	RepeatedVariable
	// SecondSpanning: more than one variable may span segments.
	SecondSpanning
	// OtherOperator: an expression {;x} or {&x} names no files.
	OtherOperator
	// Prefix: {x:3} holds only the start of a value.
	Prefix
	// NoScheme: the template does not start with a scheme and "://".
	NoScheme
	// EmptySegment: "//" behind the scheme's, or a slash at the end.
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

// String describes the reason without the template that it is about.
func (r Reason) String() string {
	switch r {
	case Found:
		return "wins some URIs"
	case TouchingVariables:
		return "two variables touch"
	case RepeatedVariable:
		return "a variable stands twice"
	case SecondSpanning:
		return "more than one variable spans segments"
	case OtherOperator:
		return "an expression names no files"
	case Prefix:
		return "a variable holds only the start of a value"
	case NoScheme:
		return "no scheme with \"://\" at the start"
	case EmptySegment:
		return "an empty segment"
	case DotSegment:
		return "a segment \".\" or \"..\""
	case TooManyAlike:
		return "too many templates that only the middle of a segment tells apart"
	case TooManyPlaces:
		return "too many places that one URI leads to"
	case Repeated:
		return "the same template stands elsewhere"
	case Covered:
		return "other templates win all its URIs"
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// Matches reports whether files match the template, though another one may win them.
func (r Reason) Matches() bool { return r == Found || r == Repeated || r == Covered }

// A CompileError says why a template cannot be matched.
type CompileError struct {
	Reason Reason
	Detail string // the reason with the variables, segment or scheme that it is about
}

func (e *CompileError) Error() string { return e.Detail }

func refuse(reason Reason, format string, args ...any) error {
	return &CompileError{reason, fmt.Sprintf(format, args...)}
}

// A Verdict says whether an entry is ever found.
type Verdict struct {
	Reason Reason
	Detail string // with a template that matches no file: the reason with what it is about
	Winner int    // with Repeated and Covered: the entry that wins URI
	URI    string // with Repeated and Covered: one of the template's URIs
}

// Verdict says whether an entry is ever found, and if not, why.
func (ix *Index) Verdict(entry int) Verdict { return ix.verdicts[entry] }

// warning is what a user reads of a verdict.
func (ix *Index) warning(entry int, v Verdict) string {
	template := ix.entries[entry].URITemplate
	switch winner := ix.entries[v.Winner]; {
	case !v.Reason.Matches():
		return fmt.Sprintf("%q is published for clients but matches no file: %s", template, v.Detail)
	case v.Reason == Repeated:
		return fmt.Sprintf("%q stands already in %s, which wins", template, where(winner))
	default:
		return fmt.Sprintf("%q can never win: what comes first gets every URI it matches, as %q in %s gets %s",
			template, winner.URITemplate, where(winner), v.URI)
	}
}
