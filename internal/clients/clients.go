// Package clients knows how MCP clients are told of a server: the command line of a client that has one for it, the file that
// it reads and what to write there, and the link that installs the server. It only makes text; it reads and writes no files.
//
// Everything that comes from a project is quoted for the place where it goes. What no quoting can carry is refused, or left out:
// a path that is not UTF-8 has no spelling in JSON, and a percent sign none on the command line of Windows.
package clients

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
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
	snippet  func(Server, string) snippet
	command  func(Server, string) (string, bool) // nil: it has none
	links    func(Server) (own, web string)      // nil: it has none
	expands  *regexp.Regexp                      // what it replaces in its file; nil: nothing
	inFolder bool                                // the file is in the folder that the user works in
	dialog   string                              // where a remote server is added instead of the file; "": in the file
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

// Setup says how the client is told of the server on a system. An error says what is wrong with the server.
func (c Client) Setup(s Server, goos string) (Setup, error) {
	if err := s.check(); err != nil {
		return Setup{}, err
	}
	if s.URL != "" && c.dialog != "" {
		return Setup{Dialog: c.dialog, Format: "text", Snippet: s.URL + "\n"}, nil
	}
	part := c.snippet(s, goos)
	setup := Setup{File: c.file(goos), InFolder: c.inFolder, Format: part.format, Key: part.key, Entry: part.entry, Snippet: part.text}
	if s.Needs != "" {
		setup.First, _ = line(goos, "npm", "install", "-g", s.Needs) // a name that every shell takes
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

var (
	anyVariable    = regexp.MustCompile(`\$(\w+|\{[^}]*\})`)
	bracedVariable = regexp.MustCompile(`\$\{[^}]*\}`)
)

// clients are the clients that are known. The formats are those of their documentation in autumn 2026.
var clients = []Client{
	{
		ID: "claude-code", Title: "Claude Code",
		file: everywhere(".mcp.json"), inFolder: true,
		// https://code.claude.com/docs/en/mcp
		snippet: jsonFile("mcpServers", field{}, field{"type", `"http"`}, "url"),
		command: func(s Server, goos string) (string, bool) {
			if s.URL != "" {
				return line(goos, "claude", "mcp", "add", "--transport", "http", s.Name, s.URL)
			}
			return line(goos, append([]string{"claude", "mcp", "add", s.Name, "--"}, s.words(goos)...)...)
		},
		expands: bracedVariable,
	},
	{
		ID: "claude-desktop", Title: "Claude Desktop",
		file: func(goos string) string {
			switch goos {
			case Windows:
				return `%APPDATA%\Claude\claude_desktop_config.json`
			case MacOS:
				return "~/Library/Application Support/Claude/claude_desktop_config.json"
			}
			return "~/.config/Claude/claude_desktop_config.json"
		},
		// https://modelcontextprotocol.io/docs/develop/connect-local-servers
		snippet: jsonFile("mcpServers", field{}, field{}, "url"),
		// https://support.claude.com/en/articles/11503834: a URL in the file is not used.
		dialog: "Customize → Connectors → Add custom connector",
	},
	{
		ID: "vscode", Title: "VS Code",
		file: everywhere(".vscode/mcp.json"), inFolder: true,
		// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
		snippet: jsonFile("servers", field{"type", `"stdio"`}, field{"type", `"http"`}, "url"),
		command: vscodeCommand,
		links:   vscodeLinks,
		expands: bracedVariable,
	},
	{
		ID: "cursor", Title: "Cursor",
		file: inHome(".cursor", "mcp.json"),
		// https://cursor.com/docs/mcp
		snippet: jsonFile("mcpServers", field{}, field{}, "url"),
		links:   base64Links("cursor://anysphere.cursor-deeplink/mcp/install", "https://cursor.com/en/install-mcp"),
		expands: bracedVariable,
	},
	{
		ID: "gemini-cli", Title: "Gemini CLI",
		file: inHome(".gemini", "settings.json"),
		// https://geminicli.com/docs/tools/mcp-server/
		snippet: jsonFile("mcpServers", field{}, field{}, "httpUrl"),
		// For the user: in a folder that is not trusted, Gemini CLI 0.61 takes the project's file for empty and writes it anew.
		command: func(s Server, goos string) (string, bool) {
			if s.URL != "" {
				return line(goos, "gemini", "mcp", "add", "--scope", "user", "--transport", "http", s.Name, s.URL)
			}
			words := s.words(goos)
			add := []string{"gemini", "mcp", "add", "--scope", "user", s.Name, words[0]}
			if len(words) > 1 {
				add = append(append(add, "--"), words[1:]...)
			}
			return line(goos, add...)
		},
		expands: anyVariable,
	},
	{
		ID: "codex", Title: "Codex",
		file: inHome(".codex", "config.toml"),
		// https://developers.openai.com/codex/mcp
		snippet: codexFile,
		command: func(s Server, goos string) (string, bool) {
			if s.URL != "" {
				return line(goos, "codex", "mcp", "add", s.Name, "--url", s.URL)
			}
			return line(goos, append([]string{"codex", "mcp", "add", s.Name, "--"}, s.words(goos)...)...)
		},
	},
	{
		ID: "lm-studio", Title: "LM Studio",
		file: inHome(".lmstudio", "mcp.json"),
		// https://lmstudio.ai/docs/app/mcp
		snippet: jsonFile("mcpServers", field{}, field{}, "url"),
		links:   base64Links("lmstudio://add_mcp", "https://lmstudio.ai/install-mcp"),
	},
	{
		ID: "goose", Title: "Goose",
		file: func(goos string) string {
			if goos == Windows {
				return `%APPDATA%\Block\goose\config\config.yaml`
			}
			return "~/.config/goose/config.yaml"
		},
		// https://goose-docs.ai/docs/getting-started/using-extensions
		snippet: gooseFile,
		links:   gooseLinks,
	},
}

func everywhere(file string) func(string) string { return func(string) string { return file } }

// inHome is a file below the user's home folder.
func inHome(names ...string) func(string) string {
	return func(goos string) string {
		if goos == Windows {
			return `%USERPROFILE%\` + strings.Join(names, `\`)
		}
		return "~/" + strings.Join(names, "/")
	}
}
