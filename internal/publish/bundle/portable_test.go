package bundle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnportable(t *testing.T) {
	var files []File
	for _, name := range []string{
		"docs/a.md", "docs/A.md", "docs/b.md", "Docs/b.md", "docs/e\u0301.md", "docs/\u00e9.md", "x/CON/a", "x/CON/b", "x/aux.txt", "x/auxiliary", "x/com1 .txt", "x/a.", "x/b ", "x/a:b", `x/a\b`,
		"x/new\nline", "x/caf\xe9", "x/fine name [1] {2} é.md",
	} {
		files = append(files, Bytes(name, ModePlain, nil))
	}
	Sort(files)
	var got []string
	for _, n := range Unportable(files) {
		got = append(got, n.Path+" "+strings.ReplaceAll(n.Reason, "\n", "\\n"))
	}
	const same, device = " to most disks of Windows and macOS", " has a name that Windows reserves for a device"
	want := []string{
		`docs is the same name as "Docs"` + same,
		"x/CON" + device,
		"x/a. has a name that ends in a dot or a space, which Windows drops",
		`x/a:b has ':' in its name, which Windows does not allow`,
		`x/a\b has '\\' in its name, which Windows does not allow`,
		"x/aux.txt" + device,
		"x/b  has a name that ends in a dot or a space, which Windows drops",
		"x/com1 .txt" + device,
		"x/new\nline has '\\n' in its name, which Windows does not allow",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	files = files[:0]
	for _, name := range []string{"docs/A.md", "docs/a.md", "docs/e\u0301.md", "docs/\u00e9.md"} {
		files = append(files, Bytes(name, ModePlain, nil))
	}
	if got := Unportable(files); len(got) != 2 || got[0].Path != "docs/a.md" || got[1].Path != "docs/\u00e9.md" {
		t.Errorf("%v", got)
	}
}
