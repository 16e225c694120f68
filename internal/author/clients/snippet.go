package clients

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A snippet is the text for the file of a client.
type snippet struct {
	format, key, entry, text string
	fields                   []field // of the entry, for JSON and TOML
}

// A field of a JSON object: its key and its value as JSON. The zero field stands for no field.
type field struct{ key, value string }

// text returns a field whose value is a string.
func text(key, value string) field { return field{key, quote(value)} }

// typed returns fields after the type of a server, if it has one.
func typed(kind string, fields []field) []field {
	if kind == "" {
		return fields
	}
	return append([]field{text("type", kind)}, fields...)
}

// fields returns the JSON fields that start a server on a system, or that hold its URL. The key of
// a URL depends on the client.
func (s Server) fields(goos, urlKey, comma string) []field {
	if s.URL != "" {
		return append([]field{text(urlKey, s.URL)}, s.headers(comma)...)
	}
	words := s.words(goos)
	return []field{text("command", words[0]), {"args", array(words[1:], comma)}}
}

// headers returns the field for the headers, or nothing.
func (s Server) headers(comma string) []field {
	if len(s.sent) == 0 {
		return nil
	}
	return []field{{"headers", inline(s.sent, comma)}}
}

// inline returns a JSON object on one line.
func inline(fields []field, comma string) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = quote(f.key) + strings.Replace(comma, ",", ":", 1) + f.value
	}
	return "{" + strings.Join(parts, comma) + "}"
}

// jsonFile returns a JSON file with one object for each server under key. local and remote are the types of these servers, "" for none.
func jsonFile(key, local, remote, urlKey string) func(Server, string) snippet {
	return func(s Server, goos string) snippet {
		kind := local
		if s.URL != "" {
			kind = remote
		}
		return jsonEntry([]string{key, s.Name}, typed(kind, s.fields(goos, urlKey, ", ")))
	}
}

// opencodeFile returns a JSON file in which the program and its arguments are one array.
func opencodeFile(s Server, goos string) snippet {
	fields := typed("local", []field{{"command", array(s.words(goos), ", ")}})
	if s.URL != "" {
		fields = typed("remote", s.fields(goos, "url", ", "))
	}
	return jsonEntry([]string{"mcp", s.Name}, fields)
}

// jsonEntry returns a JSON file with one server at a path.
func jsonEntry(path []string, fields []field) snippet {
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = quote(f.key) + ": " + f.value
	}
	indent := strings.Repeat("  ", len(path)+1)
	text := "{\n" + indent + strings.Join(lines, ",\n"+indent) + "\n"
	for i, key := range slices.Backward(path) {
		indent = strings.Repeat("  ", i+1)
		text = "{\n" + indent + quote(key) + ": " + text + indent + "}\n"
	}
	return snippet{format: "json", key: path[0], entry: path[len(path)-1], text: text + "}\n", fields: fields}
}

// vscodeFile returns a JSON file in which variables of headers are inputs. VS Code 1.137 sends
// ${env:NAME} as it is.
func vscodeFile(s Server, goos string) snippet {
	part := jsonFile("servers", "stdio", "http", "url")(s, goos)
	var lines []string
	for _, h := range s.Headers {
		input := []field{text("id", h.Variable), text("description", h.Name+" for "+s.Name), {"password", "true"}}
		lines = append(lines, "    "+inline(typed("promptString", input), ", "))
	}
	if lines != nil {
		part.text = "{\n  \"inputs\": [\n" + strings.Join(lines, ",\n") + "\n  ],\n" + strings.TrimPrefix(part.text, "{\n")
	}
	return part
}

// codexFile returns a TOML table. It begins with an empty line, so that it can be appended to any
// file.
func codexFile(s Server, goos string) snippet {
	fields := s.fields(goos, "url", ", ")
	if len(s.Headers) > 0 {
		fields = append(fields[:1], codexHeaders(s.Headers)...)
	}
	text := "\n[" + codexKey + "." + s.Name + "]\n" // a name is a bare key
	for _, f := range fields {
		text += f.key + " = " + f.value + "\n"
	}
	return snippet{format: "toml", entry: s.Name, text: text, fields: fields}
}

// codexHeaders returns the fields of headers. Codex has one for a bearer token and one for values that
// are a variable.
func codexHeaders(headers []Header) []field {
	var fields []field
	var pairs []string
	for _, h := range headers {
		if h == Bearer(h.Variable) {
			fields = append(fields, text("bearer_token_env_var", h.Variable))
		} else {
			pairs = append(pairs, quote(h.Name)+" = "+quote(h.Variable))
		}
	}
	if pairs != nil {
		fields = append(fields, field{"env_http_headers", "{ " + strings.Join(pairs, ", ") + " }"})
	}
	return fields
}

const codexKey = "mcp_servers"

// gooseFile returns a YAML file. Goose looks up the name in lower case.
func gooseFile(s Server, goos string) snippet {
	key := strings.ToLower(s.Name)
	var b strings.Builder
	// quoted, because YAML does not treat null as a string
	b.WriteString("extensions:\n  " + quote(key) + ":\n    enabled: true\n")
	put := func(key, value string) { b.WriteString("    " + key + ": " + value + "\n") }
	kind, rest := "stdio", func() {
		words := s.words(goos)
		put("cmd", quote(words[0]))
		put("args", array(words[1:], ", "))
	}
	if s.URL != "" {
		kind, rest = "streamable_http", func() {
			put("uri", quote(s.URL))
			if len(s.sent) > 0 {
				var variables []string
				for _, h := range s.Headers {
					variables = append(variables, h.Variable)
				}
				put("headers", inline(s.sent, ", "))
				// of the environment, or of Goose's own secrets
				put("env_keys", array(variables, ", "))
			}
		}
	}
	put("type", kind)
	put("name", quote(s.Name))
	put("description", quote(s.description()))
	rest()
	put("timeout", "300") // seconds; the value that Goose itself writes
	return snippet{format: "yaml", key: "extensions", entry: key, text: b.String()}
}

