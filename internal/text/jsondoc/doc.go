// Package jsondoc reads JSON documents that people write by hand and reports
// every mistake with its line and column.
//
// Reading takes two steps:
//
//  1. [Parse] turns the bytes into a tree of [Value]. The syntax is RFC 8259 without extensions;
//     only a leading UTF-8 byte order mark is let through. A syntax error ends the parsing, because
//     the rest would be guesswork, and is then the only error. A key that occurs twice in an object
//     is a warning, and the last one counts.
//  2. An [Object] reads the known fields of an object in the tree. A missing or mistyped field is
//     an error, an unknown one a warning with the most similar known name, and reading continues
//     after each, so that one run shows all problems.
//
// A null counts as an absent field. The key "$schema" is allowed everywhere, because editors use it
// to find the schema of a document.
//
// Lines and columns start at 1. Columns count characters, a tab included as
// one, which is how editors count. Lines end with LF, CR or CRLF.
package jsondoc
