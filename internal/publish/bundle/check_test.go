package bundle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		names string // separated by |
		want  string // the errors; empty for none
	}{
		{"a|b/a|b/c.d/e|...|a b/\xff|c:\\d", ""},
		{"|x", `the file "" cannot be packed: its name is empty`},
		{"/etc/passwd", `the file "/etc/passwd" cannot be packed: its name is an absolute path`},
		{"a\x00b", `the file "a\x00b" cannot be packed: its name has a NUL`},
		{"../a|a/./b|a//b|a/", strings.Join([]string{
			`the file "../a" cannot be packed: its name has the part ".."`,
			`the file "a/./b" cannot be packed: its name has the part "."`,
			`the file "a//b" cannot be packed: its name has the part ""`,
			`the file "a/" cannot be packed: its name has the part ""`,
		}, "\n")},
		{"a|a", `the file "a" cannot be packed: there is a file of the same name`},
		{"a|b/c|b", `the file "b" cannot be packed: there is a folder of the same name`},
		{"b|b/c/d", `the file "b/c/d" cannot be packed: "b" is a file too`},
	} {
		var files []File
		for name := range strings.SplitSeq(test.names, "|") {
			files = append(files, Bytes(name, ModePlain, nil))
		}
		got := ""
		if err := Check(files); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", test.names, diff)
		}
	}
}

func TestAllFolders(t *testing.T) {
	files := []File{Bytes("c", ModePlain, nil), Bytes("b-/x", ModePlain, nil), Bytes("b/a/x", ModePlain, nil), Bytes("b/y", ModePlain, nil)}
	if diff := cmp.Diff([]string{"b", "b-", "b/a"}, AllFolders(files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRepositoryPage(t *testing.T) {
	for in, want := range map[string]string{
		"git+https://github.com/acme/docs.git":   "https://github.com/acme/docs",
		"https://github.com/acme/docs":           "https://github.com/acme/docs",
		"http://gitlab.com/acme/group/docs.git/": "https://gitlab.com/acme/group/docs",
		"git+ssh://git@github.com/acme/docs.git": "https://github.com/acme/docs",
		"git://github.com/acme/docs.git#main":    "https://github.com/acme/docs",
		"https://me:secret@github.com/acme/docs": "https://github.com/acme/docs",
		"ssh://git@git.example:2222/acme/docs":   "https://git.example/acme/docs",
		"https://git.example:8443/acme/docs.git": "https://git.example:8443/acme/docs",
		"git@github.com:acme/docs.git":           "",
		"file:///srv/docs.git":                   "",
		"github:acme/docs":                       "",
		"https://":                               "",
		"%":                                      "",
		"":                                       "",
	} {
		if got := (Info{Repository: in}).RepositoryPage(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
