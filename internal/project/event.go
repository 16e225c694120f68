package project

import (
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// An Event is one of the types below. It informs the owner of a live project.
type Event any

type (
	// Warnings lists doubtful places in files of the project: in settings, in prompts, and in what
	// files say about themselves. Paths are in the form of [Project.Show].
	Warnings struct{ Problems jsondoc.Problems }

	// Notices lists what a user should know about files of the tree. Paths are relative to the
	// project folder. Each notice is reported once.
	Notices struct{ Notices []loader.Warning }

	// Scanned counts the contents of the project when everything has been read for the first time.
	Scanned struct {
		Contents
		Took time.Duration
	}

	// Dependencies reports the packages whose documents are served, at the start and after each change.
	Dependencies struct {
		Set     *dependencies.Set
		LeftOut int // links and other things that are left out, which check names
	}

	// Said is a line for the owner: about changed settings, or a folder of documents that cannot be read. The same mistake is said once.
	Said struct{ Line string }
)

// Contents counts the parts of a project.
type Contents struct {
	Resources, Documents, Prompts int
	Docs                          string // the folder of the documents, relative to the project folder
	Sites                         string // one line about the sites that were found, if the project names no folder of documents; "": none
	Served                        string // [docs.Library.Served]
	Dependencies                  bool   // documents of dependencies are served or are being read
}
