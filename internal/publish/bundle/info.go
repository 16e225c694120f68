package bundle

// Info describes a project. Each field comes from mcp-docs-server.json or else from a package.json
// next to it, and is empty if neither has it.
type Info struct {
	Title       string // for people, such as Acme
	Package     string // the npm name, such as @acme/docs
	Version     string // exact, by semantic versioning
	Description string // one line
	Author      string // a person or organisation, without address
	License     string // an SPDX expression
	Homepage    string // a URL
	Repository  string // a URL that git can clone, such as git+https://github.com/acme/docs.git
	Keywords    []string
	ServerName  string // in the MCP registry, such as io.github.acme/docs
}
