package bundle

import (
	_ "embed"
)

// The licence of the program, and the licences of everything that is linked into it. Most of them must be distributed with a program, so
// every artifact with a program contains them, and the program prints them. go generate writes the texts from the sources of the
// modules. They name the versions of modules, but not the version of Go, so that a new Go release does not change them.

// Names of the files in every artifact.
const (
	OwnFile        = "LICENSE"
	ThirdPartyFile = "THIRD-PARTY-LICENSES"
)

var (
	//go:embed licences/LICENSE
	program string
	//go:embed licences/THIRD-PARTY-LICENSES
	thirdParty string
)

// Licences returns all licences as one text.
func Licences() string { return program + "\n" + thirdParty }

// LicenceFiles returns the two files, in the order of their names.
func LicenceFiles() []File {
	return []File{
		Bytes(OwnFile, ModePlain, []byte(program)),
		Bytes(ThirdPartyFile, ModePlain, []byte(thirdParty)),
	}
}

// LicenceHeading begins the line above each text. The name of the component, a colon and the name of the
// file follow.
const LicenceHeading = "==== "
