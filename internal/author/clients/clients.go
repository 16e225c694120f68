// Package clients describes how to add a server to MCP clients: with a command of the client, in
// the file of the client, or with a link that installs the server. It can add the server to the
// text of a JSON or TOML file, and remove it; the rest of the text stays as it is, with its comments. An edit that changes anything
// else is refused. The package reads and produces only text; it does not open files.
//
// A header for a remote server holds the name of an environment variable, never a token. Each client
// gets it in the syntax in which the client replaces variables.
//
// Every value from a project is quoted for its context. A value that cannot be quoted is refused or
// left out: JSON cannot express a path that is not UTF-8, and the command line of Windows cannot
// express a percent sign.
package clients

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Systems with different paths and command lines, with the names of Go. Every other name counts as
// Linux.
const (
	Linux   = "linux"
	MacOS   = "darwin"
	Windows = "windows"
)

// A Client is a program that uses MCP servers.
type Client struct {
	ID    string `json:"id"` // one word, such as claude-code
	Title string `json:"title"`

	file func(goos string) string
	// its file of the other scope, unless only the client may write it
	other   func(goos string) string
	snippet func(Server, string) snippet
	command func(Server, string) (string, bool) // nil if it has none
	links   func(Server) (native, web string)   // nil if it has none
	// how its file names a variable in a header; nil if it cannot
	variable func(name string) string
	asks     bool // it asks the user for such a variable
	// the file is in the folder that the user works in
	inFolder bool
	// how to open the window for a server that its file cannot hold; "": no need
	dialog string
	// dialog is for the URL of a server only; otherwise for the snippet
	onlyURL bool
	// how its file names the folder that the user works in; "": relative to that folder
	in     string
	deeper string // the key of Setup.deeper
	folder string // the variable of Setup.variable
	// unexpected behaviour of the client with the file, or ""
	after string
	// the same for the file of the other scope
	afterIn string
}

// A Setup holds everything that a user needs to add one server to one client. Fields that the
// client does not support are empty.
type Setup struct {
	Client string `json:"client"`
	Title  string `json:"title"`
	// its path, with ~ or %NAME% for the folder of the user
	File  string `json:"file,omitempty"`
	Scope Scope  `json:"scope,omitempty"`
	// the path is relative to the folder that the user works in
	InFolder bool `json:"inFolder"`
	// the window in which to enter the snippet, if there is no file
	Dialog string `json:"dialog,omitempty"`
	// of the snippet, as Markdown calls it: json, toml, yaml, text
	Format string `json:"format"`
	// the key of the file that holds all servers; "" if the snippet can be appended to the file
	Key   string `json:"key,omitempty"`
	Entry string `json:"entry,omitempty"` // of this server
	// whole lines: a complete file, or the text to paste
	Snippet string `json:"snippet"`
	// adds the server, in a POSIX shell, or in both PowerShell and the Command Prompt
	Command string `json:"command,omitempty"`
	Link    string `json:"link,omitempty"` // with a scheme of the client's own
	// https, for pages that allow only that, as GitHub does
	WebLink string `json:"webLink,omitempty"`
	// what the client does before it uses the file, as sentences
	After string `json:"after,omitempty"`
	// problems with these values, as sentences
	Notes []string `json:"notes"`

	fields []field // of the entry
	// a key in Key that contains the entries in newer versions of the client, or ""
	deeper string

	variable string // environment variable with another folder for the file, or ""
	xdg      bool   // ~/.config is only the default of XDG_CONFIG_HOME
}

// All returns the clients in display order.
func All() []Client { return slices.Clone(clients) }

// IDs returns the IDs of all clients.
func IDs() []string {
	ids := make([]string, len(clients))
	for i, c := range clients {
		ids[i] = c.ID
	}
	return ids
}

// Find returns the client of this ID, in any case of letters.
func Find(id string) (Client, bool) {
	i := slices.IndexFunc(clients, func(c Client) bool { return strings.EqualFold(c.ID, id) })
	if i < 0 {
		return Client{}, false
	}
	return clients[i], true
}

// A Scope says where the settings in a client's file apply.
type Scope string

const (
	User    Scope = "user"    // everything that the user does with the client
	Project Scope = "project" // the folder of the file, for everybody who works in it
)

// In returns the client with its file of a scope, for which it has no command and no link. "" is the scope of the project
// if the client has a file for it, unless a secret stands in the file, because the client replaces no variables.
func (c Client) In(scope Scope, secret bool) (Client, error) {
	switch {
	case scope == "" && (c.other == nil || secret && c.variable == nil), scope == c.scope(), scope == "" && c.inFolder:
		return c, nil
	case scope == "":
		scope = Project
	case c.other == nil:
		return c, fmt.Errorf("%s has no file of the scope %s that can be written: leave out --scope", c.Title, scope)
	}
	c.file, c.inFolder, c.after, c.folder, c.command, c.links = c.other, !c.inFolder, c.afterIn, "", nil, nil
	return c, nil
}

