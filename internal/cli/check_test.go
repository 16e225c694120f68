package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

func TestCheck(t *testing.T) {
	t.Chdir(given.Folder(t, "good/"+goodConfig, "good/docs/index.md=# Index\n", "bad/"+goodConfig, "bad/docs/index.md=# Index\n\n[a](gone.md)\n", "bad/resources/x/h/empty=",
		"left/a.md=# A\n", "left/b.md=# B\n", "left/vendor/c.md=# C\n", "warned/"+goodConfig, "warned/docs/index.md=# Index\n", "warned/resources/my_scheme/h/a=1",
		"settings/mcp-docs-server.json={\n  \"name\": 1\n}\n", "torn/"+goodConfig, "torn/resources/templates.json=[\n{\"uriTemplate\": \"x://{\"}]",
		"nav/mkdocs.yml=nav:\n- a.md\n- gone.md\n", "nav/docs/a.md=# A\n",
		"alias/docusaurus.config.js=module.exports = {}\n", "alias/docs/a.md=import A from '@made/a.md'\nimport B from './gone.md'\n\n# A\n\n<A />\n\n<B />\n"))
	rows(t,
		row{"check good", 0, "no problems in 1 document; checked in …", ""},
		row{"check bad", 1, filepath.FromSlash(`error: links that lead nowhere (link-broken, 1)
  bad/docs/index.md:3:5: the link "gone.md" leads nowhere
  to do: correct the link

note: empty files (size-empty, 1)
  bad/resources/x/h/empty: is empty: VS Code shows it as a folder (x://h/empty)
  to do: fill or remove the file

1 error and 1 note in 1 resource and 1 document; checked in …`), ""},
		// Each number comes once, and what is left out is said.
		row{"check left", 0, "left out: 1 vendored or built folder (list --hidden shows them)\nno problems in 2 documents; checked in …", ""},
		// Warnings alone do not fail, unless the user asks for that.
		row{"check warned", 0, "…\n1 warning in 1 document;…", ""},
		row{"check --strict warned", 1, "…\n1 warning in 1 document;…", ""},
		// Mistakes in the settings are findings with positions, although nothing else can be checked.
		row{"check settings --format github", 1, "::error file=settings/mcp-docs-server.json,line=2,col=11,title=settings::…", ""},
		row{"check torn", 1, "…" + filepath.FromSlash("torn/resources/templates.json") + ":2:…", ""},
		row{"check nav", 1, "…mkdocs.yml:3: the navigation names docs/gone.md, which is not there\n…", ""},
		row{"check alias", 1, "…the included file \"./gone.md\" is not found…", ""})
	line(t, "check alias").hides("@made")
	var r check.Report
	s := line(t, "check --json bad").ends(1).complainsOnly("")
	if err := json.Unmarshal([]byte(s.out), &r); err != nil || r.Errors != 1 || r.Notes != 1 || r.Findings[0].Rule != check.BrokenLink || r.Findings[0].Line != 3 {
		t.Errorf("%v\n%s", err, s.out)
	}
}

func TestCheckShowsTenFindings(t *testing.T) {
	files := []string{goodConfig}
	for _, name := range strings.Split("abcdefghijkl", "") {
		files = append(files, "resources/x/h/"+name+"=")
	}
	dir := given.Folder(t, files...)
	if s := try(t, "check", dir).prints("and 2 more; --all prints them"); strings.Count(s.out, "is empty") != 10 {
		t.Error(s.out)
	}
	if s := try(t, "check", dir, "--all").hides("more"); strings.Count(s.out, "is empty") != 12 {
		t.Error(s.out)
	}
}
