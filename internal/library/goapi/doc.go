// Package goapi describes the API of a Go package in Markdown, from its source files. It runs nothing, and needs neither
// the Go command nor the packages that the source imports.
//
//  1. [Render] reads the source files that belong to one build, as pkg.go.dev does: the files for the GOOS and GOARCH of
//     the caller; if there are none, for linux, windows, darwin or js, in this order; if there are none either, all
//     files. With other files than the caller's, the text says so. cgo is on. Tests are read for examples alone.
//  2. The text begins with the package comment. Then come constants, variables, functions, and each type with its
//     constructors and methods. A heading is the name of what it describes as pkg.go.dev has it in its URLs: Client,
//     NewRequest, Client.Do. So a section has the same name in all versions. An example follows what it is an example of.
//  3. Values and literals that take more than a line or two of source are written as "…". Of a command, only the comment
//     is described.
//  4. A long text is several pages, the first of which has an index. Names in comments do not become links: agents find a section by its name, and
//     the text does not depend on which other packages are served.
//
// The source may be hostile. Links in the folder are not followed; sizes, the number of files and the depth of the syntax
// are limited. What takes the standard library more than linear time is left out: long sums, which go/printer measures
// once for each operand, and types that embed each other on many ways, which go/doc all follows.
package goapi
