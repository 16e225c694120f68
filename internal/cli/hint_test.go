package cli

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
)

// The command that a person is told is one that starts this very program.
func TestCommandOf(t *testing.T) {
	dir := makeProject(t, "bin/mcp-docs-server=x", "other/mcp-docs-server=y", "tmp/go-build1/b001/exe/mcp-docs-server=z")
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, test := range []struct{ self, onPath, want string }{
		{at("bin/mcp-docs-server"), at("bin/mcp-docs-server"), "mcp-docs-server"},
		{at("bin/mcp-docs-server"), at("other/mcp-docs-server"), at("bin/mcp-docs-server")},
		{at("bin/mcp-docs-server"), "", at("bin/mcp-docs-server")},
		{at("tmp/go-build1/b001/exe/mcp-docs-server"), at("bin/mcp-docs-server"), ""},
	} {
		got := commandOf(test.self, func(string) (string, error) {
			if test.onPath == "" {
				return "", errors.New("not found")
			}
			return test.onPath, nil
		})
		if got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

func TestHint(t *testing.T) {
	c := config.Config{Name: "My docs", Version: "1.0.0"}
	for command, want := range map[string][]string{
		"mcp-docs-server":      {"\n    claude mcp add my-docs -- mcp-docs-server serve '/a b'\n", "see \"mcp-docs-server config\""},
		"/x y/mcp-docs-server": {"claude mcp add my-docs -- '/x y/mcp-docs-server' serve '/a b'\n", `see "'/x y/mcp-docs-server' config"`},
		"":                     {"install it first, with \"go install ./cmd/mcp-docs-server\".\nThen add it", "-- mcp-docs-server serve"},
	} {
		for _, w := range want {
			if got := hint(c, command, "/a b"); !strings.Contains(got, w) || strings.Contains(got, "%!") {
				t.Errorf("%q: the hint is %s, lacks %q", command, got, w)
			}
		}
	}
}
