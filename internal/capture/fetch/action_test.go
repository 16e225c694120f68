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
	for _, bad := range []string{
		`[]`, `{}`, `{"type":"jump"}`, `{"Type":"scrape"}`, `{"type":"wait"}`, `{"type":"wait","milliseconds":0}`, `{"type":"wait","milliseconds":1.5}`,
		`{"type":"wait","milliseconds":1,"selector":"a"}`, `{"type":"click","selector":" "}`, `{"type":"click","Selector":"a"}`, `{"type":"write","selector":"a"}`,
		`{"type":"press","key":""}`, `{"type":"scroll","direction":"left"}`, `{"type":"scroll","direction":"up","amount":0}`, `{"type":"executeJavascript","script":""}`,
		`{"type":"` + strings.Repeat("é", 100) + `"}`, `{"type":"click","selector":"` + strings.Repeat("a", 5000) + `"}`,
	} {
		var list []Action
		if err := json.Unmarshal([]byte("["+bad+"]"), &list); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
