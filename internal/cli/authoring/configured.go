package authoring

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
)

// A knownClient is a client in the list of config --json.
type knownClient struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// A configured is the JSON of config for one client: how the client reaches the project. Values that
// the client does not support are omitted.
type configured struct {
	Client  string   `json:"client"`
	Title   string   `json:"title"`
	First   string   `json:"first,omitempty"`   // a command to run before
	File    string   `json:"file,omitempty"`    // with ~ or %NAME% for the folder of the user
	Scope   string   `json:"scope,omitempty"`   // of the file: project or user
	Folder  bool     `json:"inFolder"`          // the file is relative to the folder that the user works in
	Dialog  string   `json:"dialog,omitempty"`  // the window to enter the snippet in
	Format  string   `json:"format"`            // of the snippet: json, toml, yaml or text
	Key     string   `json:"key,omitempty"`     // the key of the file that holds all servers
	Entry   string   `json:"entry,omitempty"`   // the name of the server under key
	Snippet string   `json:"snippet"`           // a whole file, or the text to paste
	Command string   `json:"command,omitempty"` // a command that adds the server instead
	Link    string   `json:"link,omitempty"`    // a link that installs the server instead, with the scheme of the client
	WebLink string   `json:"webLink,omitempty"` // the same for web pages
	After   string   `json:"after,omitempty"`   // what the client does before it uses the file
	Notes   []string `json:"notes"`             // problems with these values
}

func newConfigured(c clients.Client, s clients.Setup) configured {
	return configured{
		Client: c.ID, Title: c.Title, First: s.First, File: s.File, Scope: string(s.Scope), Folder: s.InFolder, Dialog: s.Dialog, Format: s.Format,
		Key: s.Key, Entry: s.Entry, Snippet: s.Snippet, Command: s.Command, Link: s.Link, WebLink: s.WebLink, After: s.After,
		Notes: append([]string{}, s.Notes...),
	}
}

// An edited is what config --write or --remove did to the file of a client, as JSON.
type edited struct {
	Client string        `json:"client"`
	File   string        `json:"file"`
	Scope  clients.Scope `json:"scope"`
	Entry  string        `json:"entry"`
	Change string        `json:"change"`           // added, removed, or none if the file already has the server
	Backup string        `json:"backup,omitempty"` // the copy of the old file
	First  string        `json:"first,omitempty"`  // a command to run before the client starts
	After  string        `json:"after,omitempty"`  // what the client does before it uses the file
}
