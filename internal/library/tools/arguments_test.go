package tools

import (
	"encoding/json"
	"testing"
)

// What is wrong with arguments is named, with what was meant, at any depth.
func TestArguments(t *testing.T) {
	type options struct {
		Formats []string        `json:"formats,omitempty"`
		Any     json.RawMessage `json:"any"`
	}
	var a struct {
		Query   string   `json:"query"`
		Options *options `json:"scrapeOptions"`
	}
	for raw, want := range map[string]string{
		``: "", `null`: "", `{"QUERY":"x","scrapeOptions":{"formats":["a"],"any":{"qurey":1}}}`: "",
		`{"qurey":"x"}`:                       `the arguments are wrong: unknown field "qurey"; did you mean query?`,
		`{"zzz":1}`:                           `the arguments are wrong: unknown field "zzz"`,
		`{"a\"b":1}`:                          `the arguments are wrong: unknown field "a\"b"`,
		`{"scrapeOptions":{"format":1}}`:      `the arguments are wrong: unknown field "scrapeOptions.format"; did you mean formats?`,
		`{"scrapeOptions":{"query":1}}`:       `the arguments are wrong: unknown field "scrapeOptions.query"`,
		`{"scrapeOptions":null,"formats":[]}`: `the arguments are wrong: unknown field "formats"`,
		`{"scrapeOptions":3}`:                 "the argument scrapeOptions is number, must be an object",
		`[]`:                                  "the arguments must be an object, not array",
		`{} {}`:                               "the arguments must be one object",
	} {
		err := Arguments(json.RawMessage(raw), &a)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}
