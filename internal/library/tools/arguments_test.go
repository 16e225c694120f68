package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

// All mistakes in arguments are named, at any depth, with suggestions; correct arguments are read.
func TestArguments(t *testing.T) {
	schema := &Schema{Text: `{"type":"object","required":["query"],"properties":{
		"query":{"type":"string","maxLength":6},"limit":{"type":"integer","minimum":1,"maximum":5},"big":{"type":"integer","minimum":0},"deep":{"type":"boolean"},
		"sort":{"type":"string","enum":["up","down"]},"any":{},
		"scrapeOptions":{"type":"object","properties":{"formats":{"type":"array","maxItems":3,"items":{"type":"string","enum":["a","b"]}},"headers":{"type":"object","additionalProperties":{"type":"string"}}}}}}`}
	type arguments struct {
		Query   string          `json:"query"`
		Limit   int             `json:"limit"`
		Big     int64           `json:"big"`
		Deep    bool            `json:"deep"`
		Sort    string          `json:"sort"`
		Any     json.RawMessage `json:"any"`
		Options struct {
			Formats []string          `json:"formats"`
			Headers map[string]string `json:"headers"`
		} `json:"scrapeOptions"`
	}
	for _, test := range []struct{ in, read, wrong string }{
		{`{"query":"x"}`, `{x 3 0 true up [] {[] map[]}}`, ""},
		{`{"QUERY":"x","limit":5,"big":9007199254740993,"deep":false,"sort":"down","any":{"qurey":1},"scrapeOptions":{"formats":["a","b"],"headers":{"X":"y"}}}`,
			`{x 5 9007199254740993 false down [123 34 113 117 114 101 121 34 58 49 125] {[a b] map[X:y]}}`, ""},
		{`{"query":"x","limit":null,"sort":"","scrapeOptions":null}`, `{x 3 0 true up [] {[] map[]}}`, ""},
		{`{"query":"x","Query":null,"LIMIT":null,"limit":2}`, `{x 2 0 true up [] {[] map[]}}`, ""},
		{`{"query":"x","limit":2.0,"big":1e3}`, `{x 2 1000 true up [] {[] map[]}}`, ""},
		{``, `{ 3 0 true up [] {[] map[]}}`, "query: is missing"},
		{`null`, `{ 3 0 true up [] {[] map[]}}`, "query: is missing"},
		{`[]`, `{ 3 0 true up [] {[] map[]}}`, "query: is missing"},
		{`[1]`, `{ 3 0 true up [] {[] map[]}}`, "they must be an object"},
		{`"{\"query\":\"x\"}"`, `{x 3 0 true up [] {[] map[]}}`, ""},
		{`{"query":"[1]","limit":"2","big":" 7 ","deep":"false","scrapeOptions":"{\"formats\":\"a\"}"}`, `{[1] 2 7 false up [] {[a] map[]}}`, ""},
		{`{"query":"x","limit":"two","deep":"","scrapeOptions":{"formats":"[\"b\",\"a\"]","headers":[]}}`, `{x 3 0 true up [] {[b a] map[]}}`, "deep: is a string, must be true or false, limit: is a string, must be a whole number"},
		{`{"query":"x","scrapeOptions":{"formats":{"a":1}}}`, `{x 3 0 true up [] {[] map[]}}`, "scrapeOptions.formats: is an object, must be an array"},
		{`{"query":1,"limit":"5","big":1.5,"deep":0,"scrapeOptions":3}`, `{ 5 0 true up [] {[] map[]}}`,
			"big: is 1.5, must be a whole number, deep: is a number, must be true or false, query: is a number, must be a string, scrapeOptions: is a number, must be an object"},
		{`{"query":"x","limit":6,"big":-1}`, `{x 3 0 true up [] {[] map[]}}`, "big: is -1, must be at least 0, limit: is 6, must be from 1 to 5"},
		{`{"query":"x","big":1e300}`, `{x 3 0 true up [] {[] map[]}}`, "big: is 1e300, must be a whole number"},
		{`{"query":"x","sort":"dwn","limit":2,"scrapeOptions":{"formats":["c",1,"a"],"headers":{"X":true}}}`, `{x 2 0 true up [] {[] map[]}}`,
			`scrapeOptions.formats[0]: is "c", must be one of a, b, scrapeOptions.formats[1]: is a number, must be a string, scrapeOptions.headers.X: is true, must be a string, sort: is "dwn", must be one of up, down; did you mean down?`},
		{`{"query":"ääääää","scrapeOptions":{"formats":["a","a","a"]}}`, `{ääääää 3 0 true up [] {[a a a] map[]}}`, ""},
		{`{"query":"äääääää","scrapeOptions":{"formats":["a","a","a","c"]}}`, `{ 3 0 true up [] {[] map[]}}`,
			"query: has 7 characters, must have at most 6, scrapeOptions.formats: has 4 values, must have at most 3"},
		{`{"qurey":"x","zzz":1}`, `{ 3 0 true up [] {[] map[]}}`, "qurey: is not an argument; did you mean query?, query: is missing"},
		{`{"query":"x","scrapeOptions":{"format":1,"query":1}}`, `{x 3 0 true up [] {[] map[]}}`,
			"scrapeOptions.format: is not an argument; did you mean formats?"},
	} {
		a := arguments{Limit: 3, Deep: true, Sort: "up"}
		wrong := schema.Read(json.RawMessage(test.in), &a)
		got := ""
		if err := wrong.Err(); err != nil {
			got = strings.TrimPrefix(err.Error(), "Invalid arguments: ")
		}
		if got != test.wrong {
			t.Errorf("%s: %s\nwant %s", test.in, got, test.wrong)
		}
		if read := fmt.Sprint(a); read != test.read {
			t.Errorf("%s is read as %s, want %s", test.in, read, test.read)
		}
	}
}

// However many arguments are wrong, the answer is not much longer than they are.
func TestManyMistakes(t *testing.T) {
	var unknown []string
	for i := range 1000 {
		unknown = append(unknown, fmt.Sprintf(`"limit%d":1`, i))
	}
	schema := &Schema{Text: listSchema.Text}
	err := schema.Read(json.RawMessage("{"+strings.Join(unknown, ",")+"}"), &struct{}{}).Err()
	if err == nil || len(err.Error()) > 3000 {
		t.Errorf("a message of %d bytes", len(err.Error()))
	}
}

// An unknown argument is ignored, and named if it is similar to a known one.
func TestUnknownArguments(t *testing.T) {
	f := start(t, given.Resources("x/h/a.txt=one"), Features{ResourceTools: true})
	content, isError := f.use("read_resource", map[string]any{"uri": "x://h/a.txt", "toolCallId": "c"})
	if got := says(t, content); got != "one" || isError {
		t.Errorf("%q", got)
	}
	content, isError = f.use("read_resource", map[string]any{"uri": "x://h/a.txt", "ofset": 2, "URI": nil})
	if len(content) != 2 || isError || !strings.Contains(fmt.Sprint(content[1]), "ofset was ignored: it is not an argument; did you mean offset?") {
		t.Errorf("%v", content)
	}
}
