// Package licences holds the licence of the program and those of all that is linked into it. Most of them want to be handed
// on with a program, so they are in everything that holds one, and the program prints them.
//
// The texts are files of this folder, which go generate writes from the sources of the modules. They name versions of modules,
// but not that of Go, so that they are the same with every Go release.
package licences

import (
	_ "embed"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

//go:generate go run ./gen

// Names of the files, wherever they are written to.
const (
	OwnFile        = "LICENSE"
	ThirdPartyFile = "THIRD-PARTY-LICENSES"
)

var (
	//go:embed LICENSE
	own string
	//go:embed THIRD-PARTY-LICENSES
	thirdParty string
)

// Text is all of them, for a reader.
func Text() string { return own + "\n" + thirdParty }

// Files are the two files, in the order of their names.
func Files() []bundle.File {
	return []bundle.File{
		bundle.Bytes(OwnFile, bundle.ModePlain, []byte(own)),
		bundle.Bytes(ThirdPartyFile, bundle.ModePlain, []byte(thirdParty)),
	}
}

// Covers reports whether there is a licence of a module in that version.
func Covers(module, version string) bool {
	return strings.Contains(thirdParty, "\n"+Heading+module+" "+version+": ")
}

// Heading begins the line above each text, followed by what the text is for, a colon and the name of its file.
const Heading = "==== "
