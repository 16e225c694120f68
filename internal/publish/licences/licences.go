// Package licences holds the licence of the program and the licences of everything that is linked
// into it. Most of them must be distributed with a program, so every artifact with a program
// contains them, and the program prints them.
//
// The texts are files of this folder, which go generate writes from the sources of the modules.
// They name the versions of modules, but not the version of Go, so that a new Go release does not
// change them.
package licences

import (
	_ "embed"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// Names of the files in every artifact.
const (
	OwnFile        = "LICENSE"
	ThirdPartyFile = "THIRD-PARTY-LICENSES"
)

var (
	//go:embed LICENSE
	program string
	//go:embed THIRD-PARTY-LICENSES
	thirdParty string
)

// Text returns all licences as one text.
func Text() string { return program + "\n" + thirdParty }

// Files returns the two files, in the order of their names.
func Files() []bundle.File {
	return []bundle.File{
		bundle.Bytes(OwnFile, bundle.ModePlain, []byte(program)),
		bundle.Bytes(ThirdPartyFile, bundle.ModePlain, []byte(thirdParty)),
	}
}

// Heading begins the line above each text. The name of the component, a colon and the name of the
// file follow.
const Heading = "==== "
