package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

var checkedIn = regexp.MustCompile(`checked in [^\n]+`)

func TestCheck(t *testing.T) {
	good := given.Folder(t, goodConfig, "docs/index.md=# Index\n")
	if code, out, errs := run(t, nil, "check", good); code != 0 || errs != "" || !strings.HasPrefix(out, "no problems in 1 document; checked in ") {
		t.Errorf("%d %q %q", code, out, errs)
	}

	bad := given.Folder(t, goodConfig, "docs/index.md=# Index\n\n[a](gone.md)\n", "resources/x/h/empty=")
	t.Chdir(bad)
	code, out, errs := run(t, nil, "check")
	want := `error: links that lead nowhere (link-broken, 1)
  docs/index.md:3:5: the link "gone.md" leads nowhere
  to do: correct the link

note: empty files (size-empty, 1)
  resources/x/h/empty: is empty: VS Code shows it as a folder (x://h/empty)
  to do: fill or remove the file

1 error and 1 note in 1 resource and 1 document; checked in 1ms
`
	want = filepath.FromSlash(want)
	if diff := cmp.Diff(want, checkedIn.ReplaceAllString(filepath.FromSlash(out), "checked in 1ms")); code != 1 || errs != "" || diff != "" {
		t.Errorf("%d %q (-want +got):\n%s", code, errs, diff)
	}

	// Each number comes once, and what is left out is said.
	left := given.Folder(t, "a.md=# A\n", "b.md=# B\n", "vendor/c.md=# C\n")
	if code, out, errs := run(t, nil, "check", left); code != 0 || errs != "" || !strings.HasPrefix(out, "left out: 1 vendored or built folder (list --hidden shows them)\nno problems in 2 documents; checked in ") {
		t.Errorf("%d %q %q", code, out, errs)
	}

	code, out, errs = run(t, nil, "check", "--json")
	var r check.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 1 || errs != "" || r.Errors != 1 || r.Notes != 1 || r.Findings[0].Rule != check.BrokenLink || r.Findings[0].Line != 3 {
		t.Errorf("%d %v %q\n%s", code, err, errs, out)
	}

	for _, args := range [][]string{{"--format", "xml"}, {"--format", "github", "--json"}, {"a", "b"}} {
		try(t, append([]string{"check"}, args...)...).ends(2)
	}
	try(t, "check", "nothing").ends(1).complains("nothing: no such file or folder")
}

// Mistakes in the settings are findings with positions, although nothing else can be checked.
func TestCheckBrokenSettings(t *testing.T) {
	dir := given.Folder(t, "mcp-docs-server.json={\n  \"name\": 1\n}\n")
	code, out, errs := run(t, nil, "check", dir, "--format", "github")
	if code != 1 || errs != "" || !strings.Contains(out, "::error file="+filepath.ToSlash(filepath.Join(dir, "mcp-docs-server.json"))+",line=2,col=11,title=settings::") {
		t.Errorf("%d %q\n%s", code, errs, out)
	}
	dir = given.Folder(t, goodConfig, "resources/templates.json=[\n{\"uriTemplate\": \"x://{\"}]")
	code, out, _ = run(t, nil, "check", dir)
	if code != 1 || !strings.Contains(out, filepath.Join("resources", "templates.json")+":2:") {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestCheckShowsTenFindings(t *testing.T) {
	files := []string{goodConfig}
	for _, name := range strings.Split("abcdefghijkl", "") {
		files = append(files, "resources/x/h/"+name+"=")
	}
	dir := given.Folder(t, files...)
	if _, out, _ := run(t, nil, "check", dir); strings.Count(out, "is empty") != 10 || !strings.Contains(out, "and 2 more; --all prints them") {
		t.Error(out)
	}
	if _, out, _ := run(t, nil, "check", dir, "--all"); strings.Count(out, "is empty") != 12 || strings.Contains(out, "more") {
		t.Error(out)
	}
}

// Warnings alone do not fail, unless the user asks for that.
func TestCheckStrict(t *testing.T) {
	dir := given.Folder(t, goodConfig, "docs/index.md=# Index\n", "resources/my_scheme/h/a=1")
	for want, args := range [][]string{{"check", dir}, {"check", "--strict", dir}} {
		try(t, args...).ends(want).prints("\n1 warning in 1 document;")
	}
}

// What configuration says in vain is an error of "check" with its line. An include by an alias of a bundler is none.
func TestSettingsOfSites(t *testing.T) {
	project := given.Folder(t, "mkdocs.yml=nav:\n- a.md\n- gone.md\n", "docs/a.md=# A\n")
	try(t, "check", project).ends(1).prints("mkdocs.yml:3: the navigation names docs/gone.md, which is not there\n")
	project = given.Folder(t, "docusaurus.config.js=module.exports = {}\n", "docs/a.md=import A from '@made/a.md'\nimport B from './gone.md'\n\n# A\n\n<A />\n\n<B />\n")
	try(t, "check", project).ends(1).prints(`the included file "./gone.md" is not found`).hides("@made")
}
