package page

import (
	"strings"
	"testing"
)

func TestToolForm(t *testing.T) {
	web := serve(t, "", "test")
	_, body := get(t, web.URL+"/tools/searchTest")
	last := 0
	for _, part := range []string{ // in this order
		"<p>Read and search the documentation of Test.</p>", "<details class=\"help\"><summary>More</summary>", "Consult this tool first",
		`name="arg.query"`, `name="arg.paths"`, "Paths of documents or folders to read.</p>", "<details class=\"help\">", "- guide/",
		"<details class=\"further\"><summary>4 more arguments</summary>", `name="arg.section"`, `name="arg.limit"`, "Call the tool",
	} {
		i := strings.Index(body[last:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or before the part above it, in\n%s", part, body)
		}
		last += i
	}
}

func TestHelp(t *testing.T) {
	long := strings.Repeat("word ", 50)
	for description, want := range map[string]help{
		"":                            {},
		"One. Two.":                   {Short: "One. Two."},
		"One. Two.\nThree":            {"One.", "Two.\nThree"},
		"One\nTwo. Three":             {"One", "Two. Three"},
		"First " + long + ". " + long: {"First " + long + ".", strings.TrimSpace(long)},
		long:                          {Short: strings.TrimSpace(long)},
	} {
		if got := helpOf(description); got != want {
			t.Errorf("%.20q: %q", description, got)
		}
	}
}