func (s Server) description() string { return "Documentation of " + cmp.Or(s.Title, s.Name) }

// A link is opened on any system, so it names npx although Windows needs cmd.

// percent encodes text as part of a query. A space is %20, because not all clients decode +.
func percent(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// base64Links returns links with the configuration in base64.
func base64Links(native, web string) func(Server) (string, string) {
	return func(s Server) (string, string) {
		config := base64.StdEncoding.EncodeToString([]byte(inline(s.fields(Linux, "url", ","), ",")))
		query := "?name=" + percent(s.Name) + "&config=" + percent(config)
		return native + query, web + query
	}
}

// vscodeConfig returns the configuration in links and commands of VS Code: a URL needs its type, a
// command does not.
func vscodeConfig(s Server, goos string) []field {
	kind := ""
	if s.URL != "" {
		kind = "http"
	}
	return typed(kind, s.fields(goos, "url", ","))
}

func vscodeLinks(s Server) (native, web string) {
	if len(s.Headers) > 0 {
		return "", "" // a link cannot ask for their values
	}
	return "vscode:mcp/install?" + percent(vscodeNamed(s, Linux)),
		"https://vscode.dev/redirect/mcp/install?name=" + percent(s.Name) + "&config=" + percent(inline(vscodeConfig(s, Linux), ","))
}

func vscodeCommand(s Server, goos string) (string, bool) {
	if goos == Windows || len(s.Headers) > 0 {
		return "", true // JSON cannot be quoted for both shells of Windows
	}
	return Line(goos, "code", "--add-mcp", vscodeNamed(s, goos))
}

// vscodeNamed returns the configuration with the name of the server.
func vscodeNamed(s Server, goos string) string {
	return inline(append([]field{text("name", s.Name)}, vscodeConfig(s, goos)...), ",")
}

// gooseLinks returns links of Goose. Goose accepts few commands in a link, such as npx.
func gooseLinks(s Server) (native, web string) {
	var query string
	switch {
	case len(s.Headers) > 0:
		return "", ""
	case s.URL != "":
		query = "url=" + percent(s.URL) + "&type=streamable_http"
	case s.Command == "npx":
		query = "cmd=npx"
		for _, arg := range s.Args {
			query += "&arg=" + percent(arg)
		}
	default:
		return "", ""
	}
	query += "&id=" + percent(strings.ToLower(s.Name)) + "&name=" + percent(s.Name) + "&description=" + percent(s.description())
	return "goose://extension?" + query, "https://goose-docs.ai/extension?" + query
}

// Readme returns a section of Markdown for the README of the author: how to add the server to each
// client. The server must be a package or remote, so that others can use it; then no value contains
// a backtick or a line end, which could end a block early.
func Readme(s Server) (string, error) {
	if s.URL == "" && (!s.Script || s.scriptArgs > 0) {
		return "", fmt.Errorf("%q is a program on this machine, which others cannot use: give --package or --url", s.Command)
	}
	var links, parts []string
	for _, c := range clients {
		setup, err := c.Setup(s, Linux)
		if err != nil {
			return "", err
		}
		if setup.WebLink != "" {
			links = append(links, fmt.Sprintf("[%s](%s)", c.Title, setup.WebLink))
		}
		parts = append(parts, fmt.Sprintf("<details>\n<summary>%s</summary>\n\n%s\n</details>\n", c.Title, c.readme(setup)))
	}
	text := "## Connect a client\n\nAdd it to " + strings.Join(links, ", ") + ", or by hand:\n\n" + strings.Join(parts, "\n")
	if s.Script {
		words := s.words(Windows)
		// a script and its package are plain words for every shell
		command, _ := Line(Windows, words...)
		text += fmt.Sprintf("\nOn Windows the command is `%s` and its arguments are `%s`; on a command line write `%s`.\n",
			words[0], strings.Join(words[1:], "`, `"), command)
	}
	return text, nil
}

// readme returns the text about one client.
func (c Client) readme(setup Setup) string {
	fence := func(format, text string) string { return "```" + format + "\n" + strings.TrimSpace(text) + "\n```\n" }
	if setup.Dialog != "" {
		return setup.Dialog + ":\n\n" + fence(setup.Format, setup.Snippet)
	}
	var b strings.Builder
	if setup.Command != "" {
		b.WriteString(fence("sh", setup.Command) + "\nOr in ")
	} else {
		b.WriteString("In ")
	}
	b.WriteString("`" + setup.File + "`")
	if setup.InFolder {
		b.WriteString(" in the folder you work in")
	}
	for _, system := range [][2]string{{"macOS", MacOS}, {"Windows", Windows}} {
		if file := c.file(system[1]); file != setup.File {
			b.WriteString(", on " + system[0] + " `" + file + "`")
		}
	}
	b.WriteString(":\n\n" + fence(setup.Format, setup.Snippet))
	if setup.After != "" {
		b.WriteString("\n" + setup.After + "\n")
	}
	return b.String()
}
