package cli

import (
	"strings"
	"testing"
)

// What configuration says in vain is an error of "check" with its line. An include by an alias of a bundler is none.
func TestSettingsOfSites(t *testing.T) {
	project := makeProject(t, "mkdocs.yml=nav:\n- a.md\n- gone.md\n", "docs/a.md=# A\n")
	if code, out, _ := run(t, nil, "check", project); code != 1 || !strings.Contains(out, "mkdocs.yml:3: the navigation names docs/gone.md, which is not there\n") {
		t.Errorf("code %d, output %q", code, out)
	}
	project = makeProject(t, "docusaurus.config.js=module.exports = {}\n", "docs/a.md=import A from '@made/a.md'\nimport B from './gone.md'\n\n# A\n\n<A />\n\n<B />\n")
	if code, out, _ := run(t, nil, "check", project); code != 1 || strings.Contains(out, "@made") || !strings.Contains(out, `the included file "./gone.md" is not found`) {
		t.Errorf("code %d, output %q", code, out)
	}
}
