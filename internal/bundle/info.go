package bundle

// Info is what a project says of itself, from mcp-docs-server.json and, where that is silent, from a package.json beside it.
// What nobody says is empty.
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

// Slug returns the package name as one word that is good for file and command names everywhere: @acme/docs is acme-docs.
func (i Info) Slug() string {
	slug := make([]byte, 0, len(i.Package))
	for _, c := range []byte(i.Package) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '_':
			slug = append(slug, c)
		case 'A' <= c && c <= 'Z':
			slug = append(slug, c-'A'+'a')
		case len(slug) > 0 && slug[len(slug)-1] != '-':
			slug = append(slug, '-')
		}
	}
	return string(slug)
}
