// Package jsondoc reads JSON documents that people write by hand and reports
// every mistake with its line and column.
//
// Reading takes two steps:
//
//  1. [Parse] turns the bytes into a tree of [Value]. The syntax is RFC 8259
//     without extensions; only a leading UTF-8 byte order mark is let through.
//     A syntax error ends the reading, because what follows it is guesswork,
//     and is then the only error. A key that stands twice in an object is a
//     warning, and the last one counts.
//  2. An [Object] takes the fields it knows out of an object of the tree. A
//     missing or mistyped field is an error, an unknown one a warning with the
//     nearest known name, and reading goes on after each, so that one run
//     shows them all.
//
// A null counts as an absent field. The key "$schema" is known everywhere,
// since editors use it to find the schema of a document.
//
// Lines and columns start at 1. Columns count characters, a tab included as
// one, which is how editors count. Lines end with LF, CR or CRLF.
package jsondoc