func (c Client) scope() Scope {
	if c.inFolder {
		return Project
	}
	return User
}

// Setup returns how to add the server to the client on a system. The error says what is wrong with
// the server.
func (c Client) Setup(s Server, goos string) (Setup, error) {
	if err := s.check(); err != nil {
		return Setup{}, err
	}
	if goos == Windows {
		if err := s.checkWindows(); err != nil {
			return Setup{}, err
		}
	}
	if c.onlyURL && s.URL != "" {
		setup := Setup{Client: c.ID, Title: c.Title, Dialog: c.dialog, Format: "text", Snippet: s.URL + "\n"}
		if len(s.Headers) > 0 {
			setup.After = c.Title + " sends no header that you choose: it can use the server only if users sign in with OAuth."
		}
		return setup, nil
	}
	s.sent = c.sent(s.Headers)
	local := c.committed(s)
	part := c.snippet(local, goos)
	setup := Setup{Client: c.ID, Title: c.Title, Format: part.format, Key: part.key, Entry: part.entry, Snippet: part.text, After: c.after,
		fields: part.fields, deeper: c.deeper, variable: c.folder, xdg: goos == Linux}
	if len(s.Headers) > 0 {
		setup.After = strings.TrimSpace(c.tokenAdvice(s.Headers) + " " + setup.After)
	}
	if c.file == nil {
		setup.Dialog = c.dialog
	} else {
		setup.File, setup.InFolder, setup.Scope = c.file(goos), c.inFolder, c.scope()
	}
	if c.inFolder && s.Dir != "" && (s.Below == "" || filepath.IsAbs(local.Command)) {
		setup.Notes = append(setup.Notes, "Others cannot use this file, because it has a path of this computer. Before you commit it, put mcp-docs-server into the PATH, and the project into this folder.")
	}
	if c.command != nil {
		var ok bool
		if setup.Command, ok = c.command(s, goos); !ok {
			setup.Notes = append(setup.Notes,
				"These values cannot be written in a command that both PowerShell and the Command Prompt understand.")
		}
	}
	if c.links != nil && (len(s.Headers) == 0 || c.variable != nil) {
		setup.Link, setup.WebLink = c.links(s)
	}
	return setup, nil
}

// committed returns a server for a file of the client that others may use too: paths of the project are relative to the folder
// of the file, and a program of this computer has its name.
func (c Client) committed(s Server) Server {
	if !c.inFolder || s.Below == "" {
		return s
	}
	s.Command = cmp.Or(s.Program, s.Command)
	dir := cmp.Or(c.in, ".")
	if s.Below != "." {
		dir += "/" + s.Below
	}
	s.Args = slices.Clone(s.Args)
	for i, arg := range s.Args {
		if rest, ok := strings.CutPrefix(arg, s.Dir); ok && (rest == "" || strings.ContainsRune(`/\`, rune(rest[0]))) {
			s.Args[i] = dir + strings.ReplaceAll(rest, `\`, "/")
		}
	}
	return s
}

// Locate returns the path of the client's file on this machine, which depends on the home folder
// and the environment of the user, as in the client itself. A file in the folder that the user
// works in stays relative.
func (s Setup) Locate(home string, getenv func(string) string) (string, error) {
	file := s.File
	if s.variable != "" {
		if dir := getenv(s.variable); dir != "" {
			return filepath.Join(dir, filepath.Base(filepath.FromSlash(strings.ReplaceAll(file, `\`, "/")))), nil
		}
	}
	if rest, ok := strings.CutPrefix(file, "%APPDATA%"); ok {
		dir := getenv("APPDATA")
		if dir == "" {
			return "", fmt.Errorf("%s: APPDATA is not set in the environment", file)
		}
		return dir + rest, nil
	}
	if rest, ok := strings.CutPrefix(file, "~/.config/"); ok && s.xdg && filepath.IsAbs(getenv("XDG_CONFIG_HOME")) {
		return filepath.Join(getenv("XDG_CONFIG_HOME"), filepath.FromSlash(rest)), nil
	}
	for _, prefix := range []string{"~", "%USERPROFILE%"} {
		if rest, ok := strings.CutPrefix(file, prefix); ok {
			if home == "" {
				return "", fmt.Errorf("%s: the home folder is not known", file)
			}
			return home + filepath.FromSlash(rest), nil
		}
	}
	return filepath.FromSlash(file), nil
}
