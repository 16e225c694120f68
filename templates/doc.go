// Package templates parses URI templates of RFC 6570, level 4, expands templates that name files, and
// reads the file that lists the templates of a project.
//
//	t, err := templates.Parse("docs://{version}/{+path}")
//	uri := t.Expand(map[string]string{
//		"version": "v2",
//		"path":    "guides/setup.md",
//	}) // docs://v2/guides/setup.md
//
// A template is literal text with expressions in braces. [Parse] accepts the
// grammar of RFC 6570 section 2 with the apostrophe as a literal (erratum
// 6937), and one extension: {...name} means {+name} and is published as that.
// It refuses everything else with the offset of the offending byte, and bounds
// what it accepts by [MaxLength] and [MaxVariables]. The operators = , ! @ |
// are reserved (section 2.2) and refused.
//
// [Template.Expand] follows section 3: letters, digits and - . _ ~ stand for themselves; {+x} and
// literals also keep reserved characters and triplets such as %20. Every other byte becomes a
// triplet with upper-case digits. Text that is not UTF-8 is encoded like any other, byte by byte.
//
// [Decode] reads templates.json, an array with one [Definition] per template.
// It reports every mistake of the file, not only the first, and returns the
// entries that have none.
package templates
