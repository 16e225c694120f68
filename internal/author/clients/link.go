package clients

import (
	"encoding/base64"
	"net/url"
	"strings"
)

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
	fields := s.fields(goos, "url", ",")
	if s.URL != "" {
		fields = append([]field{{key: "type", value: `"http"`}}, fields...)
	}
	return fields
}

func vscodeLinks(s Server) (native, web string) {
	if len(s.Headers) > 0 {
		return "", "" // a link cannot ask for their values
	}
	config := vscodeConfig(s, Linux)
	named := append([]field{{key: "name", value: quote(s.Name)}}, config...)
	return "vscode:mcp/install?" + percent(inline(named, ",")),
		"https://vscode.dev/redirect/mcp/install?name=" + percent(s.Name) + "&config=" + percent(inline(config, ","))
}

func vscodeCommand(s Server, goos string) (string, bool) {
	if goos == Windows {
		return "", true // JSON cannot be quoted for both of its shells
	}
	return Line(goos, "code", "--add-mcp", inline(append([]field{{key: "name", value: quote(s.Name)}}, vscodeConfig(s, goos)...), ","))
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
