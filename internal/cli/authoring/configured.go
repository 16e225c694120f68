package authoring

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
)

// A knownClient is a client in the list of config --json.
type knownClient struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// A configured is the JSON of config for one client: how the client reaches the project.
type configured struct {
	Client string `json:"client"`
	Title  string `json:"title"`
	clients.Setup
}

// An edited is the JSON that reports how config --write or --remove changed the file of a client.
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
