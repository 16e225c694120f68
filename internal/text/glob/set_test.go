package glob

import "testing"

func TestSet(t *testing.T) {
	set, err := ParseSet([]string{"./docs/internal/", "**/*.draft.md", "a/**"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"docs/internal": "./docs/internal/", "docs/internal/a/b.md": "./docs/internal/", "docs/internals.md": "", "x/docs/internal/a.md": "",
		"a.draft.md": "**/*.draft.md", "docs/x/a.draft.md": "**/*.draft.md", "docs/a.md": "", "a/b": "a/**", "": "",
	} {
		if got, ok := set.Covers(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t, want %q", name, got, ok, want)
		}
	}
	if _, err := ParseSet([]string{"a", "[b"}); err == nil || err.Error() != `pattern 1, "[b", is not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character` {
		t.Errorf("%v", err)
	}
}
