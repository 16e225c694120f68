package doctor

import "testing"

func TestSpellings(t *testing.T) {
	for _, test := range []struct{ uri, vscode, parsed string }{
		{"x://h/a", "x://h/a", "x://h/a"},
		{"x://h/a%2Bb%20c%26%C3%A9%25.md", "x://h/a+b%20c&%C3%A9%.md", "x://h/a%2Bb%20c%26%C3%A9%25.md"},
		{"http://Example/a", "http://Example/a", "http://example/a"},
		{"x://H/a/%2E%2e/b/./c", "x://H/a/%2E%2e/b/./c", "x://H/b/c"},
		{"x://h/../../a", "x://h/../../a", "x://h/a"},
		{"https://h", "https://h", "https://h/"},
		{"x://h", "x://h", "x://h"},
		{"none", "none", "none"},
	} {
		if got := asVSCode(test.uri); got != test.vscode {
			t.Errorf("VS Code sends %s for %s, not %s", test.vscode, test.uri, got)
		}
		if got := asURL(test.uri); got != test.parsed {
			t.Errorf("JavaScript has %s for %s, not %s", test.parsed, test.uri, got)
		}
	}
}
