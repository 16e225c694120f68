package doctor

import (
	"slices"
	"strings"
	"testing"
)

// Texts about one thing use the singular.
func TestOne(t *testing.T) {
	one := &Facts{Resources: 1, Templates: 1, Prompts: 1, Pages: 1}
	var got []string
	for _, check := range []func(*Facts) []Finding{mentions, listedOnly, toolsOnly} {
		for _, f := range check(one) {
			got = append(got, f.Text)
		}
	}
	for _, f := range spellings(&Rewrites{Tried: 1}, "URIs") {
		got = append(got, f.Text)
	}
	want := []string{
		"The resource can be mentioned with @: one page lists everything.",
		"It reads only listed resources and follows all pages, so it can read the only resource.",
		"It never lists the template; the files are listed anyway.",
		"It is assumed to use only tools, and the server has none.",
		"It does not get the resource: there is no tool for that.",
		"It may not show the prompt.",
		"URIs: the only read works.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Each profile says where it is from, and when.
func TestSources(t *testing.T) {
	for _, p := range profiles {
		if d, ok := new(Facts).Diagnose(p.id); !ok || !strings.HasSuffix(d.Source, " 2026") {
			t.Errorf("%s: source %q", p.id, d.Source)
		}
	}
}
