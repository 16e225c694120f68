// Package clients knows how a server is added to MCP clients: the command line of a client that has one for it, the file that
// it reads and what to write there, and the link that installs the server. It can put the server into the text of a JSON or TOML file,
// and take it out, so that everything else stays as it is, byte for byte; a text with comments it refuses, as they may be about what
// would change. It only makes text; it reads and writes no files.
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
	other    func(goos string) string // its file of the other scope; nil: it has none, or one that only the client may write
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
				return Line(goos, "claude", "mcp", "add", "--transport", "http", s.Name, s.URL)
			}
			return Line(goos, append([]string{"claude", "mcp", "add", s.Name, "--"}, s.words(goos)...)...)
		},
		expands: bracedVariable,
		// https://code.claude.com/docs/en/mcp, "Project scope". The command adds to the user's own settings, which need no approval.
		after: "Claude Code starts no server of this file before you approve it: run claude in that folder and accept the folder and the " +
			"server. Until then \"claude mcp list\" reports \"Pending approval\". The command needs no approval.",
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
		dialog: func(remote bool) dialog {
			if remote {
				return dialog{place: "Customize → Connectors → Add custom connector"}
			}
			return dialog{}
		},
	},
	{
		ID: "vscode", Title: "VS Code",
		file: everywhere(".vscode/mcp.json"), inFolder: true,
		other: func(goos string) string { // of the default profile
			switch goos {
			case Windows:
				return `%APPDATA%\Code\User\mcp.json`
			case MacOS:
				return "~/Library/Application Support/Code/User/mcp.json"
			}
			return "~/.config/Code/User/mcp.json"
		},
		// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
		snippet: jsonFile("servers", field{"type", `"stdio"`}, field{"type", `"http"`}, "url"),
		command: vscodeCommand,
		links:   vscodeLinks,
		expands: bracedVariable,
	},
	{
		ID: "cursor", Title: "Cursor",
		file: inHome(".cursor", "mcp.json"), other: everywhere(".cursor/mcp.json"),
		// https://cursor.com/docs/mcp
		snippet: jsonFile("mcpServers", field{}, field{}, "url"),
		links:   base64Links("cursor://anysphere.cursor-deeplink/mcp/install", "https://cursor.com/en/install-mcp"),
		expands: bracedVariable,
	},
	{
		ID: "gemini-cli", Title: "Gemini CLI",
		file: inHome(".gemini", "settings.json"), other: everywhere(".gemini/settings.json"),
		afterIn: "Gemini CLI reads this file only in a folder that you trust.",
		// https://geminicli.com/docs/tools/mcp-server/
		snippet: jsonFile("mcpServers", field{}, field{}, "httpUrl"),
		// For the user: in a folder that is not trusted, Gemini CLI 0.61 reads the project's file as empty and overwrites it.
		command: geminiCommand("gemini"),
		expands: anyVariable,
	},
	{
		ID: "qwen-code", Title: "Qwen Code",
		file: inHome(".qwen", "settings.json"), other: everywhere(".qwen/settings.json"),
		afterIn: "Qwen Code reads this file only in a folder that you trust.",
		// https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/; it is built on Gemini CLI
		snippet: jsonFile("mcpServers", field{}, field{}, "httpUrl"),
		command: geminiCommand("qwen"),
		expands: anyVariable,
	},
	{
		ID: "codex", Title: "Codex",
		file: inHome(".codex", "config.toml"), variable: "CODEX_HOME",
		other: everywhere(".codex/config.toml"), afterIn: "Codex reads this file only in a folder that you trust.",
		// https://developers.openai.com/codex/mcp
		snippet: codexFile,
		command: func(s Server, goos string) (string, bool) {
			if s.URL != "" {
				return Line(goos, "codex", "mcp", "add", s.Name, "--url", s.URL)
			}
			return Line(goos, append([]string{"codex", "mcp", "add", s.Name, "--"}, s.words(goos)...)...)
		},
	},
	{
		ID: "opencode", Title: "opencode",
		file:  inHome(".config", "opencode", "opencode.json"), // on Windows too
		other: everywhere("opencode.json"),
		// https://opencode.ai/v1/docs/mcp-servers; version 2 has the servers one level deeper, and reads this form as well:
		// https://opencode.ai/docs/migrate-v1/
		snippet: opencodeFile, deeper: "servers",
	},
	{
		ID: "windsurf", Title: "Windsurf",
		file: inHome(".codeium", "windsurf", "mcp_config.json"),
		// https://docs.windsurf.com/windsurf/cascade/mcp
		snippet: jsonFile("mcpServers", field{}, field{}, "serverUrl"),
		expands: bracedVariable,
	},
	{
		ID: "zed", Title: "Zed",
		file: func(goos string) string { // https://zed.dev/docs/configuring-zed
			if goos == Windows {
				return `%APPDATA%\Zed\settings.json`
			}
			return "~/.config/zed/settings.json"
		},
		other: everywhere(".zed/settings.json"), afterIn: "Zed reads this file only in a folder that you trust.",
		// https://zed.dev/docs/ai/mcp
		snippet: jsonFile("context_servers", field{}, field{}, "url"),
	},
	{
		ID: "cline", Title: "Cline",
		file: inHome(".cline", "data", "settings", "cline_mcp_settings.json"),
		// https://docs.cline.bot/mcp/mcp-overview; without the type a URL is that of a server with the old transport
		snippet: jsonFile("mcpServers", field{}, field{"type", `"streamableHttp"`}, "url"),
		after:   "An older Cline in an editor has another file: MCP Servers → Configure → Configure MCP Servers opens the one that it reads.",
	},
	{
		ID: "jetbrains", Title: "JetBrains AI Assistant",
		// https://www.jetbrains.com/help/ai-assistant/mcp.html
		dialog: func(bool) dialog {
			return dialog{place: "Settings → Tools → AI Assistant → Model Context Protocol (MCP) → Add", json: true}
		},
		snippet: jsonFile("mcpServers", field{}, field{}, "url"),
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

// geminiCommand adds a server with the command line that Gemini CLI has, and the programs that are built on it.
func geminiCommand(program string) func(Server, string) (string, bool) {
	return func(s Server, goos string) (string, bool) {
		if s.URL != "" {
			return Line(goos, program, "mcp", "add", "--scope", "user", "--transport", "http", s.Name, s.URL)
		}
		words := s.words(goos)
		add := []string{program, "mcp", "add", "--scope", "user", s.Name, words[0]}
		if len(words) > 1 {
			add = append(append(add, "--"), words[1:]...)
		}
		return Line(goos, add...)
	}
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
