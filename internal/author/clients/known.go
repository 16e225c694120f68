package clients

import (
	"strings"
)

// clients holds the supported clients. The formats follow their documentation in autumn 2026.
var clients = []Client{
	{
		ID: "claude-code", Title: "Claude Code",
		file: everywhere(".mcp.json"), inFolder: true,
		// https://code.claude.com/docs/en/mcp
		snippet: jsonFile("mcpServers", "", "http", "url"),
		// variables are documented for this file, not for the one that the command writes
		variable: braced,
		command: func(s Server, goos string) (string, bool) {
			switch {
			case len(s.Headers) > 0:
				return "", true
			case s.URL != "":
				return Line(goos, "claude", "mcp", "add", "--transport", "http", s.Name, s.URL)
			}
			return Line(goos, append([]string{"claude", "mcp", "add", s.Name, "--"}, s.words(goos)...)...)
		},
		// https://code.claude.com/docs/en/mcp, "Project scope". The command adds to the user's own
		// settings, which need no approval.
		after: "Claude Code starts no server of this file before you approve it: run claude in that folder and accept the folder and the " +
			"server (\"No\" is selected: go to \"Yes\" with the arrow keys, then press Enter). Until then \"claude mcp list\" reports \"Pending approval\".",
	},
	{
		ID: "claude-desktop", Title: "Claude Desktop",
		file: inSettings("Claude/claude_desktop_config.json"),
		// https://modelcontextprotocol.io/docs/develop/connect-local-servers
		snippet: jsonFile("mcpServers", "", "", "url"),
		// https://support.claude.com/en/articles/11503834: a URL in the file is not used.
		dialog: "Customize → Connectors → Add custom connector", onlyURL: true,
		after: "Quit Claude Desktop and start it again: it reads the file when it starts.",
	},
	{
		ID: "vscode", Title: "VS Code",
		file: everywhere(".vscode/mcp.json"), inFolder: true, in: workspaceFolder,
		other: inSettings("Code/User/mcp.json"), // of the default profile
		// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
		snippet:  vscodeFile,
		command:  vscodeCommand,
		links:    vscodeLinks,
		variable: func(name string) string { return "${input:" + name + "}" }, asks: true,
		after:   trustServer,
		afterIn: trustServer,
	},
	{
		ID: "cursor", Title: "Cursor",
		file: inHome(".cursor/mcp.json"), other: everywhere(".cursor/mcp.json"), in: workspaceFolder,
		// https://cursor.com/docs/mcp
		snippet:  jsonFile("mcpServers", "", "", "url"),
		links:    base64Links("cursor://anysphere.cursor-deeplink/mcp/install", "https://cursor.com/en/install-mcp"),
		variable: bracedEnv,
		after:    switchOn, afterIn: switchOn,
	},
	// https://geminicli.com/docs/tools/mcp-server/
	geminiLike("gemini-cli", "Gemini CLI", "gemini"),
	// https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/
	geminiLike("qwen-code", "Qwen Code", "qwen"),
	{
		ID: "codex", Title: "Codex",
		file: inHome(".codex/config.toml"), folder: "CODEX_HOME",
		other: everywhere(".codex/config.toml"), afterIn: "Codex reads this file only in a folder that you trust, when it starts.",
		after: "Restart Codex: it reads the file when it starts.",
		// https://developers.openai.com/codex/mcp
		snippet: codexFile, variable: braced,
		command: func(s Server, goos string) (string, bool) {
			add := []string{"codex", "mcp", "add", s.Name}
			switch {
			case len(s.Headers) == 1 && s.Headers[0] == Bearer(s.Headers[0].Variable):
				add = append(add, "--url", s.URL, "--bearer-token-env-var", s.Headers[0].Variable)
			case len(s.Headers) > 0:
				return "", true
			case s.URL != "":
				add = append(add, "--url", s.URL)
			default:
				add = append(append(add, "--"), s.words(goos)...)
			}
			return Line(goos, add...)
		},
	},
	{
		ID: "opencode", Title: "opencode",
		file:  inHome(".config/opencode/opencode.json"), // on Windows too
		other: everywhere("opencode.json"),
		// https://opencode.ai/v1/docs/mcp-servers; version 2 has the servers one level deeper, and also reads this form:
		// https://opencode.ai/docs/migrate-v1/
		snippet: opencodeFile, deeper: "servers",
		variable: func(name string) string { return "{env:" + name + "}" },
		after:    restartOpencode, afterIn: restartOpencode,
	},
	{
		ID: "windsurf", Title: "Windsurf",
		file: inHome(".codeium/windsurf/mcp_config.json"),
		// https://docs.windsurf.com/windsurf/cascade/mcp
		snippet:  jsonFile("mcpServers", "", "", "serverUrl"),
		variable: bracedEnv,
		after:    "Windsurf reads the file when it starts, and when you press Refresh in its list of MCP servers.",
	},
	{
		ID: "zed", Title: "Zed",
		// https://zed.dev/docs/configuring-zed
		file:  inConfig("zed/settings.json", `%APPDATA%\Zed\settings.json`),
		other: everywhere(".zed/settings.json"), afterIn: "Zed reads this file only in a folder that you trust.",
		// https://zed.dev/docs/ai/mcp
		snippet: jsonFile("context_servers", "", "", "url"),
	},
	{
		ID: "cline", Title: "Cline",
		file: inHome(".cline/data/settings/cline_mcp_settings.json"),
		// https://docs.cline.bot/mcp/mcp-overview; without the type, Cline uses the old
		// transport for a URL
		snippet: jsonFile("mcpServers", "", "streamableHttp", "url"),
		after:   "An older Cline in an editor has another file: MCP Servers → Configure → Configure MCP Servers opens the one that it reads.",
	},
	{
		ID: "jetbrains", Title: "JetBrains AI Assistant",
		// https://www.jetbrains.com/help/ai-assistant/mcp.html
		dialog:  "Settings → Tools → AI Assistant → Model Context Protocol (MCP) → Add",
		snippet: jsonFile("mcpServers", "", "", "url"),
	},
	{
		ID: "lm-studio", Title: "LM Studio",
		file: inHome(".lmstudio/mcp.json"),
		// https://lmstudio.ai/docs/app/mcp
		snippet: jsonFile("mcpServers", "", "", "url"),
		links:   base64Links("lmstudio://add_mcp", "https://lmstudio.ai/install-mcp"),
	},
	{
		ID: "goose", Title: "Goose",
		file: inConfig("goose/config.yaml", `%APPDATA%\Block\goose\config\config.yaml`),
		// https://goose-docs.ai/docs/getting-started/using-extensions
		snippet: gooseFile, variable: braced,
		links: gooseLinks,
		after: "Start a new session of Goose: it reads the file when a session starts.",
	},
}

