package clients

import (
	"path/filepath"
	"testing"
)

func TestLocate(t *testing.T) {
	none := map[string]string{}
	for _, test := range []struct {
		id, goos string
		env      map[string]string
		want     string // "": the client has no file on this system
	}{
		{"claude-code", Linux, none, ".mcp.json"},
		{"cursor", Linux, none, "/home/me/.cursor/mcp.json"},
		{"zed", Linux, none, "/home/me/.config/zed/settings.json"},
		{"zed", Linux, map[string]string{"XDG_CONFIG_HOME": "/x"}, "/x/zed/settings.json"},
		{"zed", Linux, map[string]string{"XDG_CONFIG_HOME": "x"}, "/home/me/.config/zed/settings.json"},
		{"zed", MacOS, map[string]string{"XDG_CONFIG_HOME": "/x"}, "/home/me/.config/zed/settings.json"},
		{"zed", Windows, map[string]string{"APPDATA": `C:\A`}, `C:\A\Zed\settings.json`},
		{"zed", Windows, none, ""},
		{"codex", Linux, map[string]string{"CODEX_HOME": "/c"}, "/c/config.toml"},
		{"codex", Windows, none, `/home/me\.codex\config.toml`},
	} {
		c, _ := Find(test.id)
		setup, err := c.Setup(acme, test.goos)
		if err != nil {
			t.Fatal(err)
		}
		got, err := setup.Locate("/home/me", func(key string) string { return test.env[key] })
		if (err != nil) != (test.want == "") || filepath.ToSlash(got) != filepath.ToSlash(test.want) {
			t.Errorf("%s on %s with %v: %q, %v, want %q", test.id, test.goos, test.env, got, err, test.want)
		}
	}
	c, _ := Find("cursor")
	setup, err := c.Setup(acme, Linux)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := setup.Locate("", func(string) string { return "" }); err == nil {
		t.Errorf("without a home folder: %q", got)
	}
}
