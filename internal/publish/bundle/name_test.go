package bundle

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"docs": "new", "@acme/docs": "new", "acme.docs_2": "new", "9": "new", strings.Repeat("a", 214): "new",
		"Docs": "old", "@Acme/docs": "old", "_docs": "old", "~docs": "old", strings.Repeat("a", 215): "old",
		"node_modules": "old", "favicon.ico": "old",
		"": "none", "-g": "none", ".docs": "none", "@acme": "none", "@acme/": "none", "@-g/a": "none", "a/b": "none", "../x": "none", "a b": "none", "a&b": "none", "é": "none", "a\n": "none",
	} {
		got := "none"
		if IsNewPackage(name) {
			got = "new"
		} else if IsPackage(name) {
			got = "old"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

// The valid and invalid versions of semver.org, and versions that only npm or Go accepts.
func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"0.0.4": true, "1.2.3": true, "10.20.30": true, "1.1.2-prerelease": true, "1.0.0-alpha": true, "1.0.0-alpha.beta.1": true,
		"1.0.0-alpha0.valid": true, "1.0.0-rc.1": true, "1.2.3-SNAPSHOT-123": true, "1.0.0-0A.is.legal": true, "1.2.3----RC-SNAPSHOT.12.9.1--.12": true,
		"99999999999999999999999.999999999999999999.99999999999999999": true,

		"": false, "1": false, "1.2": false, "v1.2.3": false, "=1.2.3": false, " 1.2.3": false, "1.2.3\n": false, "01.1.1": false, "1.01.1": false, "1.1.01": false,
		"1.2.3-0123": false, "1.2.3-0123.0123": false, "1.2.3-": false, "1.2.3-a..b": false, "1.2.3-é": false, "1.2.3.4": false, "1.x": false, "latest": false, "1.0.0 - 2.0.0": false,
		"1.2.3+build": false, "1.2.3-beta+build": false, "1.2.3+": false, "-1.0.3": false,
	} {
		if got := IsVersion(version); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}
