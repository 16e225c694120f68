package prompts

import (
	"strings"
	"testing"
)

// A prompt without a description has the first sentence of its text as one.
func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"# Review\n\nLook at **{{a}}** and [the rules](x://rules), e.g. `go vet`.\nThen say why. More.\n": "Look at {a} and the rules, e.g. go vet.",
		"- First step: read it\n- write":                             "First step: read it",
		"```\ncode. here\n```\n<!-- note -->\n> Quoted text\n> ends": "Quoted text ends",
		"# Only a heading\n":                                         "",
		"1. Use version 1.2.3 of x.y\n\nNext":                        "Use version 1.2.3 of x.y",
		"これは文です。次の文。":                                                "これは文です。",
		strings.Repeat("long ", 100):                                 strings.Repeat("long ", 39) + "lo…",
		"---\ndescription: Mine\n---\nNot this.":                     "Mine",
		"\\{{x}} stays. So":                                          "{{x}} stays.",
	} {
		if strings.Contains(text, "{{a}}") {
			text = "---\nargs:\n  a:\n---\n" + text
		}
		p, problems := parse("p.md", "p", []byte(text))
		if p == nil || p.Description != want {
			t.Errorf("%q: %+v, want %q; %v", text, p, want, problems)
		}
	}
}
