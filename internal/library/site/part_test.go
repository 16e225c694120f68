package site

import (
	"strings"
	"testing"
)

func TestCutOut(t *testing.T) {
	const text = "1\n// tag::a[]\n2\n// tag::b[]\n3\n// end::b[]\n// end::a[]\n4\n"
	for part, want := range map[string]string{
		"": text, "1": "1\n", "8-": "4\n", "1,8": "1\n4\n", ":1": "1\n", "3:3": "2\n", "a": "2\n3\n", "tag=b": "3\n", "tags=a;!b": "2\n", "tags=**": "1\n2\n3\n4\n", "none": text,
		"\n:lines: 3": "2\n", "\n:start-after: 3\n:end-before: 4": "// end::b[]\n// end::a[]\n", "start=\"3\" end=\"4\"": "// end::b[]\n// end::a[]\n", "\n:start-line: 7": "4\n", "ln[8:8]": "4\n",
	} {
		if got := cutOut(text, part, len(text)); got != want {
			t.Errorf("%q: %q, want %q", part, got, want)
		}
	}
}

// TestTagsOfRegions has the tags of AsciiDoc that an include names, and their order in the file.
func TestTagsOfRegions(t *testing.T) {
	text := "0\ntag::a[]\n1\ntag::b[]\n2\nend::b[]\n3\nend::a[]\n4\ntag::c[]\n5\nend::c[]\n"
	for tags, want := range map[string]string{
		"a": "123", "b": "2", "b;c": "25", "a;!b": "13", "!b": "01345", "**": "012345", "**;!b": "01345", "*": "1235", "*;!b": "135", "!*": "04", "**;!*": "04", "gone": text,
	} {
		if got := cutOut(text, "tags="+tags, 1<<20); got != want && strings.ReplaceAll(got, "\n", "") != want {
			t.Errorf("%s: %q, want %q", tags, got, want)
		}
	}
	if got := regionsOf("#region a\n1\n#region b\n2\n#endregion\n3\n#endregion\n4\n", []string{"a"}); got != "1\n2\n3\n" {
		t.Errorf("regions in a region: %q", got)
	}
}
