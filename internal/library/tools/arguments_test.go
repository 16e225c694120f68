package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// All mistakes in arguments are named, at any depth, with suggestions; correct arguments are read.
func TestArguments(t *testing.T) {
	type arguments struct {
		Query   string `json:"query" schema:"required maxLength=6"`
		Limit   int    `json:"limit" schema:"minimum=1 maximum=5 default=3"`
		Big     int64  `json:"big" schema:"minimum=0"`
		Deep    bool   `json:"deep" schema:"default=true"`
		Sort    string `json:"sort" schema:"enum=up|down default=up"`
		Options struct {
			Formats []string          `json:"formats" schema:"maxItems=3 enum=a|b"`
			Headers map[string]string `json:"headers"`
		} `json:"scrapeOptions"`
	}
	for _, c := range given.Cases(t, "arguments.txt") {
		want, wrongs, _ := strings.Cut(c.Text, "\n")
		var a arguments
		wrong := SchemaOf[arguments]()().Read(json.RawMessage(c.Name), &a)
		got := ""
		if err := wrong.Err(); err != nil {
			got = strings.TrimPrefix(err.Error(), "Invalid arguments: ")
		}
		must.Equal(t, wrongs, got, c.Name)
		if read := fmt.Sprint(a); read != want {
			t.Errorf("%s is read as %s, want %s", c.Name, read, want)
		}
	}
}

// However many arguments are wrong, the answer is not much longer than they are.
func TestManyMistakes(t *testing.T) {
	var unknown []string
	for i := range 1000 {
		unknown = append(unknown, fmt.Sprintf(`"limit%d":1`, i))
	}
	err := SchemaOf[listArguments]()().Read(json.RawMessage("{"+strings.Join(unknown, ",")+"}"), new(listArguments)).Err()
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
