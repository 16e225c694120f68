package clients

import (
	"strings"
	"testing"
)

func TestChecks(t *testing.T) {
	for _, test := range []struct {
		s    Server
		want string // the error; "" for none
	}{
		{Package("acme-docs", "docs"), ""},
		{Package("1_a", "@Acme/docs.js"), ""},
		{Remote("a", "http://[::1]:8080/mcp"), ""},
		{Package("", "docs"), `the name "" does not suit all clients`},
		{Package("a b", "docs"), `the name "a b" does not`},
		{Package(strings.Repeat("a", 65), "docs"), "at most 64"},
		{Package("a", "docs & calc"), `"docs & calc" is not the name of an npm package`},
		{Through("a", "@acme/cli", "serve", "/it's a & b"), ""},
		{Through("a", "b", "serve", ""), `an argument of "npx" is empty`},
		{Package("a", "-g"), `"-g" is not the name`},
		{Installed("a", "-g", "a"), `"-g" is not the name`},
		{Server{Name: "a", Title: "\xff", Command: "a"}, `the title "\xff" is not UTF-8`},
		{Local("a", "/bin/\xff"), `"/bin/\xff" is not UTF-8`},
		{Local("a", "/bin/a", "\x00"), `"\x00" contains a NUL`},
		{Local("a", "-x"), `the program "-x" looks like an option`},
		{Remote("a", "file:///etc/passwd"), `"file:///etc/passwd" is not the URL of a server`},
		{Remote("a", "https://example.com/a b"), "is not the URL of a server"},
		{Remote("a", "https://example.com/`"), "is not the URL of a server"},
		{Remote("a", "https://u:p@example.com/"), "the URL of example.com has a user name or password"},
		{Remote("a", "https://example.com/#x"), "has a fragment"},
	} {
		for _, c := range All() {
			_, err := c.Setup(test.s, Linux)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%+v: %v, want %q", test.s, err, test.want)
			}
		}
	}
}

// On Windows, cmd starts npx. Some characters are special to it everywhere, also in quotes.
func TestWindowsScripts(t *testing.T) {
	codex, _ := Find("codex")
	for arg, good := range map[string]bool{`C:\my docs (1)`: true, `C:\a&calc`: false, `C:\%PATH%`: false, `C:\a^b`: false, "C:\\a\nb": false} {
		s := Through("a", "@acme/cli", "serve", arg)
		if _, err := codex.Setup(s, Windows); (err == nil) != good {
			t.Errorf("%q: %v", arg, err)
		}
		if _, err := codex.Setup(s, Linux); err != nil {
			t.Error(err)
		}
	}
	if _, err := Readme(Through("a", "@acme/cli", "serve", "/docs")); err == nil {
		t.Error("a README has a path of this machine")
	}
}
