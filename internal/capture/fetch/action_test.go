package fetch

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestActions(t *testing.T) {
	for _, ok := range []string{
		`{"type":"wait","milliseconds":1000}`, `{"type":"click","selector":"a"}`, `{"type":"write","selector":"#a","text":""}`,
		`{"type":"press","key":"Enter"}`, `{"type":"scroll","direction":"up"}`, `{"type":"scroll","direction":"down","amount":3}`,
		`{"type":"screenshot"}`, `{"type":"screenshot","name":"x"}`, `{"type":"scrape"}`, `{"type":"scrape","selector":"main"}`,
		`{"type":"executeJavascript","script":"1"}`,
	} {
		var a Action
		if err := json.Unmarshal([]byte(ok), &a); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for bad, want := range map[string]string{
		`[]`:                                 "an object",
		`null`:                               "",
		`{}`:                                 "type",
		`{"type":"jump"}`:                    "type",
		`{"Type":"scrape"}`:                  "Type",
		`{"type":"wait"}`:                    "milliseconds: is missing",
		`{"type":"wait","milliseconds":0}`:   "milliseconds: is 0",
		`{"type":"wait","milliseconds":1.5}`: "milliseconds",
		`{"type":"wait","milliseconds":1,"selector":"a"}`:                 "selector: an action wait has no such field",
		`{"type":"click","selector":" "}`:                                 "selector: is empty",
		`{"type":"click","Selector":"a"}`:                                 "selector: is missing",
		`{"type":"write","selector":"a"}`:                                 "text: is missing",
		`{"type":"press","key":""}`:                                       "key: is empty",
		`{"type":"scroll","direction":"left"}`:                            "direction",
		`{"type":"scroll","direction":"up","amount":0}`:                   "amount",
		`{"type":"executeJavascript","script":""}`:                        "script",
		`{"type":"` + strings.Repeat("é", 100) + `"}`:                     "type",
		`{"type":"click","selector":"` + strings.Repeat("a", 5000) + `"}`: "selector: has 5000 bytes",
	} {
		var list []Action
		err := json.Unmarshal([]byte("["+bad+"]"), &list)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
	}
}
