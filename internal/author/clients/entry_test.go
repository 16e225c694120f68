package clients

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Entries finds the server that Setup writes into the file of a client.
func TestEntriesOfOwnFiles(t *testing.T) {
	for _, s := range []Server{Local("acme-docs", "/usr/bin/mcp-docs-server", "serve", "/a b"), Package("acme-docs", "@acme/docs"), Remote("acme-docs", "https://example.com/mcp")} {
		for _, c := range All() {
			setups, err := c.Setups(s, Linux)
			if err != nil {
				t.Fatal(err)
			}
			for _, setup := range setups {
				want := Entry{Name: "acme-docs", URL: s.URL}
				if s.URL == "" {
					want.Command, want.Args = s.Command, s.Args
				}
				got, err := setup.Entries([]byte(setup.Snippet), "/work")
				if diff := cmp.Diff([]Entry{want}, got); err != nil || diff != "" {
					t.Errorf("%s, %s: %v (-want +got)\n%s", c.ID, setup.File, err, diff)
				}
			}
		}
	}
}

func TestEntries(t *testing.T) {
	claude, _ := Find("claude-code")
	setups, err := claude.Setups(Local("a", "b"), Linux)
	if err != nil {
		t.Fatal(err)
	}
	lastFile := setups[len(setups)-1]
	if lastFile.File != "~/.claude.json" {
		t.Fatalf("the last file is %s", lastFile.File)
	}
	for _, test := range []struct {
		setup Setup
		text  string
		want  []Entry
		bad   bool
	}{
		{lastFile, `{"projects": {"/work": {"mcpServers": {"here": {"command": "x", "env": {"A": "1"}}}}, "/other": {"mcpServers": {"there": {"command": "y"}}}},
			"mcpServers": {"all": {"type": "http", "url": "http://h/", "disabled": true}}}`,
			[]Entry{{Name: "here", Command: "x", Env: map[string]string{"A": "1"}}, {Name: "all", URL: "http://h/", Off: true}}, false},
		{lastFile, "{// a comment\n\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [1, \"b\"],},}}", []Entry{{Name: "a", Command: "x", Args: []string{"b"}}}, false},
		{lastFile, `{"mcpServers": {"a": 1}, "projects": []}`, nil, false},
		{lastFile, `{"mcpServers": 1, "projects": {"/work": 1}}`, nil, false},
		{lastFile, `[]`, nil, true},
		{lastFile, `{`, nil, true},
		{lastFile, ``, nil, false},
	} {
		got, err := test.setup.Entries([]byte(test.text), "/work")
		if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != test.bad {
			t.Errorf("%s: %v (-want +got)\n%s", test.text, err, diff)
		}
	}
}