// What the user does before the client uses its file.
const (
	trustServer     = "VS Code asks whether you trust the server when it starts it: run \"MCP: List Servers\" in the Command Palette to start it."
	switchOn        = "Restart Cursor, and switch the server on in Customize → MCPs if it is off."
	restartOpencode = "Restart opencode: it reads the file when it starts."
)

// workspaceFolder is the folder that the user works in, for VS Code and Cursor: they start servers in the user's home folder. Other
// clients start a server of a project's file in that folder.
const workspaceFolder = "${workspaceFolder}"

// geminiLike returns Gemini CLI, or a client that is built on it. The command is for the user: in a folder that is not trusted, Gemini
// CLI 0.61 reads the project's file as empty and overwrites it.
func geminiLike(id, title, program string) Client {
	return Client{
		ID: id, Title: title,
		file: inHome("." + program + "/settings.json"), other: everywhere("." + program + "/settings.json"),
		after:    "Restart " + title + ": it reads the file when it starts. If it asks, trust the folder: it uses no server in a folder that you do not trust.",
		afterIn:  title + " reads this file only in a folder that you trust, when it starts.",
		snippet:  jsonFile("mcpServers", "", "", "httpUrl"),
		variable: braced,
		command: func(s Server, goos string) (string, bool) {
			add := []string{program, "mcp", "add", "--scope", "user"}
			if s.URL != "" {
				add = append(add, "--transport", "http")
				for _, h := range s.Headers {
					// the file gets it as it is
					add = append(add, "--header", h.Name+": "+h.Prefix+braced(h.Variable))
				}
				return Line(goos, append(add, s.Name, s.URL)...)
			}
			words := s.words(goos)
			if add = append(add, s.Name, words[0]); len(words) > 1 {
				add = append(append(add, "--"), words[1:]...)
			}
			return Line(goos, add...)
		},
	}
}

// The place of a file on each system.
func everywhere(file string) func(string) string { return on(file, file, file) }

// inHome returns a file in the user's home folder.
func inHome(file string) func(string) string {
	return on("~/"+file, "~/"+file, `%USERPROFILE%\`+strings.ReplaceAll(file, "/", `\`))
}

// inConfig returns a file in the folder ~/.config, or a file of Windows.
func inConfig(file, windows string) func(string) string {
	return on("~/.config/"+file, "~/.config/"+file, windows)
}

// inSettings returns a file in the folder that each system has for the settings of programs.
func inSettings(file string) func(string) string {
	return on("~/.config/"+file, "~/Library/Application Support/"+file, `%APPDATA%\`+strings.ReplaceAll(file, "/", `\`))
}

func on(linux, mac, windows string) func(string) string {
	return func(goos string) string {
		switch goos {
		case MacOS:
			return mac
		case Windows:
			return windows
		}
		return linux
	}
}
