// Package templates parses and expands URI templates of RFC 6570, level 4, and
// reads the file that lists them.
//
//	t, err := templates.Parse("docs://{version}/{+path}")
//	uri, err := t.Expand(templates.Values{
//		"version": templates.String("v2"),
//		"path":    templates.String("guides/setup.md"),
//	}) // docs://v2/guides/setup.md
//
// A template is literal text with expressions in braces. [Parse] accepts the
// grammar of RFC 6570 section 2 with the apostrophe as a literal (erratum
// 6937), and one extension: {...name} means {+name} and is published as that.
// It refuses everything else with the offset of the offending byte, and bounds
// what it accepts by [MaxLength] and [MaxVariables]. The operators = , ! @ |
// are reserved (section 2.2) and refused.
//
// [Template.Expand] follows section 3 with these readings of it:
//
//   - A missing variable, an empty list and an empty set of pairs are
//     undefined and leave nothing behind; an empty string is a value.
//   - Letters, digits and - . _ ~ stand for themselves; {+x}, {#x} and literals
//     also keep reserved characters and triplets such as %20. Every other byte
//     becomes a triplet with upper-case digits. Text that is not UTF-8 is
//     encoded like any other, byte by byte.
//   - A prefix counts characters, before they are encoded. In {+x:n} and
//     {#x:n} the triplets of one character count as one and stay together
//     (section 2.4.1). A prefix of a list or of pairs is an error.
//   - The names of exploded pairs are encoded like literals in {;x*}, {?x*} and
//     {&x*}, and like values elsewhere (Appendix A).
//
// [Decode] reads templates.json, an array with one [Definition] per template.
// It reports every mistake of the file, not only the first, and returns the
// entries that have none.
package templates
