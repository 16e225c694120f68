// Package clients knows how a server is added to MCP clients: the command line of a client that has one for it, the file that
// it reads and what to write there, and the link that installs the server. It can put the server into the text of a JSON or TOML file,
// and take it out, so that everything else stays as it is, byte for byte; a text with comments it refuses, as they may be about what
// would change. It also reads which servers such a text has. It only makes and reads text; it opens no files.
//
// Everything that comes from a project is quoted for the place where it goes. What no quoting can carry is refused, or left out:
// a path that is not UTF-8 has no spelling in JSON, and a percent sign none on the command line of Windows.
package clients

import (
	"fmt"
	"regexp"
	"slices"
)

// Systems that paths and command lines differ on, named as Go does. Every other name counts as Linux.
const (
	Linux   = "linux"
	MacOS   = "darwin"
	Windows = "windows"
)

// A Client is a program that uses MCP servers.
type Client struct {
	ID    string // one word, such as claude-code
	Title string // such as Claude Code

	file     func(goos string) string
	other    func(goos string) string // its file of the other scope; nil: it has none, or one that only the client may write
	own      func(goos string) string // a file that only the client writes, with servers of the user and of folders; nil: none
	snippet  func(Server, string) snippet
	command  func(Server, string) (string, bool) // nil: it has none
	links    func(Server) (own, web string)      // nil: it has none
	expands  *regexp.Regexp                      // what it replaces in its file; nil: nothing
	inFolder bool                                // the file is in the folder that the user works in
	dialog   func(remote bool) dialog            // nil: the client takes every server from its file
	deeper   string                              // the key of Setup.deeper
	variable string                              // the variable of Setup.variable
	after    string                              // what the client does with the file that surprises people; "": nothing
	afterIn  string                              // the same for the file of the other scope
}

// A dialog is where a client's own windows take a server that its file cannot hold. The zero dialog is none.
type dialog struct {
	place string // how it is reached
	json  bool   // it takes the snippet; otherwise it takes the URL alone
}

// A Setup is all that somebody needs to add one server to one client. What the client does not have is empty.
type Setup struct {
	First    string   // a command that has to be run before; "": none
	Command  string   // one command that adds the server, for a POSIX shell, or for both PowerShell and the Command Prompt
	Dialog   string   // where in the client's own windows the snippet is entered, if it goes into no file
	File     string   // path of the file, with ~ or %NAME% for the folder of the user
	InFolder bool     // the path is relative to the folder that the user works in
	Format   string   // of the snippet, as Markdown calls it: json, toml, yaml, text
	Key      string   // the key of the file that holds all servers; "": the snippet can follow what is there
	Entry    string   // the key of this server
	Snippet  string   // whole lines: a complete file, or what is pasted instead
	Link     string   // with a scheme of the client's own
	WebLink  string   // the same as an https link, for pages that show no others, such as those of GitHub
	Notes    []string // what goes wrong with these values, as sentences
	After    string   // what the client does before it uses the file, as sentences; "": it just uses it

	fields []field // of the entry
	deeper string  // a key below Key that newer versions of the client have around the entries; "": none

	variable string // of the environment, that names another folder for the file; "": none
	xdg      bool   // ~/.config is only the default of XDG_CONFIG_HOME
	folders  string // the key with settings for each folder that the user works in, by its path; "": none
}

// All returns the clients, in the order in which they are shown.
func All() []Client { return slices.Clone(clients) }

// IDs returns the IDs of all clients.
func IDs() []string {
	ids := make([]string, len(clients))
	for i, c := range clients {
		ids[i] = c.ID
	}
	return ids
}

// Find returns the client of this ID.
func Find(id string) (Client, bool) {
	i := slices.IndexFunc(clients, func(c Client) bool { return c.ID == id })
	if i < 0 {
		return Client{}, false
	}
	return clients[i], true
}

// A Scope says what a client's file is for.
type Scope string

const (
	User    Scope = "user"    // everything that the user does with the client
	Project Scope = "project" // the folder that the file is in, for whoever works there
)

// In returns the client with its file of a scope, for which it has no command and link; with "" it is the client as it is.
func (c Client) In(scope Scope) (Client, error) {
	own := User
	if c.inFolder {
		own = Project
	}
	switch {
	case scope == "" || scope == own:
		return c, nil
	case c.other == nil:
		return c, fmt.Errorf("%s has no file of the scope %s that can be written: leave out --scope", c.Title, scope)
	}
	c.file, c.inFolder, c.after, c.variable, c.command, c.links = c.other, !c.inFolder, c.afterIn, "", nil, nil
	return c, nil
}

// Setup says how the server is added to the client on a system. An error says what is wrong with the server.
func (c Client) Setup(s Server, goos string) (Setup, error) {
	if err := s.check(); err != nil {
		return Setup{}, err
	}
	if goos == Windows {
		if err := s.checkWindows(); err != nil {
			return Setup{}, err
		}
	}
	var window dialog
	if c.dialog != nil {
		window = c.dialog(s.URL != "")
	}
	if window.place != "" && !window.json {
		return Setup{Dialog: window.place, Format: "text", Snippet: s.URL + "\n"}, nil
	}
	part := c.snippet(s, goos)
	setup := Setup{Format: part.format, Key: part.key, Entry: part.entry, Snippet: part.text, After: c.after,
		fields: part.fields, deeper: c.deeper, variable: c.variable, xdg: goos == Linux}
	if setup.Dialog = window.place; setup.Dialog == "" {
		setup.File, setup.InFolder = c.file(goos), c.inFolder
	}
	if s.Needs != "" {
		setup.First, _ = Line(goos, "npm", "install", "-g", s.Needs) // a name that every shell takes
	}
	if c.command != nil {
		var ok bool
		if setup.Command, ok = c.command(s, goos); !ok {
			setup.Notes = append(setup.Notes,
				"These values cannot be written in a command that both PowerShell and the Command Prompt understand.")
		}
	}
	if c.links != nil {
		setup.Link, setup.WebLink = c.links(s)
	}
	if c.expands != nil {
		for _, value := range append(s.words(goos), s.URL) {
			if found := c.expands.FindString(value); found != "" {
				setup.Notes = append(setup.Notes,
					fmt.Sprintf("%s may put something else for the %q in %q; a path without it is safe.", c.Title, found, value))
			}
		}
	}
	return setup, nil
}
