package cli

import (
	"os"
	"strings"
	"testing"
)

// Mistakes in the options of the browser are reported at the start.
func TestBrowserOptions(t *testing.T) {
	dir := t.TempDir()
	fsys{t, dir}.write("docs/a.md", "# A")
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--browser-path", dir + "/none"}, "none"},
		{[]string{"--browser-pages", "0"}, "must be a whole number from 1 to 100"},
	} {
		code, _, errors := run(t, strings.NewReader(""), append([]string{"serve", dir, "--capture"}, c.args...)...)
		if code != 2 || !strings.Contains(errors, c.want) {
			t.Errorf("%q: exit code %d: %s", c.args, code, errors)
		}
	}
	if os.Geteuid() == 0 {
		path := dir + "/chromium"
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		code, _, errors := run(t, strings.NewReader(""), "serve", dir, "--capture", "--browser")
		if code != 2 || !strings.Contains(errors, "--browser-no-sandbox") {
			t.Errorf("root starts a browser: exit code %d: %s", code, errors)
		}
	}
}
