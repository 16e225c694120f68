package cli

import (
	"strings"
	"testing"
)

// Resources that are not files are listed, read and explained like files.
func TestOthers(t *testing.T) {
	dir := makeProject(t, strings.Replace(goodConfig, "{", `{"index": {"expose": ["summary"]},`, 1),
		"resources/a/file=1", "resources/x/file=2", "skills/git/SKILL.md=---\nname: git\ndescription: Uses Git\n---\n", "skills/bad/SKILL.md=nothing")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"list", 0, "a://file\ncapability-index://summary\nskill://bad/SKILL.md\nskill://git/SKILL.md\nx://file\n"},
		{"list cap*://**", 0, "capability-index://summary\n"},
		{"list --long cap*://**", 0, "capability-index://summary  text/markdown  title="},
		{"list --json cap*://**", 0, `"uri": "capability-index://summary"`},
		{"read capability-index://summary", 0, "index of capabilities"},
		{"read capability-index://full", 1, ""},
		{"explain capability-index://summary", 0, "capability-index://summary is served. The server makes it without a file.\n"},
		{"explain --json capability-index://summary", 0, `"made": true`},
		{"explain capability-index://full", 1, ""},
		{"explain skill://git/SKILL.md", 0, "skill         git, with 1 file\n"},
		{"explain skills/bad/SKILL.md", 0, "skill         none to clients: has no front matter"},
		{"list skills", 0, "git\n"},
		{"list skills --long", 0, "git  uri=\"skill://git/SKILL.md\"  description=\"Uses Git\"\n"},
		{"list skills --json", 0, `"files": 1`},
	} {
		args := append(strings.Fields(test.args), dir)
		code, out, errs := run(t, nil, args...)
		if code != test.code || !strings.Contains(out, test.want) {
			t.Errorf("%s: code %d, %s%s\nwant %s", test.args, code, out, errs, test.want)
		}
		if test.args == "list skills" && !strings.Contains(errs, "has no front matter") {
			t.Errorf("%s does not say what is wrong: %s", test.args, errs)
		}
	}
}
