package project

import (
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// An Event is something about a live project that its owner should know: one of the types
// below.
type Event interface{ event() }

type (
	// Warnings are what is doubtful in files of the project that were read: settings, prompts, and
	// what files say of themselves. Paths are as [Project.Show] has them.
	Warnings struct{ Problems jsondoc.Problems }

	// Notices are what a user should know of files of the tree. Paths are below the project folder.
	// Those that were reported before are left out.
	Notices struct{ Notices []loader.Notice }

	// Scanned says what there is, once everything has been read for the first time.
	Scanned struct {
		Contents
		Took time.Duration
	}

	// Refused says that changed settings are wrong, so the last good ones stay in force. The same
	// error is reported once.
	Refused struct{ Err error }

	// Renamed says that the name or version in the settings differs from that of the running
	// server, which keeps its own.
	Renamed struct{}

	// Unreadable says that the folder of the documents cannot be read. The same error is reported
	// once.
	Unreadable struct {
		Folder string // below the project folder
		Err    error
	}
)

func (Warnings) event()   {}
func (Notices) event()    {}
func (Scanned) event()    {}
func (Refused) event()    {}
func (Renamed) event()    {}
func (Unreadable) event() {}

// Contents count what a project has.
type Contents struct {
	Resources, Documents, Prompts int
	Docs                          string // the folder of the documents, below the project folder
	Sites                         string // what was found in a project that names no folder, in one line; "": nothing
}
