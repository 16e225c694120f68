package registry

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

func acme() Server {
	return Server{
		Info: bundle.Info{
			ServerName: "io.github.acme/docs", Title: "Acme", Description: "All of <Acme>", Package: "@acme/docs", Version: "1.2.3",
			Homepage: "https://acme.example/docs", Repository: "git+https://github.com/acme/docs.git",
		},
		NPM:   true,
		Image: "ghcr.io/acme/docs:1.2.3",
		Desktop: Desktop{
			URL:    "https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb",
			SHA256: strings.Repeat("0123456789abcdef", 4),
		},
		Remote: "https://docs.acme.example/mcp",
	}
}

func TestJSON(t *testing.T) {
	got := must.Get(acme().JSON())(t)
	want := must.Get(os.ReadFile("testdata/server.json"))(t)
	must.Equal(t, string(want), string(got))
}

func TestOneWay(t *testing.T) {
	for _, test := range []struct {
		keep func(s, all *Server)
		want string // the packages and remotes
	}{
		{func(s, all *Server) { s.NPM = true }, `[{"registryType":"npm","identifier":"@acme/docs","version":"1.2.3","runtimeHint":"npx","transport":{"type":"stdio"}}] null`},
		{func(s, all *Server) { s.Image = all.Image }, `[{"registryType":"oci","identifier":"ghcr.io/acme/docs:1.2.3","runtimeHint":"docker","transport":{"type":"stdio"}}] null`},
		{func(s, all *Server) { s.Desktop = all.Desktop }, `[{"registryType":"mcpb","identifier":"https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb","fileSha256":"` +
			strings.Repeat("0123456789abcdef", 4) + `","transport":{"type":"stdio"}}] null`},
		{func(s, all *Server) { s.Remote = all.Remote }, `null [{"type":"streamable-http","url":"https://docs.acme.example/mcp"}]`},
	} {
		all := acme()
		s := Server{Info: bundle.Info{ServerName: "io.github.acme/docs", Description: "d", Package: "@acme/docs", Version: "1.2.3", Repository: "https://git.example/acme"}}
		test.keep(&s, &all)
		data, err := s.JSON()
		if err != nil {
			t.Error(err)
			continue
		}
		var d document
		must.Do(t, json.Unmarshal(data, &d))
		if d.Title != "" || d.WebsiteURL != "" || d.Repository != nil {
			t.Errorf("surplus keys: %s", data)
		}
		packages, _ := json.Marshal(d.Packages)
		remotes, _ := json.Marshal(d.Remotes)
		must.Equal(t, test.want, string(packages)+" "+string(remotes))
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"title": "Acme"`, `"title": "` + strings.Repeat("ä", 100) + `"`, ""},
		{`"title": "Acme"`, `"title": "` + strings.Repeat("ä", 101) + `"`, "maxLength"},
		{`"description": "All of <Acme>",`, ``, "description"},
		{`"streamable-http"`, `"carrier-pigeon"`, "anyOf"},
		{`schemas/2025-12-11/`, `schemas/2025-07-09/`, "$schema must be"},
		{`{`, `[`, "server.json:"},
	} {
		data := must.Get(os.ReadFile("testdata/server.json"))(t)
		changed := strings.Replace(string(data), test.old, test.new, 1)
		if test.old != test.new && changed == string(data) {
			t.Errorf("%q is not in the file", test.old)
		}
		switch err := Validate([]byte(changed)); {
		case test.want == "" && err != nil:
			t.Errorf("%q: %v", test.new, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%q: %v, want %q", test.new, err, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Server){
		`write "mcpName" into package.json`:     func(s *Server) { s.Info.ServerName = "" },
		`write "description" into package.json`: func(s *Server) { s.Info.Description = " " },
		"--image":                               func(s *Server) { *s = Server{Info: s.Info} },
		"password":                              func(s *Server) { s.Remote = "https://me:secret@acme.example/mcp" },
		"properties/name: pattern":              func(s *Server) { s.Info.ServerName = "acme" },
		"properties/description: maxLength":     func(s *Server) { s.Info.Description = strings.Repeat("d", 101) },
	} {
		s := acme()
		change(&s)
		if _, err := s.JSON(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
