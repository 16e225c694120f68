package serverlog

import "testing"

func TestWithoutPackage(t *testing.T) {
	for place, want := range map[string]string{
		"deps://npm/@acme/private@1.0.0/README.md":         "deps:…",
		"DEPS://npm/@acme/private@1.0.0/README.md":         "DEPS:…",
		"/acme/r/deps/npm/@acme/private@1.0.0/README.md":   "/acme/r/deps/…",
		"/raw/deps/npm/@acme/private@1.0.0/docs/README.md": "/raw/deps/…",
		"/r/config/deps.json":                              "/r/config/deps.json",
		"docs://acme/deps/README.md":                       "docs://acme/deps/README.md",
	} {
		if got := withoutPackage(place); got != want {
			t.Errorf("%s is logged as %s, want %s", place, got, want)
		}
	}
}
