package clients

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// Links are parsed like browsers and clients parse them.
func TestLinks(t *testing.T) {
	servers := []Server{Package("acme-docs", "@acme/docs"), Remote("acme-docs", "https://example.com/mcp?a=b&c=%20+()")}
	for _, word := range hostile {
		servers = append(servers, Local("acme-docs", "/bin/"+word, "serve", word))
	}
	prefixes := map[string][2]string{
		"vscode":    {"vscode:mcp/install?", "https://vscode.dev/redirect/mcp/install?"},
		"cursor":    {"cursor://anysphere.cursor-deeplink/mcp/install?", "https://cursor.com/en/install-mcp?"},
		"lm-studio": {"lmstudio://add_mcp?", "https://lmstudio.ai/install-mcp?"},
		"goose":     {"goose://extension?", "https://goose-docs.ai/extension?"},
	}
	for _, s := range servers {
		for _, c := range All() {
			setup, err := c.Setup(s, Windows) // a link does not depend on the system
			must.Do(t, err)
			prefix, ok := prefixes[c.ID]
			if !ok || c.ID == "goose" && s.URL == "" && s.Command != "npx" {
				if setup.Link != "" || setup.WebLink != "" {
					t.Errorf("%s: link %q, %q", c.ID, setup.Link, setup.WebLink)
				}
				continue
			}
			for i, link := range []string{setup.Link, setup.WebLink} {
				query, ok := strings.CutPrefix(link, prefix[i])
				if !ok || strings.ContainsAny(query, "+()<>\"'` \n") {
					t.Fatalf("%s: %q", c.ID, link)
				}
				want := entry{URL: s.URL}
				if s.URL == "" {
					want = entry{Command: s.Command, Args: s.Args}
				}
				var got entry
				switch c.ID {
				case "goose":
					values := parseQuery(t, query)
					got = entry{Command: values.Get("cmd"), Args: values["arg"], URL: values.Get("url"), Type: values.Get("type")}
					if s.URL != "" {
						want.Type = "streamable_http"
					}
					if values.Get("id") != "acme-docs" || values.Get("name") != "acme-docs" || values.Get("description") != "Documentation of acme-docs" {
						t.Errorf("%q", link)
					}
				case "vscode":
					if s.URL != "" {
						want.Type = "http"
					}
					document := must.Get(url.PathUnescape(query))(t)
					name := ""
					if i == 1 {
						values := parseQuery(t, query)
						document, name = values.Get("config"), values.Get("name")
					}
					got = decodeJSON(t, document, &name)
					if name != "acme-docs" {
						t.Errorf("%q: name %q", link, name)
					}
				default:
					values := parseQuery(t, query)
					document := must.Get(base64.StdEncoding.DecodeString(values.Get("config")))(t)
					name := values.Get("name")
					got = decodeJSON(t, string(document), &name)
					if name != "acme-docs" {
						t.Errorf("%q: name %q", link, name)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %q (-want +got):\n%s", c.ID, link, diff)
				}
			}
		}
	}
}

func parseQuery(t *testing.T, query string) url.Values {
	t.Helper()
	return must.Get(url.ParseQuery(query))(t)
}

func decodeJSON(t *testing.T, document string, name *string) entry {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(document), &fields); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	if value, ok := fields["name"]; ok {
		*name = value.(string)
	}
	return decode(fields)
}
